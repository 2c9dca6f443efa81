"""`Language` for any chat model: prompts above, a transport below, the tolerant parser between."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from memory.models.draft import (
    DESCRIPTION_LIMIT,
    PATTERN_LIMIT,
    PATTERNS_LIMIT,
    Draft,
    Presence,
)
from memory.providers import contradicting, extracting, judging, relating, summarizing
from memory.providers.cleaning import clean
from memory.providers.errors import Unparseable
from memory.providers.named import Entities, Named
from memory.providers.parsing import (
    Parsed,
    Refusal,
    items,
    parse_list,
    parse_object,
    reason_of,
    reply_text,
)
from memory.providers.prompts import (
    OBSERVE,
    RECONCILE,
    observe_messages,
    prompt_hash,
    reconcile_messages,
)
from memory.providers.replies import (
    DecideReply,
    FindingReply,
    MutationReply,
    ObserveReply,
    strict_schema,
)
from memory.providers.thinking import spoken
from memory.providers.types import (
    Call,
    ChatMessage,
    ChatTransport,
    Compared,
    Comparison,
    Decision,
    Exchange,
    Extracted,
    Fact,
    Finding,
    Function,
    Judged,
    Made,
    Notes,
    Observed,
    Proposal,
    Question,
    Relevances,
    Transcript,
)

log = logging.getLogger(__name__)

OBSERVE_SCHEMA = strict_schema("observations", ObserveReply)
RECONCILE_SCHEMA = strict_schema("decision", DecideReply)
PROPOSALS_LIMIT = 10  # of one observation; more is a model that runs away
REASONING_LIMIT = 500
_LABEL = 80  # characters of content that stand in for a missing description


class PromptedLanguage:
    """A chat model that observes, reconciles, compares and answers."""

    def __init__(self, transport: ChatTransport) -> None:
        self._transport = transport
        self._observes = self._made(OBSERVE, OBSERVE_SCHEMA)
        self._reconciles = self._made(RECONCILE, RECONCILE_SCHEMA)
        self.made = transport.made

    def observe(self, transcript: Transcript, *, timeout: float) -> Observed:
        """What the new turns of the user say. The model is not asked when there are none.

        A quote or turn that is not in the transcript is handed on as it is, with `turn` None if
        no such turn was shown: the stage decides what such a finding is worth.
        """
        new = [turn for turn in transcript.turns if turn.role == "user" and not turn.context]
        if not any(turn.text.strip() for turn in new):
            return Observed([], self._observes)
        text = self._ask(observe_messages(transcript), OBSERVE_SCHEMA, timeout)
        parsed = parse_list(
            text,
            frame="observations",
            others=("findings", "facts", "statements", "memories", "items", "results"),
            item=FindingReply,
        )
        _note("observe", parsed.refused)
        shown = {turn.number for turn in transcript.turns if turn.role != "system"}
        findings = [
            Finding(
                statement=clean(item.statement).text,
                quote=clean(item.quote).text,
                turn=item.turn if item.turn in shown else None,
            )
            for item in parsed.items
        ]
        return Observed(findings, self._observes)

    def reconcile(self, question: Question, *, timeout: float) -> Decision:
        """What to do with the observation. Numbers that were not shown are never acted upon."""
        text = self._ask(reconcile_messages(question), RECONCILE_SCHEMA, timeout)
        reply, mutations = _decided(parse_object(text))
        reasoning = clean(reply.reasoning).text[:REASONING_LIMIT]
        if reply.action == "mutate":
            proposals, refused = _proposals(mutations.items, question)
            _note("reconcile", [*mutations.refused, *refused])
            if not proposals:
                why = refused[0].reason if refused else "no mutation given"
                raise Unparseable(f"`mutate` without a usable mutation: {why}")
            return Decision("mutate", reasoning, self._reconciles, proposals)
        if reply.action == "repeat":
            if reply.about not in {known.number for known in question.known}:
                raise Unparseable("`repeat` about an entry that was not shown")
            return Decision("repeat", reasoning, self._reconciles, about=reply.about)
        return Decision(reply.action, reasoning, self._reconciles)

    def extract(self, exchange: Exchange, *, timeout: float) -> Extracted:
        """Facts about the user by category. Not asked when the user said nothing."""
        new = [t for t in exchange.transcript.turns if t.role == "user" and not t.context]
        schema = extracting.schema(exchange.categories)
        made = self._made(extracting.EXTRACT, schema)
        if not any(turn.text.strip() for turn in new):
            return Extracted([], made)
        text = self._ask(extracting.messages(exchange), schema, timeout)
        facts, refused = extracting.facts(text)
        _note("extract", refused)
        shown = {turn.number for turn in exchange.transcript.turns}
        return Extracted(
            [
                Fact(
                    clean(fact.content).text,
                    fact.category,
                    clean(fact.quote).text,
                    fact.turn if fact.turn in shown else None,
                )
                for fact in facts
            ],
            made,
        )

    def contradictions(self, comparison: Comparison, *, timeout: float) -> Compared:
        """Which stored texts the new one contradicts. Not asked when there is nothing."""
        made = self._made(contradicting.CONTRADICT, contradicting.SCHEMA)
        if not comparison.text.strip() or not any(text.strip() for text in comparison.stored):
            return Compared([], made)
        text = self._ask(contradicting.messages(comparison), contradicting.SCHEMA, timeout)
        found, refused = contradicting.conflicts(text, comparison)
        _note("contradictions", refused)
        return Compared(
            [
                replace(one, description=_shortened(clean(one.description).text, REASONING_LIMIT))
                for one in found
            ],
            made,
        )

    def relevance(self, judged: Judged, *, timeout: float) -> Relevances:
        """How relevant each note is. Not asked when there is none."""
        made = self._made(judging.JUDGE, judging.SCHEMA)
        if not judged.texts:
            return Relevances([], made)
        text = self._ask(judging.messages(judged), judging.SCHEMA, timeout)
        return Relevances(judging.scores(text, judged), made)

    def summary(self, notes: Notes, *, timeout: float) -> str:
        """A brief of the notes in Markdown."""
        text = self._ask(summarizing.messages(notes), summarizing.SCHEMA, timeout)
        return summarizing.summary(text)

    def entities(self, texts: Sequence[str], *, timeout: float) -> Entities:
        """What each text names and relates. Whether the text has the name, the stage sees."""
        made = self._made(relating.RELATE, relating.SCHEMA)
        if not any(text.strip() for text in texts):
            return Entities([Named() for _ in texts], made)
        reply = self._ask(relating.messages(texts), relating.SCHEMA, timeout)
        found, refused = relating.named(reply, texts)
        _note("entities", refused)
        return Entities(found, made)

    def answer(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        """The reply in pieces, without what the model thought aloud."""
        return spoken(self._transport.stream(messages, timeout=timeout))

    def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        functions: Sequence[Function],
        may_call: bool,
        timeout: float,
    ) -> Iterator[str | Call]:
        """The round's text without what the model thought aloud, then its calls."""
        calls: list[Call] = []

        def texts() -> Iterator[str]:
            for each in self._transport.converse(
                messages, functions=functions, may_call=may_call, timeout=timeout
            ):
                if isinstance(each, Call):
                    calls.append(each)
                else:
                    yield each

        yield from spoken(texts())
        yield from calls

    def _ask(self, messages: Sequence[ChatMessage], schema: dict[str, Any], timeout: float) -> str:
        return reply_text(self._transport.complete(messages, schema=schema, timeout=timeout))

    def _made(self, prompt: str, schema: dict[str, Any]) -> Made:
        return replace(self._transport.made, prompt_hash=prompt_hash(prompt, schema))


