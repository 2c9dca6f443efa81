"""A visitor's own memory over the public address: whose it is, and who may not ask."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from agents.models import Visitor
from memory import store
from memory.models import Memory, MemoryVersion, Tombstone
from memory.models.draft import Draft
from tenants.actor import SYSTEM
from tenants.models import AuditEntry, RateWindow
from tests.factories import (
    World,
    make_agent,
    make_key,
    make_member,
    make_memory,
    make_user,
    make_visitor,
)

pytestmark = pytest.mark.django_db

VERBS = ("memories", "forget", "settings", "export")
HEADERS = {"x-keepsake-widget": "1"}


@pytest.fixture
def world() -> World:
    world = World()
    with world.inside():
        world.visitor = make_visitor(None)
    return world


def client_of(visitor: Visitor | None, **options: Any) -> Client:
    client = Client(**options)
    if visitor is not None:
        client.cookies["va_ext"] = str(visitor.cookie)
    return client


def ask(
    world: World, what: str, body: Any = None, client: Client | None = None, **headers: str
) -> Any:
    path = f"/api/public/agents/{world.agent.uid}/me/{what}"
    raw = body if isinstance(body, bytes) else json.dumps({} if body is None else body)
    client = client or client_of(world.visitor)
    return client.post(path, raw, "application/json", headers={**HEADERS, **headers})


def texts(world: World, client: Client | None = None) -> list[str]:
    answer = ask(world, "memories", client=client)
    assert answer.status_code == 200
    return [each["text"] for each in answer.json()["memories"]]


def about_everywhere(world: World, visitor: Visitor, content: str) -> Memory:
    return store.add(
        tenant_id=world.tenant.pk,
        kind=Memory.Kind.PERSON,
        agent_id=None,
        visitor_id=visitor.pk,
        draft=Draft(content=content, label="food"),
        by=SYSTEM,
    )


def test_own_memories_only(world: World) -> None:
    with world.inside():
        other, elsewhere = make_visitor(None), make_agent()
        make_memory(world.agent, world.visitor, "Mine.", key="/a/b")
        about_everywhere(world, world.visitor, "Mine, for every agent.")
        make_memory(world.agent, None, "For everyone.")
        make_memory(world.agent, other, "Another's.")
        make_memory(elsewhere, world.visitor, "Mine, of another agent.")
        ended = make_memory(world.agent, world.visitor, "Ended.")
        store.close(ended, because=Memory.Closed.DELETED, by=SYSTEM)
    answer = ask(world, "memories").json()
    shown = [(each["text"], each["about"], each["everywhere"]) for each in answer["memories"]]
    assert shown == [("Mine, for every agent.", "food", True), ("Mine.", "/a/b", False)]
    assert answer["settings"] == {"auto_capture_enabled": True, "use_memory_in_responses": True}
    assert (answer["more"], answer["remembers"]) == (False, True)
    assert str(world.visitor.cookie) not in json.dumps(answer)


@pytest.mark.parametrize("cookie", [None, "", "x", str(uuid.uuid4())])
def test_a_stranger_has_nothing_and_looking_makes_nobody(world: World, cookie: str | None) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "Not yours.")
        before = Visitor.objects.count()
    client = Client()
    if cookie is not None:
        client.cookies["va_ext"] = cookie
    assert texts(world, client) == []
    assert ask(world, "export", client=client).status_code == 404
    with world.inside():
        assert Visitor.objects.count() == before


def test_it_is_paged_and_every_row_comes_once(world: World) -> None:
    with world.inside():
        for number in range(51):
            make_memory(world.agent, world.visitor, f"Number {number}.")
        theirs = make_memory(world.agent, make_visitor(None))
    first = ask(world, "memories").json()
    assert (len(first["memories"]), first["more"]) == (50, True)
    last = ask(world, "memories", {"after": first["memories"][-1]["id"]}).json()
    assert [each["text"] for each in last["memories"]] == ["Number 0."]
    assert last["more"] is False
    for bad in (str(theirs.uid), "x", 5, ""):
        assert ask(world, "memories", {"after": bad}).status_code == 400


def test_deleting_is_for_good(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "I like tea.")
        kept = make_memory(world.agent, world.visitor, "I like mate.")
    answer = ask(world, "forget", {"id": str(memory.uid)})
    assert (answer.status_code, answer.json()) == (200, {"forgotten": str(memory.uid)})
    assert texts(world) == ["I like mate."]
    with world.inside():
        assert list(Memory.objects.values_list("pk", flat=True)) == [kept.pk]
        assert not MemoryVersion.objects.filter(memory_id=memory.pk).exists()
        assert Tombstone.objects.filter(visitor=world.visitor).count() == 1
        entry = AuditEntry.objects.get(verb="memory.forgotten")
    assert (entry.actor, entry.detail["visitor"]) == ("person", world.visitor.pk)
    assert ask(world, "forget", {"id": str(memory.uid)}).status_code == 404


def test_what_is_not_shown_cannot_be_deleted(world: World) -> None:
    foreign = World()
    with foreign.inside():
        far = make_memory(foreign.agent, make_visitor(None))
    with world.inside():
        others = [
            make_memory(world.agent, None, "For everyone."),
            make_memory(world.agent, make_visitor(None), "Another's."),
            make_memory(make_agent(), world.visitor, "Mine, of another agent."),
        ]
    names: list[Any] = [None, "", [], {}, True, "x" * 5000]
    for row in (*others, far):
        names += [str(row.uid), row.pk, str(row.pk)]
    for named in names:
        assert ask(world, "forget", {"id": named}).status_code == 404
    with world.inside():
        assert Memory.objects.filter(pk__in=[row.pk for row in others]).count() == 3
        assert not AuditEntry.objects.exists()


def test_the_two_switches(world: World) -> None:
    answer = ask(world, "settings", {"auto_capture_enabled": False})
    off = {"auto_capture_enabled": False, "use_memory_in_responses": True}
    assert (answer.status_code, answer.json()) == (200, off)
    assert "va_ext" not in answer.cookies
    assert ask(world, "memories").json()["settings"] == off
    with world.inside():
        visitor = Visitor.objects.get(pk=world.visitor.pk)
        assert visitor.settings_updated_at is not None
        assert AuditEntry.objects.get(verb="person.settings_changed").actor == "person"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"embed": True},
        {"auto_capture_enabled": "no"},
        {"auto_capture_enabled": None},
        {"auto_capture_enabled": False, "embed": 1},
        {"auto_capture_enabled": False, "visitor_id": 1},
        {"auto_capture_enabled": False, "user_id": "somebody"},
        [],
        b"{",
        b"",
    ],
)
def test_a_bad_switch_changes_nothing(world: World, body: Any) -> None:
    assert ask(world, "settings", body).status_code == 400
    with world.inside():
        assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("embed", [False, True])
def test_who_says_no_beforehand_is_known_from_then_on(world: World, embed: bool) -> None:
    client = Client()
    answer = ask(world, "settings", {"auto_capture_enabled": False, "embed": embed}, client)
    morsel = answer.cookies["va_ext"]
    assert (morsel["samesite"], bool(morsel["partitioned"])) == (
        ("None", True) if embed else ("Lax", False)
    )
    assert ask(world, "memories", client=client).json()["settings"]["auto_capture_enabled"] is False
    with world.inside():
        assert Visitor.objects.get(cookie=morsel.value).auto_capture_enabled is False


def test_the_download_is_all_of_the_person_without_the_cookie(world: World) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "Mine.")
        make_memory(world.agent, make_visitor(None), "Another's.")
    answer = ask(world, "export")
    assert answer["Cache-Control"] == "no-store"
    assert answer["Content-Disposition"].startswith('attachment; filename="memory-')
    raw = b"".join(answer.streaming_content).decode()
    assert [each["content"] for each in json.loads(raw)["memories"]] == ["Mine."]
    assert "Another's." not in raw
    assert str(world.visitor.cookie) not in raw


# --- field fault 22 ---------------------------------------------------------------------------


def changed(world: World) -> bool:
    with world.inside():
        return AuditEntry.objects.exists()


@pytest.mark.parametrize("what", VERBS)
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "https://testserver"},  # another scheme is another origin
        {"Origin": "http://testserver:8080"},
        {"Origin": "http://testserver.evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://testserver", "Sec-Fetch-Site": "cross-site"},
    ],
)
def test_another_site_is_refused_with_the_cookie_and_all(
    world: World, what: str, headers: dict[str, str]
) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
    bodies = {"forget": {"id": str(memory.uid)}, "settings": {"auto_capture_enabled": False}}
    answer = ask(world, what, bodies.get(what), client_of(world.visitor), **headers)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]
    assert not changed(world)


@pytest.mark.parametrize("what", VERBS)
def test_what_a_form_can_send_is_refused(world: World, what: str) -> None:
    client, path = client_of(world.visitor), f"/api/public/agents/{world.agent.uid}/me/{what}"
    raw = json.dumps({"auto_capture_enabled": False})
    assert client.post(path, raw, "application/json").status_code == 403  # without our header
    for form in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; x=y"):
        assert client.post(path, raw, form, headers=HEADERS).status_code == 400
    assert client.get(path, headers=HEADERS).status_code == 405
    assert not changed(world)


@pytest.mark.parametrize("what", VERBS)
@pytest.mark.parametrize("origin", ["https://evil.example", "https://shop.example", "null"])
def test_a_preflight_allows_nothing(world: World, what: str, origin: str) -> None:
    answer = client_of(world.visitor).options(
        f"/api/public/agents/{world.agent.uid}/me/{what}",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type, x-keepsake-widget",
        },
    )
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("name", ["token", "key", "access_token"])
def test_a_token_in_the_address_is_refused(world: World, name: str) -> None:
    answer = ask(world, f"memories?{name}=abc")
    assert answer.status_code == 400
    assert "abc" not in answer.content.decode()


def test_an_admins_session_sees_nobody_and_changes_nobody(world: World) -> None:
    admin = make_user(is_superuser=True, is_staff=True)
    with world.inside():
        make_member("owner", user=admin)
        memory = make_memory(world.agent, world.visitor, "Not the admin's.")
        linked = make_visitor(None, user=admin)
        make_memory(world.agent, linked, "The admin's own, by another door.")
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    for prefix in ("", f"/t/{world.tenant.slug}"):
        path = f"{prefix}/api/public/agents/{world.agent.uid}/me/"
        answer = client.post(path + "memories", "{}", "application/json", headers=HEADERS)
        assert answer.json()["memories"] == []
        body = json.dumps({"id": str(memory.uid)})
        answer = client.post(path + "forget", body, "application/json", headers=HEADERS)
        assert answer.status_code == 404
    # With a visitor's cookie beside it, it is the visitor who acts, without a CSRF token.
    client.cookies["va_ext"] = str(world.visitor.cookie)
    assert ask(world, "forget", {"id": str(memory.uid)}, client).status_code == 200
    with world.inside():
        entry = AuditEntry.objects.get()
    assert (entry.actor, entry.user_id) == ("person", None)


def test_a_key_changes_nothing(world: World) -> None:
    with world.inside():
        key = make_key()
        make_memory(world.agent, world.visitor, "Mine.")
    assert ask(world, "memories", client=Client(), Authorization=f"Bearer {key}").json()[
        "memories"
    ] == []  # fmt: skip


def test_the_cookie_of_one_tenant_is_nobody_in_another(world: World) -> None:
    other = World()
    with other.inside():
        make_memory(other.agent, make_visitor(None, name="same"), "Elsewhere.")
    other.visitor = world.visitor
    assert texts(other) == []


def test_asking_too_often_is_429_and_says_when(world: World, settings: Any) -> None:
    settings.OWN_LIMIT_VISITOR = 2
    answers = [ask(world, "memories") for _ in range(4)]
    assert 429 in [answer.status_code for answer in answers]
    over = next(answer for answer in answers if answer.status_code == 429)
    assert int(over["Retry-After"]) >= 1
    assert "requests" in over.json()["error"]


def test_an_unknown_agent_is_404_and_uses_up_nothing(world: World) -> None:
    path = f"/api/public/agents/{uuid.uuid4()}/me/memories"
    answer = client_of(world.visitor).post(path, "{}", "application/json", headers=HEADERS)
    assert (answer.status_code, answer.json()) == (404, {"error": "not found"})
    assert not RateWindow.objects.exists()
