"""What people say stands in their rows and nowhere else: no log, no trace, no audit, no run."""

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Conversation, Visitor
from config.logs import WordlessFormatter
from memory.interfaces.tasks import work
from memory.models import Event, Mutation, RecallTrace, Run
from memory.providers import using
from memory.providers.errors import Empty, Refused, Unavailable
from tenants.models import AuditEntry, RateWindow
from tests.factories import World, make_key
from tests.fakes import ScriptedLanguage, StubEmbedder, decided, observed

# Words that nobody else uses: of the visitor, of the models, of the reviewer, a secret.
SAID, SECRET = "marzipanzq", "sk-test-51Zq0000EXAMPLE0000"
STATED, REASONED, ANSWERED, TYPED = "velvetinezq", "gloamwoodzq", "ostrakonzq", "harbourzq"
WORDS = (SAID, SECRET, STATED, REASONED, ANSWERED, TYPED)
FAULTS: list[Exception] = [
    Refused(f"I will not repeat {SAID}"), Unavailable(f"upstream said {SAID}"), Empty(SAID),
    ValueError(f"cannot read {SAID}"), KeyError(SECRET),
]  # fmt: skip


class Clients:
    """One tenant's callers over HTTP."""

    def __init__(self) -> None:
        self.world = World()
        with self.world.inside():
            self.key = make_key()
        self.member = Client()
        self.member.force_login(User.objects.get(pk=self.world.admin.user_id or 0))
        self.visitor = Client()

    def post(self, path: str, body: Any) -> Any:
        raw = body if isinstance(body, str) else json.dumps(body)
        headers = {"Authorization": f"Bearer {self.key}"}
        return Client().post(path, raw, "application/json", headers=headers)

    def capture(self, content: str, number: int = 1) -> Any:
        message = {"id": f"m{number}", "role": "user", "content": content}
        body = {"visitor": "somebody", "conversation": "c", "messages": [message]}
        return self.post(f"/api/agents/{self.world.agent.slug}/capture", body)

    def recall(self, message: str) -> Any:
        body = {"visitor": "somebody", "message": message}
        return self.post(f"/api/agents/{self.world.agent.slug}/recall", body)

    def chat(self, content: str) -> str:
        body = {"messages": [{"role": "user", "content": content}]}
        answer = self.visitor.post(
            f"/api/public/agents/{self.world.agent.uid}/chat", json.dumps(body), "application/json"
        )
        return b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]

    def decide(self, number: int, verb: str, **form: str) -> Any:
        return self.member.post(f"/t/{self.world.tenant.slug}/review/{number}/{verb}/", form)

    def idle(self) -> None:
        with self.world.inside():
            Conversation.objects.update(last_received_at="2026-01-01T00:00:00+00:00")


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    """Everything logged by anybody, down to DEBUG, as our formatter writes it."""
    caplog.set_level(logging.DEBUG)
    caplog.handler.setFormatter(WordlessFormatter("%(levelname)s %(name)s %(message)s"))
    return lambda: caplog.text


def kept_quiet(world: World) -> str:
    """The rows that tell what happened, as text."""
    tables: list[Any] = [AuditEntry, Event, RecallTrace, Run, RateWindow]
    with world.inside():
        rows = [row for table in tables for row in table.objects.values()]
        return json.dumps(rows, default=str, ensure_ascii=False)


def silent(world: World, heard: Callable[[], str]) -> None:
    told = heard() + kept_quiet(world)
    assert [word for word in WORDS if word in told] == []


@pytest.mark.django_db
def test_a_whole_life_leaves_no_word_in_logs_traces_audit_or_runs(
    heard: Callable[[], str],
) -> None:
    its = Clients()
    world = its.world
    add = {
        "operation": "add", "key": "/sweets", "description": "sweets", "presence": "omnipresent",
        "content": f"The user likes {STATED}.",
    }  # fmt: skip
    language = ScriptedLanguage(
        observed((f"The user likes {STATED}.", f"I like {SAID}", 1)),
        decided("mutate", add, reasoning=f"Because of {REASONED}."),
        f"You like {ANSWERED}.",
    )
    with using(language=language, embedder=StubEmbedder()):
        assert its.capture(f"I like {SAID}. My key is {SECRET}").json()["accepted"] == 1
        its.idle()
        assert work("observe").processed == 1
        assert work("reconcile").mutated == 1
        with world.inside():
            number = Mutation.objects.get().pk
        typed = f"The user adores {TYPED}."
        assert its.decide(number, "edited", version="1", content=typed).status_code == 302
        assert TYPED in its.recall(f"tell me of {SAID}").json()["block"]
        assert ANSWERED in its.chat(f"tell me of {SAID}")
        assert its.decide(number, "undo").status_code == 302
        with world.inside():
            fresh = Mutation.objects.pending().get()
        its.decide(fresh.pk, "reject", version="1", reason=f"no {TYPED} at all")
    silent(world, heard)
    with world.inside():
        assert Visitor.objects.count() == 3  # the world's, the captured one, the chat's


@pytest.mark.django_db
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fault_that_quotes_somebody_is_told_without_the_quote(
    heard: Callable[[], str], fault: Exception
) -> None:
    its = Clients()
    embedder = StubEmbedder(fail=fault if isinstance(fault, Unavailable) else None)
    with using(language=ScriptedLanguage(*[fault] * 3), embedder=embedder):
        its.capture(f"I like {SAID}")
        its.idle()
        assert work("observe").failed == 1
        its.chat(f"tell me of {SAID}")
        its.recall(f"tell me of {SAID}")
        if embedder.fail is not None:
            assert work("embed").failed >= 1
    silent(its.world, heard)
    assert "memory.learning.observe" in heard()  # it is told


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        f'{{"visitor": "{SAID}", "message": "{SECRET}"',
        json.dumps({"visitor": [SAID], "message": SECRET}),
        json.dumps({"visitor": "v", "message": {SAID: SECRET}}),
        json.dumps({"visitor": SAID + "\0", "message": "x"}),
    ],
)
def test_a_refused_body_is_not_repeated(heard: Callable[[], str], body: str) -> None:
    its = Clients()
    answer = its.post(f"/api/agents/{its.world.agent.slug}/recall", body)
    assert answer.status_code == 400
    assert SAID not in answer.content.decode()
    silent(its.world, heard)
