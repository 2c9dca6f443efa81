"""Every route is asked what its schema allows and what it forbids: no 500, no undocumented answer.

Schemathesis makes the requests; they go through the test client, in the test's own transaction.
The same requests every time: nothing is drawn from the clock.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import schemathesis
from django.conf import settings as installation
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.core.result import Ok

from config.openapi import OLDER, whole_schema
from memory.models import Category
from tenants.models import Token
from tests.factories import make_mutation
from tests.orgs import Org, stub_embedding
from tests.wires import row_of

pytestmark = pytest.mark.django_db

EXAMPLES = 15  # of a route; `EXAMPLES * routes` requests in all
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
CLIENT = Client(raise_request_exception=False)
SCHEMA = schemathesis.openapi.from_dict(whole_schema())
# The older spelling is the same views under another address.
OPERATIONS = {
    found.ok().label: found.ok()
    for found in SCHEMA.get_all_operations()
    if isinstance(found, Ok) and not found.ok().path.startswith(OLDER)
}


@pytest.fixture
def org() -> Iterator[Org]:
    with stub_embedding():
        yield Org()


@pytest.mark.parametrize("label", OPERATIONS)
def test_whatever_is_asked_the_answer_is_one_of_those_described(org: Org, label: str) -> None:
    operation = OPERATIONS[label]
    there = what_is_there(org, operation.path)
    key = org.key("admin")

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=st.one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode]),
        known=st.sampled_from([True, True, False]),
    )
    def ask(case: Any, known: bool) -> None:
        if known:  # otherwise hardly any request would get past the names in its address
            case.path_parameters = {**(case.path_parameters or {}), **there}
        case.validate_response(send(case, key), checks=CHECKS)

    ask()


def send(case: Any, key: str) -> schemathesis.Response:
    """The request as it was generated, with a key that may do most things."""
    parts = case.as_transport_kwargs(base_url="http://testserver")
    parts = {name: value for name, value in parts.items() if name in REQUEST}
    asked = requests.Request(**parts).prepare()
    address = urlsplit(str(asked.url))
    CLIENT.cookies.clear()  # nobody of an earlier request
    answer = CLIENT.generic(
        str(asked.method),
        address.path,
        asked.body or b"",
        str(asked.headers.get("Content-Type", "application/json")),
        QUERY_STRING=address.query,
        headers={"Authorization": f"Token {key}", "x-cron-secret": str(installation.CRON_SECRET)},
    )
    streamed: Any = answer.streaming_content if answer.streaming else [answer.content]  # type: ignore[attr-defined]
    return schemathesis.Response(
        status_code=answer.status_code,
        headers={name: [value] for name, value in answer.headers.items()},
        content=b"".join(streamed),
        request=asked,
        elapsed=0.0,
        verify=False,
    )


REQUEST = ("method", "url", "headers", "params", "data", "json", "cookies", "files")


def what_is_there(org: Org, path: str) -> dict[str, Any]:
    """Names for the address of a route that lead to rows, so that the request gets further."""
    names = {
        "org": org.tenant.slug,
        "user_id": "user123",
        "agent": org.agent.slug,
        "name": org.agent.slug,
        "agent_uid": str(org.agent.uid),
    }
    there: dict[str, Any] = {name: each for name, each in names.items() if f"{{{name}}}" in path}
    if "{id}" in path and path.startswith("/v1/"):
        there["id"] = str(row_of(org.tenant, path).uid)
    elif "{id}" in path:
        there["id"] = number_of_a_row(org, path)
    return there


def number_of_a_row(org: Org, path: str) -> int:
    with org.inside():
        if "tokens" in path:
            kind = Token.Kind.PERSON
            return Token.objects.issue(kind=kind, name="link", visitor_id=org.visitor.pk)[0].pk
        if "categories" in path:
            return Category.objects.of(org.agent.pk)[0].pk
        if "mutations" in path:
            return make_mutation(org.agent, org.visitor).pk
    if "users" not in path:
        return org.knows("Our refund window is 30 days").pk
    agent = org.agent if "{agent}" in path else None
    return org.about(org.visitor, "The user likes green tea", agent=agent).pk
