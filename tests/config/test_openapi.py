"""The schema: all of the surface, valid OpenAPI 3.1, and a page under the strict policy."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from config.openapi import OLDER, routes, whole_schema
from tests.markup import unsafe

NOT_DESCRIBED = {"/api/docs/"}  # the page that shows the schema


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    made = whole_schema()
    return json.loads(json.dumps(made))  # type: ignore[no-any-return]


def operations(schema: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, verb, op) for path, of in schema["paths"].items() for verb, op in of.items()]


def test_it_is_valid_openapi_3_1(schema: dict[str, Any]) -> None:
    assert schema["openapi"].startswith("3.1")
    validate_schema(schema)  # type: ignore[no-untyped-call]
    for name, shape in schema["components"]["schemas"].items():
        Draft202012Validator.check_schema(shape)
        assert shape["examples"], name


def test_every_route_and_method_is_in_it(schema: dict[str, Any]) -> None:
    wanted = set()
    for address, view in routes():
        methods = ["post"]
        if hasattr(view, "cls"):
            methods = [m for m in ("get", "post", "put", "patch", "delete") if hasattr(view.cls, m)]
        elif address == "/api/schema/":
            methods = ["get"]
        wanted |= {(_with_ids(address), method) for method in methods}
    # `users//…` only says in words that nobody was named.
    wanted = {each for each in wanted if each[0] not in NOT_DESCRIBED and "//" not in each[0]}
    assert len(wanted) > 45
    assert {(path, verb) for path, verb, _ in operations(schema)} == wanted


def _with_ids(address: str) -> str:
    return address.replace("{number}", "{id}").replace("{uid}", "{id}")


def test_the_older_spelling_has_all_that_the_newer_one_has(schema: dict[str, Any]) -> None:
    def renamed(path: str) -> str:
        path = path.replace(OLDER, "/api/ai-agent/")
        return path.replace("mentors/", "agents/").replace("mentor-memories", "agent-memories")

    older = {(renamed(p), v) for p, v, op in operations(schema) if op.get("deprecated")}
    newer = {(p, v) for p, v, _ in operations(schema) if p.startswith("/api/ai-agent/")}
    assert older == newer


def test_names_are_unique_parameters_are_told_and_references_lead_somewhere(
    schema: dict[str, Any],
) -> None:
    assert all("summary" in op for _, _, op in operations(schema))
    names = [op["operationId"] for _, _, op in operations(schema)]
    assert len(names) == len(set(names))
    for path, _, op in operations(schema):
        told = {p["name"] for p in op["parameters"] if p["in"] == "path"}
        assert told == set(re.findall(r"{(\w+)}", path)), path
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schema)))
    assert referred <= set(schema["components"]["schemas"])
    assert set(schema["components"]["schemas"]) <= referred


def test_examples_are_what_they_are_examples_of(schema: dict[str, Any]) -> None:
    """Each shape's example obeys the shape, references and all."""
    for shape in schema["components"]["schemas"].values():
        whole = Draft202012Validator({**shape, "components": schema["components"]})
        for example in shape["examples"]:
            whole.validate(example)


@pytest.mark.django_db
def test_it_is_served_to_everyone_as_json(client: Client) -> None:
    answer = client.get("/api/schema/")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer.json()["info"]["title"] == "Keepsake"
    assert client.post("/api/schema/").json() == {"error": "this address takes other methods only"}


@pytest.mark.django_db
def test_the_page_has_nothing_inline_and_its_files_are_ours(client: Client) -> None:
    page = client.get("/api/docs/")
    assert page.status_code == 200
    assert "unsafe" not in page["Content-Security-Policy"]
    html = page.content.decode()
    assert unsafe(html) == []
    files = re.findall(r'(?:src=|<link[^>]* href=)"([^"]+)"', html)
    assert {"swagger-ui.css", "swagger-ui-bundle.js"} <= {each.split("/")[-1] for each in files}
    assert 'href="/">Back to Keepsake' in html
    for address in files:
        assert address.startswith("/"), address
        answer = client.get(address)
        assert answer.status_code == 200, address
        answer.close()
    script = next(each for each in files if "script" in each)
    told = client.get(script.replace("&amp;", "&"))
    assert told["Content-Type"] == "application/javascript"
    assert "/api/schema/" in told.content.decode()
