"""Memories of a person over REST: every row of the contract's table about them."""

from typing import Any

import pytest

from agents.models import Visitor
from memory.models import Category, Memory, MemoryVector, MemoryVersion, Tombstone, Unembedded
from memory.providers.errors import Unavailable
from tenants.models import AuditEntry, Tenant
from tests.factories import make_agent, make_user, make_visitor
from tests.fakes import StubEmbedder
from tests.orgs import Org

pytestmark = pytest.mark.django_db

GLOBAL = "users/user123/global-memories/"
FACT = "The user is a software engineer"
AGENT_FIELDS = {"agent", "category"}
FIELDS = {
    "id", "content", "is_auto_generated", "created_at", "updated_at", "source_session_id",
    "username", "email",
}  # fmt: skip


def of_agent(org: Org, person: str = "user123") -> str:
    return f"users/{person}/agents/{org.agent.slug}/agent-memories/"


def contents(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [each["content"] for each in answer.json()["results"]]


def error(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("field")


# --- global memories --------------------------------------------------------------------------


def test_global_memories_are_listed_the_newest_first(org: Org) -> None:
    org.at(org.about(org.visitor, FACT, session="abc-123"), "2024-01-14T09:15:00Z")
    org.at(org.about(org.visitor, "The user prefers examples", auto=False), "2024-01-15T10:30:00Z")
    org.about(org.visitor, "The user struggles with recursion", agent=org.agent)
    answer = org.get(GLOBAL)
    assert contents(answer) == ["The user prefers examples", FACT]
    body = answer.json()
    assert (body["count"], body["next"], body["previous"]) == (2, None, None)
    first, second = body["results"]
    assert set(first) == FIELDS
    assert first["created_at"] == "2024-01-15T10:30:00Z"
    assert (first["is_auto_generated"], second["is_auto_generated"]) == (False, True)
    assert (first["source_session_id"], second["source_session_id"]) == (None, "abc-123")


def test_one_added_by_hand_is_stored_indexed_and_audited(org: Org) -> None:
    answer = org.call("POST", GLOBAL, {"content": "  The user prepares for an interview\n"})
    assert answer.status_code == 201
    body = answer.json()
    assert body["content"] == "The user prepares for an interview"
    assert isinstance(body["id"], int)
    assert body["is_auto_generated"] is False
    with org.inside():
        memory = Memory.objects.get(pk=body["id"])
        assert (memory.kind, memory.agent_id, memory.visitor_id) == ("person", None, org.visitor.pk)
        assert MemoryVector.objects.filter(memory=memory).exists()
        entry = AuditEntry.objects.get(verb="person_memory.added")
        assert (entry.actor, entry.subject_id) == ("token", memory.pk)
        assert "interview" not in str(entry.detail)


def test_a_provider_that_is_away_leaves_the_vector_to_the_stage(
    org: Org, embedder: StubEmbedder
) -> None:
    embedder.fail = Unavailable("away")
    answer = org.call("POST", GLOBAL, {"content": FACT})
    assert answer.status_code == 201
    with org.inside():
        assert Unembedded.objects.filter(memory_id=answer.json()["id"]).exists()


def test_the_same_text_again_is_a_conflict_in_any_form(org: Org) -> None:
    org.call("POST", GLOBAL, {"content": "Favourite caf\u00e9 is Zo\u00eb's"})
    for again in ("Favourite cafe\u0301 is Zoe\u0308's", " favourite  CAF\u00c9 is zo\u00eb's"):
        answer = org.call("POST", GLOBAL, {"content": again})
        assert (answer.status_code, answer.json()) == (409, {"error": "Memory already exists"})
    # Of another store, or another person, it is not the same memory.
    other = {"content": "Favourite caf\u00e9 is Zo\u00eb's", "category_slug": "preferences"}
    assert org.call("POST", of_agent(org), other).status_code == 201
    elsewhere = org.call("POST", "users/other/global-memories/", {"content": other["content"]})
    assert elsewhere.status_code == 201


def test_deleting_by_an_editor_closes_and_frees_the_text(org: Org) -> None:
    memory = org.about(org.visitor, FACT)
    answer = org.call("DELETE", f"{GLOBAL}{memory.pk}/", who="editor")
    assert (answer.status_code, answer.content) == (204, b"")
    assert contents(org.get(GLOBAL)) == []
    assert org.call("DELETE", f"{GLOBAL}{memory.pk}/", who="editor").status_code == 404
    assert org.call("POST", GLOBAL, {"content": FACT}).status_code == 201
    with org.inside():
        memory.refresh_from_db()
        assert (memory.closed_because, memory.content) == ("deleted", FACT)
        assert MemoryVersion.objects.filter(memory=memory).count() == 2


def test_deleting_by_the_person_leaves_nothing_but_a_keyed_hash(org: Org) -> None:
    memory = org.about(org.visitor, FACT)
    number, text_hash = memory.pk, memory.hash
    assert org.call("DELETE", f"{GLOBAL}{number}/", who="person").status_code == 204
    with org.inside():
        assert not Memory.objects.filter(pk=number).exists()
        assert not MemoryVersion.objects.filter(memory_id=number).exists()
        assert not MemoryVector.objects.filter(memory_id=number).exists()
        tombstone = Tombstone.objects.get()
        assert (tombstone.hash, tombstone.vector, tombstone.mutation) == (text_hash, None, None)
        assert AuditEntry.objects.get(verb="memory.forgotten").actor == "person"
    # Saying it again themselves lifts it.
    assert org.call("POST", GLOBAL, {"content": FACT}, who="person").status_code == 201
    with org.inside():
        assert not Tombstone.objects.exists()


# --- an agent's memories of a person ----------------------------------------------------------


def test_memories_of_all_agents_or_of_one(org: Org) -> None:
    with org.inside():
        other = make_agent("tutor")
    org.about(org.visitor, FACT)
    org.about(org.visitor, "The user likes diagrams", agent=org.agent)
    org.about(org.visitor, "The user wants to learn", agent=other, category="learning_goals")
    every = "users/user123/agent-memories/"
    assert contents(org.get(every)) == ["The user wants to learn", "The user likes diagrams"]
    assert contents(org.get(every, agent="tutor")) == ["The user wants to learn"]
    assert contents(org.get(every, agent=str(other.uid))) == ["The user wants to learn"]
    assert org.get(every, agent="nobody").status_code == 404
    assert contents(org.get(of_agent(org))) == ["The user likes diagrams"]
    (shown,) = org.get(of_agent(org)).json()["results"]
    assert set(shown) == FIELDS | AGENT_FIELDS
    assert shown["agent"] == org.agent.slug
    with org.inside():
        category = Category.objects.get(agent=org.agent, slug="preferences")
    assert shown["category"] == {"id": category.pk, "name": "Preferences", "slug": "preferences"}


def test_one_is_added_in_a_category_then_changed_then_deleted(org: Org) -> None:
    path = of_agent(org)
    body = {"content": "The user completed the course", "category_slug": "progress_milestones"}
    made = org.call("POST", path, body)
    assert made.status_code == 201
    assert made.json()["category"]["slug"] == "progress_milestones"
    one = f"{path}{made.json()['id']}/"
    changed = org.call("PATCH", one, {"content": "The user completed two courses"})
    assert changed.status_code == 200
    assert changed.json()["content"] == "The user completed two courses"
    assert changed.json()["created_at"] == made.json()["created_at"]
    moved = org.call("PATCH", one, {"category_slug": "learning_goals"})
    assert moved.json()["category"]["slug"] == "learning_goals"
    assert moved.json()["content"] == "The user completed two courses"
    assert org.call("DELETE", one).status_code == 204
    assert contents(org.get(path)) == []
    with org.inside():
        verbs = AuditEntry.objects.filter(subject="memory").order_by("id")
        assert [(v.verb, v.detail.get("fields")) for v in verbs] == [
            ("person_memory.added", None),
            ("person_memory.changed", ["content"]),
            ("person_memory.changed", ["category"]),
            ("person_memory.deleted", None),
        ]


def test_a_change_that_changes_nothing_writes_nothing(org: Org) -> None:
    memory = org.about(org.visitor, FACT, agent=org.agent)
    one = f"{of_agent(org)}{memory.pk}/"
    answer = org.call("PATCH", one, {"content": FACT, "category_slug": "preferences"})
    assert answer.status_code == 200
    with org.inside():
        memory.refresh_from_db()
        assert memory.version == 1
        assert not AuditEntry.objects.filter(verb="person_memory.changed").exists()


def test_a_change_that_collides_is_a_conflict_and_changes_nothing(org: Org) -> None:
    org.about(org.visitor, FACT, agent=org.agent)
    memory = org.about(org.visitor, "The user likes diagrams", agent=org.agent)
    answer = org.call("PATCH", f"{of_agent(org)}{memory.pk}/", {"content": FACT.upper()})
    assert (answer.status_code, answer.json()) == (409, {"error": "Memory already exists"})
    assert contents(org.get(of_agent(org))) == ["The user likes diagrams", FACT]


def test_the_last_place_of_a_text_that_ran_out_is_free(org: Org) -> None:
    memory = org.about(org.visitor, FACT)
    with org.inside():
        Memory.objects.filter(pk=memory.pk).update(expires_at="2024-01-01T00:00:00Z")
    assert contents(org.get(GLOBAL)) == []
    assert org.call("POST", GLOBAL, {"content": FACT}).status_code == 201
    with org.inside():
        memory.refresh_from_db()
        assert memory.closed_because == "expired"


def test_an_inactive_category_keeps_what_it_has_and_takes_no_more(org: Org) -> None:
    memory = org.about(org.visitor, FACT, agent=org.agent)
    with org.inside():
        Category.objects.filter(slug="preferences").update(is_active=False)
    path = of_agent(org)
    assert contents(org.get(path, category="preferences")) == [FACT]
    body = {"content": "The user likes diagrams", "category_slug": "preferences"}
    assert error(org.call("POST", path, body)) == (400, "category_slug")
    stays = {"content": "The user is an engineer", "category_slug": "preferences"}
    assert org.call("PATCH", f"{path}{memory.pk}/", stays).status_code == 200
    other = org.about(org.visitor, "It moves nowhere", agent=org.agent, category="learning_goals")
    move = org.call("PATCH", f"{path}{other.pk}/", {"category_slug": "preferences"})
    assert error(move) == (400, "category_slug")


# --- filters ----------------------------------------------------------------------------------


def test_filters_of_global_memories(org: Org) -> None:
    texts = {
        "100% sure of it": "2024-01-31T23:59:59.999Z",
        "1000 sure of it": "2024-02-01T00:00Z",
        "user_1 is Zo\u00eb": "2024-02-02T00:00Z",
        "user 1 is Zoe": "2024-02-03T00:00Z",
    }
    for text, at in texts.items():
        org.at(org.about(org.visitor, text, session=f"s {text[:4]}"), at)
    assert contents(org.get(GLOBAL, content="100%")) == ["100% sure of it"]
    assert contents(org.get(GLOBAL, content="USER_1")) == ["user_1 is Zo\u00eb"]
    assert contents(org.get(GLOBAL, content="ZOE\u0308")) == ["user_1 is Zo\u00eb"]
    assert contents(org.get(GLOBAL, session_id="s 100%")) == ["100% sure of it"]
    assert contents(org.get(GLOBAL, session_id="s 1%")) == []
    day = {"start_date": "2024-01-31", "end_date": "2024-01-31"}
    assert contents(org.get(GLOBAL, **day)) == ["100% sure of it"]
    assert contents(org.get(GLOBAL, start_date="2024-02-01", content="zo")) == [
        "user 1 is Zoe",
        "user_1 is Zo\u00eb",
    ]
    assert contents(org.get(GLOBAL, end_date="9999-12-31", content="sure", page_size=1)) == [
        "1000 sure of it"
    ]
    assert contents(org.get(GLOBAL, start_date="2024-02-03", end_date="2024-02-01")) == []


def test_the_flat_list_narrows_by_whose_and_by_email(org: Org) -> None:
    org.about(org.visitor, FACT, agent=org.agent)
    flat = f"users/user123/agents/{org.agent.slug}/agent-memories-list/"
    with org.inside():
        Visitor.objects.filter(pk=org.visitor.pk).update(email="Zoe@example.test")
    assert contents(org.get(flat)) == [FACT]
    assert contents(org.get(flat, email="zoe@example.test")) == [FACT]
    assert contents(org.get(flat, email="%@example.test")) == []
    assert contents(org.get(flat, my_memory="true", who="person")) == [FACT]
    assert contents(org.get(flat, my_memory="true")) == []
    assert contents(org.get(flat, my_memory="false")) == [FACT]
    assert contents(org.get(flat, category="learning_goals")) == []


def test_my_memory_is_the_members_own_when_they_are_the_person(org: Org) -> None:
    user = make_user("ida", email="ida@example.test")
    with org.inside():
        Visitor.objects.filter(pk=org.visitor.pk).update(user=user)
        key = org.member_key(user, "viewer")  # type: ignore[arg-type]
    org.about(org.visitor, FACT, agent=org.agent)
    flat = f"users/user123/agents/{org.agent.slug}/agent-memories-list/"
    answer = org.get(flat, my_memory="true", key=key)
    assert contents(answer) == [FACT]
    (shown,) = answer.json()["results"]
    assert (shown["username"], shown["email"]) == ("ida", "ida@example.test")
    # A viewer may write what is about themselves, and reading it is no event.
    assert org.call("POST", GLOBAL, {"content": FACT}, key=key).status_code == 201
    with org.inside():
        assert not AuditEntry.objects.filter(verb="person.memories_read").exists()


# --- who the person is ------------------------------------------------------------------------


def test_somebody_unknown_has_empty_lists_and_comes_to_be_with_the_first_write(org: Org) -> None:
    path = "users/new%20one/global-memories/"
    for each in (path, path.replace("global", "agent")):
        assert org.get(each).json() == {"count": 0, "next": None, "previous": None, "results": []}
    assert org.call("DELETE", f"{path}1/").status_code == 404
    with org.inside():
        assert Visitor.objects.count() == 1
    body = {"content": FACT, "username": "Newton", "email": "new@example.test"}
    made = org.call("POST", path, body).json()
    assert (made["username"], made["email"]) == ("Newton", "new@example.test")
    # Who they are came with the first write and stays.
    again = {"content": "The user likes diagrams", "username": "Other", "email": "o@example.test"}
    made = org.call("POST", path, again).json()
    assert (made["username"], made["email"]) == ("Newton", "new@example.test")
    with org.inside():
        assert Visitor.objects.get(host_id="new one").cookie is None


def test_a_refused_write_makes_nobody(org: Org) -> None:
    path = "users/nobody/global-memories/"
    assert org.call("POST", path, {"content": "short"}).status_code == 400
    assert org.call("POST", path, {"content": FACT}, who="viewer").status_code == 403
    with org.inside():
        assert Visitor.objects.count() == 1


def test_composed_and_decomposed_ids_are_one_person_and_case_makes_two(org: Org) -> None:
    composed, decomposed = (f"users/{name}/global-memories/" for name in ("zo%C3%AB", "zoe%CC%88"))
    assert org.call("POST", composed, {"content": FACT}).status_code == 201
    assert contents(org.get(decomposed)) == [FACT]
    assert org.call("POST", decomposed, {"content": FACT}).status_code == 409
    assert contents(org.get("users/Zo%C3%AB/global-memories/")) == []


def test_text_comes_back_as_it_was_written(org: Org) -> None:
    text = "\u0645\u06cc\u200c\u0631\u0648\u0645 \U0001f469\u200d\U0001f680 again"
    made = org.call("POST", GLOBAL, {"content": text})
    assert made.json()["content"] == text
    assert contents(org.get(GLOBAL)) == [text]


def test_a_secret_is_masked_in_place(org: Org) -> None:
    made = org.call("POST", GLOBAL, {"content": "Their key is sk-test-51Zq0000EXAMPLE0000 there"})
    assert "sk-test" not in made.json()["content"]
    assert made.json()["content"].startswith("Their key is [secret removed]")


def test_a_cookie_visitor_is_reached_by_no_name(org: Org) -> None:
    with org.inside():
        stranger = make_visitor(None, name="Kim")
    org.about(stranger, FACT)
    for name in (str(stranger.cookie), "Kim", str(stranger.pk), f"%23{stranger.pk}"):
        assert contents(org.get(f"users/{name}/global-memories/")) == []


# --- the organisation's switch ----------------------------------------------------------------


def test_with_memory_off_nothing_is_written_and_things_can_still_be_ended(org: Org) -> None:
    memory = org.about(org.visitor, FACT, agent=org.agent)
    with org.inside():
        Tenant.objects.update(memory_enabled=False)
    body = {"content": "The user likes diagrams", "category_slug": "preferences"}
    assert org.call("POST", of_agent(org), body).status_code == 409
    one = f"{of_agent(org)}{memory.pk}/"
    assert org.call("PATCH", one, body).status_code == 409
    assert contents(org.get(of_agent(org))) == [FACT]
    assert org.call("DELETE", one).status_code == 204


def test_what_is_written_by_hand_asks_no_switch_of_agent_or_person(org: Org) -> None:
    with org.inside():
        type(org.agent).objects.update(memory_enabled=False)
        Visitor.objects.update(auto_capture_enabled=False)
    body = {"content": "The user likes diagrams", "category_slug": "preferences"}
    assert org.call("POST", of_agent(org), body).status_code == 201


def test_a_members_reading_is_audited_and_a_programs_is_not(org: Org) -> None:
    org.about(org.visitor, FACT)
    for who in ("organisation", "person", "viewer"):
        assert contents(org.get(GLOBAL, who=who)) == [FACT]
    with org.inside():
        (entry,) = AuditEntry.objects.filter(verb="person.memories_read")
        assert (entry.subject_id, entry.detail) == (org.visitor.pk, {"agent": None, "count": 1})


# --- both spellings ---------------------------------------------------------------------------


def test_the_older_spelling_is_the_same(org: Org) -> None:
    older = f"/api/ai-mentor/orgs/acme/users/user123/mentors/{org.agent.slug}/mentor-memories/"
    body = {"content": "The user likes diagrams", "category_slug": "preferences"}
    made = org.call("POST", older, body)
    assert made.status_code == 201
    assert org.get(of_agent(org)).json()["results"] == [made.json()]
    flat = older.replace("mentor-memories", "mentor-memories-list")
    assert contents(org.get(flat)) == ["The user likes diagrams"]
    every = "/api/ai-mentor/orgs/acme/users/user123/mentor-memories/"
    assert contents(org.get(every, mentor=org.agent.slug)) == ["The user likes diagrams"]
