"""What open pages ask every few seconds: has anything been written since they were drawn?

A mark, not a text: nothing is shown, so nothing is written down as read.
"""

from collections.abc import Iterable

from django.db.models import Count, Max
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from agents.models import Visitor
from memory.models import Memory

MOST = 200


def mark_of(visitor_ids: Iterable[int], *, with_people: bool = False) -> str:
    """Another one after every write about these persons; inside `within`. `with_people`: and when
    somebody new is there."""
    rows = Memory.objects.filter(visitor_id__in=list(visitor_ids)[:MOST])
    seen = rows.aggregate(n=Count("pk"), at=Max("updated_at"), newest=Max("pk"))
    at = seen["at"].isoformat() if seen["at"] else ""
    people = Visitor.objects.count() if with_people else 0
    return f"{seen['n']}-{seen['newest']}-{at}-{people}"


@require_safe
def overview(request: HttpRequest) -> JsonResponse:
    """`?of=1,2,3`: the persons on the page."""
    numbers = [
        int(part)
        for part in request.GET.get("of", "").split(",")[:MOST]
        if part.isascii() and part.isdigit() and len(part) < 19
    ]
    return answer(mark_of(numbers, with_people=True))


def answer(mark: str) -> JsonResponse:
    return JsonResponse({"state": mark}, headers={"Cache-Control": "no-store"})
