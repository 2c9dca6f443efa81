"""The graph stage: what it leaves for what was written, once, and where it leaves nothing.

Texts go through the real offline provider; a scripted model shows what is not believed.
"""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import stages, store
from memory.models import Entity, Memory, Mention, Relation, Scope, Unextracted
from memory.providers import using
from memory.providers.errors import ProviderError, Unavailable
from memory.providers.named import Entities
from memory.recall.sight import visible
from memory.sharing.agents import agent_asking, reader_of
from memory.sharing.graph import stage, walk
from tenants.context import within
from tests.factories import World, make_memory
from tests.fakes import ScriptedLanguage
from tests.race import at_once
from tests.sealed import make_shared, put_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def run(world: World) -> stages.Tally:
    return stage.step(world.tenant.pk)


def graph() -> tuple[set[str], set[tuple[str, str, str]]]:
    """All names, all relations. Inside `within`."""
    names = set(Entity.objects.values_list("name", flat=True))
    links = Relation.objects.values_list("subject__name", "verb", "object__name")
    return names, set(links)


def test_what_is_written_is_found_through_what_it_names(world: World) -> None:
    with world.inside():
        works = make_shared("Ana Lima works at Acme Corp.")
        uses = make_shared("The Acme Corp uses Postgres 16.")
        make_memory(world.agent, world.visitor, "The user works at Globex.")  # not shared: none
    assert run(world).processed == 2
    with world.inside():
        names, links = graph()
        assert names == {"ana lima", "acme corp", "postgres 16"}
        assert links == {
            ("ana lima", "works at", "acme corp"),
            ("acme corp", "uses", "postgres 16"),
        }
        assert Entity.objects.get(name="acme corp").shown == "Acme Corp"
        assert set(Memory.objects.filter(extracted=True)) == {works, uses}
        assert {m.version for m in Memory.objects.filter(kind="shared")} == {1}
        asking, named = agent_asking("b", "which database does Ana Lima's firm have")
        found = walk.nearest(visible(reader_of(asking), None), named, limit=5)
        assert found == [works.pk, uses.pk]
    assert run(world).taken == 0


def test_doing_it_again_changes_nothing(world: World) -> None:
    with world.inside():
        memory = make_shared("Ana works at Acme. Ana works at ACME.")
    run(world)
    with world.inside():
        before = graph(), Mention.objects.count()
        Unextracted.objects.create(memory=memory)
    assert run(world).processed == 1
    with world.inside():
        assert (graph(), Mention.objects.count()) == before


def test_a_text_that_has_changed_keeps_nothing_of_what_it_said(world: World) -> None:
    with world.inside():
        memory = make_shared("Ana works at Acme.")
    run(world)
    with world.inside():
        Memory.objects.filter(pk=memory.pk).update(content="Bob works at Globex.", hash="other")
        Unextracted.objects.create(memory=memory)
    run(world)
    with world.inside():
        assert graph() == ({"bob", "globex"}, {("bob", "works at", "globex")})


def test_statements_do_not_grow_with_the_batch(world: World) -> None:
    def counted(number: int) -> int:
        with world.inside():
            for each in range(number):
                make_shared(f"Agent{number}x{each} works at Firm{number}x{each}.")
        with CaptureQueriesContext(connection) as asked:
            assert run(world).processed == number
        return len(asked)

    assert counted(2) == counted(stage.CALL_TEXTS)


def test_a_sealed_memory_has_no_graph(world: World) -> None:
    with world.inside():
        key = put_key(world.tenant)
        make_shared("Ana works at Acme.", key)
        assert not Unextracted.objects.exists()
    assert run(world).taken == 0
    with world.inside():
        assert graph() == (set(), set())


def test_one_that_is_sealed_meanwhile_is_left_alone(world: World) -> None:
    with world.inside():
        memory = make_shared("Ana works at Acme.")

    class Slow(ScriptedLanguage):
        def entities(self, texts: Any, *, timeout: float) -> Entities:
            with world.inside():
                store.seal(Memory.objects.get(pk=memory.pk), put_key(world.tenant))
                Unextracted.objects.create(memory=memory)
            return super().entities(texts, timeout=timeout)

    with using(language=Slow(named("Ana"))):
        assert run(world).processed == 0
    with world.inside():
        assert graph() == (set(), set())


