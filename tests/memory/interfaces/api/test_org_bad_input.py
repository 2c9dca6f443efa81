"""What is wrong with a request is said, with the field's name, and never a 500."""

from typing import Any

import pytest

from memory.models import Memory
from tests.orgs import Org

pytestmark = pytest.mark.django_db

GLOBAL = "users/user123/global-memories/"
OF_AGENT = "users/user123/agents/{agent}/agent-memories/"
KNOWN = "agents/{agent}/agent-memories/"
CATEGORIES = "agents/{agent}/memory-categories/"
SETTINGS = "users/user123/memsearch-settings/"
TOKENS = "users/user123/tokens/"
LISTS = [
    GLOBAL, OF_AGENT, OF_AGENT.replace("memories/", "memories-list/"), KNOWN, CATEGORIES, TOKENS,
    "users/user123/agent-memories/",
]  # fmt: skip
DATED = [each for each in LISTS if each not in (CATEGORIES, TOKENS)]
FINE = "The user likes green tea"
NOT_TEXT: list[Any] = [None, 7, 1.5, True, [], {}, ["text of a list"]]
NOT_A_SWITCH: list[Any] = [1, 0, "true", "", [], {}]
NO_DAYS: list[Any] = [0, -1, 3_651, 1.5, "7", True, []]
NO_NAME: list[Any] = ["", " ", "x" * 101, *NOT_TEXT]
NO_SLUG: list[Any] = ["", "a b", "é", "x" * 61, "a/b", "a\x00", "a\n", 7, []]
NO_CATEGORY: list[Any] = ["nothing", "", "PREFERENCES", "%", "a\x00b", "x" * 300, *NOT_TEXT]
CONTENT: list[Any] = ["", " ", "123456789", " 12345678 \n", "\x00" * 20, "x" * 2_001, *NOT_TEXT]

# (method, path, body, field)
BODIES: list[tuple[str, str, Any, str | None]] = [
    *(("POST", GLOBAL, {"content": each}, "content") for each in CONTENT),
    *(
        ("POST", OF_AGENT, {"content": each, "category_slug": "preferences"}, "content")
        for each in CONTENT
    ),
    *(("POST", KNOWN, {"content": each}, "content") for each in CONTENT),
    ("POST", GLOBAL, {}, "content"),
    ("POST", OF_AGENT, {"content": FINE}, "category_slug"),
    *(
        ("POST", OF_AGENT, {"content": FINE, "category_slug": each}, "category_slug")
        for each in NO_CATEGORY
    ),
    *(("PUT", SETTINGS, {"auto_capture_enabled": e}, "auto_capture_enabled") for e in NOT_A_SWITCH),
    *(
        ("PUT", SETTINGS, {"use_memory_in_responses": e}, "use_memory_in_responses")
        for e in NOT_A_SWITCH
    ),
    ("PUT", SETTINGS, {}, "auto_capture_enabled"),
    *(("POST", CATEGORIES, {"name": each, "slug": "fine"}, "name") for each in NO_NAME),
    *(("POST", CATEGORIES, {"name": "Fine", "slug": each}, "slug") for each in NO_SLUG),
    ("POST", CATEGORIES, {"name": "Fine", "slug": "fine", "description": "x" * 501}, "description"),
    ("POST", CATEGORIES, {"name": "Fine", "slug": "fine", "description": 7}, "description"),
    (
        "POST",
        CATEGORIES,
        {"name": "Fine", "slug": "fine", "extraction_prompt": "x" * 2_001},
        "extraction_prompt",
    ),
    *(("POST", TOKENS, {"days": each}, "days") for each in NO_DAYS),
    ("POST", TOKENS, {"name": "x" * 201}, "name"),
    ("POST", TOKENS, {"name": 7}, "name"),
    *(
        ("POST", GLOBAL, {"content": FINE, "email": each}, "email")
        for each in ("", "nobody", "a@b", 7, "x" * 300 + "@example.test", "a\x00@example.test")
    ),
    *(("POST", GLOBAL, {"content": FINE, "username": e}, "username") for e in ("", 7, "x" * 201)),
    *(
        (method, path, body, None)
        for method, path in (("POST", GLOBAL), ("POST", KNOWN), ("PUT", SETTINGS))
        for body in ("", "{", "[]", "7", '"text"', "null]", '{"content": ' + "[" * 2_000)
        if not (body == "" or body == "[]")
    ),
]
# (path, query, field)
QUERIES: list[tuple[str, dict[str, str], str]] = [
    *(
        (path, {"page_size": each}, "page_size")
        for path in LISTS
        for each in ("0", "101", "x", "-1", "", "1.5", "\u0661", "9" * 30)
    ),
    *((path, {"page": each}, "page") for path in LISTS for each in ("0", "x", "-1", "", "last")),
    *((path, {"after": each}, "after") for path in LISTS for each in ("x", "", "\u00e9", "MTIz")),
    *(
        (path, {field: each}, field)
        for path in DATED
        for field in ("start_date", "end_date")
        for each in (
            "2024-13-01", "2024-02-30", "20240101", "2024-1-1", "2024-W01-1", "01-02-2024", "",
            "yesterday", "2024-01-01T00:00:00Z", "0000-01-01", "2024-01-0\u0661", "2024-01-01\n",
        )
    ),
    *((GLOBAL, {"session_id": each}, "session_id") for each in ("", "a\x00b", "x" * 201)),
    *((GLOBAL, {"email": each}, "email") for each in ("", "a\x00b")),
    (GLOBAL, {"content": "x" * 501}, "content"),
    *((OF_AGENT, {"category": each}, "category") for each in ("", "a b", "a\x00", "%")),
    *((LISTS[2], {"my_memory": each}, "my_memory") for each in ("", "1", "yes", "a\x00")),
]  # fmt: skip


