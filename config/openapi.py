"""`/api/schema/`: OpenAPI 3.1 of the whole HTTP surface, and `/api/docs/` to read it.

drf-spectacular finds the views under a key and serves the page; what a route says about itself
hangs on its methods (`tenants.described`). Added here: plain views, what addresses say, names.
"""

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.exceptions import MethodNotAllowed

from memory.interfaces.api import shapes_loop, shapes_people, shapes_tools
from memory.interfaces.wire import (
    shapes_byok,
    shapes_memory,
    shapes_replicas,
    shapes_setting,
    shapes_webhooks,
)
from tenants.answers import PROGRAMS, in_json
from tenants.described import ERROR, Schema, operation, text, whole
from tenants.views import without_tenant

INTRODUCTION = """\
Everything takes and answers JSON; an error is `{"error", "field"}`. A signed-in member of several
tenants puts `/t/<tenant>` before an address. Ids of others are answered like unknown ones: 404.
"""
SECURITY: Schema = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key of the organisation, a member's token or a person's. `Token` and "
        "`Api-Token` are the same as `Bearer`.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": settings.SESSION_COOKIE_NAME,
        "description": "A signed-in member; writes need the CSRF token as well.",
    },
    "cron": {"type": "apiKey", "in": "header", "name": "x-cron-secret"},
}
IN_PATH: dict[str, Schema] = {
    "org": text("the tenant's slug, the credential's own", pattern="^[-a-zA-Z0-9_]+$"),
    "user_id": text("the host application's id of the person", minLength=1, maxLength=200),
    "agent": text("the agent's slug or UUID"),
    "name": text("the agent's slug or UUID"),
    "agent_uid": text("the agent's UUID", format="uuid"),
    "hook_uid": text("the hook's UUID", format="uuid"),
    "id": whole("its number", minimum=0),
    "workflow": text("the workflow, by any name", minLength=1, maxLength=200),
    "replica": text("the replica, by any name", minLength=1, maxLength=200),
}
UID = text("its id; one that is no UUID is nobody's", minLength=1)  # where ids are no numbers
EXAMPLES = {
    "org": "acme",
    "user_id": "user123",
    "agent": "python-tutor",
    "name": "python-tutor",
    "agent_uid": "0b7f3c52-8c55-4d0e-9d6a-0d0c7c1f1f11",
    "hook_uid": "3c1f0b7f-8c55-4d0e-9d6a-0d0c7c1f1f22",
    "id": 4,
    "workflow": "pipeline-1",
    "replica": "edge-1",
}
SHAPES = (
    shapes_loop, shapes_people, shapes_tools, shapes_memory, shapes_replicas, shapes_setting,
    shapes_webhooks, shapes_byok,
)  # fmt: skip
OLDER = "/api/ai-mentor/"  # the older spelling of contract 2
_PARAMETER = re.compile(r"{(\w+)}")
_CONVERTED = re.compile(r"<(?:\w+:)?(\w+)>")


@without_tenant
@in_json
def schema(request: HttpRequest) -> HttpResponse:
    """The schema as JSON. It depends on the code alone, so a process makes it once."""
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed(request.method or "")
    return HttpResponse(_rendered(), content_type="application/json")


class Docs(SpectacularSwaggerSplitView):
    """The schema as a page. Its script comes from an address of its own: nothing is inline."""

    authentication_classes: Sequence[Any] = ()
    permission_classes: Sequence[Any] = ()
    url_name = "schema"
    template_name = "config/docs.html"
    without_tenant = True


def whole_schema() -> Schema:
    made: Schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


@lru_cache(maxsize=1)
def _rendered() -> bytes:
    return json.dumps(whole_schema(), ensure_ascii=False).encode()


def complete(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """drf-spectacular's POSTPROCESSING_HOOK: the rest of the surface, in the order of addresses."""
    found: dict[str, Schema] = {**result["paths"], **dict(_plain_routes())}
    found["/api/schema/"] = {
        "get": operation(
            "Read this schema",
            tag="The schema",
            usual=(),
            security=[{}],
            answers={
                200: {
                    "description": "OpenAPI 3.1",
                    "content": {"application/json": {"schema": {"type": "object"}}},
                }
            },
        )
    }
    result["paths"] = {}
    for address in sorted(found, key=lambda each: (each.startswith(OLDER), each)):
        path = address.replace("{number}", "{id}").replace("{uid}", "{id}")
        result["paths"][path] = {
            verb: _named(path, verb, copy.deepcopy(made)) for verb, made in found[address].items()
        }
    result["info"] = {"title": "Keepsake", "version": _version(), "description": INTRODUCTION}
    result["components"] = {
        "schemas": {"Error": ERROR, **_shapes()},
        "securitySchemes": SECURITY,
    }
    return result


def _shapes() -> Schema:
    """Of every interface; a name that two of them use would hide one, so it is a mistake."""
    shapes: Schema = {}
    for module in SHAPES:
        assert not shapes.keys() & module.SHAPES.keys(), module.__name__
        shapes |= module.SHAPES
    return shapes


def _version() -> str:
    with open(settings.BASE_DIR / "pyproject.toml", "rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def _named(path: str, verb: str, made: Schema) -> Schema:
    """The operation with its name, and with the parameters that its address has."""
    words = re.findall(r"\w+", path.removeprefix("/api/").replace("-", "_"))
    of_path = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": what["description"],
            "schema": {k: v for k, v in what.items() if k != "description"},
            "example": example,
        }
        for name in _PARAMETER.findall(path)
        for what, example in [_in_path(name, path)]
    ]
    made = {
        "operationId": "_".join([*words, verb]),
        **made,
        "parameters": [*of_path, *made.get("parameters", ())],
    }
    if path.startswith(OLDER):
        made["deprecated"] = True
        made["tags"] = ["The older spelling"]
    return made


def _in_path(name: str, path: str) -> tuple[Schema, Any]:
    if name == "id" and path.startswith("/v1/"):
        return UID, EXAMPLES["agent_uid"]
    return IN_PATH[name], EXAMPLES[name]


def _plain_routes() -> Iterator[tuple[str, Schema]]:
    """Views that are not REST framework's, by what they say about themselves."""
    for address, view in routes():
        made = getattr(view, "operation", None)
        if made is not None:
            yield address, {"post": made}


def routes(
    patterns: Sequence[URLPattern | URLResolver] | None = None, before: str = "/"
) -> Iterator[tuple[str, Any]]:
    """Every address that answers programs, with its view, parameters as `{name}`."""
    for each in get_resolver().url_patterns if patterns is None else patterns:
        address = before + _CONVERTED.sub(r"{\1}", str(each.pattern))
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, address)
        elif address.startswith(PROGRAMS):
            yield address, each.callback