def test_erasing_takes_the_graph_along_and_leaves_what_others_name(world: World) -> None:
    with world.inside():
        gone = make_shared("Ana works at Acme.")
        make_shared("Acme is in Porto.")
    run(world)
    with world.inside():
        store.erase([Memory.objects.get(pk=gone.pk)])
        assert graph() == ({"acme", "porto"}, {("acme", "is in", "porto")})


def test_erased_while_a_model_reads_it_nothing_is_written(world: World) -> None:
    with world.inside():
        memory = make_shared("Ana works at Acme.")

    class Slow(ScriptedLanguage):
        def entities(self, texts: Any, *, timeout: float) -> Entities:
            with world.inside():
                store.erase([Memory.objects.get(pk=memory.pk)])
            return super().entities(texts, timeout=timeout)

    with using(language=Slow(named("Ana"))):
        assert run(world).processed == 0
    with world.inside():
        assert graph() == (set(), set())


def test_nothing_leads_over_another_tenant_workflow_or_agent(world: World) -> None:
    other = World()
    with other.inside():
        make_shared("Ana works at Acme.")
    with world.inside():
        make_shared("Ana works at Acme.", writer="b", scope=Scope.PRIVATE)
        make_shared("Ana works at Acme.", writer="b", workflow="theirs")
        shown = make_shared("Acme uses Redis.", workflow="ours")
    run(world)
    run(other)
    with world.inside():
        for question, led in (("What does Ana use?", []), ("What does Acme use?", [shown.pk])):
            asking, named = agent_asking("a", question)
            sight = visible(reader_of(asking, workflow="ours"), None)
            assert walk.nearest(sight, named, limit=5) == led


# --- a model ---------------------------------------------------------------------------------


def named(*names: str, links: tuple[tuple[str, str, str], ...] = (), number: int = 1) -> str:
    relations = [{"subject": s, "verb": v, "object": o} for s, v, o in links]
    return json.dumps({"notes": [{"number": number, "names": names, "relations": relations}]})


def test_a_model_is_believed_only_what_the_text_says(world: World) -> None:
    with world.inside():
        make_shared("ana is with acme now; the key is [secret removed]")
    reply = named(
        "Ana", "the Acme", "Globex", "[secret removed]", "", "…",
        links=(("Ana", "works at", "Acme"), ("Ana", "left", "Globex"), ("Ana", "is", "ana")),
    )  # fmt: skip
    with using(language=ScriptedLanguage(reply)):
        assert run(world).processed == 1
    with world.inside():
        assert graph() == ({"ana", "acme"}, {("ana", "works at", "acme")})


def test_a_model_that_is_down_is_waited_for_and_costs_no_attempt(world: World) -> None:
    with world.inside():
        make_shared("Ana works at Acme.")
    with using(language=ScriptedLanguage(Unavailable("down"))):
        tally = run(world)
    assert (tally.failed, tally.stop) == (1, True)
    with world.inside():
        row = Unextracted.objects.get()
        assert (row.attempts, row.parked_at, row.lease_token) == (0, None, None)
        assert row.not_before is not None


def test_one_that_cannot_be_read_does_not_hold_up_the_others_and_is_parked(world: World) -> None:
    with world.inside():
        bad = make_shared("Poison works at Acme.")
        good = make_shared("Ana works at Acme.")

    class Picky(ScriptedLanguage):
        def entities(self, texts: Any, *, timeout: float) -> Entities:
            if any("Poison" in text for text in texts):
                raise ProviderError("cannot read it")
            self.say(named("Ana"))
            return super().entities(texts, timeout=timeout)

    with using(language=Picky()):
        tally = run(world)
        assert (tally.processed, tally.failed) == (1, 1)
        for _ in range(stages.ATTEMPTS):
            with world.inside():
                Unextracted.objects.update(not_before=None)
            run(world)
    with world.inside():
        left = Unextracted.objects.get()
        assert (left.memory_id, left.attempts) == (bad.pk, stages.ATTEMPTS)
        assert left.parked_at is not None
        assert Memory.objects.get(pk=good.pk).extracted