def _decided(value: dict[str, Any] | list[Any]) -> tuple[DecideReply, Parsed[MutationReply]]:
    """The decision and its mutations; a bare mutation, or a list of them, is a `mutate`."""
    if isinstance(value, list):
        value = {"action": "mutate", "mutations": value}
    elif "decision" in value and isinstance(value["decision"], dict):
        value = value["decision"]  # the schema's name as a frame
    name = next((name for name in _MUTATIONS if name in value), "mutations")
    given = value.get(name)
    bare = not given and ("operation" in value or ("key" in value and "content" in value))
    mutations = [value] if bare else [given] if isinstance(given, dict) else given or []
    rest = {key: inner for key, inner in value.items() if key not in _MUTATIONS}
    if bare or (mutations and not any(key in rest for key in _ACTIONS)):
        rest["action"] = "mutate"
    try:
        reply = DecideReply.model_validate(rest)
    except ValidationError as error:
        raise Unparseable(f"not a decision: {reason_of(error)}") from error
    if reply.action != "mutate" or not isinstance(mutations, list):
        return reply, Parsed([])
    return reply, items(mutations, MutationReply)


_MUTATIONS = ("mutations", "mutation", "proposals", "changes", "operations")
_ACTIONS = ("action", "decision", "verdict", "outcome", "result")


