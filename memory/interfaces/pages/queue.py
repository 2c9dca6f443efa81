"""The queue: one page of cards, filters and lanes."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from agents.models import Agent
from memory.interfaces.pages import waiting
from memory.interfaces.pages.cards import card, cards
from memory.interfaces.pages.schedule import next_run_in_words
from memory.interfaces.pages.similar import similar_to
from memory.models import Mutation, Presence
from tenants.request import MemberRequest


@require_safe
def queue(request: MemberRequest) -> HttpResponse:
    """`?lane=&agent=&visitor=&operation=&presence=&q=` narrow it; `?after=` is the next page's."""
    filters = waiting.Filters.read(request.GET)
    after = request.GET.get("after", "")
    try:
        page = waiting.page(filters, after)
    except waiting.BadPlace as error:
        raise Http404("no such page of the queue") from error
    counts = waiting.counts(filters)
    chosen = waiting.BY_SLUG.get(filters.lane)
    context: dict[str, Any] = {
        "section": "review",
        "cards": cards(page.rows, request.caller),
        "filters": filters,
        "agents": Agent.objects.order_by("name", "pk").only("slug", "name"),
        "operations": Mutation.Operation.values,
        "presences": list(Presence),
        "lanes": [
            {
                "lane": lane,
                "count": counts.get(lane.number, 0),
                "query": filters.query(lane=lane.slug),
            }
            for lane in waiting.LANES
        ],
        "lane": chosen,
        "all_query": filters.query(lane=""),
        "total": sum(counts.values()),
        "shown": counts.get(chosen.number, 0) if chosen else sum(counts.values()),
        "next_query": filters.query(after=page.after) if page.after else "",
        "start_query": filters.query(),
        "is_later_page": bool(after),
        "here": request.get_full_path(),
    }
    if not page.rows:
        context["next_run"] = next_run_in_words()
    return render(request, "memory/queue.html", context)


@require_safe
def one(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """A card on its own page, with all its quotes; the fragment alone for htmx."""
    rows = Mutation.objects.defer("vector").select_related(
        "agent", "writer", "visitor", "resolved_by"
    )
    mutation = get_object_or_404(rows, pk=mutation_id)
    return show(request, mutation)


def show(
    request: MemberRequest,
    mutation: Mutation,
    *,
    refusal: str = "",
    status: int = 200,
    editing: dict[str, Any] | None = None,
) -> HttpResponse:
    """The card as a fragment for htmx, else as a page; inside `within`.

    `as=row` asks for the short form of an agent's panel; what was refused needs the long one.
    """
    shown = card(mutation, request.caller)
    shown.refusal = refusal
    context = {"section": "review", "card": shown, "editing": editing, "here": _back(request)}
    if request.htmx:
        as_row = _asked(request, "as") == "row"
        short = as_row and not refusal and editing is None
        part = "memory/_row.html" if short else "memory/_card.html"
        return render(request, part, context | {"as_row": as_row}, status=status)
    context["similar"] = similar_to(mutation)
    return render(request, "memory/card.html", context, status=status)


def _back(request: MemberRequest) -> str:
    """Where a plain form returns to: the queue as it was filtered."""
    return _asked(request, "next")


def _asked(request: MemberRequest, name: str) -> str:
    return request.POST.get(name) or request.GET.get(name, "")
