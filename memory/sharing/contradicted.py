"""Which memories in sight a write contradicts: the nearest of its workflow, compared with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from memory.conflicts import Candidate, Checked, Severity, check, check_offline
from memory.models import Memory, MemoryVersion, Reader
from memory.providers.types import Language
from memory.recall.fusion import best_of
from memory.recall.query import Query
from memory.recall.sight import visible
from memory.sealing import opened
from tenants.prepared import prepared

NEAREST = 10
GROUPS = (str(Memory.Kind.SHARED),)
OFFLINE = "offline"

Near = tuple[Memory, str]  # and its text, opened if it is sealed


@dataclass(frozen=True)
class Found:
    """A memory that the write contradicts, with its writer read."""

    memory: Memory
    text: str
    severity: Severity
    description: str

    @property
    def is_high(self) -> bool:
        """Only these make a policy act."""
        return self.severity == Severity.HIGH

    def as_json(self) -> dict[str, str]:
        return {
            "memoryId": str(self.memory.uid),
            "content": self.text,
            "agentId": self.memory.writer.name if self.memory.writer is not None else "",
            "severity": str(self.severity),
            "description": self.description,
        }


def nearest(reader: Reader, query: Query) -> list[Near]:
    """The ~10 nearest memories that `reader` sees, whatever their score. Inside `within`.

    What is sealed under a key that is gone cannot be compared.
    """
    best, values = best_of(
        visible(reader, None), query, limit=NEAREST, groups=GROUPS, floored=False
    )
    if not values:
        return []
    with prepared() as cursor:
        cursor.execute(best + _IDS, values)
        ids = [row[0] for row in cursor.fetchall()]
    rows = Memory.objects.select_related("writer").in_bulk(ids)
    read = opened(rows[id] for id in ids if id in rows)
    return [(memory, text) for memory, text in read if text is not None]


def newest(reader: Reader) -> int:
    """The number of the last version that anything in sight came to, by a write, a change or an
    undo that restored it; 0 when nothing is in sight. Inside `within`."""
    versions = MemoryVersion.objects.filter(memory__in=Memory.objects.visible_to(reader))
    return versions.aggregate(last=Max("pk"))["last"] or 0


def standing(found: Sequence[Found]) -> list[Found]:
    """Those that are still what was compared: a model takes its time. Inside `within`."""
    rows = Memory.objects.live().as_of().filter(pk__in=[each.memory.pk for each in found])
    versions = dict(rows.values_list("pk", "version"))
    return [each for each in found if versions.get(each.memory.pk) == each.memory.version]


def compare(
    text: str, near: Sequence[Near], *, language: Language | None, timeout: float
) -> tuple[list[Found], Checked]:
    """By the model or offline, outside any block; offline it may run inside a lock."""
    candidates = [Candidate(memory.pk, stored) for memory, stored in near]
    if language is None:
        checked = Checked(check_offline(text, candidates), OFFLINE)
    else:
        checked = check(text, candidates, language=language, timeout=timeout)
    by_id = {memory.pk: (memory, stored) for memory, stored in near}
    found = [Found(*by_id[c.id], c.severity, c.description) for c in checked.contradictions]
    return found, checked


_IDS = "SELECT id FROM best ORDER BY score DESC, id"
