"""What else the scope says about it: stored memories and other mutations of the same branch.

A branch is the first part of a key: `/preferences` of `/preferences/style`. One query for the
memories and one for the mutations, whatever the length of the page.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, F, Func, IntegerField, Q, TextField, Value, When, Window
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, NullIf, RowNumber

from memory.models import Memory, Mutation, Reader
from memory.models.draft import PROFILE

EACH = 3
READ = 3 * EACH  # rows of a branch that are read: several cards may want the same ones
EMPTY = Value("", output_field=TextField())

Scope = tuple[int | None, int | None]
Branch = tuple[Scope, str]


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
    """By mutation id; inside `within`."""
    if not mutations:
        return {}
    memories, pending = _read(_memories(), mutations), _read(_mutations(), mutations)
    found = {}
    for mutation in mutations:
        key = key_of(mutation)
        place = (_scope(mutation), branch_of(key))
        found[mutation.pk] = Related(
            _nearest(memories[place], key, apart_from=mutation.target_id),
            _nearest(pending[place], key, apart_from=mutation.pk),
        )
    return found


# `Mutation.path` in SQL.
_TEXT = TextField()
_SLUG = Coalesce(KT("draft__slug"), KT("before__slug"), EMPTY, output_field=_TEXT)
_OF_PERSON = Q(draft__has_key="label") | Q(before__has_key="label")
PATH = Case(
    When(
        _OF_PERSON,
        then=Func(
            Value("/"), Value(PROFILE[1:]), NullIf(_SLUG, EMPTY, output_field=_TEXT),
            template="'/' || concat_ws(%(expressions)s)", output_field=_TEXT,
        ),
    ),
    default=Coalesce(KT("draft__key"), KT("before__key"), EMPTY),
    output_field=_TEXT,
)  # fmt: skip


def key_of(mutation: Mutation) -> str:
    return mutation.path


def branch_of(key: str) -> str:
    return key.split("/")[1] if key.startswith("/") else ""


def _scope(mutation: Mutation) -> Scope:
    return mutation.agent_id, mutation.visitor_id


def _nearest(rows: list[Near], key: str, *, apart_from: int | None) -> list[Near]:
    """The same key first, then the newest."""
    told = [Near(n.pk, n.key, n.text, n.key == key != PROFILE, n.operation) for n in rows]
    told = [near for near in told if near.pk != apart_from]
    return sorted(told, key=lambda near: (not near.same, -near.pk))[:EACH]


def _memories() -> Any:
    rows = Memory.objects.visible_to(Reader.for_member()).filter(kind=Memory.Kind.LEARNED)
    return rows.annotate(near_key=F("key"), text=F("content"), does=EMPTY)


def _mutations() -> Any:
    return Mutation.objects.pending().annotate(
        near_key=PATH,
        text=Coalesce(KT("draft__content"), KT("before__content"), EMPTY),
        does=F("operation"),
    )


def _read(rows: Any, mutations: Sequence[Mutation]) -> dict[Branch, list[Near]]:
    """The few newest rows of every branch that the page touches, those with a wanted key first."""
    keys = {key_of(mutation) for mutation in mutations}
    wanted = Case(When(near_key__in=keys, then=0), default=1, output_field=IntegerField())
    branch = Func(
        F("near_key"), Value("/"), Value(2), function="split_part", output_field=TextField()
    )
    place = Window(
        RowNumber(),
        partition_by=["agent_id", "visitor_id", "branch"],
        order_by=[wanted.asc(), F("pk").desc()],
    )
    rows = (
        rows.annotate(branch=branch)
        .filter(_scopes(mutations), branch__in={branch_of(key) for key in keys})
        .annotate(place=place)
        .filter(place__lte=READ)
    )
    found: dict[Branch, list[Near]] = defaultdict(list)
    columns = ("agent_id", "visitor_id", "branch", "pk", "near_key", "text", "does")
    for agent_id, visitor_id, part, pk, key, text, does in rows.values_list(*columns):
        found[(agent_id, visitor_id), part].append(Near(pk, key, text or "", False, does))
    return found


def _scopes(mutations: Sequence[Mutation]) -> Q:
    """The page's visitors with its agents: a few pairs too many, but two index conditions."""
    agents = {mutation.agent_id for mutation in mutations}
    visitors = {mutation.visitor_id for mutation in mutations if mutation.visitor_id is not None}
    scopes = Q(agent_id__in=agents, visitor_id__in=visitors) if visitors else Q()
    wide = {mutation.agent_id for mutation in mutations if mutation.visitor_id is None}
    return scopes | Q(agent_id__in=wide, visitor=None) if wide else scopes
