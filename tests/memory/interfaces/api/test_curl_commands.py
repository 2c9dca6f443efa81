"""Every curl command that the contract prints works as printed, but for host and token.

Each runs in a world where what it names is there; `curl_commands.txt` is our copy of them.
"""

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.models import Agent
from memory import store
from memory.models import Category, Memory
from tests.orgs import Org

pytestmark = pytest.mark.django_db

HOST = "https://api.ibl.ai"
STATUS = {"GET": 200, "POST": 201, "PUT": 200, "PATCH": 200, "DELETE": 204}
ENGINEER = "The user is a software engineer with 5 years of experience"
EXAMPLES = "The user prefers detailed code examples in Python"


@dataclass(frozen=True)
class Curl:
    """One printed command, taken apart as a shell and curl would."""

    method: str
    url: str
    headers: dict[str, str]
    data: str | None

    @classmethod
    def read(cls, printed: str) -> "Curl":
        words = iter(shlex.split(printed.replace("\\\n", " ")))
        assert next(words) == "curl"
        method, url, data = "GET", "", None
        headers: dict[str, str] = {}
        for word in words:
            if word == "-X":
                method = next(words)
            elif word == "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            elif word == "-d":
                data = next(words)
            else:
                url = word
        return cls(method, url, headers, data)

    def __str__(self) -> str:
        return f"{self.method} {self.url.removeprefix(HOST + '/api/ai-agent/orgs/acme/')}"


PRINTED = (Path(__file__).parent / "curl_commands.txt").read_text().strip().split("\n\n")
COMMANDS = [Curl.read(each) for each in PRINTED]
# What a list answers, where the command narrows it.
FOUND = {
    "?session_id=abc-123-def": [ENGINEER],
    "?content=software%20engineer": [ENGINEER],
    "?start_date=2024-01-01&end_date=2024-01-31": [ENGINEER],
    "?content=python&start_date=2024-01-01": [EXAMPLES],
    "?category=knowledge_gaps": [ENGINEER],
}


def test_all_of_them_are_here() -> None:
    assert len(COMMANDS) == 23
    assert all(each.url.startswith(HOST) for each in COMMANDS)
    assert {each.method for each in COMMANDS} == set(STATUS)
    assert all(each.headers["Authorization"] == "Token <token>" for each in COMMANDS)


@pytest.fixture
def acme(org: Org) -> Org:
    with org.inside():
        Agent.objects.update(slug="python-tutor")
        org.agent.refresh_from_db()
    return org


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_a_command_works_as_printed(acme: Org, command: Curl) -> None:
    prepare(acme, command)
    headers = {**command.headers, "Authorization": f"Token {acme.key()}"}
    answer = Client().generic(
        command.method,
        command.url.removeprefix(HOST),
        command.data or "",
        headers.pop("Content-Type", "application/octet-stream"),
        headers=headers,
    )
    assert answer.status_code == STATUS[command.method], answer.content
    if command.method == "DELETE":
        assert answer.content == b""
        return
    body = answer.json()
    if command.method == "GET" and "memor" in command.url and "memsearch" not in command.url:
        narrowed = next((q for q in FOUND if command.url.endswith(q)), None)
        if narrowed is not None:
            assert [row["content"] for row in body["results"]] == FOUND[narrowed]
        else:
            assert body["count"] == len(body["results"]) > 0
    elif command.data:
        asked = json.loads(command.data)
        for field in asked.keys() & body.keys():
            assert body[field] == asked[field]
        if "category_slug" in asked:
            assert body["category"]["slug"] == asked["category_slug"]


def prepare(org: Org, command: Curl) -> None:
    """What the command names: a row of its number, or rows for a list."""
    numbered = re.search(r"/(\d+)/$", command.url)
    of_person = "/users/" in command.url
    if numbered is not None:
        placed(org, int(numbered[1]), command.url)
    elif command.method == "GET" and "memory-categories" not in command.url:
        agent = org.agent if "/python-tutor/" in command.url or "agent-mem" in command.url else None
        if not of_person:
            org.knows(ENGINEER)
            return
        for day, text, session, category in (
            ("2024-01-15", ENGINEER, "abc-123-def", "knowledge_gaps"),
            ("2024-02-14", EXAMPLES, "xyz", "learning_goals"),
        ):
            made = org.about(org.visitor, text, agent=agent, category=category, session=session)
            org.at(made, f"{day}T10:30:00Z")


def placed(org: Org, number: int, url: str) -> None:
    with org.inside():
        if "memory-categories" in url:
            Category.objects.create(id=number, agent=org.agent, slug="project_ideas", name="Ideas")
            return
        said = "The user completed the Python basics course"
        fields: dict[str, Any] = {"kind": "knowledge", "creator_id": org.admin.user_id}
        if "/users/" in url:
            fields = {"kind": "person", "visitor": org.visitor, "label": "general"}
        if "/agents/" in url:
            fields["agent"] = org.agent
            if "/users/" in url:
                category = Category.objects.of(org.agent.pk)[3]
                fields |= {"label": "", "category": category}
        Memory.objects.create(
            id=number, content=said, hash=store.hash_of(said, org.tenant.pk), **fields
        )
