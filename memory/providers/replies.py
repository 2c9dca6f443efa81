"""What a model is asked to reply: the pydantic shapes, and their JSON schemas for strict output.

Tolerant on the way in: renamed common keys, other spellings of a word, numbers as text, unknown
fields. Strict on the way out: the schema names every field and allows no other.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from memory.models.draft import CONTENT_LIMIT, Presence

_NUMBER = re.compile(r"\d{1,9}")


def _number(value: object) -> object:
    """3, 3.0, "3", "turn 3" and "[3]" are 3; anything else is no number (and never an id)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        found = _NUMBER.findall(value)
        return int(found[0]) if len(found) == 1 and len(value) <= 20 else None
    return value if isinstance(value, int) else None


def _word(**others: str) -> BeforeValidator:
    """Other words for the few that are asked for."""

    def translate(value: object) -> object:
        if not isinstance(value, str):
            return value
        word = re.sub(r"[\s_-]+", "_", value.strip().casefold())
        return next((ours for ours, theirs in others.items() if word in theirs.split()), word)

    return BeforeValidator(translate)


def _presence(value: object) -> object:
    if not isinstance(value, str):
        return value
    word = re.sub(r"[\s_-]+", "-", value.strip().casefold())
    if word in ("always", "global", "permanent"):
        return "omnipresent"
    if word in ("trigger", "triggered", "keyword", "keywords", "patterns"):
        return "pattern"
    return "on-demand" if word in ("ondemand", "demand", "search", "searched", "") else word


