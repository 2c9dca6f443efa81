"""The HNSW indexes: one a space and a kind of owner, by name, and whether there is one.

A vector column without dimensions cannot be indexed as it is: the index holds it cast to the
space's own, as `halfvec` (4,000 dimensions at most). Half the bytes are read of each vector that a
walk passes, and what it finds is weighed by the full ones. A search that does not cast never meets
the index, so the application chooses, not the planner.
"""

import hashlib
import re
import time
from dataclasses import dataclass
from typing import Literal

from django.db import connection

Owner = Literal["memory", "chunk"]
OWNERS: tuple[Owner, ...] = ("memory", "chunk")
# Neighbours of each vector, and how many are looked at for them: more than pgvector's own 16 and
# 64, which find 95 of 100 among 200,000 where these find 99 (docs/retrieval.md).
_M, _EF_CONSTRUCTION = 24, 128
_LOOKED_AT_FOR = 60.0  # seconds


@dataclass(frozen=True)
class VectorIndex:
    """Of one space's vectors of memories or of pieces of messages."""

    space: str
    owner: Owner

    @property
    def name(self) -> str:
        built = f"{self.space} {self.type} {_M} {_EF_CONSTRUCTION}"
        digest = hashlib.sha256(built.encode()).hexdigest()[:12]
        return f"vector_hnsw_{self.owner}_{digest}"

    @property
    def dimensions(self) -> int:
        """What the space's name ends with. Raises ValueError for a name that is none."""
        found = re.search(r"-(\d{1,5})$", self.space)
        if found is None:
            raise ValueError(f"no embedding space is called {self.space!r}")
        return int(found[1])

    @property
    def type(self) -> str:
        return f"halfvec({self.dimensions})"

    @property
    def definition(self) -> str:
        """CREATE INDEX for `psycopg.sql`, which fills in the space as a literal."""
        return (
            f"CREATE INDEX CONCURRENTLY {self.name} ON memory_memoryvector "
            f"USING hnsw ((vector::{self.type}) halfvec_cosine_ops) "
            f"WITH (m = {_M}, ef_construction = {_EF_CONSTRUCTION}) "
            f"WHERE space = {{}} AND {self.owner}_id IS NOT NULL"
        )


_looked: dict[str, tuple[float, bool]] = {}


def is_built(index: VectorIndex) -> bool:
    """Is the index there and whole? Asked of the database once a minute a process."""
    name, now = f"{connection.settings_dict['NAME']}.{index.name}", time.monotonic()
    found = _looked.get(name)
    if found is None or now - found[0] > _LOOKED_AT_FOR:
        with connection.cursor() as cursor:
            cursor.execute(_BUILT, [index.name])
            found = _looked[name] = (now, bool(cursor.fetchone()[0]))
    return found[1]


def forget() -> None:
    """Look again: an index was just built or dropped, or a test changed what is there."""
    _looked.clear()


_BUILT = """
SELECT EXISTS (
    SELECT FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relname = %s AND i.indisvalid AND i.indisready
)
"""