def path_of(org: Org, path: str) -> str:
    return path.format(agent=org.agent.slug)


def test_a_body_that_is_wrong_is_refused_by_field_and_writes_nothing(org: Org) -> None:
    for method, path, body, field in BODIES:
        answer = org.call(method, path_of(org, path), body if body is not None else "null")
        shown = (method, path, str(body)[:60], answer.content)
        assert answer.status_code == 400, shown
        assert answer.json().get("field") == field, shown
        assert answer.json()["error"], shown
    with org.inside():
        assert not Memory.objects.exists()


def test_a_query_that_is_wrong_is_refused_by_field(org: Org) -> None:
    org.about(org.visitor, FINE)
    for path, query, field in QUERIES:
        answer = org.get(path_of(org, path), **query)
        assert answer.status_code == 400, (path, query, answer.content)
        assert answer.json().get("field") == field, (path, query, answer.content)


@pytest.mark.parametrize("path", LISTS)
def test_a_page_past_the_last_is_not_there_but_the_first_always_is(org: Org, path: str) -> None:
    path = path_of(org, path)
    assert org.get(path, page="1").status_code == 200
    for far in ("2", "999999999"):
        assert org.get(path, page=far, page_size="100").status_code == 404


def test_a_change_of_a_memory_is_checked_alike(org: Org) -> None:
    memory = org.about(org.visitor, FINE, agent=org.agent)
    known = org.knows("Our refund window is 30 days")
    of_person, of_agent = (
        f"{path_of(org, OF_AGENT)}{memory.pk}/",
        f"{path_of(org, KNOWN)}{known.pk}/",
    )
    for body in ({}, {"content": None}, {"content": "123456789"}, {"content": 7}):
        for path in (of_person, of_agent):
            answer = org.call("PATCH", path, body)
            assert (answer.status_code, answer.json()["field"]) == (400, "content"), (path, body)
    for slug in ("nothing", "", 7, "a\x00"):
        answer = org.call("PATCH", of_person, {"category_slug": slug})
        assert (answer.status_code, answer.json()["field"]) == (400, "category_slug"), slug
    with org.inside():
        assert {m.version for m in Memory.objects.all()} == {1}


@pytest.mark.parametrize("name", ["%00", "%20", "%0A", "x" * 201, "%F0%9F%98%80" * 201])
def test_a_name_that_nobody_can_have_is_refused(org: Org, name: str) -> None:
    answer = org.get(f"users/{name}/global-memories/")
    assert (answer.status_code, answer.json()["field"]) == (400, "user_id")


@pytest.mark.parametrize("agent", ["nobody", "%00", "a b", "%25", "0" * 32, "x" * 300, "\u00e9"])
def test_an_agent_that_is_not_there(org: Org, agent: str) -> None:
    for path in (OF_AGENT, KNOWN, CATEGORIES):
        assert org.get(path.format(agent=agent)).status_code == 404


def test_the_text_may_be_as_short_and_as_long_as_it_says(org: Org) -> None:
    for length in (10, 2_000):
        answer = org.call("POST", GLOBAL, {"content": "\u82b1" * length})
        assert answer.status_code == 201
        assert len(answer.json()["content"]) == length


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE"])
def test_a_method_that_a_route_does_not_have(org: Org, method: str) -> None:
    answer = org.call(method, GLOBAL)
    assert (answer.status_code, answer.json()["error"]) == (
        405,
        "this address takes other methods only",
    )
