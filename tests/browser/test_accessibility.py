"""Every page for people who do not see it or do not use a mouse: axe-core finds nothing serious."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page

from memory import review
from memory.models import Draft, Mutation
from tests.browser.conftest import Desk
from tests.factories import World, make_draft, make_memory, make_mutation

pytestmark = pytest.mark.browser


def faults(desk: Desk, page: Page) -> list[str]:
    """Serious and critical findings: rule, and the first elements it is about."""
    page.wait_for_load_state()
    before = len(desk.faults)
    found = Axe().run(page).response["violations"]
    page.wait_for_timeout(50)
    del desk.faults[before:]  # the tool tries inline styles, which the pages' policy refuses
    return [
        f"{page.url}: {each['id']}: {[node['target'] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.fixture
def busy(world: World) -> World:
    """One of everything that a page can show."""
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.", key="/drinks/tea")
        make_memory(world.agent, None, "Be kind.", key="/tone", presence="omnipresent")
        make_mutation(
            world.agent,
            world.visitor,
            operation="modify",
            target=memory,
            draft=Draft(content="The user likes mate."),
            flags=["no-evidence"],
        )
        make_mutation(world.agent, world.visitor, operation="delete", target=memory)
        make_mutation(world.agent, None, draft=make_draft("Opens at nine.", key="/hours"))
        decided = make_mutation(
            world.agent, world.visitor, draft=make_draft("Has a cat.", key="/cat")
        )
    review.approve(mutation_id=decided.pk, by=world.admin)
    return world


def paths(world: World) -> Iterator[str]:
    slug = world.agent.slug
    with world.inside():
        pending = Mutation.objects.pending().filter(operation="modify").get()
        memory = pending.target_id
    yield from (
        "review/", "review/?lane=flagged", "review/mine/", "review/rules/",
        f"review/{pending.pk}/", f"review/{pending.pk}/edit/", f"review/{pending.pk}/alike/",
        "agents/", f"agents/{slug}/", f"agents/{slug}/memory/", f"agents/{slug}/recall/",
        f"memories/{memory}/",
        "admin/", "admin/memory/mutation/", "admin/memory/memory/",
        f"admin/memory/memory/{memory}/change/",
    )  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_for_members(make_desk: Any, busy: World, reviewer: User, scheme: str) -> None:
    desk: Desk = make_desk(color_scheme=scheme)
    page = desk.sign_in(reviewer)
    found: list[str] = []
    for path in paths(busy):
        answer = page.goto(desk.at(path))
        assert answer is not None
        assert answer.status == 200, path
        found += faults(desk, page)
    assert found == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_for_everybody(make_desk: Any, busy: World, scheme: str) -> None:
    desk: Desk = make_desk(color_scheme=scheme)
    page = desk.context.new_page()
    found: list[str] = []
    for path in (reverse("sign-in"), f"/widget/{busy.agent.uid}/"):
        answer = page.goto(desk.base + path)
        assert answer is not None
        assert answer.status == 200, path
        found += faults(desk, page)
    assert found == []
