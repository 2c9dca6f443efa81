"""The graph on the wire: written, read in the background, and a search that it leads."""

import json
from typing import Any

import pytest
from django.test import Client

from memory.interfaces import tasks
from tests.factories import World, make_key
from tests.orgs import stub_embedding

pytestmark = pytest.mark.django_db


def test_a_search_goes_over_what_is_stated_and_the_memory_says_that_it_was_read() -> None:
    world = World()
    with world.inside():
        key = make_key(tier="enterprise")

    def call(method: str, path: str, **body: Any) -> Any:
        answer = Client().generic(
            method,
            f"/v1/memory/{path}",
            data=json.dumps(body) if body else b"",
            content_type="application/json",
            headers={"Authorization": f"Bearer {key}"},
        )
        assert answer.status_code < 300, answer.content
        return answer.json()

    def write(content: str, **more: Any) -> str:
        body = {"content": content, "agentId": "ada", "scope": "global", **more}
        return str(call("POST", "write", **body)["writeId"])

    def found(**more: Any) -> list[str]:
        hits = call("POST", "search", query="Whereabouts of Zora?", agentId="bob", **more)
        return [hit["id"] for hit in hits]

    with stub_embedding():
        works = write("Zora works at Globex.", workflowId="ours")
        lies = write("Globex is located in Lisbon.", workflowId="ours")
        write("Zora works at Initech.", workflowId="theirs")
        elsewhere = write("Initech is located in Oslo.", workflowId="theirs")
        assert not call("GET", works)["extracted"]
        assert lies not in found(workflowId="ours")
        tasks.work("graph", world.tenant.pk)
        assert call("GET", works)["extracted"]
        assert found(workflowId="ours") == [works, lies]
        assert elsewhere in found()
