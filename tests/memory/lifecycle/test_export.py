"""An export has all of the person, nothing of anybody else, no secret, and no formula."""

import csv
import io
import json
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from agents.models import Visitor
from memory.lifecycle import export
from memory.lifecycle.erase import NoScope, NoSuchPerson
from memory.lifecycle.export import AUDIT, FORMATS, ORDER, Format, cell, export_person
from memory.lifecycle.registry import PERSONS
from memory.models import Memory
from tenants.actor import COMMAND, Actor
from tenants.models import AuditEntry, Token
from tests.factories import World, make_conversation, make_memory, make_mutation, make_visitor
from tests.memory.lifecycle.life import COOKIE, EMAIL, FORGOTTEN, HOST, MARKS, NAME, live

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def exported(world: World, visitor: Visitor, format: Format = "json") -> bytes:
    with export_person(
        tenant_id=world.tenant.pk, visitor_id=visitor.pk, by=COMMAND, format=format
    ) as file:
        return file.read()


def as_json(world: World, visitor: Visitor) -> dict[str, Any]:
    return json.loads(exported(world, visitor))  # type: ignore[no-any-return]


def as_csv(world: World, visitor: Visitor) -> dict[str, list[dict[str, str]]]:
    archive = zipfile.ZipFile(io.BytesIO(exported(world, visitor, "csv")))
    assert archive.testzip() is None
    return {
        name.removesuffix(".csv"): list(
            csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"), newline=""))
        )
        for name in archive.namelist()
    }


def test_all_sections_are_there_and_hold_the_life(world: World) -> None:
    visitor = live(world)
    told = as_json(world, visitor)
    assert list(told) == ["format", "exported_at", *ORDER, AUDIT]
    assert (told["person"]["host_id"], told["person"]["name"], told["person"]["email"]) == (
        HOST, NAME, EMAIL,
    )  # fmt: skip
    assert told["person"]["use_memory_in_responses"] is False
    assert {each["content"] for each in told["memories"]} >= {
        "The user bakes marzipan.", "Shed code: harbourlime!", "The user likes the ostrakon",
    }  # fmt: skip
    versions = [v for v in told["memory_versions"] if v["draft"].get("key") == "/marzipan"]
    assert [v["because"] for v in versions] == ["added", "changed", "closed"]
    assert {each["status"] for each in told["proposals"]} == {"approved", "rejected"}
    assert {each["role"] for each in told["messages"]} == {"user", "assistant"}
    assert told["observations"][0]["evidence"][0]["quote"] == "I eat marzipan"
    assert [token["prefix"][:4] for token in told["tokens"]] == ["ksk_"] * 2
    assert len(told["read_by_agents"]) == 2
    assert {each["agent"] for each in told["conversations"]} == {world.agent.slug}
    assert "preferences" in {each["category"] for each in told["memories"]}
    assert "memory.forgotten" in {each["what"] for each in told[AUDIT]}
    assert all(
        set(each) == {"at", "what", "actor"} for each in told[AUDIT]
    )  # fmt: skip


def test_every_place_with_words_has_a_section() -> None:
    assert {place.section for place in PERSONS if place.section} == set(ORDER)
    for place in PERSONS:
        assert bool(place.section) == bool(place.shows), place.table


def test_csv_has_the_same_rows_as_json(world: World) -> None:
    visitor = live(world)
    told, files = as_json(world, visitor), as_csv(world, visitor)
    assert set(files) == {*ORDER, AUDIT}
    for name in ORDER[1:]:
        assert len(files[name]) == len(told[name]), name
        for row, line in zip(told[name], files[name], strict=True):
            assert list(row) == list(line), name
    assert [line["content"] for line in files["memories"]] == [
        row["content"] for row in told["memories"]
    ]
    assert json.loads(files["observations"][0]["evidence"]) == told["observations"][0]["evidence"]


@pytest.mark.parametrize("format", FORMATS)
def test_no_secret_no_vector_and_nobody_else(world: World, format: Format) -> None:
    visitor = live(world)
    with world.inside():
        digest = Token.objects.earliest("pk").digest
        other = make_visitor("other-host", name="Otherwise")
        make_memory(world.agent, other, "Another one's secret.")
        make_mutation(world.agent, other)
        make_conversation(world.agent, other, "user: Another one's words")
        make_memory(world.agent, None, "What everybody is told.")
    if format == "json":
        text = exported(world, visitor).decode()
    else:
        text = json.dumps(as_csv(world, visitor))
    for word in (digest, str(COOKIE), "Another one", "other-host", "Otherwise", FORGOTTEN,
                 "everybody is told", "vector", "digest"):  # fmt: skip
        assert word not in text, word
    for mark in MARKS:
        if mark != str(COOKIE):
            assert mark in text, mark
    assert not any(name in text for name in User.objects.values_list("username", flat=True))


def test_it_is_audited_and_the_next_export_says_so(world: World) -> None:
    exported(world, world.visitor)
    with world.inside():
        entry = AuditEntry.objects.get(verb="person.exported")
        assert (entry.subject_id, entry.detail) == (world.visitor.pk, {"format": "json"})
    assert [each["what"] for each in as_json(world, world.visitor)[AUDIT]] == ["person.exported"]


def test_strangers_and_nobody_are_refused(world: World) -> None:
    there = World()
    for nobody in (None, 0, True):
        with pytest.raises(NoScope):
            export_person(tenant_id=world.tenant.pk, visitor_id=nobody, by=COMMAND, format="json")
    for number in (there.visitor.pk, 10**9):
        with pytest.raises(NoSuchPerson):
            export_person(
                tenant_id=world.tenant.pk, visitor_id=number, by=Actor.person(), format="csv"
            )


def test_pages_join_without_a_gap(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PAGE", 3)
    with world.inside():
        ids = [make_memory(world.agent, world.visitor, f"Fact {n}").pk for n in range(7)]
    assert [each["id"] for each in as_json(world, world.visitor)["memories"]] == ids
    with CaptureQueriesContext(connection) as few:
        exported(world, world.visitor)
    monkeypatch.setattr(export, "PAGE", 500)
    with CaptureQueriesContext(connection) as many:
        exported(world, world.visitor)
    assert len(few) - len(many) == 4  # two more pages each of memories and versions


HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", '=HYPERLINK("x")', -3]


@pytest.mark.parametrize("value", HOSTILE)
def test_no_cell_begins_a_formula(value: Any) -> None:
    assert cell(value) == f"'{value}"


@given(st.text())
def test_a_cell_is_the_text_or_the_text_behind_a_quote(text: str) -> None:
    made = cell(text)
    assert made in (text, f"'{text}")
    assert not made.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))


def test_hostile_memories_come_out_quoted_and_whole(world: World) -> None:
    hostile = '=cmd|"/c calc"!A1, "quoted"\nsecond line'
    with world.inside():
        make_memory(world.agent, world.visitor, hostile)
        Memory.objects.update(source={"note": "=1"})
    (line,) = as_csv(world, world.visitor)["memories"]
    assert line["content"] == "'" + hostile
    assert line["source"] == '{"note": "=1"}'
    assert as_json(world, world.visitor)["memories"][0]["content"] == hostile
