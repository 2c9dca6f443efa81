"""The tools over REST: who may, whose it is, what the status says, and nobody else's memory."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from agents.models import Mode, Visitor
from memory.models import Memory, Mutation
from tenants.models import Role, Token
from tests.factories import World, make_agent, make_key, make_member, make_visitor

pytestmark = pytest.mark.django_db

PORTO, LISBON = "The user lives in Porto.", "The user lives in Lisbon."
TOOLS = ("remember", "list", "update", "forget", "status")


class Rest(World):
    def __init__(self, slug: str = "") -> None:
        super().__init__(slug)
        with self.inside():
            self.other = make_visitor()
            self.automatic = make_agent(mode=Mode.AUTOMATIC)
            self.key = make_key()
            self.narrow = make_key(agent_id=self.agent.pk)
            self.own = make_key(kind=Token.Kind.PERSON, visitor_id=self.visitor.pk)

    def ask(self, tool: str, body: Any = None, *, key: str = "", person: str | None = None) -> Any:
        headers = {"Authorization": f"Bearer {key or self.own}"}
        if person is not None:
            headers["X-Keepsake-Person"] = person
        raw = body if isinstance(body, str) else json.dumps(body or {})
        return Client().post(
            f"/api/memory-tools/{tool}", raw, content_type="application/json", headers=headers
        )

    def texts(self, visitor: Visitor | None = None) -> list[str]:
        with self.inside():
            rows = Memory.objects.as_of().filter(visitor=visitor or self.visitor)
            return list(rows.values_list("content", flat=True))


@pytest.fixture
def rest() -> Rest:
    return Rest()


def test_a_persons_token_keeps_reads_changes_and_ends_their_own(rest: Rest) -> None:
    saved = rest.ask("remember", {"content": PORTO, "key": "home-city"})
    assert (saved.status_code, saved.json()["status"]) == (201, "saved")
    again = rest.ask("remember", {"content": PORTO})
    assert (again.status_code, again.json()["status"]) == (200, "duplicate")
    changed = rest.ask("update", {"key": "home-city", "content": LISBON})
    assert (changed.status_code, changed.json()["status"]) == (200, "updated")
    listed = rest.ask("list").json()
    assert [each["content"] for each in listed["memories"]] == [LISBON]
    assert listed["memories"][0]["source"] == {"origin": "rest"}
    told = rest.ask("status", {"id": saved.json()["id"]})
    assert (told.status_code, told.json()["status"]) == (200, "saved")
    assert rest.ask("forget", {"id": saved.json()["id"]}).json()["status"] == "deleted"
    with rest.inside():
        assert not Memory.objects.exists()


def test_a_key_needs_a_person_and_reaches_that_one_alone(rest: Rest) -> None:
    unnamed = rest.ask("remember", {"content": PORTO}, key=rest.key)
    assert (unnamed.status_code, unnamed.json()["field"]) == (400, "X-Keepsake-Person")
    name = str(rest.visitor.host_id)
    saved = rest.ask("remember", {"content": PORTO, "key": "k"}, key=rest.key, person=name)
    assert saved.status_code == 201
    assert rest.ask("list", key=rest.key, person=str(rest.other.host_id)).json()["total"] == 0
    assert rest.ask("list", key=rest.key, person=name).json()["total"] == 1
    theirs = rest.ask("forget", {"key": "k"}, key=rest.key, person=str(rest.other.host_id))
    assert theirs.status_code == 404
    assert rest.texts() == [PORTO]


def test_somebody_new_is_made_by_remember_alone(rest: Rest) -> None:
    for tool, body in (
        ("list", {}),
        ("forget", {"key": "k"}),
        ("update", {"key": "k", "content": PORTO}),
        ("remember", {"content": ""}),
    ):
        answer = rest.ask(tool, body, key=rest.key, person="new-here")
        assert answer.status_code in (200, 400, 404), (tool, answer.status_code)
        with rest.inside():
            assert not Visitor.objects.filter(host_id="new-here").exists(), tool
    assert (
        rest.ask("remember", {"content": PORTO}, key=rest.key, person="new-here").status_code == 201
    )


def test_a_key_of_an_agent_acts_as_its_model(rest: Rest) -> None:
    name = str(rest.visitor.host_id)
    waits = rest.ask("remember", {"content": PORTO}, key=rest.narrow, person=name)
    assert (waits.status_code, waits.json()["status"]) == (202, "pending")
    assert rest.texts() == []
    told = rest.ask("status", {"id": waits.json()["id"]}, key=rest.narrow, person=name)
    assert (told.status_code, told.json()["status"]) == (200, "pending")
    with rest.inside():
        assert Mutation.objects.get().agent_id == rest.agent.pk


def test_a_token_cannot_be_widened_to_another_person(rest: Rest) -> None:
    for other in (str(rest.other.host_id), "nobody-at-all"):
        answer = rest.ask("list", person=other)
        assert (answer.status_code, answer.json()["field"]) == (404, "X-Keepsake-Person")
    assert rest.ask("list", person=str(rest.visitor.host_id)).status_code == 200
    assert rest.ask("list", {"user_id": str(rest.other.host_id)}).status_code == 400


@pytest.mark.parametrize("tool", TOOLS)
def test_members_and_strangers_have_no_tools(rest: Rest, tool: str) -> None:
    with rest.inside():
        member = make_member(Role.OWNER)
        key = make_key(
            kind=Token.Kind.MEMBER, user_id=member.user_id, expires_at="2999-01-01T00:00:00+00:00"
        )
    assert rest.ask(tool, key=key, person=str(rest.visitor.host_id)).status_code == 403
    assert rest.ask(tool, key="kp_nobody").status_code == 401


def test_another_tenant_sees_and_changes_nothing(rest: Rest) -> None:
    saved = rest.ask("remember", {"content": PORTO, "key": "k"}).json()
    there = Rest()
    with there.inside():
        Visitor.objects.filter(pk=there.visitor.pk).update(host_id=rest.visitor.host_id)
    name = str(rest.visitor.host_id)
    for key, person in ((there.own, None), (there.key, name), (there.narrow, name)):
        assert there.ask("list", key=key, person=person).json().get("total", 0) == 0
        unknown: dict[str, set[bytes]] = {}
        for number in (saved["id"], str(uuid4())):
            for tool in ("forget", "update", "status"):
                more = {"content": LISBON} if tool == "update" else {}
                answer = there.ask(tool, {"id": number, **more}, key=key, person=person)
                assert answer.status_code == 404
                unknown.setdefault(tool, set()).add(answer.content)
        assert all(len(each) == 1 for each in unknown.values())
    assert rest.texts() == [PORTO]


@pytest.mark.parametrize(
    ("tool", "body", "field"),
    [
        ("remember", {"content": 5}, "content"),
        ("remember", {"content": "x" * 2_001}, "content"),
        ("remember", {"content": PORTO, "key": "home city"}, "key"),
        ("remember", {"content": "My key is sk-test-51Zq0000EXAMPLE0000."}, "content"),
        ("list", {"limit": "10"}, "limit"),
        ("list", {"limit": -1}, "limit"),
        ("list", {"limit": 100_000}, "limit"),
        ("forget", {}, "id"),
        ("update", {"id": str(uuid4()), "key": "k", "content": PORTO}, "id"),
    ],
)
def test_bad_arguments_name_the_field_and_change_nothing(
    rest: Rest, tool: str, body: dict[str, Any], field: str
) -> None:
    answer = rest.ask(tool, body)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert rest.texts() == []


@pytest.mark.parametrize("text", ["12345", '{"a": 1}', "null"])
def test_a_text_is_stored_exactly_as_sent(rest: Rest, text: str) -> None:
    assert rest.ask("remember", {"content": text}).status_code == 201
    assert rest.texts() == [text]


@pytest.mark.parametrize("wrong", ["not-a-uuid", "' OR 1=1 --", "", "0", "\u0000"])
def test_a_bad_id_is_not_found_and_changes_nothing(rest: Rest, wrong: str) -> None:
    rest.ask("remember", {"content": PORTO})
    for tool in ("forget", "status"):
        assert rest.ask(tool, {"id": wrong}).status_code == 404
    assert rest.texts() == [PORTO]


def test_what_is_not_kept_says_so_with_409(rest: Rest) -> None:
    rest.ask("remember", {"content": PORTO, "key": "k"})
    rest.ask("forget", {"key": "k"})
    with rest.inside():
        key = make_key(agent_id=rest.automatic.pk)
    again = rest.ask("remember", {"content": PORTO}, key=key, person=str(rest.visitor.host_id))
    assert (again.status_code, again.json()["status"]) == (409, "refused")
