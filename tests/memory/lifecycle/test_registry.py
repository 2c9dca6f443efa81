"""The registry against the running database: no column that can hold words is missing from it."""

import pytest
from django.db import connection, models

from agents.models import Visitor
from memory.lifecycle import registry
from memory.lifecycle.registry import PERSONS, REGISTRY, Going
from tests.factories import World

pytestmark = pytest.mark.django_db

# Types that cannot hold words. Whatever else there is or comes, a vector included, can.
WORDLESS = {
    "smallint", "integer", "bigint", "boolean", "double precision", "real", "numeric", "date",
    "time without time zone", "timestamp with time zone", "interval",
}  # fmt: skip


def wordy_columns() -> dict[str, set[str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.table_name, c.column_name, c.data_type FROM information_schema.columns c "
            "JOIN information_schema.tables t USING (table_schema, table_name) "
            "WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'"
        )
        found: dict[str, set[str]] = {}
        for table, column, kind in cursor.fetchall():
            if kind not in WORDLESS:
                found.setdefault(table, set()).add(column)
        return found


def test_every_column_that_can_hold_words_is_in_the_registry() -> None:
    for table, columns in wordy_columns().items():
        assert table in REGISTRY, f"say in memory.lifecycle.registry what becomes of {table}"
        place = REGISTRY[table]
        named = {*place.shows, *place.hides}
        assert columns <= named, f"{table}: say what becomes of {sorted(columns - named)}"


def test_the_vectors_and_the_cookie_are_among_what_is_compared() -> None:
    """The comparison would be worth little if it did not see these."""
    found = wordy_columns()
    assert "vector" in found["memory_memoryvector"]
    assert "trigger_patterns" in found["memory_memory"]
    assert "evidence" in found["memory_mutation"]
    assert "cookie" in found["agents_visitor"]


def test_the_registry_names_nothing_that_is_not_there() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = 'public'"
        )
        there = set(cursor.fetchall())
    for place in REGISTRY.values():
        for column in (*place.shows, *place.hides, *place.blanks):
            assert (place.table, column) in there, (place.table, column)
        assert not set(place.shows) & set(place.hides), place.table


def test_every_table_of_a_visitor_is_gone_through() -> None:
    """Whatever refers to a visitor, by relation or by number, has rows of a person's."""
    for table, model in registry.MODELS.items():
        for field in model._meta.local_fields:
            refers = isinstance(field, models.ForeignKey) and field.related_model is Visitor
            if (refers or field.attname == "visitor_id") and table != "memory_erasure":
                assert REGISTRY[table].fate == "delete", (table, field.name)


def test_each_way_to_find_rows_can_be_asked() -> None:
    world = World()
    with world.inside():
        going = Going(world.visitor.pk, [1], [2], [3])
        for place in PERSONS:
            assert place.mine is not None
            counts = [place.model._default_manager.filter(q).count() for q in place.mine(going)]
            assert sum(counts) == (1 if place.table == "agents_visitor" else 0), place.table


def test_no_secret_and_no_vector_is_shown() -> None:
    for place in PERSONS:
        for column in ("digest", "cookie", "vector", "statement_vector", "evidence_vector"):
            assert column not in place.shows, place.table


def test_what_is_kept_says_why_and_shows_nothing() -> None:
    for place in registry.KEPT:
        assert place.shows == ()
        assert place.mine is None
        assert all(place.hides.values()), place.table
