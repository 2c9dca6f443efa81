"""What follows from a proposal, on its card: the budget, and a try that leaves nothing."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import Draft, Event, Memory, Mutation, Presence, RecallTrace
from tenants.models import AuditEntry
from tests.factories import make_draft, make_memory, make_mutation, make_visitor
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.conftest import Pages
from tests.memory.interfaces.pages.test_queue import HOSTILE

pytestmark = pytest.mark.django_db
ALWAYS = Presence.OMNIPRESENT


def test_how_much_of_the_budget_and_who_is_pushed_out(world: Pages, settings: Any) -> None:
    settings.OMNIPRESENT_TOKENS = 60
    with world.inside():
        first = make_memory(world.agent, None, "Be kind.", key="/tone", presence=ALWAYS)
        make_memory(world.agent, world.visitor, "word " * 30, key="/mine", presence=ALWAYS)
        make_memory(world.agent, make_visitor(), "word " * 30, key="/theirs", presence=ALWAYS)
        make_mutation(world.agent, world.visitor, draft=make_draft("word " * 30, presence=ALWAYS))
        make_mutation(
            world.agent, operation="modify", target=first, draft=Draft(content="word " * 40)
        )
        make_mutation(world.agent, world.visitor)
    html = world.client().get(world.at()).content.decode()
    assert html.count("Always shown:") == 2
    assert "No room for its text: only its label will be seen" in html
    assert "/theirs" not in html
    with world.inside():
        make_memory(world.agent, None, "word " * 9, key="/rule", presence=ALWAYS)
    html = world.client().get(world.at()).content.decode()
    assert re.search(r"Pushes out <code>/rule</code>", html)


def test_one_query_more_whatever_the_length(world: Pages) -> None:
    client = world.client()
    client.get(world.at())
    counts = []
    for more in (1, 9):
        with world.inside():
            for _ in range(more):
                draft = make_draft("Be kind.", presence=ALWAYS)
                make_mutation(world.agent, make_visitor(), draft=draft)
                make_memory(world.agent, make_visitor(), presence=ALWAYS)
        with CaptureQueriesContext(connection) as queries:
            client.get(world.at())
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_try_shows_both_blocks_and_leaves_nothing(world: Pages) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "Eats sushi on Friday.")
        mutation = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="Eats sushi on Monday."),
        )  # fmt: skip
        counts = [model.objects.count() for model in (AuditEntry, Event, RecallTrace)]
    client = world.client("editor")
    with world.inside():
        counts[0] = AuditEntry.objects.count()
    place = world.at(f"review/{mutation.pk}/try/")
    data = {"message": "sushi?", "version": 1}
    for headers in ({}, {"HX-Request": "true"}):
        html = client.post(place, data, headers=headers).content.decode()
        assert html.count("Eats sushi on Friday.") == html.count("Eats sushi on Monday.") == 1
        assert ("<html" in html) == (not headers)
    with world.inside():
        assert [m.objects.count() for m in (AuditEntry, Event, RecallTrace)] == counts
        assert Memory.objects.get().version == 1
        assert Mutation.objects.get().status == "pending"


def test_a_try_that_cannot_be(world: Pages) -> None:
    with world.inside():
        mutation = make_mutation(world.agent)
    place = world.at(f"review/{mutation.pk}/try/")
    data = {"message": "tea", "version": 1}
    assert world.client("viewer").post(place, data).status_code == 403
    assert world.client("editor").post(place, data).status_code == 403
    admin = world.client()
    assert admin.post(place, {"message": " ", "version": 1}).status_code == 400
    assert admin.post(place, {"message": "tea"}).status_code == 409
    assert admin.get(place).status_code == 405
    assert admin.post(world.at("review/999999999/try/"), data).status_code == 404
    foreign = Pages()
    assert foreign.client().post(foreign.at(f"review/{mutation.pk}/try/"), data).status_code == 404
    viewer = world.client("viewer").get(world.at()).content.decode()
    assert "data-try" not in viewer


def test_strangers_text_is_text(world: Pages) -> None:
    client = world.client()
    for text in HOSTILE:
        with world.inside():
            visitor = make_visitor()
            draft = make_draft(text, presence=ALWAYS, description=text[:200])
            mutation = make_mutation(world.agent, visitor, draft=draft)
        place = world.at(f"review/{mutation.pk}/try/")
        for headers in ({}, {"HX-Request": "true"}):
            html = client.post(place, {"message": text, "version": 1}, headers=headers)
            assert html.status_code == 200
            assert unsafe(html.content.decode()) == []
            assert "If approved" in text_of(html.content.decode())
