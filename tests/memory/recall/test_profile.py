"""The profile as a section: order, tags, blank lines, cut at whole entries; and where it stands."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models import Agent
from memory import tools
from memory.models import Reader
from memory.providers import using
from memory.recall.context import prepare, recall
from memory.recall.profile import Entry, items
from memory.recall.sections import PROFILE, Item, Sections, block_of
from memory.recall.tokens import estimate
from memory.tools import Person
from tenants.actor import Actor
from tests.factories import World, make_memory
from tests.fakes import StubEmbedder

NOON = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)


def entry(number: int, text: str, category: str = "general", *, pinned: bool = False) -> Entry:
    return Entry(number, text, category, pinned, NOON + timedelta(minutes=number))


def lines(
    *entries: Entry, budget: int = 2_000, characters: int = 8_000, more: int = 0
) -> list[str]:
    made = block_of(
        Sections(profile=items(entries), profile_more=more),
        budget=budget,
        omnipresent=0,
        information_characters=characters,
    )
    return made.text.split("\n") if made.text else []


def test_pinned_come_first_then_the_newest_each_with_its_category() -> None:
    assert lines(
        entry(1, "Lives in Porto.", "fact"),
        entry(2, "Prefers short answers.", "preference", pinned=True),
        entry(3, "Works on the harbour plan."),
        entry(4, "Is called Zoë.", "General", pinned=True),
    ) == [
        PROFILE,
        "- Is called Zoë.",
        "- [preference] Prefers short answers.",
        "- Works on the harbour plan.",
        "- [fact] Lives in Porto.",
    ]


@pytest.mark.parametrize("blank", ["", "   ", "\n\t", "\u200b\u2060"])
def test_what_has_nothing_to_show_is_left_out(blank: str) -> None:
    assert lines(entry(1, blank)) == []
    assert lines(entry(1, blank), entry(2, "Tea.")) == [PROFILE, "- Tea."]


def test_it_is_cut_at_whole_entries_with_a_note_of_how_many() -> None:
    told = lines(*(entry(n, f"The user knows thing {n:02}.") for n in range(50)), characters=200)
    *kept, note = told[1:]
    assert kept == [f"- The user knows thing {n:02}." for n in range(49, 49 - len(kept), -1)]
    assert sum(len(line) + 1 for line in kept) <= 201
    assert note == f"- ({50 - len(kept)} more not shown)"


def test_what_was_not_read_is_counted_too() -> None:
    assert lines(entry(1, "Tea."), more=7) == [PROFILE, "- Tea.", "- (7 more not shown)"]


def test_a_long_memory_is_never_cut_in_the_middle() -> None:
    told = lines(entry(1, "x" * 2_000), entry(2, "Short."), characters=2_005)
    assert told == [PROFILE, "- Short.", "- (1 more not shown)"]


@given(
    st.lists(st.tuples(st.text(max_size=200), st.text(max_size=20), st.booleans()), max_size=30),
    st.integers(20, 400),
    st.integers(0, 2_000),
)
def test_whatever_stands_in_it_the_budget_holds_and_nothing_is_lost_unsaid(
    given_entries: list[tuple[str, str, bool]], budget: int, characters: int
) -> None:
    entries = [
        entry(n, text, category, pinned=pinned)
        for n, (text, category, pinned) in enumerate(given_entries)
    ]
    told = lines(*entries, budget=budget, characters=characters)
    assert estimate("\n".join(told)) <= budget
    shown = [line for line in told[1:] if not line.endswith("more not shown)")]
    wanted = [item.line for item in items(entries)]
    assert shown == wanted[: len(shown)]
    if told and len(shown) < len(wanted):
        assert told[-1] == f"- ({len(wanted) - len(shown)} more not shown)"


def test_the_note_has_its_room() -> None:
    """A cut without its note would pass for the whole."""
    facts = [Item(n, f"The user knows thing {n}") for n in range(40)]
    for budget in range(20, 120):
        made = block_of(
            Sections(profile=facts), budget=budget, omnipresent=0, information_characters=8_000
        )
        if made.text:
            assert made.text.endswith("more not shown)")
            hidden = sum(seen == "hidden" for seen in made.shown.values())
            assert f"({hidden} more" in made.text


# --- in a block --------------------------------------------------------------------------------


@pytest.fixture
def world(db: None) -> Iterator[World]:
    with using(embedder=StubEmbedder()):
        yield World()


def block(world: World, message: str, visitor_id: int | None = None) -> str:
    query = prepare(message, space="stub-64", timeout=1)
    with world.inside():
        reader = Reader.for_chat(world.agent.pk, visitor_id or world.visitor.pk)
        return recall(reader, query).block


def test_with_the_tools_on_the_whole_profile_is_told_and_not_what_a_search_finds(
    world: World,
) -> None:
    person = Person(world.tenant.pk, world.visitor.pk, Actor.person(), "page")
    for what in ("Borges", "a song", "maps", "the oboe", "bread", "a kayak", "bees"):
        tools.remember(person, content=f"The user has read book {what} of the shelf.")
    told = block(world, "which book of the shelf")
    assert PROFILE not in told
    assert told.count("has read book") == 5  # contract 2: the best five
    with world.inside():
        Agent.objects.update(tools=True)
        make_memory(world.agent, world.visitor, "Likes the shelf by the window.", key="/shelf")
    told = block(world, "which book of the shelf")
    assert told.count("has read book") == 7
    assert told.startswith(PROFILE)
    assert "## User Information" not in told
    assert "## Relevant Memory\n[/shelf] Likes the shelf" in told
    assert block(world, "zzz").count("has read book") == 7  # told whatever is asked


def test_nobody_elses_profile_and_none_when_switched_off(world: World) -> None:
    with world.inside():
        Agent.objects.update(tools=True)
        other = type(world.visitor).objects.create(host_id="other")
    person = Person(world.tenant.pk, world.visitor.pk, Actor.person(), "page")
    tools.remember(person, content="The user lives in Porto.")
    assert block(world, "hello", other.pk) == ""
    assert "Porto" in block(world, "hello")
    with world.inside():
        type(world.visitor).objects.update(use_memory_in_responses=False)
    assert block(world, "hello") == ""
