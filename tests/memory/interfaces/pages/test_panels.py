"""The Memory tab: what waits and what is stored of an agent, who decides, how it is narrowed."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.http import urlencode

from memory.models import Draft, Memory, Mutation, Presence
from tests.factories import make_agent, make_draft, make_memory, make_mutation, make_visitor
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db


def tab(world: Pages, **query: str) -> str:
    return world.at(f"agents/{world.agent.slug}/memory/?{urlencode(query)}")


def part(html: str, name: str) -> str:
    """One panel's markup."""
    begins = html.index(f'aria-labelledby="{name}"')
    return html[begins : html.index("</section>", begins)]


def test_both_panels_say_what_the_contract_says_when_empty(world: Pages) -> None:
    html = world.client("viewer").get(tab(world)).content.decode()
    assert "No pending mutations." in text_of(part(html, "pending"))
    empty = "No memories yet. Approve pending mutations to create memories."
    assert empty in text_of(part(html, "stored"))


def test_a_row_has_operation_key_visitor_preview_and_time(world: Pages) -> None:
    with world.inside():
        make_mutation(make_agent(), make_visitor(), draft=make_draft("Of another agent."))
        for_all = make_mutation(world.agent, draft=make_draft("Opens at nine.", key="/hours"))
        memory = make_memory(world.agent, world.visitor, "Likes tea.", key="/tea")
        make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="Likes mate."),
        )  # fmt: skip
        make_mutation(world.agent, world.visitor, operation="delete", target=memory)
    panel = part(world.client().get(tab(world)).content.decode(), "pending")
    assert unsafe(panel) == []
    assert re.findall(r'badge--(add|modify|delete)">', panel) == ["delete", "add", "modify"]
    said = text_of(panel)
    assert "Of another agent." not in said
    assert f"visitor: {world.visitor.label}" in said
    assert "everyone" in said
    assert panel.count("clamp2") == 3
    assert panel.count("<time") == 3
    assert f'aria-label="Approve {for_all.draft["key"]}"' in panel
    assert "data-waiting>3<" in panel


@pytest.mark.parametrize(("role", "decides"), [("viewer", 0), ("editor", 1), ("admin", 2)])
def test_check_and_cross_stand_where_the_member_may_decide(
    world: Pages, role: str, decides: int
) -> None:
    with world.inside():
        make_mutation(world.agent, draft=make_draft("Opens at nine.", key="/hours"))
        make_mutation(world.agent, world.visitor)
    panel = part(world.client(role).get(tab(world)).content.decode(), "pending")
    assert panel.count("data-approve") == panel.count('title="Reject"') == decides
    assert panel.count("data-card=") == 2


def test_a_decision_answers_with_the_row_and_undo_brings_a_row_back(world: Pages) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    client, htmx = world.client(), {"HX-Request": "true"}
    sent = {"version": mutation.version, "as": "row"}
    answer = client.post(world.at(f"review/{mutation.pk}/approve/"), sent, headers=htmx)
    html = answer.content.decode()
    assert 'data-state="approved"' in html
    assert 'name="as" value="row"' in html  # so that the undo answers with a row, too
    undone = client.post(world.at(f"review/{mutation.pk}/undo/"), sent, headers=htmx)
    html = undone.content.decode()
    assert 'data-state="pending"' in html
    assert "line__verbs" in html
    card = client.get(world.at(f"review/{mutation.pk}/"), headers=htmx).content.decode()
    assert "line__verbs" not in card


def test_a_row_that_changed_is_answered_in_full(world: Pages) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
        Mutation.objects.update(version=5)
    answer = world.client().post(
        world.at(f"review/{mutation.pk}/approve/"), {"version": 1, "as": "row"},
        headers={"HX-Request": "true"},
    )  # fmt: skip
    assert answer.status_code == 409
    assert "data-reject" in answer.content.decode()
    assert "line__verbs" not in answer.content.decode()


def test_stored_memories_are_of_this_agent_newest_first_and_paged(world: Pages) -> None:
    with world.inside():
        make_memory(make_agent(), None, "Of another agent.")
        make_memory(
            world.agent, None, "For all.", presence=Presence.PATTERN, trigger_patterns=["x"]
        )
        for number in range(25):
            make_memory(world.agent, make_visitor(f"v{number}"), f"Number {number}.")
    client = world.client()
    page = part(client.get(tab(world)).content.decode(), "stored")
    assert page.index("Number 24.") < page.index("Number 0.")
    assert "For all." not in page
    assert "Of another agent." not in page
    assert "visitor <bdi>v24</bdi>" in page
    after = re.findall(r"after=(\d+)", page)[0]
    older = part(client.get(tab(world, after=after)).content.decode(), "stored")
    assert "For all." in older
    assert "badge--pattern" in older
    assert "Number" not in older
    for bad in ("x", "-1", "9" * 30, "²"):
        assert client.get(tab(world, after=bad)).status_code == 404
        assert client.get(tab(world, waiting=bad)).status_code == 404


def test_pending_mutations_are_leafed_through_each_once(world: Pages) -> None:
    with world.inside():
        made = {make_mutation(world.agent, make_visitor()).pk for _ in range(30)}
    client = world.client()
    first = client.get(tab(world)).content.decode()
    place = re.findall(r"waiting=([\d-]+)", first)[0]
    second = client.get(tab(world, waiting=place)).content.decode()
    shown = [int(pk) for pk in re.findall(r'data-card="(\d+)"', first + second)]
    assert sorted(shown) == sorted(made)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "TEA"}, {"Likes green tea."}),
        ({"q": "/hours"}, {"Opens at nine."}),
        ({"q": "%"}, {"Pays 5 % less."}),
        ({"presence": "omnipresent"}, {"Opens at nine."}),
        ({"presence": "nonsense"}, {"Likes green tea.", "Opens at nine.", "Pays 5 % less."}),
        ({"visitor": "everyone"}, {"Opens at nine."}),
        ({"visitor": "mia"}, {"Likes green tea."}),
        ({"visitor": "mi%"}, set()),
        ({"q": "\0"}, {"Likes green tea.", "Opens at nine.", "Pays 5 % less."}),
    ],
)
def test_stored_memories_are_narrowed(world: Pages, query: dict[str, str], found: set[str]) -> None:
    with world.inside():
        make_memory(world.agent, make_visitor("mia"), "Likes green tea.", key="/a")
        make_memory(world.agent, make_visitor("bo"), "Pays 5 % less.", key="/b")
        make_memory(world.agent, None, "Opens at nine.", key="/hours", presence="omnipresent")
    said = text_of(part(world.client().get(tab(world, **query)).content.decode(), "stored"))
    texts = {"Likes green tea.", "Opens at nine.", "Pays 5 % less."}
    assert {text for text in texts if text in said} == found
    assert ("Nothing here matches." in said) == (not found)


def test_the_number_of_statements_does_not_grow(world: Pages) -> None:
    client, counts = world.client(), []
    client.get(tab(world))  # the session notes where it is
    for _ in range(2):
        with world.inside():
            for _ in range(6):
                visitor = make_visitor()
                make_memory(world.agent, visitor)
                make_mutation(world.agent, visitor)
        with CaptureQueriesContext(connection) as caught:
            client.get(tab(world))
        counts.append(len(caught))
        assert not any('"vector"' in each["sql"] for each in caught)
    assert counts[0] == counts[1]
    with world.inside():
        assert Memory.objects.count() == 12
