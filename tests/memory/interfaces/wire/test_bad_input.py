"""Every address of `/v1`, asked wrongly in every way that its description names: never a 500.

Addresses come from the URL table and bodies from the schema, so a new one is tried as it is
there. A body begins as the shape's own example; one field at a time is spoiled.
"""

import json
import re
import uuid
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest

from config.openapi import routes, whole_schema
from memory.models import Memory
from memory.providers import using
from tenants.models import Role
from tests.fakes import StubEmbedder
from tests.wires import KINDS_WITH_ID, Wire

pytestmark = pytest.mark.django_db

METHODS = ("get", "post", "put", "patch", "delete")
TEXT: list[Any] = [7, 1.5, True, [], {}, ["text"]]
WRONG: dict[str, list[Any]] = {
    "string": TEXT,
    "integer": ["5", 1.5, True, [], {}, "", 10**30, -(10**30)],
    "boolean": [1, 0, "true", "", [], {}],
    "array": [7, "x", {}, True],
    "object": [7, "x", [], True],
}
NO_TIME = ["", "nonsense", "2026-13-01", "yesterday", "2026-01-01T25:00:00Z", "x" * 99, 7, [], {}]
NO_TIME += ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "NaN", "infinity"]
INSTEAD_OF = {"peers": "from"}  # fields of which a body has one
CRUEL = ["a\0b", "\ud800", "' OR 1=1 --", "\u202eabc", "%s%s", "{{x}}", "𝔘" * 100, "\r\n\r\n"]


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    return json.loads(json.dumps(whole_schema()))  # type: ignore[no-any-return]


def operations() -> list[tuple[str, str]]:
    """(method, address) of all there are, by the URL table."""
    found = [(a, view.cls) for a, view in routes() if a.startswith("/v1/")]
    return [(m.upper(), a) for a, cls in found for m in METHODS if hasattr(cls, m)]


OPERATIONS = operations()


def described(method: str, address: str) -> dict[str, Any]:
    named = address.replace("{number}", "{id}").replace("{uid}", "{id}")
    return schema()["paths"][named][method.lower()]  # type: ignore[no-any-return]


def shape_of(method: str, address: str) -> dict[str, Any] | None:
    body = described(method, address).get("requestBody")
    if body is None:
        return None
    taken = body["content"]["application/json"]["schema"]
    return schema()["components"]["schemas"][taken["$ref"].rsplit("/", 1)[1]]  # type: ignore[no-any-return]


TAKING = [each for each in OPERATIONS if shape_of(*each) is not None]
WITH_ID = [each for each in OPERATIONS if re.search("{(uid|number)}", each[1])]


def spoiled(field: dict[str, Any]) -> Iterator[Any]:
    """Values that this field must not take."""
    kinds = field.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        return
    if "null" not in kinds:
        yield None
    if field.get("format") == "date-time":
        yield from NO_TIME
        return
    yield from WRONG[next(kind for kind in kinds if kind != "null")]
    if "string" in kinds:
        if "enum" in field:
            yield from ("nothing", "", " ")
        if field.get("minLength"):
            yield from ("", "  \n")
        if "maxLength" in field:
            yield "x" * (field["maxLength"] + 1)
    if "integer" in kinds:
        yield from (field["minimum"] - 1, field["maximum"] + 1)
    if "maxItems" in field:
        yield [(field.get("items", {}).get("examples") or ["x"])[0]] * (field["maxItems"] + 1)


@pytest.fixture
def wire() -> Iterator[Wire]:
    with using(embedder=StubEmbedder()):
        yield Wire()


def path_of(address: str, uid: str = "") -> str:
    given = {
        "uid": uid or str(uuid.uuid4()), "number": uid or str(uuid.uuid4()),
        "workflow": "w", "replica": "edge-1",
    }  # fmt: skip
    return re.sub(r"{(\w+)}", lambda found: given[found[1]], address.removeprefix("/v1/"))


def there(wire: Wire, address: str) -> str:
    """The id of a row that this address leads to."""
    return str(wire.row_at(address).uid)