def _proposals(
    mutations: Sequence[MutationReply], question: Question
) -> tuple[list[Proposal], list[Refusal]]:
    targets = {known.number for known in question.known if known.state == "memory"}
    proposals: list[Proposal] = []
    refused: list[Refusal] = []
    for place, mutation in enumerate(mutations, start=1):
        try:
            if place > PROPOSALS_LIMIT:
                raise ValueError(f"more than {PROPOSALS_LIMIT} mutations for one observation")
            proposal = _proposal(mutation, targets)
        except ValidationError as error:
            refused.append(Refusal(place, reason_of(error)))
        except ValueError as error:
            refused.append(Refusal(place, str(error)))
        else:
            if proposal.target is not None:
                targets.discard(proposal.target)  # one change a target: the second would be stale
            proposals.append(proposal)
    return proposals, refused


def _proposal(mutation: MutationReply, targets: set[int]) -> Proposal:
    """Raises ValueError with the reason when the mutation cannot be one."""
    if mutation.operation != "add" and mutation.target not in targets:
        raise ValueError(f"{mutation.operation} of a memory that was not shown, or twice")
    if mutation.operation == "delete":
        return Proposal("delete", target=mutation.target)
    fields = _fields(mutation)
    if mutation.operation == "modify":
        if not fields:
            raise ValueError("modify without a field that changes")
        return Proposal("modify", Draft.model_validate(fields), mutation.target)
    if not fields.get("key") or not fields.get("content"):
        raise ValueError("add without key or content")
    fields.setdefault("description", _shortened(fields["content"], _LABEL))
    fields.setdefault("presence", Presence.ON_DEMAND)
    return Proposal("add", Draft.model_validate(fields))


def _fields(mutation: MutationReply) -> dict[str, Any]:
    """The draft's fields that were given, cleaned. A pattern without a trigger is no pattern."""
    fields: dict[str, Any] = {}
    for name in ("key", "description", "content"):
        if value := getattr(mutation, name):
            fields[name] = clean(value).text
    if "description" in fields:
        fields["description"] = _shortened(fields["description"], DESCRIPTION_LIMIT)
    stripped = (clean(pattern).text.strip() for pattern in mutation.trigger_patterns or ())
    patterns = tuple(dict.fromkeys(one for one in stripped if 0 < len(one) <= PATTERN_LIMIT))
    if patterns:
        fields["trigger_patterns"] = patterns[:PATTERNS_LIMIT]
    if mutation.presence and (mutation.presence is not Presence.PATTERN or patterns):
        fields["presence"] = mutation.presence
    return fields


def _shortened(text: str, limit: int) -> str:
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head[: head.rfind(" ")] if " " in head[limit // 2 :] else head).rstrip() + "…"


def _note(call: str, refused: Sequence[Refusal]) -> None:
    for refusal in refused:
        log.warning("%s: item %d of the reply refused: %s", call, refusal.place, refusal.reason)