def test_a_long_text_is_read_in_pieces(world: World) -> None:
    text = "Ana works at Acme. " + "Nothing else happened here at all. " * 400 + "Bob owns Globex."
    with world.inside():
        make_shared(text)

    class Reading(ScriptedLanguage):
        def entities(self, texts: Any, *, timeout: float) -> Entities:
            assert max(map(len, texts)) <= stage.PIECE
            self.say(named("Ana", "Globex"))
            return super().entities(texts, timeout=timeout)

    with using(language=Reading()):
        run(world)
    with world.inside():
        assert graph()[0] == {"ana", "globex"}


def test_what_is_claimed_by_another_is_not_written(world: World) -> None:
    """The fence: a worker that was thought dead comes back with a result."""
    with world.inside():
        make_shared("Ana works at Acme.")

    class Slow(ScriptedLanguage):
        def entities(self, texts: Any, *, timeout: float) -> Entities:
            with world.inside():
                Unextracted.objects.update(lease_until="2001-01-01T00:00Z")
                assert stages.claim(Unextracted.objects.all(), limit=1, lease=stage.LEASE)
            return super().entities(texts, timeout=timeout)

    with using(language=Slow(named("Ana"))):
        assert run(world).processed == 0
    with world.inside():
        assert graph() == (set(), set())
        assert Unextracted.objects.get().lease_token is not None


# --- anything --------------------------------------------------------------------------------


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
        | st.text(
            alphabet="Ana Acme is of the's “”\"'`.,@/_-青い鳥ア・İß\n", min_size=1, max_size=80
        ),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_is_written_it_is_read_and_done_with(world: World, texts: list[str]) -> None:
    with world.inside():
        before = Memory.objects.filter(extracted=True).count()
        written = 0
        for number, text in enumerate(texts):
            if text.strip():
                make_shared(text, workflow=f"w{number}-{before}")
                written += 1
    tally = run(world)
    assert (tally.failed, tally.processed) == (0, written)
    with world.inside():
        assert not Unextracted.objects.exists()
        assert not Entity.objects.filter(mentions=None).exists()
        assert not Entity.objects.filter(name="").exists()
        store.erase(Memory.objects.filter(kind="shared"))
        assert not Entity.objects.exists()


# --- at once ---------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_share_names_and_neither_lose_nor_double_any() -> None:
    world = World()
    with world.inside():
        for number in range(24):
            make_shared(f"Agent{number} works at Acme. Acme uses Tool{number % 5}.")
    small = stage.BATCH
    stage.BATCH = 4
    try:

        def drain() -> int:
            done = 0
            for _ in range(12):
                done += run(world).processed
            return done

        totals = at_once(drain, drain)
    finally:
        stage.BATCH = small
    assert sum(totals) == 24, totals
    with world.inside():
        names = set(Entity.objects.values_list("name", flat=True))
        assert names == {"acme", *(f"agent{n}" for n in range(24)), *(f"tool{n}" for n in range(5))}
        assert Mention.objects.count() == 24 * 3
        assert Relation.objects.count() == 24 * 2


@pytest.mark.django_db(transaction=True)
def test_an_erase_at_the_same_time_ends_no_name_that_is_being_said() -> None:
    world = World()
    for _ in range(6):
        with world.inside():
            gone = make_shared("Ana works at Acme.")
        run(world)
        with world.inside():
            kept = make_shared("Ana uses Redis.")

        def erase(number: int = gone.pk) -> None:
            with within(world.tenant.pk):
                store.erase(Memory.objects.filter(pk=number).select_for_update())

        outcomes = at_once(erase, lambda: run(world))
        assert outcomes[0] is None, outcomes
        with world.inside():
            Unextracted.objects.update(not_before=None)
        run(world)
        with world.inside():
            assert graph() == ({"ana", "redis"}, {("ana", "uses", "redis")})
            store.erase(Memory.objects.filter(pk=kept.pk))
            assert graph() == (set(), set())
