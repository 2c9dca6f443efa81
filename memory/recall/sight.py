"""What a reader may see, as a subquery that every search begins with."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from memory.models import Memory, Presence, Reader

# What a memory is chosen by: a learned one by its presence, one of a person by who may know it.
EVERYWHERE, HERE, KNOWLEDGE, SHARED = "everywhere", "here", "knowledge", "shared"
GROUP = """CASE kind WHEN 'learned' THEN presence
    WHEN 'person' THEN CASE WHEN agent_id IS NULL THEN 'everywhere' ELSE 'here' END
    ELSE kind END"""
# The same, asked for: plain conditions, which an index knows and a row passes faster than a CASE.
_OF_GROUP = {
    **{str(each): f"kind = 'learned' AND presence = '{each}'" for each in Presence},
    EVERYWHERE: "kind = 'person' AND agent_id IS NULL",
    HERE: "kind = 'person' AND agent_id IS NOT NULL",
    KNOWLEDGE: "kind = 'knowledge'",
    SHARED: "kind = 'shared'",
}


@dataclass(frozen=True)
class Visible:
    """`Memory.objects.visible_to(...)` as a subquery, compiled once for several statements."""

    sql: str
    values: tuple[Any, ...]


def visible(reader: Reader, at: datetime | None) -> Visible:
    """The rows for this reader, with the columns that recall needs."""
    if at is not None:
        return Visible(*_compiled(reader, at))
    # Compiling costs more than some of the statements do. The SQL depends on which of its fields
    # a reader has, not on the numbers and names in them: compiled once, with stand-ins.
    own: dict[Any, Any] = {}
    shape: dict[str, Any] = {}
    for place, each in enumerate(fields(reader), start=1):
        value = getattr(reader, each.name)
        if each.name == "sort" or not _may_stand_in(value):
            shape[each.name] = value
        else:
            stand_in = -place if isinstance(value, int) else f"\0{place}"
            own[stand_in], shape[each.name] = value, stand_in
    sql, values = _of_shape(replace(reader, **shape))
    return Visible(sql, tuple(own.get(v, v) if _may_stand_in(v) else v for v in values))


def narrowed(reader: Reader, at: datetime | None, *conditions: Any) -> Visible:
    """`visible`, and these conditions (Q) on the memory. Compiled at every call."""
    return Visible(*_compiled(reader, at, *conditions))


def among(groups: Iterable[str]) -> str:
    """The condition that a visible row is of one of these groups."""
    return " OR ".join(f"({_OF_GROUP[str(group)]})" for group in groups) or "false"


def _may_stand_in(value: object) -> bool:
    """Only what is something: a reader asks of its fields whether they are there."""
    return isinstance(value, int | str) and not isinstance(value, bool) and bool(value)


@lru_cache(maxsize=256)
def _of_shape(reader: Reader) -> tuple[str, tuple[Any, ...]]:
    return _compiled(reader, None)


def _compiled(reader: Reader, at: datetime | None, *conditions: Any) -> tuple[str, tuple[Any, ...]]:
    rows = Memory.objects.visible_to(reader, at).filter(*conditions).order_by().values(*_COLUMNS)
    sql, values = rows.query.sql_with_params()
    if at is None:
        return sql, tuple(values)
    return _AS_IT_WAS.format(visible=sql), (*values, at)


_COLUMNS = (
    "id",
    "kind",
    "agent_id",
    "category_id",
    "presence",
    "trigger_patterns",
    "length",
    "version",
    "key",
    "description",
    "content",
    "source",
)
# What the rows said at an instant, from the version that held then. The index entries are today's:
# a text that has changed since is found by what it says now, and shown as what it said.
_AS_IT_WAS = """
SELECT seen.id, kind, agent_id, category_id,
       coalesce(past.draft ->> 'presence', presence) AS presence,
       CASE WHEN past.draft ? 'trigger_patterns'
            THEN ARRAY(SELECT jsonb_array_elements_text(past.draft -> 'trigger_patterns'))::text[]
            ELSE trigger_patterns::text[] END AS trigger_patterns,
       length, coalesce(past.version, seen.version) AS version,
       coalesce(past.draft ->> 'key', key) AS key,
       coalesce(past.draft ->> 'description', description) AS description,
       coalesce(past.draft ->> 'content', content) AS content, source
FROM ({visible}) seen LEFT JOIN LATERAL (
    SELECT v.version, v.draft FROM memory_memoryversion v
    WHERE v.memory_id = seen.id AND v.made_at <= %s ORDER BY v.version DESC LIMIT 1
) past ON true
"""
