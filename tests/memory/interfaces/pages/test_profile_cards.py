"""A proposal about a person's profile in the queue: its card, its form, its lane."""

import pytest

from memory import tools
from memory.models import Memory, Mutation
from memory.tools import Person
from tenants.actor import SYSTEM
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db

PORTO = "The user lives in Porto."
MESSAGE = {"message": 1, "role": "user", "at": "2026-03-03T12:00:00+00:00", "offset": 0}


def propose(world: Pages, content: str = PORTO, key: str | None = "home-city") -> Mutation:
    said = ({**MESSAGE, "quote": content, "found": True},)
    person = Person(
        world.tenant.pk, world.visitor.pk, SYSTEM, "chat", world.agent.pk, evidence=said
    )
    outcome = tools.remember(person, content=content, key=key, category="fact", pinned=True)
    with world.inside():
        return Mutation.objects.get(uid=outcome.id or "")


def test_the_card_says_what_would_be_kept(world: Pages) -> None:
    propose(world)
    page = world.client().get(world.at()).content.decode()
    for told in ("/profile/home-city", PORTO, "category", "fact · pinned"):
        assert told in page, told


def test_proposals_without_a_key_are_no_rivals(world: Pages) -> None:
    for content in ("The user plays the oboe.", "The user keeps bees."):
        propose(world, content, None)
    page = world.client().get(world.at()).content.decode()
    assert 'data-lane="5"' in page
    assert 'data-lane="4"' not in page
    assert "same key, also waits" not in page


def test_a_reviewer_changes_text_key_and_category(world: Pages) -> None:
    mutation = propose(world)
    client = world.client()
    form = client.get(world.at(f"review/{mutation.pk}/edit/")).content.decode()
    assert 'name="slug"' in form
    assert 'name="presence"' not in form
    answer = client.post(
        world.at(f"review/{mutation.pk}/edited/"),
        {"content": "The user moved to Braga.", "slug": "", "label": "place", "version": "1"},
    )
    assert answer.status_code == 302
    with world.inside():
        row = Memory.objects.get()
        assert (row.content, row.slug, row.label, row.pinned) == (
            "The user moved to Braga.",
            None,
            "place",
            True,
        )


def test_never_propose_this_kind_holds_for_the_tools_too(world: Pages) -> None:
    mutation = propose(world)
    world.client().post(
        world.at(f"review/{mutation.pk}/never/"), {"under": "/profile/home-city", "version": "1"}
    )
    person = Person(world.tenant.pk, world.visitor.pk, SYSTEM, "chat", world.agent.pk)
    again = tools.remember(person, content="The user lives in Faro.", key="home-city")
    assert again.status == "refused"
    assert tools.remember(person, content="The user keeps bees.", key="pets").status == "pending"