def _texts(value: object) -> object:
    """One pattern or a comma-separated line is a list of patterns."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _names(value: object) -> object:
    """Names as texts, also where each came as an object with its name."""
    if value is None or isinstance(value, str):
        return [value] if value else []
    if not isinstance(value, list):
        return value
    each = [one.get("name") or one.get("text") if isinstance(one, dict) else one for one in value]
    return [one for one in each if isinstance(one, str)]


def _usable(value: object) -> object:
    """Relations that have both ends, as objects or as triples; a broken one spoils no other."""
    if not isinstance(value, list):
        return [] if value is None else value
    found = []
    for one in value:
        if isinstance(one, list) and len(one) == 3:
            one = dict(zip(("subject", "verb", "object"), one, strict=True))
        try:
            found.append(LinkReply.model_validate(one))
        except ValidationError:
            continue
    return found


Number = Annotated[int | None, BeforeValidator(_number)]
Text = Annotated[str, Field(min_length=1, max_length=CONTENT_LIMIT)]


class _Reply(BaseModel):
    model_config = ConfigDict(
        extra="ignore", str_strip_whitespace=True, populate_by_name=True, frozen=True
    )


def _or(*names: str) -> Any:
    return AliasChoices(*names)


class FindingReply(_Reply):
    """One statement about the user with the words it rests on."""

    statement: Text = Field(
        validation_alias=_or(
            "statement", "text", "fact", "observation", "content", "memory", "claim"
        )
    )
    quote: str = Field(
        default="",
        validation_alias=_or("quote", "evidence", "source_text", "excerpt", "supporting_quote"),
    )
    turn: Number = Field(
        default=None,
        validation_alias=_or(
            "turn", "turn_number", "number", "message", "message_number", "source_turn",
            "source_message_id", "message_id", "source",
        ),
    )  # fmt: skip


class ObserveReply(_Reply):
    """What observe asks for."""

    observations: list[FindingReply]


class MutationReply(_Reply):
    """One proposed change. Fields that do not apply are null."""

    operation: Annotated[
        Literal["add", "modify", "delete"],
        _word(
            add="create insert new save store append",
            modify="update edit change patch replace revise merge",
            delete="remove drop forget erase",
        ),
    ] = Field(validation_alias=_or("operation", "op", "action", "type", "event"))
    target: Number = Field(
        default=None,
        validation_alias=_or("target", "target_number", "number", "id", "memory_id", "target_id"),
    )
    key: str | None = Field(default=None, validation_alias=_or("key", "path", "slug"))
    description: str | None = Field(
        default=None, validation_alias=_or("description", "label", "title", "summary")
    )
    content: str | None = Field(
        default=None,
        validation_alias=_or("content", "text", "value", "memory", "body", "new_content"),
    )
    presence: Annotated[Presence | None, BeforeValidator(_presence)] = None
    trigger_patterns: Annotated[list[str] | None, BeforeValidator(_texts)] = Field(
        default=None,
        validation_alias=_or("trigger_patterns", "triggers", "patterns", "trigger", "keywords"),
    )


class DecideReply(_Reply):
    """What reconcile asks for."""

    reasoning: str = Field(
        default="", validation_alias=_or("reasoning", "reason", "rationale", "explanation", "why")
    )
    action: Annotated[
        Literal["mutate", "defer", "discard", "repeat"],
        _word(
            mutate="mutation mutations change propose apply add modify delete create update remove",
            defer="wait later postpone undecided unsure",
            discard="ignore skip drop none noop no_op no_change reject nothing",
            repeat="duplicate restate restates restated confirm confirms confirmation repeated",
        ),
    ] = Field(validation_alias=_or("action", "decision", "verdict", "outcome", "result"))
    about: Number = Field(
        default=None, validation_alias=_or("about", "repeats", "duplicate_of", "same_as")
    )
    mutations: list[MutationReply] = Field(
        default=[],
        validation_alias=_or("mutations", "mutation", "proposals", "changes", "operations"),
    )


class ContradictionReply(_Reply):
    """One stored note that the new one contradicts."""

    number: Number = Field(validation_alias=_or("number", "id", "note", "stored", "target"))
    severity: Annotated[
        Literal["high", "medium", "low"],
        _word(high="critical severe strong", medium="moderate mid", low="minor weak"),
    ] = Field(validation_alias=_or("severity", "level"))
    description: str = Field(
        default="", validation_alias=_or("description", "reason", "explanation", "why")
    )


class ContradictionsReply(_Reply):
    """What the contradiction check asks for."""

    contradictions: list[ContradictionReply]


class RelevanceReply(_Reply):
    """How relevant one note is."""

    number: Number = Field(validation_alias=_or("number", "id", "note"))
    relevance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        validation_alias=_or("relevance", "score", "relevance_score")
    )


class RelevancesReply(_Reply):
    """What the judge of relevance asks for."""

    relevances: list[RelevanceReply]


class LinkReply(_Reply):
    """What a note says of two things."""

    subject: str = Field(
        min_length=1, validation_alias=_or("subject", "source", "from", "head", "entity")
    )
    verb: str = Field(
        default="", validation_alias=_or("verb", "relation", "predicate", "type", "label")
    )
    object: str = Field(min_length=1, validation_alias=_or("object", "target", "to", "tail"))


class NamedReply(_Reply):
    """What one note speaks of."""

    number: Number = Field(default=None, validation_alias=_or("number", "id", "note"))
    names: Annotated[list[str], BeforeValidator(_names)] = Field(
        default=[], validation_alias=_or("names", "entities", "things", "mentions")
    )
    relations: Annotated[list[LinkReply], BeforeValidator(_usable)] = Field(
        default=[], validation_alias=_or("relations", "links", "edges", "triples", "facts")
    )


class NotesReply(_Reply):
    """What the graph asks for."""

    notes: list[NamedReply]


_KEPT = ("type", "enum", "const", "items", "anyOf", "$ref", "description")


def strict_schema(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """`{"name", "schema"}` as strict structured output takes it: all required, nothing else."""
    made = model.model_json_schema(by_alias=False)

    def strict(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        kept = {word: node[word] for word in _KEPT if word in node}
        if "anyOf" in kept:
            kept["anyOf"] = [strict(option) for option in kept["anyOf"]]
        if "items" in kept:
            kept["items"] = strict(kept["items"])
        if "properties" in node:
            kept["properties"] = {key: strict(value) for key, value in node["properties"].items()}
            kept["required"] = list(node["properties"])
            kept["additionalProperties"] = False
        return kept

    schema = strict(made)
    schema["$defs"] = {key: strict(value) for key, value in made.get("$defs", {}).items()}
    return {"name": name, "schema": schema}
