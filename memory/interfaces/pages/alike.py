"""Many at once: every text in full first, then each through `review.approve` by itself (D25).

Flagged items and deletes are never in a bulk. The browser sends the ids and versions that it
showed, fifty at a time, and draws the progress; each item answers its own result, and no item
depends on another, so nothing is ever half applied.
"""

from dataclasses import dataclass

from django.db.models import F, Func, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST, require_safe

from memory import review
from memory.interfaces.pages.related import branch_of, key_of
from memory.models import Mutation
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own

MOST = 200  # shown at once
BATCH = 50  # taken in one request


@dataclass(frozen=True)
class Result:
    """What became of one item; `detail` says why when it was not approved."""

    id: int
    ok: bool
    detail: str

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "ok": self.ok, "detail": self.detail}


def _branch() -> Func:
    """The first folder of the key, as `related.branch_of` has it."""
    key = Coalesce(KT("draft__key"), KT("before__key"), Value(""), output_field=TextField())
    return Func(key, Value("/"), Value(2), function="split_part", output_field=TextField())


def _near(mutation: Mutation) -> QuerySet[Mutation]:
    """The same whatever they do: what is left out of a bulk is counted from these."""
    return (
        Mutation.objects.pending()
        .filter(agent=mutation.agent, approver=mutation.approver)
        .annotate(branch=_branch())
        .filter(branch=branch_of(key_of(mutation)))
    )


def like(mutation: Mutation) -> QuerySet[Mutation]:
    """Pending mutations of the same agent, operation, approver and branch of keys."""
    return (
        _near(mutation)
        .filter(operation=mutation.operation)
        .defer("vector", "evidence")
        .select_related("agent", "visitor")
        .order_by(F("created_at"), F("pk"))
    )


@require_safe
def alike(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """All that are like this one, each text in full, with what is left out counted."""
    rows = Mutation.objects.defer("vector").select_related("agent", "visitor")
    mutation = get_object_or_404(rows, pk=mutation_id)
    if mutation.operation == Mutation.Operation.DELETE:
        raise Http404("deletes are decided one by one")
    found = list(like(mutation)[: MOST + 1])
    shown = [row for row in found[:MOST] if not row.flags]
    context = {
        "section": "review",
        "mutation": mutation,
        "branch": "/" + branch_of(key_of(mutation)),
        "rows": [_shown(row) for row in shown],
        "flagged": sum(bool(row.flags) for row in found[:MOST]),
        "deletes": _near(mutation).filter(operation=Mutation.Operation.DELETE).count(),
        "more": len(found) > MOST,
        "most": MOST,
        "may_decide": request.caller.may_decide(mutation.approver),
        "batch": BATCH,
    }
    return render(request, "memory/alike.html", context)


def _shown(row: Mutation) -> dict[str, object]:
    """What it says now, and what it would say: each whole."""
    before, after = row.before.get("content", ""), row.draft.get("content", "")
    return {
        "mutation": row,
        "key": key_of(row),
        "before": before if after else "",
        "after": after or before,
    }


@opens_its_own
@require_POST
def approve(request: MemberRequest) -> HttpResponse:
    """`item` is `id:version`, as often as there are items. JSON for a script, else a page."""
    given = request.POST.getlist("item")
    wants_json = request.headers.get("accept", "").startswith("application/json")
    try:
        items = [_item(each) for each in given]
    except ValueError:
        return _refused(request, "item: expected id:version", wants_json)
    if not items:
        return _refused(request, "item: nothing was chosen", wants_json)
    if wants_json and len(items) > BATCH:
        return _refused(request, f"item: {len(items)} given, at most {BATCH} at a time", wants_json)
    if len(items) > MOST:
        return _refused(request, f"item: {len(items)} given, at most {MOST}", wants_json)
    results = _results(request, items)
    if wants_json:
        return JsonResponse({"results": [result.as_json() for result in results]})
    context = {
        "section": "review",
        "approved": sum(result.ok for result in results),
        "refused": [result for result in results if not result.ok],
    }
    with within(request.tenant_id):
        return render(request, "memory/alike_done.html", context)


def _item(text: str) -> tuple[int, int | None]:
    number, _, version = text.partition(":")
    if not (number.isdecimal() and version.isdecimal() and len(number) < 19 and len(version) < 10):
        raise ValueError(text)
    return int(number), int(version)


def _results(request: MemberRequest, items: list[tuple[int, int | None]]) -> list[Result]:
    """In the order given. What has to be looked at alone is left out, whatever was sent."""
    with within(request.tenant_id):
        rows = Mutation.objects.filter(pk__in=[number for number, _ in items])
        alone = {
            pk
            for pk, flags, operation, writer in rows.values_list(
                "pk", "flags", "operation", "writer_id"
            )
            if flags or operation == Mutation.Operation.DELETE or writer is not None
        }
    chosen = [item for item in items if item[0] not in alone]
    ended = review.approve_each(items=chosen, by=request.caller)
    return [
        Result(number, False, "flagged items, deletes and conflicts are decided one by one")
        if number in alone
        else _result(*next(ended))
        for number, _ in items
    ]


def _result(number: int, refusal: review.ReviewRefused | None) -> Result:
    return Result(number, refusal is None, "" if refusal is None else str(refusal))


def _refused(request: MemberRequest, why: str, wants_json: bool) -> HttpResponse:
    if wants_json:
        return JsonResponse({"error": why, "field": "item"}, status=400)
    return HttpResponse(why, status=400, content_type="text/plain; charset=utf-8")
