"""The whole flow, as people and programs see it: said, observed, proposed, approved, recalled.

Offline provider, real stages, HTTP in and out; the only scripted part is the model that answers,
so that the prompt it was given can be read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from memory.models import Memory, Mutation, Observation, RecallTrace
from memory.providers import using
from memory.providers.offline import OfflineLanguage
from memory.providers.types import ChatMessage
from tenants.models import Membership, Role
from tests.factories import World, make_key, make_user

pytestmark = pytest.mark.django_db
CRON = "a-secret-for-the-story"


class Overheard(OfflineLanguage):
    """Observes and reconciles as the offline provider does; keeps the prompts it answers."""

    def __init__(self) -> None:
        self.prompts: list[Sequence[ChatMessage]] = []

    def answer(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        self.prompts.append(messages)
        yield "Noted."

    def told(self) -> str:
        """The system messages of the last prompt."""
        return "\n".join(m.content for m in self.prompts[-1] if m.role == "system")


class Story:
    def __init__(self, model: Overheard) -> None:
        self.model = model
        self.world = World("acme")
        self.visitor, self.stranger, self.reviewer = Client(), Client(), Client()
        with self.world.inside():
            ann = make_user("ann")
            Membership.objects.create(user=ann, role=Role.EDITOR)
            self.key = make_key()
        self.reviewer.force_login(ann)

    def say(self, text: str, client: Client | None = None) -> str:
        """One turn of the public chat; answers what the model was told of memory."""
        answer = (client or self.visitor).post(
            f"/api/public/agents/{self.world.agent.uid}/chat",
            json.dumps({"messages": [{"role": "user", "content": text}]}),
            "application/json",
        )
        assert answer.status_code == 200
        assert b"".join(answer.streaming_content) == b"Noted."  # type: ignore[attr-defined]
        return self.model.told()

    def cron(self, stage: str) -> dict[str, int]:
        answer = Client().post(f"/api/cron/memory-{stage}", headers={"x-cron-secret": CRON})
        assert answer.status_code == 200, answer.content
        result: dict[str, int] = answer.json()
        assert result["failed"] == 0
        return result

    def learn(self) -> None:
        self.cron("observe")
        self.cron("reconcile")

    def queue(self) -> str:
        page = self.reviewer.get("/t/acme/review/")
        assert page.status_code == 200
        return page.content.decode()

    def decide(self, verb: str, mutation: Mutation) -> None:
        version = mutation.version
        answer = self.reviewer.post(
            f"/t/acme/review/{mutation.pk}/{verb}/", {"version": version, "reason": ""}, follow=True
        )
        assert answer.status_code == 200, answer.content


@pytest.fixture
def story(settings: Any) -> Iterator[Story]:
    settings.CRON_SECRET = CRON
    settings.OBSERVE_COOLDOWN = timedelta(0)
    model = Overheard()
    with using(language=model):
        yield Story(model)


def test_a_conversation_becomes_a_proposal_a_person_approves_it_the_agent_remembers(
    story: Story,
) -> None:
    world = story.world

    # Said: captured, and nothing is remembered by itself.
    assert "peanuts" not in story.say("Hi! I am allergic to peanuts.")
    story.learn()
    with world.inside():
        observation = Observation.objects.get()
        assert observation.evidence[0]["quote"] in "Hi! I am allergic to peanuts."
        proposal = Mutation.objects.pending().get()
        assert not Memory.objects.exists()
    assert "peanuts" not in story.say("What should I have for dinner?")

    # Reviewed: the card shows the proposal with its evidence; the editor approves.
    card = re.sub(r"<[^>]+>", "", story.queue())
    assert "allergic to peanuts" in card
    story.decide("approve", proposal)
    with world.inside():
        assert Memory.objects.get().visitor_id == proposal.visitor_id

    # Recalled: for this visitor, traced; for nobody else.
    told = story.say("Which snacks may I eat with my allergy?")
    assert "## Relevant Memory" in told
    assert "allergic to peanuts" in told
    with world.inside():
        trace = RecallTrace.objects.order_by("-id").first()
        assert trace is not None
        assert [m["id"] for m in trace.memories] == [Memory.objects.get().pk]
    assert "peanuts" not in story.say("Which snacks may I eat?", story.stranger)

    # Said again: counted, not proposed. Contradicted: one change, one live statement.
    story.say("As I said, I am allergic to peanuts.")
    story.learn()
    with world.inside():
        assert not Mutation.objects.pending().exists()
    story.say("Good news: I am not allergic to peanuts anymore.")
    story.learn()
    with world.inside():
        change = Mutation.objects.pending().get()
        assert (change.operation, change.target_id) == ("modify", Memory.objects.get().pk)
    story.decide("approve", change)
    with world.inside():
        memory = Memory.objects.live().get()
        assert memory.version == 2
        assert "not allergic" in memory.content or "no longer allergic" in memory.content

    # Undone: it says again what it said before, and the proposal is back.
    story.decide("undo", change)
    with world.inside():
        memory = Memory.objects.live().get()
        assert "not allergic" not in memory.content
        fresh = Mutation.objects.pending().get()
        assert fresh.earlier_id == change.pk

    # Rejected: it stays gone, however often it is said.
    story.decide("reject", fresh)
    story.say("Good news: I am not allergic to peanuts anymore.")
    story.learn()
    with world.inside():
        assert not Mutation.objects.pending().exists()


def test_the_same_through_the_programs_doors(story: Story) -> None:
    world, agent = story.world, story.world.agent
    headers = {"authorization": f"Bearer {story.key}"}

    def post(path: str, body: object) -> dict[str, object]:
        answer = Client().post(path, json.dumps(body), "application/json", headers=headers)
        assert answer.status_code == 200, answer.content
        result: dict[str, object] = answer.json()
        return result

    body = {
        "visitor": "mira",
        "conversation": "42",
        "messages": [
            {"id": "1", "role": "user", "content": "I moved to Porto last month.",
             "occurred_at": "2026-03-03T23:30:00-08:00"},
            {"id": "2", "role": "assistant", "content": "I love Lisbon."},
        ],
    }  # fmt: skip
    assert post(f"/api/agents/{agent.slug}/capture", body)["accepted"] == 2
    assert post(f"/api/agents/{agent.uid}/capture", body)["duplicates"] == 2
    story.learn()
    with world.inside():
        proposal = Mutation.objects.pending().get()
        assert "Lisbon" not in json.dumps(proposal.draft)
    ask = {"visitor": "mira", "message": "Where do I live now, still in Porto?"}
    assert post(f"/api/agents/{agent.slug}/recall", ask)["block"] == ""
    path = f"/api/mutations/{proposal.pk}/approve"
    assert Client().post(path, "{}", "application/json", headers=headers).status_code == 403
    assert story.reviewer.post(path, "{}", "application/json").status_code == 200
    answer = post(f"/api/agents/{agent.slug}/recall", ask)
    assert "Porto" in str(answer["block"])
    assert answer["failed"] is None
    other = post(f"/api/agents/{agent.slug}/recall", {**ask, "visitor": "userA1"})
    assert other["block"] == ""
