"""Build the HNSW index of each embedding space that holds enough vectors, as the owner.

Built CONCURRENTLY: nothing waits for it. One that was left unfinished is built anew; one that is
built otherwise today, or whose space is hardly used any more, is dropped in the end. Below some
20,000 rows exact search is faster without.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import connections
from psycopg import sql

from memory.recall import vector_index
from memory.recall.vector_index import OWNERS, VectorIndex
from tenants.management.named import database_needed

LEAST = 20_000


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--least", type=int, default=LEAST, help="vectors that make an index worth it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with database_needed(), connections["owner"].cursor() as cursor:
            cursor.execute(_SPACES)
            counted = {(space, owner): n for space, owner, n in cursor.fetchall()}
            cursor.execute(_THERE)
            there = dict(cursor.fetchall())
            wanted = [
                VectorIndex(space, owner)
                for (space, owner), n in sorted(counted.items())
                if owner in OWNERS and n >= options["least"]
            ]
            names = {index.name for index in wanted}
            self._drop(cursor, [name for name, is_whole in there.items() if not is_whole])
            cursor.execute("SELECT set_config('maintenance_work_mem', '512MB', false), "
                           "set_config('statement_timeout', '0', false)")  # fmt: skip
            for index in wanted:
                if not there.get(index.name):
                    self.stdout.write(f"{index.space}, {index.owner}: building …")
                    self.stdout.flush()
                    # A name of ours and numbers; the space is a literal.
                    statement = sql.SQL(index.definition)
                    cursor.execute(statement.format(sql.Literal(index.space)))
                    self.stdout.write(f"{index.name}: {index.type} built")
            self._drop(cursor, [name for name in there if there[name] and name not in names])
            if not wanted:
                self.stdout.write("no space is large enough: exact search is faster")
        vector_index.forget()

    def _drop(self, cursor: Any, names: list[str]) -> None:
        for name in names:
            cursor.execute(
                sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name))
            )
            self.stdout.write(f"{name}: dropped")


_SPACES = """
SELECT space, CASE WHEN memory_id IS NULL THEN 'chunk' ELSE 'memory' END AS owner, count(*)
FROM memory_memoryvector GROUP BY 1, 2
"""
_THERE = """
SELECT c.relname, i.indisvalid AND i.indisready FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname LIKE 'vector\\_hnsw\\_%'
"""
