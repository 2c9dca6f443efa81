"""Categories and knowledge of an agent over REST: the routes without a person."""

from typing import Any

import pytest

from memory.models import Category, Memory
from tenants.models import AuditEntry
from tests.factories import make_agent
from tests.orgs import Org

pytestmark = pytest.mark.django_db

KNOWN = "Our refund window is 30 days"


def categories(org: Org) -> str:
    return f"agents/{org.agent.slug}/memory-categories/"


def knowledge(org: Org) -> str:
    return f"agents/{org.agent.slug}/agent-memories/"


def error(answer: Any) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("field")


# --- categories -------------------------------------------------------------------------------


def test_the_usual_five_are_there_from_the_first_look(org: Org) -> None:
    body = org.get(categories(org)).json()
    assert body["count"] == 5
    assert [each["slug"] for each in body["results"]] == [
        "knowledge_gaps", "learning_goals", "preferences", "progress_milestones",
        "personal_context",
    ]  # fmt: skip
    assert set(body["results"][0]) == {
        "id", "name", "slug", "description", "extraction_prompt", "is_active", "created_at",
    }  # fmt: skip


def test_a_custom_one_comes_beside_the_five(org: Org) -> None:
    body = {"name": "Project Ideas", "slug": "project_ideas", "description": "Ideas"}
    made = org.call("POST", categories(org), body)
    assert made.status_code == 201
    assert made.json()["is_active"] is True
    assert made.json()["extraction_prompt"] == ""
    assert org.get(categories(org)).json()["count"] == 6
    assert error(org.call("POST", categories(org), body)) == (409, "slug")
    named = org.call("POST", categories(org), {"name": "Other Ideas!"})
    assert named.json()["slug"] == "other_ideas"
    assert error(org.call("POST", categories(org), {"name": "\u82b1"})) == (400, "slug")


def test_one_is_changed_switched_off_and_on_again(org: Org) -> None:
    with org.inside():
        category = Category.objects.of(org.agent.pk)[0]
    one = f"{categories(org)}{category.pk}/"
    hint = {"description": "Where they struggle", "extraction_prompt": "Look for doubts"}
    changed = org.call("PATCH", one, hint).json()
    assert {field: changed[field] for field in hint} == hint
    assert changed["name"] == "Knowledge Gaps"
    for _ in range(2):
        answer = org.call("DELETE", one)
        assert (answer.status_code, answer.content) == (204, b"")
    assert org.get(categories(org)).json()["results"][0]["is_active"] is False
    assert org.call("PATCH", one, {"is_active": True}).json()["is_active"] is True
    assert error(org.call("PATCH", one, {"slug": "another"})) == (400, "slug")
    assert org.call("PATCH", one, {"slug": "knowledge_gaps"}).status_code == 200
    with org.inside():
        entries = AuditEntry.objects.filter(subject="category").order_by("id")
        assert [e.detail["fields"] for e in entries] == [
            ["description", "extraction_prompt"],
            ["is_active"],
            ["is_active"],
        ]


# --- knowledge --------------------------------------------------------------------------------


def test_an_entry_is_added_listed_changed_and_deleted(org: Org) -> None:
    made = org.call("POST", knowledge(org), {"content": KNOWN})
    assert made.status_code == 201
    assert set(made.json()) == {"id", "content", "created_by", "created_at", "updated_at"}
    assert made.json()["created_by"] == "site"
    one = f"{knowledge(org)}{made.json()['id']}/"
    changed = org.call("PATCH", one, {"content": "Our refund window is 45 days"})
    assert changed.status_code == 200
    assert changed.json()["created_at"] == made.json()["created_at"]
    assert org.get(knowledge(org)).json()["results"] == [changed.json()]
    assert org.call("DELETE", one).status_code == 204
    assert org.get(knowledge(org)).json()["count"] == 0
    assert org.call("DELETE", one).status_code == 404
    with org.inside():
        verbs = AuditEntry.objects.order_by("id").values_list("verb", flat=True)
        assert list(verbs) == ["knowledge.added", "knowledge.changed", "knowledge.deleted"]


def test_a_member_is_named_as_its_maker(org: Org) -> None:
    made = org.call("POST", knowledge(org), {"content": KNOWN}, who="editor").json()
    with org.inside():
        creator = Memory.objects.get(pk=made["id"]).creator
    assert creator is not None
    assert made["created_by"] == creator.get_username()


def test_the_same_text_is_a_conflict_for_this_agent_only(org: Org) -> None:
    org.knows(KNOWN)
    other = org.knows("We ship to Portugal")
    conflict = (409, {"error": "Memory already exists"})
    again = org.call("POST", knowledge(org), {"content": f" {KNOWN.upper()}"})
    assert (again.status_code, again.json()) == conflict
    edit = org.call("PATCH", f"{knowledge(org)}{other.pk}/", {"content": KNOWN})
    assert (edit.status_code, edit.json()) == conflict
    same = org.call("PATCH", f"{knowledge(org)}{other.pk}/", {"content": "We ship to PORTUGAL"})
    assert (same.status_code, same.json()["content"]) == (200, "We ship to PORTUGAL")
    with org.inside():
        make_agent("tutor")
    assert org.call("POST", "agents/tutor/agent-memories/", {"content": KNOWN}).status_code == 201


def test_entries_of_a_day(org: Org) -> None:
    for day in (1, 2, 3):
        org.at(org.knows(f"Known on day {day}"), f"2024-01-0{day}T12:00:00Z")
    asked = {"start_date": "2024-01-02", "end_date": "2024-01-02"}
    answer = org.get(knowledge(org), **asked)
    assert [each["content"] for each in answer.json()["results"]] == ["Known on day 2"]


def test_the_two_lists_of_this_name_are_not_mixed(org: Org) -> None:
    org.knows(KNOWN)
    org.about(org.visitor, "The user likes diagrams", agent=org.agent)
    of_person = org.get(f"users/user123/{knowledge(org)}").json()
    assert [each["content"] for each in of_person["results"]] == ["The user likes diagrams"]
    assert [e["content"] for e in org.get(knowledge(org)).json()["results"]] == [KNOWN]
    number = of_person["results"][0]["id"]
    assert org.call("DELETE", f"{knowledge(org)}{number}/").status_code == 404


def test_the_older_spelling_is_the_same(org: Org) -> None:
    org.knows(KNOWN)
    older = f"/api/ai-mentor/orgs/acme/mentors/{org.agent.slug}/"
    assert org.get(f"{older}mentor-memories/").json()["count"] == 1
    assert org.get(f"{older}memory-categories/").json()["count"] == 5
