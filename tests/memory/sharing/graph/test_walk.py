"""The walk: named things first, then what they lead to, and never over what is out of sight."""

from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from memory.models import Entity, Memory, Mention, Relation, Scope
from memory.recall.sight import visible
from memory.sharing.agents import agent_asking, agent_called, reader_of, reader_of_all
from memory.sharing.graph import walk
from memory.sharing.graph.names import normal_name
from tests.factories import World
from tests.sealed import make_shared

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def entity(name: str) -> Entity:
    return Entity.objects.get_or_create(name=normal_name(name), defaults={"shown": name})[0]


def note(
    text: str, *mentions: str, links: tuple[tuple[str, str, str], ...] = (), **fields: Any
) -> int:
    """A memory with a graph drawn by hand: only the walk is looked at here."""
    memory = make_shared(text, **fields)
    told = {*mentions, *(each for s, _, o in links for each in (s, o))}
    Mention.objects.bulk_create(Mention(memory=memory, entity=entity(name)) for name in told)
    Relation.objects.bulk_create(
        Relation(memory=memory, subject=entity(s), verb=verb, object=entity(o))
        for s, verb, o in links
    )
    return memory.pk


def nearest(question: str, agent: str = "a", *, limit: int = 50, **narrow: Any) -> list[int]:
    asking, named = agent_asking(agent, question)
    return walk.nearest(visible(reader_of(asking, **narrow), None), named, limit=limit)


def test_it_goes_from_the_name_over_relations_nearest_first(world: World) -> None:
    with world.inside():
        far = note("Porto is in Portugal.", links=(("Porto", "is in", "Portugal"),))
        middle = note("Acme is in Porto.", links=(("Acme", "is in", "Porto"),))
        first = note("Ana works at Acme.", links=(("Ana", "works at", "Acme"),))
        three_off = note("Portugal uses the euro.", "euro", "Portugal", links=())
        note("Nothing of the kind.", "Elsewhere")
        found = nearest("Where is Ana's office?")
        assert found[:3] == [first, middle, far]
        assert three_off not in found  # Ana – Acme – Porto is as far as it goes


def test_a_question_that_names_nothing_asks_one_statement(world: World) -> None:
    with world.inside():
        note("Ana works at Acme.", "Ana", "Acme")
        assert nearest("  ?! \0 …", limit=5) == []  # and registers the agent
        with CaptureQueriesContext(connection) as asked:
            assert nearest("what is the weather like", limit=5) == []
        assert len(asked) == 1
        with CaptureQueriesContext(connection) as asked:
            assert nearest("ANA", limit=5) != []
        assert len(asked) == 2
        assert nearest("Ana", limit=0) == []


def test_names_of_several_words_are_found_whatever_their_case_and_marks(world: World) -> None:
    with world.inside():
        bank = note("At the Bank of America.", "Bank of America")
        corp = note("Of Acme.", "Acme Corp.")
        cjk = note("青い鳥 is the code name.", "青い鳥")
        for question, want in (
            ("does the BANK  of America's branch open?", bank),
            ("“acme corp” contract", corp),
            ("青い鳥はどこにありますか", cjk),
        ):
            assert nearest(question) == [want], question


def test_a_name_that_is_everywhere_leads_nowhere_and_a_common_one_weighs_less(world: World) -> None:
    with world.inside():
        for number in range(30):
            note(f"Acme did {number}.", "Acme", links=(("Acme", "did", f"thing {number}"),))
        common = [note(f"Porto in {number}.", "Porto") for number in range(6)]
        rare = note("Ana is here.", "Ana")
        assert nearest("Acme") == []
        found = nearest("Porto and Ana at Acme")
        assert found[0] == rare
        assert set(found[1:]) == set(common)


