"""The queue: order, pages, filters, constant queries, and strangers' text shown as text."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.interfaces.pages.waiting import Filters, page
from memory.models import Draft, Mutation, Presence
from tests.factories import (
    make_agent,
    make_conversation,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db


def shown(html: str) -> list[int]:
    return [int(pk) for pk in re.findall(r'data-card="(\d+)"', html)]


def get(world: Pages, query: str = "", **kwargs: Any) -> str:
    return world.client(**kwargs).get(world.at(f"review/{query}")).content.decode()


def test_the_most_delicate_come_first(world: Pages) -> None:
    with world.inside():
        rest = make_mutation(world.agent, world.visitor)
        memory = make_memory(world.agent, world.visitor)
        one = make_mutation(world.agent, world.visitor, draft=make_draft("Tea", key="/drink"))
        other = make_mutation(world.agent, world.visitor, draft=make_draft("Mate", key="/drink"))
        everyone = make_mutation(world.agent)
        always = make_mutation(
            world.agent, world.visitor, draft=make_draft(presence=Presence.OMNIPRESENT)
        )
        delete = make_mutation(world.agent, world.visitor, operation="delete", target=memory)
        flagged = make_mutation(world.agent, world.visitor, flags=["no-evidence"])
    rows = [flagged, delete, everyone, always, one, other, rest]
    assert shown(get(world)) == [row.pk for row in rows]


def test_pages_show_each_card_once_even_while_others_are_decided(world: Pages) -> None:
    with world.inside():
        made = [make_mutation(world.agent, make_visitor()).pk for _ in range(7)]
        Mutation.objects.update(created_at=world.tenant.created_at)  # all at one instant
        first = page(Filters(), size=3)
        assert [row.pk for row in first.rows] == made[:3]
        Mutation.objects.filter(pk__in=made[:2]).delete()
        second = page(Filters(), first.after, size=3)
        third = page(Filters(), second.after, size=3)
        assert [row.pk for row in second.rows + third.rows] == made[3:]
        assert third.after == ""


@pytest.mark.parametrize("place", ["x", "1-2", "1-2-3-4", "1-99999999999999999999999-1", "1-1--1"])
def test_a_cursor_of_nobody_is_not_found(world: Pages, place: str) -> None:
    assert world.client().get(world.at(f"review/?after={place}")).status_code == 404


def _agent(world: Pages) -> tuple[str, Mutation]:
    other = make_agent("otto")
    return "?agent=otto", make_mutation(other, world.visitor)


def _visitor(world: Pages) -> tuple[str, Mutation]:
    return "?visitor=mira%40x", make_mutation(world.agent, make_visitor("mira@x"))


def _nameless(world: Pages) -> tuple[str, Mutation]:
    visitor = make_visitor(None)
    return f"?visitor=%23{visitor.pk}", make_mutation(world.agent, visitor)


def _everyone(world: Pages) -> tuple[str, Mutation]:
    return "?visitor=Everyone", make_mutation(world.agent)


def _operation(world: Pages) -> tuple[str, Mutation]:
    memory = make_memory(world.agent, world.visitor)
    made = make_mutation(world.agent, world.visitor, operation="delete", target=memory)
    return "?operation=delete", made


def _presence(world: Pages) -> tuple[str, Mutation]:
    memory = make_memory(
        world.agent, world.visitor, presence=Presence.PATTERN, trigger_patterns=["tea"]
    )
    draft = Draft(content="The user likes mate.")
    made = make_mutation(world.agent, world.visitor, operation="modify", draft=draft, target=memory)
    return "?presence=pattern", made


def _text(world: Pages) -> tuple[str, Mutation]:
    return "?q=100%25+R%5EYE", make_mutation(world.agent, draft=make_draft("Eats 100% r^ye bread"))


def _flagged(world: Pages) -> tuple[str, Mutation]:
    return "?lane=flagged", make_mutation(world.agent, world.visitor, flags=["no-evidence"])


@pytest.mark.parametrize(
    "narrowed",
    [_agent, _visitor, _nameless, _everyone, _operation, _presence, _text, _flagged],
)
def test_each_filter_finds_its_own_only(
    world: Pages, narrowed: Callable[[Pages], tuple[str, Mutation]]
) -> None:
    with world.inside():
        for _ in range(3):
            make_mutation(world.agent, world.visitor)
        query, wanted = narrowed(world)
    assert shown(get(world, query)) == [wanted.pk]


def test_the_head_counts_what_the_lane_shows(world: Pages) -> None:
    with world.inside():
        for flags in (["no-evidence"], ["no-evidence"], []):
            make_mutation(world.agent, world.visitor, flags=flags)
    assert "3 pending mutations" in text_of(get(world))
    assert "2 pending mutations match" in text_of(get(world, "?lane=flagged"))
    assert "pending mutations match" not in text_of(get(world, "?lane=deletes"))


def test_filters_of_unknown_values_and_wild_text_still_answer(world: Pages) -> None:
    with world.inside():
        pk = make_mutation(world.agent).pk
    assert shown(get(world, "?lane=x&operation=x&presence=x")) == [pk]
    for text in ("%25", "_", "%5C", "%00", "%F0%9F%8D%A3", "%23", "%23abc", "%23%C2%B2", "'"):
        assert world.client().get(world.at(f"review/?q={text}&visitor={text}")).status_code == 200


def test_the_number_of_queries_does_not_grow_with_the_page(world: Pages) -> None:
    client = world.client()
    client.get(world.at())  # the session notes the tenant once
    counts = []
    for more in (1, 11, 12):
        with world.inside():
            for _ in range(more):
                visitor = make_visitor()
                memory = make_memory(world.agent, visitor)
                make_mutation(
                    world.agent,
                    visitor,
                    operation="modify",
                    draft=Draft(content="x"),
                    target=memory,
                )
        with CaptureQueriesContext(
            connection,
        ) as queries:
            answer = client.get(world.at())
        counts.append(len(queries))
        statements = " ".join(q["sql"] for q in queries)
        assert len(shown(answer.content.decode())) == min(25, sum((1, 11, 12)[: len(counts)]))
        assert not re.search(r'SELECT[^;]*"(?:statement_|evidence_)?vector"', statements)
    assert counts[0] == counts[1] == counts[2] <= 20


def test_a_viewer_sees_everything_and_no_buttons(world: Pages) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, draft=make_draft("Likes tea"))
    html = get(world, role="viewer")
    assert shown(html) == [mutation.pk]
    assert "Likes tea" in html
    assert "data-approve" not in html
    assert "data-reject" not in html


def test_an_editor_gets_no_buttons_where_an_admin_decides(world: Pages) -> None:
    with world.inside():
        make_mutation(world.agent)
        make_mutation(world.agent, world.visitor)
    html = get(world, role="editor")
    assert html.count("data-approve") == 1
    assert "an admin or owner decides" in html


def test_the_quote_stands_marked_between_its_neighbours(world: Pages) -> None:
    lines = ["user: one", "assistant: two", "user: three", "user: I like green tea.", "user: five"]
    lines += ["user: six", "user: seven"]
    with world.inside():
        talk = make_conversation(world.agent, world.visitor, *lines)
        message = talk.messages.get(position=4)
        evidence = {"message": message.pk, "position": 4, "role": "user", "quote": "green tea"}
        evidence |= {"at": "2026-03-03T23:30:00-08:00", "offset": -480, "found": True}
        observation = make_observation(
            world.agent, world.visitor, conversation=talk, evidence=[evidence]
        )
        make_mutation(world.agent, world.visitor, observation=observation)
    html = get(world)
    assert "I like <mark>green tea</mark>." in html
    assert "Tue 3 Mar 2026, 23:30 (UTC−8)" in html
    told = re.findall(r'<p class="said" dir="auto">(\w+)</p>', html.split("<figure")[1])
    assert told == ["two", "three", "five", "six"]


def test_two_quotes_of_one_conversation_keep_their_own_neighbours(world: Pages) -> None:
    lines = [f"user: line{number}" for number in range(1, 10)]
    with world.inside():
        talk = make_conversation(world.agent, world.visitor, *lines)
        evidence = [
            {"message": pk, "position": position, "role": "user", "quote": f"line{position}",
             "at": f"2026-03-0{position}T10:00:00+00:00", "offset": 0}
            for pk, position in talk.messages.values_list("pk", "position") if position in (2, 8)
        ]  # fmt: skip
        observation = make_observation(
            world.agent, world.visitor, conversation=talk, evidence=evidence
        )
        make_mutation(world.agent, world.visitor, observation=observation)
    figures = get(world).split("<figure")[1:]
    told = [re.findall(r"line\d", figure) for figure in figures]
    assert told == [["line1", "line2", "line3", "line4"], ["line6", "line7", "line8", "line9"]]


def test_the_change_is_marked_on_both_sides(world: Pages) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "Likes Friday meetings.")
        draft = Draft(content="Likes Monday meetings.", presence=Presence.OMNIPRESENT)
        make_mutation(world.agent, world.visitor, operation="modify", draft=draft, target=memory)
    html = get(world)
    assert "Likes <del>Friday</del> meetings." in html
    assert "Likes <ins>Monday</ins> meetings." in html
    assert re.search(r"<del[^>]*>on-demand</del> → <ins[^>]*>omnipresent</ins>", html)


def test_what_else_the_scope_says_is_named(world: Pages) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "Drinks no coffee.", key="/drinks/coffee")
        make_memory(world.agent, make_visitor(), "Someone else's.", key="/drinks/else")
        make_mutation(world.agent, world.visitor, draft=make_draft("Mate", key="/drinks/tea"))
        make_mutation(world.agent, world.visitor, draft=make_draft("Green", key="/drinks/tea"))
    html = get(world)
    assert html.count("Drinks no coffee.") == 2
    assert html.count("same key, also pending") == 2
    assert "Someone else" not in html


def test_an_empty_queue_says_so(world: Pages) -> None:
    html = get(world)
    assert "No pending mutations." in html
    assert "Nothing here matches." in get(world, "?q=x")


def test_another_tenants_card_does_not_exist(world: Pages) -> None:
    other = Pages()
    with other.inside():
        foreign = make_mutation(other.agent).pk
    client = world.client()
    for answer in (
        client.get(world.at(f"review/{foreign}/")),
        client.post(world.at(f"review/{foreign}/approve/"), {"version": 1}),
        client.get(world.at("review/999999999/")),
    ):
        assert answer.status_code == 404
    assert shown(client.get(world.at()).content.decode()) == []


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "q' onmouseover='alert(1)",
    '"><script>alert(1)</script >',
    "javascript:alert(1)",
    "\u202eلا\u202c مرحبا",
    "W" * 1_900,
)


def test_strangers_text_is_text_everywhere(world: Pages) -> None:
    """Fault 24: on the card, its own page, the decisions, the agent's page and in messages."""
    client = world.client()
    for text in HOSTILE:
        with world.inside():
            visitor = make_visitor(text[:200])
            memory = make_memory(world.agent, visitor, text)
            mutation = make_mutation(
                world.agent, visitor, operation="modify", target=memory, flags=[text[:40]],
                draft=Draft(content=text + " now", description=text[:200]), reasoning=text[:500],
            )  # fmt: skip
        card = world.at(f"review/{mutation.pk}/")
        pages = [client.get(world.at()), client.get(card), client.get(f"{card}edit/")]
        pages.append(client.get(world.at(f"agents/{world.agent.slug}/memory/")))
        data = {"version": 1, "next": card, "reason": text[:400]}
        pages.append(client.post(f"{card}reject/", data, follow=True))
        pages.append(client.get(world.at("review/mine/")))
        for answer in pages:
            html = answer.content.decode()
            assert answer.status_code == 200
            assert unsafe(html) == []
            assert text[:200] in text_of(html)
