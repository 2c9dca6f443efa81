"""The Recall tab: the block as the prompt has it, for members, as text, and nothing written."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory import providers
from memory.models import Event, Memory, Presence, RecallTrace
from memory.providers.errors import Unavailable
from tenants.models import AuditEntry
from tests.factories import make_memory, make_visitor
from tests.fakes import StubEmbedder
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.conftest import Pages
from tests.memory.interfaces.pages.test_queue import HOSTILE

pytestmark = pytest.mark.django_db


def place(world: Pages) -> str:
    return world.at(f"agents/{world.agent.slug}/recall/")


def ask(world: Pages, message: str, role: str = "viewer", **fields: Any) -> str:
    answer = world.client(role).post(place(world), {"message": message, **fields})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_viewer_sees_the_block_and_the_leg(world: Pages) -> None:
    with world.inside():
        make_memory(
            world.agent, None, "Always be kind.", presence=Presence.OMNIPRESENT, key="/tone"
        )
        make_memory(world.agent, world.visitor, "The user loves sushi.", key="/food")
    html = ask(world, "sushi?", visitor=world.visitor.host_id)
    text = text_of(html)
    assert "## Relevant Memory\n[/food] The user loves sushi.\n[/tone] Always be kind." in text
    assert "always there" in text
    assert "words" in text
    assert "rank 1" in text
    assert "The user loves sushi." not in ask(world, "sushi?")


def test_the_visitor_by_number_and_the_unknown(world: Pages) -> None:
    with world.inside():
        nameless = make_visitor(None)
        make_memory(world.agent, nameless, "The user loves sushi.")
    assert "loves sushi" in ask(world, "sushi", visitor=f"#{nameless.pk}")
    client = world.client()
    wrong = ("nobody@x", "#999999999", "#", "#²", "#" + "9" * 40, str(nameless.cookie))
    for who in wrong:
        answer = client.post(place(world), {"message": "sushi", "visitor": who})
        assert answer.status_code == 400
        assert "Nobody is known by this id." in answer.content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [("message", " "), ("message", "x" * 10_001), ("at", "yesterday"), ("at", "9999-12-31T00:00")],
)
def test_what_cannot_be_used_is_said_beside_the_field(world: Pages, field: str, value: str) -> None:
    answer = world.client().post(place(world), {"message": "tea", field: value})
    assert answer.status_code == 400
    assert f'id="{field}-error"' in answer.content.decode()


def test_strangers_outsiders_and_unknown_agents(world: Pages) -> None:
    other = Pages()
    assert other.client().get(place(world)).status_code == 404
    assert world.client().get(world.at("agents/nobody/recall/")).status_code == 404
    assert Client().get(place(world)).status_code == 302


def test_reading_about_a_person_is_audited_and_nothing_else_is_written(world: Pages) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "The user loves sushi.")
        memory = Memory.objects.values().get()
        events = Event.objects.count()
    ask(world, "sushi")
    with world.inside():
        assert not AuditEntry.objects.filter(verb="person.memories_read").exists()
    ask(world, "sushi", visitor=world.visitor.host_id)
    with world.inside():
        entry = AuditEntry.objects.get(verb="person.memories_read")
        assert (entry.subject, entry.subject_id) == ("visitor", world.visitor.pk)
        assert entry.detail == {"agent": world.agent.pk, "count": 1, "page": "recall"}
        assert Memory.objects.values().get() == memory
        assert (RecallTrace.objects.count(), Event.objects.count()) == (0, events)


def test_a_provider_that_fails_is_named(world: Pages) -> None:
    with world.inside():
        make_memory(world.agent, None, "Sushi is served.")
    with providers.using(embedder=StubEmbedder(fail=Unavailable("away"))):
        text = text_of(ask(world, "sushi"))
    assert "Something failed: embedding:" in text
    assert "Sushi is served." in text


def test_no_more_queries_for_more_memories(world: Pages) -> None:
    client = world.client()
    data = {"message": "sushi kind", "visitor": world.visitor.host_id}
    client.post(place(world), data)
    counts = []
    for more in (2, 10):
        with world.inside():
            for number in range(more):
                make_memory(world.agent, world.visitor, f"sushi {number}")
                make_memory(world.agent, None, f"Kind {number}", presence=Presence.OMNIPRESENT)
        with CaptureQueriesContext(connection) as queries:
            client.post(place(world), data)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_strangers_text_is_text(world: Pages) -> None:
    """Fault 24, in what is chosen, left out, in triggers and in the form itself."""
    with world.inside():
        for text in HOSTILE:
            visitor = make_visitor(text[:200])
            make_memory(world.agent, visitor, text, presence=Presence.OMNIPRESENT)
            trigger = ["zzz" + text[:90]]
            make_memory(
                world.agent, visitor, text, presence=Presence.PATTERN, trigger_patterns=trigger
            )
    for text in HOSTILE:
        html = ask(world, text, visitor=text[:200])
        assert unsafe(html) == []
        assert text_of(html).count(text[:90]) >= 3
