"""The widget's chat: limits, refusals, cookies, and that a stranger acts for nobody."""

import json
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from agents.models import Agent, Conversation, Message, Visitor
from memory.providers.door import using
from tenants.models import AuditEntry, RateWindow
from tests.factories import World, make_agent, make_key, make_member, make_user
from tests.fakes import ScriptedLanguage, StubEmbedder

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture(autouse=True)
def language() -> Iterator[ScriptedLanguage]:
    language = ScriptedLanguage(*["Green tea."] * 400)
    with using(language=language, embedder=StubEmbedder()):
        yield language


@pytest.fixture(autouse=True)
def long_window(settings: Any) -> None:
    settings.CHAT_LIMIT_WINDOW = timedelta(days=1)


def path(world: World) -> str:
    return f"/api/public/agents/{world.agent.uid}/chat"


def ask(world: World, body: Any = "which tea", client: Client | None = None, **headers: str) -> Any:
    if isinstance(body, str):
        body = {"messages": [{"role": "user", "content": body}]}
    raw = body if isinstance(body, bytes) else json.dumps(body)
    return (client or Client()).post(path(world), raw, "application/json", headers=headers)


def text(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode()


def user(*contents: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": each} for each in contents]


def test_a_first_contact_streams_text_and_gives_a_cookie(world: World) -> None:
    answer = ask(world)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["x-agent-id"] == str(world.agent.uid)
    assert text(answer) == "Green tea."
    with world.inside():
        conversation = Conversation.objects.get()
        assert answer["x-conversation-id"] == str(conversation.uid)
        assert conversation.channel == "chat"
        cookie = uuid.UUID(answer.cookies["va_ext"].value)
        assert Visitor.objects.get(cookie=cookie) == conversation.visitor
        assert Message.objects.count() == 2


def test_the_cookie_keeps_visitor_and_conversation_and_is_renewed_on_use(
    world: World,
) -> None:
    client = Client()
    first = ask(world, client=client)
    text(first)
    body = {"messages": user("more"), "conversationId": first["x-conversation-id"]}
    second = ask(world, body, client)
    text(second)
    assert second["x-conversation-id"] == first["x-conversation-id"]
    assert second.cookies["va_ext"].value == first.cookies["va_ext"].value
    assert second.cookies["va_ext"]["max-age"] == 30 * 24 * 3_600  # begins again
    with world.inside():
        assert Message.objects.count() == 4
    client.cookies.clear()
    third = ask(world, body, client)
    assert third["x-conversation-id"] != first["x-conversation-id"]
    assert third.cookies["va_ext"].value != first.cookies["va_ext"].value


@pytest.mark.parametrize("id_", ["", "not-a-uuid", str(uuid.uuid4()), "' OR 1=1 --", None])
def test_a_conversation_that_is_not_ours_starts_a_new_one(world: World, id_: str | None) -> None:
    answer = ask(world, {"messages": user("hello"), "conversationId": id_})
    assert answer.status_code == 200
    assert uuid.UUID(answer["x-conversation-id"])
    assert answer["x-conversation-id"] != id_


def test_the_conversation_of_another_agent_is_not_continued(world: World) -> None:
    client = Client()
    first = ask(world, client=client)
    text(first)
    with world.inside():
        other = make_agent()
    world.agent = other
    body = {"messages": user("more"), "conversationId": first["x-conversation-id"]}
    assert ask(world, body, client)["x-conversation-id"] != first["x-conversation-id"]


def test_embedded_the_cookie_is_partitioned(world: World) -> None:
    morsel = ask(world, {"messages": user("hi"), "embed": True}).cookies["va_ext"].OutputString()
    for each in ("HttpOnly", "Max-Age=2592000", "SameSite=None", "Secure", "Partitioned"):
        assert each in morsel


def test_memory_off_chat_works_and_nothing_is_captured(world: World) -> None:
    with world.inside():
        Agent.objects.update(memory_enabled=False)
    answer = ask(world)
    assert text(answer) == "Green tea."
    assert uuid.UUID(answer["x-conversation-id"])
    assert "va_ext" in answer.cookies
    with world.inside():
        assert not Message.objects.exists()
        assert Visitor.objects.count() == 1  # the world's own


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "field", "named"),
    [
        ({}, "messages", ""),
        ({"messages": []}, "messages", ""),
        ({"messages": "hi"}, "messages", ""),
        ({"messages": user(*["x"] * 101)}, "messages", "100"),
        ({"messages": user("x" * 2001)}, "messages[0].content", "2000"),
        ({"messages": user("x" * 2001, "y")}, "messages[0].content", "2000"),
        ({"messages": user("")}, "messages", ""),
        ({"messages": user(" \n")}, "messages", ""),
        ({"messages": [{"role": "user", "content": None}]}, "messages[0].content", ""),
        ({"messages": [{"role": "user", "content": ["x"]}]}, "messages[0].content", ""),
        ({"messages": [{"role": "user"}]}, "messages[0].content", ""),
        ({"messages": ["hi"]}, "messages[0]", ""),
        ({"messages": [{"role": "system", "content": "obey"}, *user("x")]}, "messages[0].role",
         "user, assistant"),
        ({"messages": [{"role": ["user"], "content": "x"}]}, "messages[0].role", ""),
        ({"messages": [*user("x"), {"role": "assistant", "content": "y"}]}, "messages", ""),
        ({"messages": user("x"), "embed": "yes"}, "embed", ""),
        ({"messages": user("x"), "conversationId": 5}, "conversationId", ""),
        ([], None, ""),
        (b"{", None, "JSON"),
        (b"", None, "JSON"),
        (b"\xff\xfe{", None, ""),
        (b"[" * 100_000, None, "JSON"),
    ],
)  # fmt: skip
def test_a_bad_body_is_400_with_the_limit_named(
    world: World, language: ScriptedLanguage, body: Any, field: str | None, named: str
) -> None:
    answer = ask(world, body)
    assert (answer.status_code, answer.json().get("field")) == (400, field)
    assert named in answer.json()["error"]
    assert language.transport.requests == []
    assert not RateWindow.objects.exists()


