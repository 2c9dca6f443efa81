"""Raw JSON arguments to typed ones, or a `ToolError` that names the field. Pure.

Nothing is converted: "12345", `{"a": 1}` in quotes and "null" are texts and stay as they were
sent; "10" is no number. Optional arguments may be null, as models that fill in every field do.
"""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory.models.draft import CONTENT_LIMIT
from memory.providers.cleaning import clean, contains_secret
from memory.tools.outcome import NO_SECRETS, ToolError

KEY_LIMIT = 200
CATEGORY_LIMIT = 100
QUERY_LIMIT = 200
LIST_LIMIT = 200
LIST_DEFAULT = 50

_KEY = re.compile(r"[A-Za-z0-9_-]+")


def typed(name: str, raw: object) -> dict[str, Any]:
    """The keyword arguments of the tool `name`; ToolError for a tool or argument there is not."""
    if name not in _READERS:
        raise ToolError(f"there is no tool {name!r:.60}; there are: {', '.join(_READERS)}")
    if not isinstance(raw, Mapping):
        raise ToolError("expected an object with named arguments")
    known = _ARGUMENTS[name]
    for given in raw:
        if given not in known:
            raise ToolError(
                f"{name} takes no such argument; it takes: {', '.join(known)}",
                field=str(given)[:60],
            )
    return _READERS[name](raw)


def _remember(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "content": _content(raw, required=True),
        "key": _key(raw),
        "category": _category(raw),
        "pinned": _flag(raw, "pinned"),
    }


def _list(raw: Mapping[str, Any]) -> dict[str, Any]:
    query = _text(raw, "query", QUERY_LIMIT)
    return {"category": _category(raw), "query": query, "limit": _limit(raw)}


def _update(raw: Mapping[str, Any]) -> dict[str, Any]:
    changes = {
        "content": _content(raw, required=False),
        "category": _category(raw),
        "pinned": _flag(raw, "pinned"),
    }
    which = _which(raw)
    if all(value is None for value in changes.values()):
        raise ToolError("expected content, category or pinned to change", field="content")
    return {**which, **changes}


def _forget(raw: Mapping[str, Any]) -> dict[str, Any]:
    return _which(raw)


def _status(raw: Mapping[str, Any]) -> dict[str, Any]:
    value = raw.get("id")
    if not isinstance(value, str):
        raise ToolError("expected the id that an earlier answer gave, a string", field="id")
    return {"id": id_in(value)}


_READERS = {
    "remember": _remember,
    "list_memories": _list,
    "update_memory": _update,
    "forget": _forget,
    "status": _status,
}
_ARGUMENTS = {
    "remember": ("content", "key", "category", "pinned"),
    "list_memories": ("category", "query", "limit"),
    "update_memory": ("id", "key", "content", "category", "pinned"),
    "forget": ("id", "key"),
    "status": ("id",),
}


def id_in(value: str, *, field: str = "id") -> UUID:
    """What is no id at all answers like one that nobody has."""
    try:
        return UUID(value)
    except ValueError:
        raise unknown(field) from None


def unknown(field: str) -> ToolError:
    return ToolError(
        f"there is no memory of this person with this {field}", field=field, status=404
    )


def _which(raw: Mapping[str, Any]) -> dict[str, Any]:
    """One of id and key."""
    value, key = raw.get("id"), _key(raw)
    if (value is None) == (key is None):
        raise ToolError("expected either id or key" + (", not both" if key else ""), field="id")
    if value is None:
        return {"id": None, "key": key}
    if not isinstance(value, str):
        raise ToolError("expected a string", field="id")
    return {"id": id_in(value), "key": None}


def _content(raw: Mapping[str, Any], *, required: bool) -> str | None:
    value = raw.get("content")
    if value is None:
        if required:
            raise ToolError("expected the text to remember, a string", field="content")
        return None
    if not isinstance(value, str):
        raise ToolError(f"expected a string, got {_kind(value)}", field="content")
    text = value.strip()
    if not clean(text).text.strip():
        raise ToolError("expected a text that is not empty", field="content")
    if len(text) > CONTENT_LIMIT:
        raise ToolError(
            f"{len(text)} characters, at most {CONTENT_LIMIT} are taken", field="content"
        )
    return text


def _key(raw: Mapping[str, Any]) -> str | None:
    value = raw.get("key")
    if value is None:
        return None
    if not isinstance(value, str):
        raise ToolError(f"expected a string, got {_kind(value)}", field="key")
    if len(value) > KEY_LIMIT:
        raise ToolError(f"{len(value)} characters, at most {KEY_LIMIT} are taken", field="key")
    if not _KEY.fullmatch(value):
        raise ToolError("expected letters A-Z, digits, - and _, no spaces", field="key")
    return value


def _category(raw: Mapping[str, Any]) -> str | None:
    value = _text(raw, "category", CATEGORY_LIMIT)
    if value is not None and not value:
        raise ToolError("expected a name that is not empty", field="category")
    return value


def _text(raw: Mapping[str, Any], name: str, limit: int) -> str | None:
    value = raw.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ToolError(f"expected a string, got {_kind(value)}", field=name)
    if contains_secret(value):
        raise ToolError(NO_SECRETS, field=name)
    text = clean(value).text.strip()
    if len(text) > limit:
        raise ToolError(f"{len(text)} characters, at most {limit} are taken", field=name)
    return text


def _flag(raw: Mapping[str, Any], name: str) -> bool | None:
    value = raw.get(name)
    if value is None or isinstance(value, bool):
        return value
    raise ToolError(f"expected true or false, got {_kind(value)}", field=name)


def _limit(raw: Mapping[str, Any]) -> int:
    value = raw.get("limit")
    if value is None:
        return LIST_DEFAULT
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LIST_LIMIT:
        raise ToolError(f"expected a whole number from 1 to {LIST_LIMIT}", field="limit")
    return value


def _kind(value: object) -> str:
    """In JSON's words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "an object"
