"""What a route says about itself in the schema: one operation of OpenAPI 3.1 a method.

`described` hangs the operation on the method of a view (for drf-spectacular) or on a plain view;
`config.openapi` collects them, and adds what the address says: its parameters and a name.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema

View = TypeVar("View", bound=Callable[..., Any])
Schema = dict[str, Any]

KEY: list[dict[str, list[str]]] = [{"key": []}, {"session": []}]
WHY = {
    400: "malformed; `field` names what to change",
    401: "no usable key",
    403: "the caller may not do this",
    404: "not there, or not the caller's: the same answer",
    409: "it contradicts what is there",
    413: "the request is too large",
    415: "the body is not JSON",
    429: "too often; `Retry-After` says when to ask again",
    503: "the database is away",
}
USUAL = (400, 401, 403, 404)  # of every route under a key


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def whole(description: str, **more: Any) -> Schema:
    return {"type": "integer", "description": description, **more}


def switch(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def moment(description: str) -> Schema:
    return text(description, format="date-time")


def record(
    properties: Mapping[str, Schema],
    *,
    example: Any,
    required: Sequence[str] | None = None,
    closed: bool = True,
) -> Schema:
    """An object; all its fields are required unless named. `closed`: it has no others."""
    schema: Schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties) if required is None else list(required),
        "examples": [example],
    }
    if not schema["required"]:
        del schema["required"]
    if closed:
        schema["additionalProperties"] = False
    return schema


def asked(name: str, schema: Schema, *, example: Any = None) -> Schema:
    """A parameter in the query."""
    parameter = {
        "name": name,
        "in": "query",
        "description": schema.get("description", ""),
        "schema": {key: value for key, value in schema.items() if key != "description"},
    }
    return parameter if example is None else {**parameter, "example": example}


def operation(
    summary: str,
    *,
    tag: str,
    answers: Mapping[int, str | Schema | None],
    refuses: Sequence[int] = (),
    usual: Sequence[int] = USUAL,
    takes: str | Schema | None = None,
    may_be_empty: bool = False,
    queries: Sequence[Schema] = (),
    notes: str = "",
    security: Sequence[Mapping[str, list[str]]] | None = None,
) -> Schema:
    """An operation. An answer is a schema's name, a whole response object, or None: no body."""
    body = (413, 415) if takes is not None else ()
    made: Schema = {
        "summary": summary,
        "tags": [tag],
        "security": KEY if security is None else list(security),
        "parameters": list(queries),
        "responses": {
            **{str(code): _answer(answer) for code, answer in answers.items()},
            **{str(code): _refusal(code) for code in sorted({*usual, *refuses, *body})},
        },
    }
    if notes:
        made["description"] = notes
    if takes is not None:
        schema = ref(takes) if isinstance(takes, str) else takes
        made["requestBody"] = {
            "required": not may_be_empty,
            "content": {"application/json": {"schema": schema}},
        }
    return made


def described(summary: str, **parts: Any) -> Callable[[View], View]:
    """Decorates a view's method, or a plain view that takes POST."""
    made = operation(summary, **parts)

    def mark(view: View) -> View:
        view = extend_schema(operation=made)(view)
        view.operation = made  # type: ignore[attr-defined]
        return view

    return mark


def _answer(answer: str | Schema | None) -> Schema:
    if answer is None:
        return {"description": "done"}
    if isinstance(answer, str):
        return {
            "description": "as asked",
            "content": {"application/json": {"schema": ref(answer)}},
        }
    return answer


def _refusal(code: int) -> Schema:
    return {"description": WHY[code], "content": {"application/json": {"schema": ref("Error")}}}


ERROR = record(
    {
        "error": text("what was wrong"),
        "field": text("what to change, where one thing is at fault"),
        "code": text("which kind of refusal, for decisions"),
        "id": text("the number under which the log has a failure of ours"),
    },
    required=["error"],
    example={"error": "expected at least 10 characters, got 5", "field": "content"},
)