@pytest.mark.parametrize("wall", ["private", "workflow", "tenant", "deleted", "team"])
def test_nothing_out_of_sight_is_found_or_leads_anywhere(world: World, wall: str) -> None:
    """Ana – Acme is stated out of sight, Acme – Porto in sight: Ana leads to nothing."""
    link = (("Ana", "works at", "Acme"),)
    if wall == "tenant":
        with World().inside():
            hidden = note("Ana works at Acme.", links=link, writer="b")
    with world.inside():
        if wall == "private":
            hidden = note("Ana works at Acme.", links=link, writer="b", scope=Scope.PRIVATE)
        elif wall == "workflow":
            hidden = note("Ana works at Acme.", links=link, writer="b", workflow="other")
        elif wall == "deleted":
            hidden = note("Ana works at Acme.", links=link, writer="b", workflow="ours")
            Memory.objects.filter(pk=hidden).update(
                deleted_at="2026-01-01T00:00Z", closed_because="deleted"
            )
        elif wall == "team":
            from memory.models import SharedAgent, Team

            hidden = note(
                "Ana works at Acme.", links=link, writer="b", scope=Scope.TEAM, workflow="ours"
            )
            SharedAgent.objects.filter(name="b").update(team=Team.objects.create(name="red"))
        ana = entity("Ana")
        shown = note("Acme is in Porto.", links=(("Acme", "is in", "Porto"),), workflow="ours")
        assert nearest("Where does Ana work?", workflow="ours") == []
        assert nearest("Acme", workflow="ours") == [shown]
        assert ana.name in str(Entity.objects.values_list("name", flat=True))
        if wall == "private":
            own = nearest("Where does Ana work?", agent="b")
            assert own == [hidden, shown]


def test_what_others_stored_changes_neither_what_is_found_nor_its_order(world: World) -> None:
    with world.inside():
        for number in range(5):
            note(f"Ana {number}", "Ana", links=(("Ana", "met", f"X{number}"),), workflow="ours")
        note("Bo", "Bo", workflow="ours")
        before = nearest("Ana and Bo", workflow="ours")
        for number in range(40):
            note(f"Bo {number}", "Bo", links=(("Bo", "met", "Ana"),), workflow="theirs")
        assert nearest("Ana and Bo", workflow="ours") == before


def test_ties_are_ordered_and_the_limit_holds(world: World) -> None:
    with world.inside():
        ids = [note(f"Ana {number}", "Ana") for number in range(6)]
        assert nearest("Ana", limit=4) == ids[:1:-1]


def test_as_of_an_instant_the_walk_reads_what_was_there(world: World) -> None:
    with world.inside():
        gone = note("Ana works at Acme.", "Ana")
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            (at,) = cursor.fetchone()
        Memory.objects.filter(pk=gone).update(
            deleted_at="2999-01-01T00:00Z", closed_because="deleted"
        )
        note("Ana is away.", "Ana")
        _, named = agent_asking("a", "Ana")
        assert walk.nearest(visible(reader_of_all(), at), named, limit=5) == [gone]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_mentions_are_read_by_entity_as_the_application_s_role() -> None:
    """Leakproof operators only, and one index for both keys, once the tables are known."""
    world = World()
    with world.inside():
        numbers = [note(f"Note {number}") for number in range(40)]
        things = Entity.objects.bulk_create(
            Entity(name=f"thing {number}", shown=f"Thing {number}") for number in range(150)
        )
        Mention.objects.bulk_create(
            Mention(memory_id=number, entity=thing) for number in numbers for thing in things
        )
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE memory_mention, memory_entity, memory_memory")  # as autovacuum does
    with world.inside():
        sight = visible(reader_of(agent_called("a")), None)
        hops: list[Any] = [walk.FADES, walk.READ, walk.WIDTH] * walk.HOPS
        values = [walk.HUB_LEAST, walk.HUB_SHARE, *sight.values, [things[0].pk], *hops, 5]
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN " + walk._WALK.replace("{visible}", sight.sql), values)
            plan = "\n".join(row[0] for row in cursor.fetchall())
    assert plan.count("using mention_unique") == walk.HOPS + 1, plan