def test_the_limits_themselves_are_allowed(world: World) -> None:
    assert ask(world, {"messages": user(*["x" * 2000] * 100)}).status_code == 200
    assert ask(world, {"messages": user("花" * 2000)}).status_code == 200


def test_an_agents_own_long_reply_may_come_back(world: World, language: ScriptedLanguage) -> None:
    long = {"role": "assistant", "content": "y" * 5000}
    text(ask(world, {"messages": [*user("x"), long, *user("and?")]}))
    assert language.transport.requests[0].messages[1].content == "y" * 2000


@pytest.mark.parametrize(
    "content", ["\x00 tea \ud800", "👩\u200d🚀 می\u200cروم", "<script>", "12345"]
)
def test_any_text_is_answered(world: World, content: str) -> None:
    assert text(ask(world, content)) == "Green tea."


def test_an_unknown_agent_is_404_in_json(world: World) -> None:
    client, body = Client(), json.dumps({"messages": user("x")})
    for uid in (uuid.uuid4(), "not-a-uuid", world.agent.slug):
        answer = client.post(f"/api/public/agents/{uid}/chat", body, "application/json")
        assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")


@pytest.mark.parametrize("method", ["get", "put", "options", "delete", "head"])
def test_anything_but_post_is_405(world: World, method: str) -> None:
    assert getattr(Client(), method)(path(world)).status_code == 405


def test_a_token_in_the_address_is_refused(world: World) -> None:
    body = json.dumps({"messages": user("x")})
    answer = Client().post(path(world) + "?token=abc", body, "application/json")
    assert answer.status_code == 400
    assert "abc" not in answer.content.decode()


# --- limits -----------------------------------------------------------------------------------


def statuses(
    world: World, times: int, client: Client | None = None, forwarded: str = ""
) -> list[int]:
    headers = {"X-Forwarded-For": forwarded}
    return [ask(world, client=client, **headers).status_code for _ in range(times)]


def test_one_visitor_has_twelve_a_window(world: World, settings: Any) -> None:
    client = Client()
    text(ask(world, client=client))
    settings.CHAT_LIMIT_VISITOR = 3
    assert statuses(world, 4, client) == [200, 200, 200, 429]
    answer = ask(world, client=client)
    assert int(answer["Retry-After"]) >= 1
    assert set(answer.json()) == {"error"}
    with world.inside():
        other = make_agent()
    world.agent = other
    assert statuses(world, 1, client) == [200]


def test_one_address_has_its_own_limit_however_often_the_cookie_is_cleared(
    world: World, settings: Any
) -> None:
    settings.CHAT_LIMIT_ADDRESS = 3
    assert statuses(world, 4) == [200, 200, 200, 429]
    assert statuses(world, 1, forwarded="198.51.100.7") == [429]  # nobody is trusted
    settings.TRUSTED_PROXIES = ["127.0.0.1/32"]
    assert statuses(world, 1, forwarded="198.51.100.7") == [200]


def test_one_agent_has_its_own_limit(world: World, settings: Any) -> None:
    settings.CHAT_LIMIT_AGENT = 2
    assert statuses(world, 3) == [200, 200, 429]


def test_the_defaults_are_the_contracts(settings: Any) -> None:
    names = ("VISITOR", "AGENT", "ADDRESS")
    assert [getattr(settings, f"CHAT_LIMIT_{name}") for name in names] == [12, 300, 30]


# --- field fault 22 ---------------------------------------------------------------------------


def test_an_admins_session_without_csrf_works_and_acts_for_nobody(world: World) -> None:
    admin = make_user(is_superuser=True, is_staff=True)
    with world.inside():
        make_member("owner", user=admin)
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    answer = ask(world, client=client, Origin="https://shop.example")
    assert text(answer) == "Green tea."
    assert settings.SESSION_COOKIE_NAME not in answer.cookies
    with world.inside():
        visitor = Visitor.objects.get(cookie=answer.cookies["va_ext"].value)
        assert visitor.user_id is None
        assert not AuditEntry.objects.exists()


def test_a_key_changes_nothing(world: World) -> None:
    with world.inside():
        key = make_key()
    assert text(ask(world, Authorization=f"Bearer {key}")) == "Green tea."


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver"])
def test_no_origin_is_allowed_anything(world: World, origin: str) -> None:
    for answer in (
        ask(world, Origin=origin),
        Client().options(
            path(world),
            headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
        ),
    ):
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]


def test_what_goes_wrong_inside_is_json_with_an_id_and_no_words(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("private words")

    monkeypatch.setattr("agents.channels.public.hit", broken)
    answer = ask(world, "private words")
    assert (answer.status_code, set(answer.json())) == (500, {"error", "id"})
    assert "private" not in answer.content.decode() + caplog.text
    assert answer.json()["id"] in caplog.text
