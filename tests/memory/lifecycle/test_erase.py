"""An erase leaves nothing of the person, everything of others, and says what went."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Agent, Conversation, Message, Visitor
from memory import review
from memory.lifecycle.erase import NoScope, NoSuchPerson, erase_person
from memory.lifecycle.registry import PERSONS
from memory.models import Erasure, Event, Memory, Mutation, Observation, Tombstone
from tenants.actor import COMMAND, Actor
from tenants.models import AuditEntry, Token
from tests.factories import (
    World,
    make_conversation,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.memory.lifecycle.life import FORGOTTEN, MARKS, everything, live, traces_of, vectors_near

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def erase(world: World, visitor: Visitor, by: Actor = COMMAND) -> dict[str, int]:
    return erase_person(tenant_id=world.tenant.pk, visitor_id=visitor.pk, by=by).rows


def counts(world: World) -> dict[str, int]:
    with world.inside():
        return {place.table: place.model._default_manager.count() for place in PERSONS}


def test_the_whole_database_holds_nothing_of_an_erased_person(world: World) -> None:
    before = counts(world)
    visitor = live(world)
    with world.inside():
        there = {mark for _, _, mark in traces_of(*MARKS)}
        assert there == {mark.casefold() for mark in MARKS}, "the search finds what is there"
        assert traces_of(FORGOTTEN) == [], "one memory was forgotten before"
        assert vectors_near(["I eat marzipan", "The user eats marzipan."]) >= 2
        ids = [str(uid) for uid in Conversation.objects.values_list("uid", flat=True)]
        ids += [str(uid) for uid in Mutation.objects.values_list("uid", flat=True)]
        texts = list(Message.objects.values_list("content", flat=True))
        texts += Observation.objects.values_list("statement", flat=True)
        texts += Memory.objects.values_list("content", flat=True)
    filled = {table for table, number in counts(world).items() if number > before[table]}
    assert filled == {place.table for place in PERSONS}, "the life fills every table there is"
    rows = erase(world, visitor, Actor.user(world.admin.user_id or 0))
    with world.inside():
        assert traces_of(*MARKS, FORGOTTEN) == []
        assert traces_of(*ids) == []
        assert vectors_near(texts) == 0
        named = {table for table, column, _, value in everything()
                 if column == "visitor_id" and value == str(visitor.pk)}  # fmt: skip
        assert named == {"memory_erasure"}
        assert set(rows) == {place.table for place in PERSONS}
        stays = {"memory_event", "memory_listener"}  # ids alone; a setting of the tenant's
        assert {k: v for k, v in counts(world).items() if k not in stays} == {
            k: v for k, v in before.items() if k not in stays
        }
        assert not Event.objects.exclude(category="", key="").exists()


def test_a_second_person_keeps_everything(world: World) -> None:
    first = live(world)
    with world.inside():
        second = make_visitor()
        make_conversation(world.agent, second, "user: I eat rye")
        make_memory(world.agent, second, "The user eats rye.")
        make_memory(world.agent, None, "We open at nine.")
        make_mutation(world.agent, second, draft=make_draft("The user likes rye."))
        make_mutation(world.agent, None, draft=make_draft("We close at five."))
        Token.objects.issue(kind=Token.Kind.PERSON, name="theirs", visitor_id=second.pk)
        Tombstone.objects.create(visitor=second, hash="h", expires_at="2099-01-01T00:00Z")
        versions = Memory.objects.filter(visitor=second).values_list("versions__pk", flat=True)
        assert list(versions)
    there = World()
    with there.inside():
        make_memory(there.agent, there.visitor, "The user eats rye.")
    elsewhere = counts(there)
    erase(world, first)
    with world.inside():
        assert {m.content for m in Memory.objects.all()} == {
            "The user eats rye.", "We open at nine.",
        }  # fmt: skip
        assert Mutation.objects.pending().count() == 2
        assert Conversation.objects.filter(visitor=second).count() == 2
        assert Conversation.objects.filter(visitor=None).count() == 1
        assert Token.objects.get().visitor_id == second.pk
        assert Tombstone.objects.get().visitor_id == second.pk
        assert Memory.objects.get(visitor=second).vectors.count() == 0
        assert Memory.objects.get(visitor=second).postings.exists()
        assert Agent.objects.exists()
    assert counts(there) == elsewhere


@pytest.mark.parametrize("nobody", [None, 0, False, True, ""])
def test_an_erase_of_nobody_is_refused(world: World, nobody: Any) -> None:
    before = counts(world)
    with pytest.raises(NoScope):
        erase_person(tenant_id=world.tenant.pk, visitor_id=nobody, by=COMMAND)
    assert counts(world) == before


def test_erasing_twice_and_erasing_strangers_changes_nothing(world: World) -> None:
    there = World()
    erase(world, world.visitor)
    before = counts(world), counts(there)
    for visitor in (world.visitor, there.visitor):
        with pytest.raises(NoSuchPerson):
            erase(world, visitor)
    assert (counts(world), counts(there)) == before
    with world.inside():
        assert Erasure.objects.count() == 1


def test_the_receipt_says_what_went_and_by_whom(world: World, settings: Any) -> None:
    settings.BACKUP_DAYS = 30
    with world.inside():
        make_memory(world.agent, world.visitor)
        make_memory(world.agent, world.visitor)
        person = world.visitor.pk
    receipt = erase_person(
        tenant_id=world.tenant.pk, visitor_id=person, by=Actor.token(7, user_id=None)
    )
    assert receipt.rows["memory_memory"] == receipt.rows["memory_memoryversion"] == 2
    assert receipt.rows["agents_visitor"] == 1
    assert receipt.total == sum(receipt.rows.values())
    assert receipt.oldest_backup is not None
    assert (receipt.at.date() - receipt.oldest_backup).days == 30
    assert receipt.as_json()["oldest_backup"] == receipt.oldest_backup.isoformat()
    with world.inside():
        kept = Erasure.objects.get(uid=receipt.uid)
        assert (kept.visitor_id, kept.token_id, kept.rows) == (person, 7, receipt.rows)
        entry = AuditEntry.objects.get(verb="person.erased")
        assert (entry.subject_id, entry.token_id) == (person, 7)
        assert entry.detail == {"erasure": kept.pk, **receipt.rows}


def test_nobody_said_how_long_backups_are_kept(world: World) -> None:
    person = world.visitor.pk
    assert erase_person(
        tenant_id=world.tenant.pk, visitor_id=person, by=COMMAND
    ).oldest_backup is None  # fmt: skip


# --- rows of nobody in particular that quote the person ---------------------------------------


def test_agent_wide_rows_that_quote_the_person_go_too(world: World) -> None:
    with world.inside():
        said = make_observation(world.agent, world.visitor, "I know gloamwood")
        wide = make_conversation(world.agent, None, "user: something else")
        by_evidence = make_mutation(
            world.agent, None, draft=make_draft("The shop knows gloamwood."),
            observation=make_observation(
                world.agent, None, "It knows gloamwood", conversation=wide, evidence=said.evidence
            ),
        )  # fmt: skip
        make_mutation(
            world.agent, None, draft=make_draft("gloamwood, by its source"), observation=said
        )
        Mutation.objects.filter(draft__content__contains="source").update(evidence=[])
        make_mutation(world.agent, None, draft=make_draft("We open at nine."))
    made = review.approve(mutation_id=by_evidence.pk, by=world.admin).memory
    assert made is not None
    with world.inside():
        make_mutation(
            world.agent, None, operation="modify", target=made,
            draft=make_draft("The shop is closed to gloamwood."),
            observation=make_observation(world.agent, None, "It is closed"),
        )  # fmt: skip
        sourced = make_memory(
            world.agent, None, "gloamwood by its message",
            source={"message": said.evidence[0]["message"]},
        )  # fmt: skip
        assert sourced.source
    erase(world, world.visitor)
    with world.inside():
        assert traces_of("gloamwood") == []
        assert not Memory.objects.exists()
        assert Mutation.objects.get().draft["content"] == "We open at nine."


def test_evidence_of_another_shape_stops_nothing(world: World) -> None:
    with world.inside():
        shapes: list[Any] = [{}, "text", 7, [1, "two", None], [{"message": None}]]
        for shape in shapes:
            mutation = make_mutation(world.agent, None, draft=make_draft())
            Mutation.objects.filter(pk=mutation.pk).update(evidence=shape)
    erase(world, world.visitor)
    with world.inside():
        assert Mutation.objects.count() == 5


def test_statements_do_not_grow_with_the_person(world: World) -> None:
    def asked(lines: int) -> int:
        with world.inside():
            visitor = make_visitor()
            make_conversation(world.agent, visitor, *[f"user: line {n}" for n in range(lines)])
            for n in range(lines):
                make_memory(world.agent, visitor, f"The user said {n}.")
        with CaptureQueriesContext(connection) as queries:
            erase(world, visitor)
        return len(queries)

    assert asked(2) == asked(40)
