"""Inbound webhooks: signed, fresh, answered once; outsiders are told nothing of a person."""

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client

from agents.models import Agent, InboundHook, Message, Visitor
from memory import tools
from memory.events import signature
from memory.models import Memory
from memory.people.knowledge import add_knowledge
from memory.providers.door import using
from memory.providers.types import Call
from memory.tools import Person
from tenants.actor import Actor
from tests.factories import World
from tests.fakes import ScriptedLanguage, StubEmbedder

pytestmark = pytest.mark.django_db

SECRET = "a-shared-secret"
PORTO = "The user lives in Porto."


class Outside(World):
    def __init__(self) -> None:
        super().__init__()
        self.language = ScriptedLanguage()
        with self.inside():
            Agent.objects.update(tools=True)
        self.hook = self.make("generic")
        self.slack = self.make("slack")

    def make(self, preset: str) -> InboundHook:
        uid = uuid4()
        with self.inside():
            return InboundHook.objects.create(
                uid=uid, name=preset, agent=self.agent, preset=preset,
                secret=signature.seal(SECRET, tenant_id=self.tenant.pk, uid=uid),
            )  # fmt: skip

    def at(self, hook: InboundHook) -> str:
        return f"/api/public/agents/{self.agent.uid}/hooks/{hook.uid}"

    def ask(
        self, body: Any, *, secret: str = SECRET, at: int | None = None, hook: Any = None
    ) -> Any:
        raw = json.dumps(body).encode() if not isinstance(body, bytes) else body
        at = int(time.time()) if at is None else at
        signed = hmac.new(secret.encode(), f"{at}.".encode() + raw, hashlib.sha256).hexdigest()
        return Client().post(
            self.at(hook or self.hook), raw, content_type="application/json",
            headers={"X-Keepsake-Signature": f"t={at},v1={signed}"},
        )  # fmt: skip

    def ask_slack(self, body: Any, *, secret: str = SECRET, **headers: str) -> Any:
        is_form = isinstance(body, bytes)
        raw = body if is_form else json.dumps(body).encode()
        at = str(int(time.time()))
        signed = hmac.new(secret.encode(), f"v0:{at}:".encode() + raw, hashlib.sha256).hexdigest()
        return Client().post(
            self.at(self.slack), raw,
            content_type="application/x-www-form-urlencoded" if is_form else "application/json",
            headers={
                "X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={signed}", **headers,
            },
        )  # fmt: skip

    def prompt(self) -> str:
        return self.language.transport.requests[-1].text


@pytest.fixture
def outside() -> Iterator[Outside]:
    made = Outside()
    with using(language=made.language, embedder=StubEmbedder()):
        yield made


def test_a_signed_question_is_answered_and_kept(outside: Outside) -> None:
    outside.language.say(["At ", "nine."])
    answer = outside.ask({"user": "ada", "message": "When do you open?"})
    assert (answer.status_code, answer.json()) == (200, {"text": "At nine."})
    with outside.inside():
        said = Message.objects.order_by("position").values_list("content", flat=True)
        assert list(said) == ["When do you open?", "At nine."]
        who = Visitor.objects.get(conversations__channel="webhook")
        assert str(who.host_id).startswith("hook:")


@pytest.mark.parametrize("off", ["key", "old", "future", "none", "body"])
def test_a_signature_that_is_wrong_old_or_missing_is_refused(outside: Outside, off: str) -> None:
    body = {"user": "ada", "message": "hi"}
    now = int(time.time())
    if off == "key":
        answer = outside.ask(body, secret="another")
    elif off in ("old", "future"):
        answer = outside.ask(body, at=now + (-400 if off == "old" else 400))
    elif off == "none":
        answer = Client().post(
            outside.at(outside.hook), json.dumps(body), content_type="application/json"
        )
    else:
        signed = hmac.new(SECRET.encode(), f"{now}.{{}}".encode(), hashlib.sha256).hexdigest()
        answer = Client().post(
            outside.at(outside.hook), json.dumps(body), content_type="application/json",
            headers={"X-Keepsake-Signature": f"t={now},v1={signed}"},
        )  # fmt: skip
    assert answer.status_code == 401
    assert outside.language.transport.requests == []


