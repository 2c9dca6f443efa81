"""What memories name, kept as a graph: written anew for some memories, and ended with them.

Text of memories, too, so it is written and removed here and nowhere else. Inside `within`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection

from memory.models import Entity, Memory, Mention, Relation, Unextracted

_TRIES = 5


@dataclass(frozen=True)
class Graph:
    """What one memory names: normalised name → as it is written; (subject, verb, object)."""

    names: Mapping[str, str]
    links: Sequence[tuple[str, str, str]] = ()


def name_all(graphs: Mapping[int, Graph]) -> None:
    """These are what the memories name from now on. A constant number of statements.

    The caller has locked the rows. The ends of every link are among the names.
    """
    before = list(Mention.objects.filter(memory__in=graphs).values_list("entity_id", flat=True))
    if before:
        Relation.objects.filter(memory__in=graphs).delete()
        Mention.objects.filter(memory__in=graphs).delete()
    shown = {name: as_written for g in graphs.values() for name, as_written in g.names.items()}
    ids = _entities(shown)
    Mention.objects.bulk_create(
        Mention(memory_id=memory_id, entity_id=ids[name])
        for memory_id, graph in graphs.items()
        for name in graph.names
    )
    Relation.objects.bulk_create(
        Relation(memory_id=memory_id, subject_id=ids[one], verb=verb, object_id=ids[other])
        for memory_id, graph in graphs.items()
        for one, verb, other in dict.fromkeys(graph.links)
    )
    Unextracted.objects.filter(memory__in=graphs).delete()
    Memory.objects.filter(pk__in=graphs).update(extracted=True)
    if before:
        end_unspoken(before)


def _entities(shown: Mapping[str, str]) -> dict[str, int]:
    """The row of each name, made if there is none, held so that nobody ends it meanwhile."""
    found = _held(shown)
    for _ in range(_TRIES):  # one that ends between the insert and the look is made again
        missing = sorted(shown.keys() - found.keys())  # in one order: no deadlock
        if not missing:
            break
        Entity.objects.bulk_create(
            (Entity(name=name, shown=shown[name]) for name in missing), ignore_conflicts=True
        )
        found |= _held(missing)
    return found


def _held(names: Iterable[str]) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, id FROM memory_entity WHERE name = ANY(%s::text[]) "
            "ORDER BY id FOR KEY SHARE",
            [list(names)],
        )
        return dict(cursor.fetchall())


def end_unspoken(entity_ids: Iterable[int]) -> int:
    """Remove those of these entities that no memory names any more; how many.

    One that somebody holds is being named again, and stays.
    """
    with connection.cursor() as cursor:
        cursor.execute(_UNSPOKEN, [sorted(set(entity_ids))])
        alone = [row[0] for row in cursor.fetchall()]
        if alone:  # looked at again, now that nobody can name them
            cursor.execute(_END, [alone])
            return int(cursor.rowcount)
    return 0


_ALONE = """
NOT EXISTS (SELECT 1 FROM memory_mention m WHERE m.entity_id = e.id)
AND NOT EXISTS (SELECT 1 FROM memory_relation r WHERE r.subject_id = e.id)
AND NOT EXISTS (SELECT 1 FROM memory_relation r WHERE r.object_id = e.id)
"""
_UNSPOKEN = f"""
SELECT e.id FROM memory_entity e WHERE e.id = ANY(%s::bigint[]) AND {_ALONE}
ORDER BY e.id FOR UPDATE SKIP LOCKED
"""  # noqa: S608
_END = f"DELETE FROM memory_entity e WHERE e.id = ANY(%s::bigint[]) AND {_ALONE}"  # noqa: S608
