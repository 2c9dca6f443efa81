"""What else the scope says about it: stored memories and other proposals of the same branch.

A branch is the first part of a key: `/preferences` of `/preferences/style`. One query for the
memories and one for the proposals, whatever the length of the page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from django.db.models import Case, F, IntegerField, Q, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from memory.models import Memory, Mutation, Reader

EACH = 3
EMPTY = Value("", output_field=TextField())

Scope = tuple[int, int | None]
Rows = Any  # a queryset of tuples: place, closeness, pk, key, text, operation


@dataclass(frozen=True)
class Near:
    """A row worth knowing before deciding. `same` says that it wants, or has, the same key."""

    pk: int
    key: str
    text: str
    same: bool
    operation: str = ""


@dataclass
class Related:
    memories: list[Near] = field(default_factory=list)
    pending: list[Near] = field(default_factory=list)


def related_to(mutations: Sequence[Mutation]) -> dict[int, Related]:
    """By mutation id."""
    found = {mutation.pk: Related() for mutation in mutations}
    wanted = {(_scope(m), key_of(m)) for m in mutations}
    memories = _by_key(wanted, _memories)
    pending = _by_key(wanted, _proposals)
    for mutation in mutations:
        place = (_scope(mutation), key_of(mutation))
        related = found[mutation.pk]
        related.memories = [n for n in memories.get(place, []) if n.pk != mutation.target_id][:EACH]
        related.pending = [n for n in pending.get(place, []) if n.pk != mutation.pk][:EACH]
    return found


def key_of(mutation: Mutation) -> str:
    return str(mutation.draft.get("key") or mutation.before.get("key") or "")


def _scope(mutation: Mutation) -> Scope:
    return mutation.agent_id, mutation.visitor_id


def _branch(key: str) -> str:
    return "/" + key.strip("/").split("/")[0]


def _by_key(
    wanted: set[tuple[Scope, str]], rows_of: Callable[[Scope, str, int], Rows]
) -> dict[tuple[Scope, str], list[Near]]:
    """One statement: the few nearest rows of each scope and key, each tagged with its place."""
    places = sorted(wanted, key=repr)
    if not places:
        return {}
    parts = [rows_of(scope, key, number)[: EACH + 1] for number, (scope, key) in enumerate(places)]
    united = reduce(lambda one, other: one.union(other, all=True), parts)
    found: dict[tuple[Scope, str], list[Near]] = {place: [] for place in places}
    for number, closeness, pk, near_key, text, operation in united:
        found[places[number]].append(Near(pk, near_key, text or "", closeness == 0, operation))
    for rows in found.values():
        rows.sort(key=lambda near: (not near.same, -near.pk))
    return found


def _memories(scope: Scope, key: str, number: int) -> Rows:
    rows = Memory.objects.visible_to(Reader.for_member(scope[0])).in_scope(*scope)
    return _nearest(rows.annotate(near_key=F("key"), text=F("content"), does=EMPTY), key, number)


def _proposals(scope: Scope, key: str, number: int) -> Rows:
    rows = Mutation.objects.pending().in_scope(*scope)
    rows = rows.annotate(
        near_key=Coalesce(KT("draft__key"), KT("before__key"), EMPTY),
        text=Coalesce(KT("draft__content"), KT("before__content"), EMPTY),
        does=F("operation"),
    )
    return _nearest(rows, key, number)


def _nearest(rows: Any, key: str, number: int) -> Rows:
    """The same key first, then the branch, the newest before the older."""
    branch = _branch(key)
    rows = rows.filter(Q(near_key=branch) | Q(near_key__startswith=branch + "/"))
    same = Case(When(near_key=key, then=0), default=1, output_field=IntegerField())
    place = Value(number, output_field=IntegerField())
    rows = rows.annotate(closeness=same, place=place).order_by("closeness", "-pk")
    return rows.values_list("place", "closeness", "pk", "near_key", "text", "does")
