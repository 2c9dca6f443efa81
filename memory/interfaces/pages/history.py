"""A memory's page: what it says, every version with who made it and why, and who was told it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.interfaces.pages import diff, words
from memory.interfaces.pages.cards import Card, Field, cards
from memory.models import Memory, MemoryVersion, Mutation, RecallTrace
from tenants.audit import record
from tenants.caller import Caller
from tenants.request import MemberRequest

VERSIONS = 50  # shown, the latest; the admin lists them all
RECALLS = 12
LOOKED_AT = 2_000  # the latest recalls among which those that used it are sought
_FIELDS = ("key", "description", "presence", "trigger_patterns", "category", "label", "pinned")


@dataclass(frozen=True)
class Step:
    """One version, what it changed, and the decision behind it. Texts are plain."""

    version: MemoryVersion
    pieces: list[diff.Piece]
    fields: list[Field]
    when: str
    who: str
    card: Card | None  # of the mutation, with its quotes
    undone: bool  # the mutation's effect was taken back by this version

    @property
    def is_changed(self) -> bool:
        return any(piece.kind != "same" for piece in self.pieces)


@dataclass(frozen=True)
class Use:
    """One recall that carried the memory."""

    trace: RecallTrace
    version: int
    how: str
    shown: str
    score: float | None
    when: str


@require_safe
def memory(request: MemberRequest, memory_id: int) -> HttpResponse:
    """`/memories/<id>/`. Ended memories are shown, too: their history is what is asked for."""
    rows = Memory.objects.select_related("agent", "visitor", "category", "superseded_by")
    row = get_object_or_404(rows, pk=memory_id)
    if row.kind == Memory.Kind.PERSON:
        _audit(request.caller, row)
    now = timezone.now()
    steps, more = _steps(row, request.caller, now)
    context = {
        "section": "agents" if row.agent_id else "review",
        "memory": row,
        "title": row.key or row.label or (row.category.name if row.category else "Knowledge"),
        "is_live": Memory.objects.as_of().filter(pk=row.pk).exists(),
        "steps": steps,
        "more": more,
        "uses": _uses(row, now),
        "looked_at": LOOKED_AT,
        "origin": _origin(row, steps),
        "pending": Mutation.objects.pending().filter(target=row).order_by("pk").values_list(
            "pk", "operation"
        )[:5],
        "made": words.ago(row.created_at, now),
    }  # fmt: skip
    return render(request, "memory/history.html", context)


def _steps(row: Memory, caller: Caller, now: datetime) -> tuple[list[Step], bool]:
    """Newest first; the oldest shown is compared with the one before it, too."""
    found = list(row.versions.order_by("-version")[: VERSIONS + 1])
    mutations = Mutation.objects.filter(
        pk__in={version.mutation_id for version in found if version.mutation_id}
    )
    mutations = mutations.defer("vector").select_related(
        "agent", "writer", "visitor", "resolved_by"
    )
    by_mutation = {card.mutation.pk: card for card in cards(list(mutations), caller)}
    names: dict[int, str] = {
        user.pk: user.get_username()
        for user in get_user_model().objects.filter(pk__in={v.user_id for v in found if v.user_id})
    }
    earlier: Sequence[MemoryVersion | None] = [*found[1:], None]
    steps = [
        _step(version, before, by_mutation, names, now)
        for version, before in zip(found, earlier, strict=True)
    ]
    return steps[:VERSIONS], len(found) > VERSIONS


def _step(
    version: MemoryVersion,
    before: MemoryVersion | None,
    by_mutation: dict[int, Card],
    names: dict[int, str],
    now: datetime,
) -> Step:
    was: dict[str, Any] = before.draft if before is not None else {}
    says = version.draft
    card = by_mutation.get(version.mutation_id or 0)
    return Step(
        version=version,
        pieces=diff.compare(was.get("content") or "", says.get("content") or ""),
        fields=[
            Field(name.replace("_", " "), _plain(was.get(name)), _plain(says.get(name)))
            for name in _FIELDS
            if before is not None and _plain(was.get(name)) != _plain(says.get(name))
        ],
        when=words.ago(version.made_at, now),
        who=names.get(version.user_id or 0, ""),
        card=card,
        undone=card is not None and card.mutation.memory_version != version.version,
    )


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    return "" if value is None else str(value)


def _uses(row: Memory, now: datetime) -> list[Use]:
    """The latest recalls that carried it, sought among the latest of those who could."""
    traces = RecallTrace.objects.order_by("-at", "-pk")
    if row.agent_id is not None:
        traces = traces.filter(agent_id=row.agent_id)
    if row.visitor_id is not None:
        traces = traces.filter(visitor_id=row.visitor_id)
    latest = traces.values("pk")[:LOOKED_AT]
    found = (
        RecallTrace.objects.filter(pk__in=latest, memories__contains=[{"id": row.pk}])
        .select_related("visitor")
        .defer("steps")
        .order_by("-at", "-pk")[:RECALLS]
    )
    return [_use(trace, row.pk, now) for trace in found]


def _use(trace: RecallTrace, memory_id: int, now: datetime) -> Use:
    line = next(line for line in trace.memories if line.get("id") == memory_id)
    return Use(
        trace=trace,
        version=line.get("version") or 0,
        how=str(line.get("reason") or ""),
        shown=str(line.get("shown") or ""),
        score=line.get("score"),
        when=words.ago(trace.at, now),
    )


def _origin(row: Memory, steps: list[Step]) -> str:
    """Where it came from, in words."""
    if row.kind == Memory.Kind.LEARNED:
        return "learned from a conversation" if row.source.get("mutation") else "learned"
    return "learned by itself" if row.is_auto_generated else "written by hand"


def _audit(caller: Caller, row: Memory) -> None:
    """A member read what is known about a person (E2)."""
    visitor = row.visitor
    if visitor is None or (visitor.user_id is not None and visitor.user_id == caller.user_id):
        return
    record(
        "person.memories_read",
        by=caller.actor,
        subject="visitor",
        subject_id=visitor.pk,
        agent=row.agent_id,
        count=1,
        page="history",
    )