def is_error(answer: Any) -> bool:
    return answer["Content-Type"] == "application/json" and bool(answer.json()["error"])


def test_every_address_is_found_and_described() -> None:
    assert len(OPERATIONS) > 35
    assert len(TAKING) > 18
    assert {address.split("/")[2] for _, address in WITH_ID} == KINDS_WITH_ID


# --- fields -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "address"), TAKING)
def test_a_field_that_is_wrong_is_named(wire: Wire, method: str, address: str) -> None:
    shape = shape_of(method, address) or {}
    path = path_of(address, there(wire, address) if "{uid}" in address else "")
    good = shape["examples"][0]
    bad: list[tuple[str, dict[str, Any]]] = [
        (name, {key: value for key, value in good.items() if key != name})
        for name in shape.get("required", [])
    ]
    for name, field in shape["properties"].items():
        rest = {key: value for key, value in good.items() if key != INSTEAD_OF.get(name)}
        bad += [(name, {**rest, name: value}) for value in spoiled(field)]
    assert bad, "nothing can be wrong with it?"
    with wire.inside():
        before = Memory.objects.count()
    for name, body in bad:
        told = f"{method} {path} with {name}={str(body.get(name, 'missing'))[:80]!r}"
        answer = wire.call(method, path, body)
        assert answer.status_code == 400, (told, answer.status_code, answer.content[:300])
        assert is_error(answer), told
        assert answer.json()["field"] == name, (told, answer.json())
    with wire.inside():
        assert Memory.objects.count() == before


@pytest.mark.parametrize(("method", "address"), TAKING)
def test_cruel_texts_break_nothing(wire: Wire, method: str, address: str) -> None:
    shape = shape_of(method, address) or {}
    good = shape["examples"][0]
    path = path_of(address, there(wire, address) if "{uid}" in address else "")
    for name in shape["properties"]:
        for value in (*CRUEL, list(CRUEL), {"a\0": "\ud800"}):
            answer = wire.call(method, path, json.dumps({**good, name: value}))
            assert answer.status_code < 500, (name, value)
            assert answer.status_code < 400 or is_error(answer), (name, value)


@pytest.mark.parametrize(("path", "field"), [("write", "content"), ("conflicts", "content")])
def test_a_text_over_64_kib_is_413(wire: Wire, path: str, field: str) -> None:
    for text in ("x" * 65_537, "ü" * 32_769):
        answer = wire.call("POST", f"memory/{path}", {field: text, "agentId": "a"})
        assert (answer.status_code, answer.json()["field"]) == (413, field)
    assert wire.call(
        "POST", f"memory/{path}", {field: "x" * 65_536, "agentId": "a"}
    ).status_code in (200, 201)  # fmt: skip


@pytest.mark.parametrize("at", ["2026-08-13T10:00:00", "2026-08-13T12:00:00+02:00"])
def test_a_time_without_a_zone_is_utc(wire: Wire, at: str) -> None:
    made = wire.call(
        "POST", "memory/write",
        {"content": "x", "agentId": "a", "expiresAt": at.replace("2026", "2096")},
    ).json()  # fmt: skip
    memory = wire.call("GET", f"memory/{made['writeId']}").json()
    assert memory["expires_at"] == "2096-08-13T10:00:00+00:00"


# --- bodies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "address"), TAKING)
def test_what_is_no_json_object_is_refused(wire: Wire, method: str, address: str) -> None:
    path = path_of(address, there(wire, address) if "{uid}" in address else "")
    for body in ("{", "[1]", "7", '"text"', "nul", '{"a": NaN}', '{"a": ' + "[" * 5_000, b"\xff"):
        answer = wire.call(method, path, body)
        assert answer.status_code == 400, (body[:20], answer.content)
        assert is_error(answer)
    answer = wire.call(method, path, '{"a": 1}', content_type="text/plain")
    assert answer.status_code == 415
    assert is_error(answer)
    whole = b'{"a": "' + b"x" * (8 * 1024 * 1024) + b'"}'
    answer = wire.call(method, path, whole)
    assert answer.status_code == 413
    assert is_error(answer)