def test_the_same_request_again_is_not_asked_again(outside: Outside) -> None:
    outside.language.say("At nine.")
    now = int(time.time())
    first, again = (outside.ask({"user": "ada", "message": "hi"}, at=now) for _ in range(2))
    assert (first.json(), again.json()) == ({"text": "At nine."}, {"text": ""})


def test_nothing_of_a_person_is_told_and_no_tools_are_offered(outside: Outside) -> None:
    """Not even of the one whose name the outsider uses; what is for everyone is told."""
    tools.remember(
        Person(outside.tenant.pk, outside.visitor.pk, Actor.person(), "page"), content=PORTO
    )
    add_knowledge(by=outside.admin, agent_id=outside.agent.pk, content="We open at nine o'clock.")
    outside.language.say("Hello.", "Hello.")
    name = str(outside.visitor.host_id)
    outside.ask({"user": name, "message": "Where does the user live, in Porto?"})
    assert "Porto." not in outside.prompt()
    assert "We open at nine" in outside.prompt()
    assert outside.language.transport.requests[-1].functions == ()


def test_an_operator_scopes_the_tools_in_for_a_hook(outside: Outside) -> None:
    with outside.inside():
        InboundHook.objects.filter(pk=outside.hook.pk).update(tools=True)
        Agent.objects.update(tools=False, mode="automatic")
    call = Call("a", "remember", json.dumps({"content": "The user is called Ada."}))
    outside.language.say([call], "Noted.", "Hello.")
    outside.ask({"user": "ada", "message": "I am Ada."})
    with outside.inside():
        row = Memory.objects.get()
        assert row.source["origin"] == "webhook"
        assert str(row.visitor and row.visitor.host_id).endswith(":ada")
    outside.ask({"user": "ada", "message": "Who am I?"})
    assert "The user is called Ada." not in outside.prompt()


def test_slack_verifies_the_address_asks_by_event_and_by_command(outside: Outside) -> None:
    checked = outside.ask_slack({"type": "url_verification", "challenge": "c-123"})
    assert (checked.status_code, checked.json()) == (200, {"challenge": "c-123"})
    forged = outside.ask_slack({"type": "url_verification", "challenge": "c"}, secret="x")
    assert forged.status_code == 401
    outside.language.say("At nine.", "At six.")
    event = {"type": "app_mention", "user": "U1", "text": "When do you open?"}
    asked = outside.ask_slack({"type": "event_callback", "event": event})
    assert asked.json() == {"text": "At nine."}
    form = urlencode({"command": "/ask", "user_id": "U1", "text": "And close?"}).encode()
    assert outside.ask_slack(form).json() == {"text": "At six."}
    with outside.inside():
        assert Visitor.objects.filter(host_id__endswith=":U1").count() == 1


def test_slack_is_not_answered_to_itself_nor_twice(outside: Outside) -> None:
    own = {"type": "message", "user": "U1", "text": "At nine.", "bot_id": "B1"}
    assert outside.ask_slack({"type": "event_callback", "event": own}).json() == {"text": ""}
    event = {"type": "message", "user": "U1", "text": "hi"}
    again = outside.ask_slack(
        {"type": "event_callback", "event": event}, **{"X-Slack-Retry-Num": "1"}
    )
    assert again.json() == {"text": ""}
    assert outside.language.transport.requests == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"message": "hi"}, "user"),
        ({"user": "", "message": "hi"}, "user"),
        ({"user": "x" * 101, "message": "hi"}, "user"),
        ({"user": "a\x00", "message": "hi"}, "user"),
        ({"user": "ada"}, "message"),
        ({"user": "ada", "message": " "}, "message"),
        ({"user": "ada", "message": "x" * 2_001}, "message"),
        ([], None),
        (b"{", None),
    ],
)
def test_bad_input_says_what_is_wrong(outside: Outside, body: Any, field: str | None) -> None:
    answer = outside.ask(body)
    assert answer.status_code == 400
    assert answer.json().get("field") == field


def test_a_hook_that_is_off_or_anothers_is_not_there(outside: Outside) -> None:
    there = Outside()
    assert outside.ask({"user": "a", "message": "b"}, hook=there.hook).status_code == 404
    with outside.inside():
        InboundHook.objects.update(active=False)
    assert outside.ask({"user": "a", "message": "b"}).status_code == 404
