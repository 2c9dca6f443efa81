"""What colleagues did meanwhile to the cards on somebody's screen."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from memory.models import Mutation

MOST = 200


@require_safe
def state(request: HttpRequest) -> JsonResponse:
    """`?ids=1:3,2:1`: those that are no longer as shown (id:version), and in which state.

    Ids that are unknown or another tenant's are gone: `{"state": "gone"}`.
    """
    shown: dict[int, int] = {}
    for part in request.GET.get("ids", "").split(",")[:MOST]:
        number, _, version = part.partition(":")
        if number.isdecimal() and version.isdecimal() and len(number) < 19 and len(version) < 10:
            shown[int(number)] = int(version)
    now = dict(Mutation.objects.filter(pk__in=shown).values_list("pk", "version"))
    changed = [number for number, version in shown.items() if now.get(number) != version]
    return JsonResponse(
        {"changed": {str(n): "changed" if n in now else "gone" for n in changed}},
        headers={"Cache-Control": "no-store"},
    )
