"""A memory's page: every version with its decision and quotes, its recalls, and no more queries."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import review, store
from memory.models import Category, Draft, Memory, Mutation, RecallTrace
from tenants.actor import SYSTEM
from tenants.models import AuditEntry
from tests.factories import make_draft, make_memory, make_mutation, make_visitor
from tests.markup import text_of, unsafe
from tests.memory.interfaces.pages.conftest import Pages
from tests.memory.interfaces.pages.test_queue import HOSTILE

pytestmark = pytest.mark.django_db


def place(world: Pages, memory: Memory | int) -> str:
    return world.at(f"memories/{memory if isinstance(memory, int) else memory.pk}/")


def page(world: Pages, memory: Memory, role: str = "viewer") -> str:
    answer = world.client(role).get(place(world, memory))
    assert answer.status_code == 200
    return answer.content.decode()


def decided(world: Pages, text: str, target: Memory | None = None, key: str = "/food") -> Memory:
    """Approved: an add, or a change of the target."""
    with world.inside():
        draft = make_draft(text, key=key) if target is None else Draft(content=text)
        operation = "add" if target is None else "modify"
        mutation = make_mutation(
            world.agent, world.visitor, operation=operation, draft=draft, target=target,
            reasoning=f"because {text}",
        )  # fmt: skip
    memory = review.approve(mutation_id=mutation.pk, by=world.admin).memory
    assert memory is not None
    return memory


def test_every_version_says_what_changed_who_decided_and_what_was_said(world: Pages) -> None:
    memory = decided(world, "The user eats fish.")
    memory = decided(world, "The user eats no fish.", memory)
    html = page(world, memory)
    text = text_of(html)
    assert "The user eats <ins>no </ins>fish." in html
    assert [int(n) for n in re.findall(r'step__head"><b>(\d+)', html)] == [2, 1]
    assert text.count("because The user eats") == 2
    assert html.count("<mark>The user eats") == 2
    with world.inside():
        name = User.objects.get(pk=world.admin.user_id or 0).username
    assert text.count(f"approved by {name}") == 2


def test_an_undone_decision_shows_as_taken_back(world: Pages) -> None:
    memory = decided(world, "The user eats fish.")
    mutation = memory.source["mutation"]
    with world.inside():
        pk = Mutation.objects.get(uid=mutation).pk
    review.undo(mutation_id=pk, by=world.admin)
    text = text_of(page(world, memory))
    assert "closed" in text
    assert "taking back" in text
    assert "undone" in text


def test_the_recalls_that_used_it(world: Pages) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        other = make_memory(world.agent, world.visitor)
        line = {"version": 1, "reason": "searched", "leg": "keyword", "rank": 1, "score": 0.4321}
        for pk in (memory.pk, other.pk, other.pk):
            RecallTrace.objects.create(
                agent=world.agent,
                visitor=world.visitor,
                memories=[{"id": pk, "shown": "body"} | line],
            )
    html = page(world, memory)
    assert html.count("0.432") == 1
    assert "Not used lately" not in html
    with world.inside():
        RecallTrace.objects.all().delete()
    assert "Not used lately" in page(world, memory)


def test_foreign_and_unknown_memories_do_not_exist(world: Pages) -> None:
    other = Pages()
    with other.inside():
        foreign = make_memory(other.agent)
    client = world.client()
    for number in (foreign.pk, 999_999_999, 10**25):
        assert client.get(place(world, number)).status_code == 404


def test_a_persons_memory_is_read_with_an_audit_entry(world: Pages) -> None:
    with world.inside():
        learned = make_memory(world.agent, world.visitor)
        category = Category.objects.filter(agent=world.agent).first() or Category.objects.create(
            agent=world.agent, slug="goals", name="Goals"
        )
        person = store.add(
            tenant_id=world.tenant.pk, kind=Memory.Kind.PERSON, agent_id=world.agent.pk,
            visitor_id=world.visitor.pk, by=SYSTEM,
            draft=Draft(content="Wants to learn Basque.", category=category.slug),
        )  # fmt: skip
    page(world, learned)
    with world.inside():
        assert not AuditEntry.objects.filter(verb="person.memories_read").exists()
    assert "Wants to learn Basque." in page(world, person)
    with world.inside():
        entry = AuditEntry.objects.get(verb="person.memories_read")
        assert entry.subject_id == world.visitor.pk


def test_no_more_queries_for_a_longer_history(world: Pages) -> None:
    memory = decided(world, "Text 0.")
    client = world.client()
    client.get(place(world, memory))
    counts = []
    for more in (1, 6):
        for number in range(more):
            memory = decided(world, f"Text {number} of {more}.", memory)
        with CaptureQueriesContext(connection) as queries:
            client.get(place(world, memory))
        counts.append(len(queries))
        assert not re.search(r'SELECT[^;]*"vector"', " ".join(q["sql"] for q in queries))
    assert counts[0] == counts[1] <= 25


def test_strangers_text_is_text(world: Pages) -> None:
    """Fault 24, in what it says, in both sides of a change, in labels, quotes and names."""
    for text in HOSTILE:
        with world.inside():
            visitor = make_visitor(text[:200])
            memory = make_memory(world.agent, visitor, text, description=text[:200])
            mutation = make_mutation(
                world.agent, visitor, operation="modify", target=memory, reasoning=text[:500],
                draft=Draft(content=text + " now", description="x " + text[:150]),
            )  # fmt: skip
        review.approve(mutation_id=mutation.pk, by=world.admin)
        html = page(world, memory)
        assert unsafe(html) == []
        assert text_of(html).count(text[:150]) >= 4
