"""The one tolerant parser: from a model's reply to typed values, or a failure with a name.

Around the JSON it forgives code fences, prose, thinking and trailing commas; inside, renamed keys,
a list without its frame and one object instead of a list. It never forgives emptiness: no
content, a refusal and a cut reply are failures, not "nothing found", and so is a reply in which
no item was usable. One bad item is put aside with its reason and does not lose the others.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from memory.providers.errors import Empty, Refused, Truncated, Unparseable

T = TypeVar("T", bound=BaseModel)

_THINKING = re.compile(
    r"<(think|thinking|thought|reasoning|reflection)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.S | re.I
)
_STRAY_END = re.compile(r"\A.*?</(?:think|thinking|thought|reasoning|reflection)\s*>", re.S | re.I)
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.S)
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STARTS = 100  # places tried for the beginning of the JSON


@dataclass(frozen=True)
class Refusal:
    """An item that could not be used: its place in the list, from 1, and why."""

    place: int
    reason: str


@dataclass(frozen=True)
class Parsed(Generic[T]):
    """The usable items, and the others with their reasons."""

    items: Sequence[T]
    refused: Sequence[Refusal] = ()


def content_of(message: Mapping[str, Any]) -> str:
    """A message's text: a string, or a list of parts joined; "" where there is none."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = (part if isinstance(part, str) else _part(part) for part in content)
        return "".join(parts)
    return ""


def reply_text(choice: Mapping[str, Any]) -> str:
    """The text of a finished reply. Raises Refused, Truncated or Empty."""
    message = choice.get("message") or {}
    finish = choice.get("finish_reason")
    if refusal := message.get("refusal") or _refusal_part(message.get("content")):
        raise Refused(str(refusal)[:300])
    if finish == "content_filter":
        raise Refused("the server's content filter stopped the reply")
    if finish in ("length", "max_tokens"):
        raise Truncated("the reply was cut at the model's output limit")
    text = without_thinking(content_of(message)).strip()
    if not text:
        raise Empty("the reply had no content")
    return text


def without_thinking(text: str) -> str:
    """The text after what a reasoning model thought aloud; a start tag may be missing."""
    return _STRAY_END.sub("", _THINKING.sub("", text))


def json_of(text: str) -> Any:
    """The first JSON object, or list of objects, in the text. Raises Unparseable."""
    decoder = json.JSONDecoder(strict=False)
    for candidate in (text, _without_trailing_commas(text)):
        tried = 0
        for match in re.finditer(r"[{\[]", candidate):
            tried += 1
            if tried > _STARTS:
                break
            try:
                value, _ = decoder.raw_decode(candidate, match.start())
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) or all(isinstance(item, dict) for item in value):
                return value
    raise Unparseable("no JSON object in the reply")


def parse_list(text: str, *, frame: str, others: Sequence[str], item: type[T]) -> Parsed[T]:
    """A list of items: bare, in an object under `frame` or one of `others`, or one item alone.

    Raises Unparseable when there is no such list, or when there is one and no item is usable.
    """
    value = _plain_keys(json_of(text))
    if isinstance(value, dict):
        named = next((name for name in (frame, *others) if name in value), None)
        if named is not None and isinstance(value[named], (list, dict)):
            value = value[named]
        elif named == frame:
            raise Unparseable(f"`{frame}` is not a list")
        if isinstance(value, dict):
            value = [value]
    return items(value, item)


def items(values: Sequence[Any], item: type[T]) -> Parsed[T]:
    """Each value as an `item`; Unparseable when there are values and none is one."""
    good: list[T] = []
    refused: list[Refusal] = []
    for place, value in enumerate(values, start=1):
        try:
            good.append(item.model_validate(value))
        except ValidationError as error:
            refused.append(Refusal(place, reason_of(error)))
    if refused and not good:
        raise Unparseable(f"no usable item in the reply; the first: {refused[0].reason}")
    return Parsed(good, refused)


def parse_object(text: str) -> dict[str, Any] | list[Any]:
    """The reply's JSON with keys in one spelling (`triggerPatterns` is `trigger_patterns`)."""
    value = _plain_keys(json_of(text))
    assert isinstance(value, (dict, list))
    return value


def reason_of(error: ValidationError) -> str:
    """The first thing wrong, without the value (it may be anything)."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _part(part: object) -> str:
    if not isinstance(part, Mapping):
        return ""
    if part.get("type", "text") not in ("text", "output_text"):
        return ""  # thinking, images
    text = part.get("text")
    if isinstance(text, Mapping):
        text = text.get("value")
    return text if isinstance(text, str) else ""


def _refusal_part(content: object) -> str:
    if not isinstance(content, list):
        return ""
    return "".join(
        str(part["refusal"]) for part in content if isinstance(part, dict) and part.get("refusal")
    )


def _without_trailing_commas(text: str) -> str:
    return _STRING_OR_COMMA.sub(lambda match: "" if match.group() == "," else match.group(), text)


def _plain_keys(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_keys(item) for item in value]
    if isinstance(value, dict):
        return {_plain_key(str(key)): _plain_keys(inner) for key, inner in value.items()}
    return value


def _plain_key(key: str) -> str:
    return _WORD_START.sub("_", key.strip()).replace("-", "_").replace(" ", "_").lower()