@pytest.mark.parametrize("address", sorted({address for _, address in OPERATIONS}))
def test_other_methods_are_405(wire: Wire, address: str) -> None:
    taken = {method for method, at in OPERATIONS if at == address}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - taken:
        answer = wire.call(method, path_of(address), {})
        assert answer.status_code == 405, method
        assert is_error(answer)


def test_an_address_that_is_none_is_404_in_json(wire: Wire) -> None:
    for path in ("", "nothing", "memory", "memory/write/", "keys/", "org", "workflows/w"):
        answer = wire.call("POST", path, {})
        assert answer.status_code == 404, path
        assert is_error(answer)


# --- who ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "address"), OPERATIONS)
def test_without_a_usable_key_it_is_401(wire: Wire, method: str, address: str) -> None:
    revoked = wire.make_key(revoked_at="2026-01-01T00:00:00Z")
    over = wire.make_key(expires_at="2026-01-01T00:00:00Z")
    for key in ("", "wrong", revoked, over, wire.key + "x", wire.key[:-1]):
        answer = wire.call(method, path_of(address), {}, key=key)
        assert answer.status_code == 401, key[:12]
        assert is_error(answer)
        assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "address"), OPERATIONS)
def test_who_has_no_part_in_it_is_403(wire: Wire, method: str, address: str) -> None:
    keys = [wire.person_key(), wire.make_key(agent_id=wire.agent.pk)]
    if method != "GET":
        keys.append(wire.member_key(Role.VIEWER))
    view = next(view for at, view in routes() if at == address)
    if view.cls.manages:
        keys += [wire.make_key(shared_agent="a"), wire.make_key(scope="team")]
        keys += [wire.member_key(Role.EDITOR)]
    for key in keys:
        answer = wire.call(method, path_of(address), {}, key=key)
        assert answer.status_code == 403
        assert is_error(answer)


@pytest.mark.parametrize(("method", "address"), TAKING)
def test_a_narrowed_key_outside_its_agent_and_scope_is_403(
    wire: Wire, method: str, address: str
) -> None:
    shape = shape_of(method, address) or {}
    good = shape["examples"][0]
    tried = []
    if "agentId" in shape["properties"]:
        tried.append((wire.make_key(shared_agent="somebody"), {**good, "agentId": "else"}))
    if "scope" in shape["properties"]:
        tried += [
            (wire.make_key(scope="team"), {**good, "scope": scope})
            for scope in ("private", "global")
        ]
    for key, body in tried:
        answer = wire.call(method, path_of(address), body, key=key)
        assert answer.status_code == 403
        assert is_error(answer)


# --- ids ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "address"), WITH_ID)
def test_ids_of_nobody_and_of_others_are_alike(wire: Wire, method: str, address: str) -> None:
    other = Wire()
    row = other.row_at(address)
    theirs = str(row.uid)
    shape = shape_of(method, address)
    good = shape["examples"][0] if shape is not None else None
    answers = set()
    for uid in (
        theirs,
        str(uuid.uuid4()),
        "7",
        "no-uuid",
        "x" * 300,
        "%00",
        "None",
        "{}",
        "0" * 32,
    ):
        answer = wire.call(method, path_of(address, uid), good)
        assert answer.status_code == (204 if method == "DELETE" else 404), (uid, answer.content)
        answers.add((answer.status_code, answer.content))
    assert len(answers) == 1
    mine = there(wire, address)
    if method != "DELETE":
        assert wire.call(method, path_of(address, mine), good).status_code == 200
    with other.inside():
        row.refresh_from_db()
        assert getattr(row, "deleted_at", None) is None
        assert getattr(row, "revoked_at", None) is None


def test_an_address_of_more_parts_than_anybody_needs_is_malformed(wire: Wire) -> None:
    answer = wire.call("GET", "teams?" + "a=1&" * 2_000)
    assert (answer.status_code, set(answer.json())) == (400, {"error"})
