"""What was said becomes rows: numbered messages, their pieces, and vectors where at hand.

`prepare` runs outside any block (it may call an embedder), `write` inside one. Capturing the same
caller's message id again is a duplicate, not an error. Nothing here can break a reply: the chat
catches and counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from psycopg.types.json import Jsonb

from agents.models import Conversation, Message
from agents.models.scope import in_scope
from memory.gate import Shut, gate
from memory.learning.index import Piece, write_pieces
from memory.providers import embedder_for
from memory.providers.cleaning import clean
from memory.providers.errors import ProviderError
from memory.providers.pieces import pieces
from memory.providers.types import Vector

MESSAGE_LIMIT = 100_000  # characters of one message; over it the message is refused
ID_LIMIT = 200  # characters of a caller's id
CHUNK_TOKENS = 512  # of one embedded piece: longer, and one vector says too little of its text
ROLES = frozenset(Message.Role.values)


@dataclass(frozen=True)
class Said:
    """A message as it came in. `id` is the caller's own; `occurred_at` is aware, or None: now."""

    role: str
    content: str
    id: str | None = None
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class Refused:
    id: str | None
    reason: str


@dataclass(frozen=True)
class Ready:
    """One message that can be written: cleaned, cut, and embedded where that worked."""

    said: Said
    text: str
    masked: tuple[str, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Prepared:
    ready: tuple[Ready, ...]
    refused: tuple[Refused, ...] = ()
    space: str = ""

    @property
    def is_embedded(self) -> bool:
        """Whether nothing is left to the embed stage."""
        return all(piece.vector is not None for each in self.ready for piece in each.pieces)


@dataclass
class Captured:
    """The answer of a capture. `reason` says why nothing at all was taken."""

    accepted: int = 0
    duplicates: int = 0
    refused: list[Refused] = field(default_factory=list)
    reason: str | None = None
    messages: list[Message] = field(default_factory=list)


def prepare(
    said: Sequence[Said], *, space: str, timeout: float, vectors: Sequence[Vector] | None = None
) -> Prepared:
    """Clean, cut and embed. `vectors`, one a message, are used instead when already computed.

    An embedder that fails leaves the vectors out; the embed stage fills them in later.
    """
    refused, kept = [], []
    for each in said:
        why = _why_not(each)
        if why:
            refused.append(Refused(each.id, why))
            continue
        cleaned = clean(each.content)
        if cleaned.text.strip():
            kept.append((each, cleaned, pieces(cleaned.text, CHUNK_TOKENS)))
        else:
            refused.append(Refused(each.id, "content: blank"))
    if vectors is not None and len(kept) == len(said) and all(len(cut) == 1 for *_, cut in kept):
        found = iter(vectors)
    else:
        found = iter(_embed([part for *_, cut in kept for part in cut], space, timeout))
    ready = []
    for each, cleaned, cut in kept:
        start, parts = 0, []
        for part in cut:
            vector = next(found, None)
            parts.append(Piece(start, start + len(part), part, vector))
            start += len(part)
        ready.append(Ready(each, cleaned.text, cleaned.masked, tuple(parts)))
    return Prepared(tuple(ready), tuple(refused), space)


def conversation_of(
    *,
    agent_id: int,
    visitor_id: int | None,
    external_id: str | None = None,
    uid: UUID | None = None,
    channel: str,
) -> Conversation:
    """This visitor's conversation on this agent, by our uid or the caller's id, or a new one.

    An id that is somebody else's finds nothing and starts a new conversation (D14).
    """
    own = Conversation.objects.filter(in_scope(agent_id, visitor_id))
    if external_id is not None:
        own = own.filter(external_id=external_id)
    elif uid is not None:
        own = own.filter(uid=uid)
    else:
        own = own.none()
    found = own.first()
    if found is not None:
        return found
    fresh = Conversation(
        agent_id=agent_id, visitor_id=visitor_id, channel=channel, external_id=external_id
    )
    if external_id is None:
        fresh.save()
        return fresh
    try:
        with transaction.atomic():
            fresh.save()
    except IntegrityError:  # the same caller's id, at the same time, from elsewhere
        return own.get()
    return fresh


def write(
    prepared: Prepared,
    *,
    conversation: Conversation,
    recalled: Sequence[int] = (),
    complete: bool = True,
) -> Captured:
    """Number and store the messages under the conversation's lock. Inside `within`.

    `recalled` are the memories that the prompt of this reply carried; `complete` is false for a
    reply that was cut off. The switches are read again here, so what a person turned off in the
    meantime is not captured.
    """
    shut = gate(agent_id=conversation.agent_id, visitor_id=conversation.visitor_id)
    if isinstance(shut, Shut):
        return Captured(reason=shut.reason)
    locked = Conversation.objects.select_for_update(of=("self",), no_key=True).get(
        pk=conversation.pk
    )
    result = Captured(refused=list(prepared.refused))
    fresh = _without_duplicates(prepared.ready, locked, result)
    if not fresh:
        return result
    result.messages = _insert(fresh, locked, list(recalled), complete)
    write_pieces(
        [(message, each.pieces) for message, each in zip(result.messages, fresh, strict=True)],
        agent_id=locked.agent_id,
        visitor_id=locked.visitor_id,
        tenant_id=locked.tenant_id,
        space=prepared.space,
    )
    _advance(locked, len(fresh))
    result.accepted = len(fresh)
    return result


def _insert(
    fresh: Sequence[Ready], conversation: Conversation, recalled: list[int], complete: bool
) -> list[Message]:
    """The rows in the order they were said, from the conversation's next position on."""
    now = datetime.now(UTC)
    messages = [
        Message(
            tenant_id=conversation.tenant_id,
            conversation=conversation,
            position=conversation.last_position + number,
            role=each.said.role,
            content=each.text,
            external_id=each.said.id,
            occurred_at=each.said.occurred_at or now,
            occurred_offset=_offset(each.said.occurred_at),
            recalled=recalled,
            masked=list(each.masked),
            complete=complete,
        )
        for number, each in enumerate(fresh, start=1)
    ]
    columns = ("position", "role", "content", "external_id", "occurred_at", "occurred_offset")
    parameters: list[Any] = [conversation.tenant_id, conversation.pk, Jsonb(recalled), complete]
    parameters += [[getattr(message, name) for message in messages] for name in columns]
    parameters += [[Jsonb(message.masked) for message in messages]]
    with connection.cursor() as cursor:
        cursor.execute(
            _MESSAGES,
            parameters,
        )
        stored = {position: (pk, at) for pk, position, at in cursor.fetchall()}
    for message in messages:
        message.pk, message.received_at = stored[message.position]
        message._state.adding = False
    return messages


# Columns instead of models, for the reason given in `index`.
_MESSAGES = """
INSERT INTO agents_message
    (tenant_id, conversation_id, recalled, complete,
     position, role, content, external_id, occurred_at, occurred_offset, masked)
SELECT %s, %s, %s, %s, * FROM unnest(
    %s::int[], %s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::int[], %s::jsonb[])
RETURNING id, position, received_at
"""


def _why_not(said: Said) -> str | None:
    if said.role not in ROLES:
        return f"role: {said.role[:40]!r} is not captured, expected user or assistant"
    if said.id is not None and (len(said.id) > ID_LIMIT or "\0" in said.id):
        return f"id: expected at most {ID_LIMIT} characters, none of them NUL"
    if len(said.content) > MESSAGE_LIMIT:
        return f"content: {len(said.content)} characters, at most {MESSAGE_LIMIT} are taken"
    if said.occurred_at is not None and said.occurred_at.utcoffset() is None:
        return "occurred_at: expected a time with a zone"
    return None


def _offset(moment: datetime | None) -> int:
    """The sender's minutes east of UTC."""
    zone = moment.utcoffset() if moment is not None else None
    return int((zone or timedelta()).total_seconds() // 60)


def _embed(texts: list[str], space: str, timeout: float) -> Sequence[Vector]:
    if not texts or not space:
        return ()
    try:
        embedder = embedder_for(space)
        if sum(map(len, texts)) > embedder.batch_limit * 8_000 or len(texts) > embedder.batch_limit:
            return ()  # too much for the time of a request: the embed stage's work
        return list(embedder.embed(texts, timeout=timeout))
    except ProviderError:
        return ()


def _without_duplicates(
    ready: Sequence[Ready], conversation: Conversation, result: Captured
) -> list[Ready]:
    ids = [each.said.id for each in ready if each.said.id is not None]
    seen: set[str | None] = set(
        Message.objects.filter(conversation=conversation, external_id__in=ids).values_list(
            "external_id", flat=True
        )
        if ids
        else ()
    )
    fresh = []
    for each in ready:
        if each.said.id is not None and each.said.id in seen:
            result.duplicates += 1
            continue
        seen.add(each.said.id)
        fresh.append(each)
    return fresh


def _advance(conversation: Conversation, by: int) -> None:
    """Move the newest position, and unpark once: new words may be what the model needed."""
    changes: dict[str, Any] = {"last_position": F("last_position") + by, "last_received_at": Now()}
    if conversation.parked_at is not None and conversation.unparked_at is None:
        changes |= {
            "parked_at": None,
            "attempts": 0,
            "not_before": None,
            "failed_because": "",
            "unparked_at": Now(),
        }
    Conversation.objects.filter(pk=conversation.pk).update(**changes)
