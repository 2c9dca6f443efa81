"""Stage 1: an idle conversation's new messages become observations.

The points at which a worker may die, and what the next run finds:
1. claimed: the lease runs out, the window is read again;
2. answered, not written: the same;
3. written: the mark has moved in the same transaction, nothing is observed twice.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from django.conf import settings
from django.db.models import F, QuerySet, Value
from django.db.models.fields import DurationField
from django.db.models.functions import Now

from agents.models import Agent, Conversation, Message, Mode
from memory.gate import GONE, MEMORY_OFF, PERSON_OFF, gate
from memory.models import Memory, Observation, Reader, Unembedded
from memory.providers import default_space, embedder_for, language_for
from memory.providers.cleaning import MASK, clean, instruction_like, normal
from memory.providers.errors import ProviderError
from memory.providers.types import Finding, Transcript, Turn, Vector
from memory.recall.echo import is_recalled_text
from memory.stages import Tally, claim, give_up, release, still_mine
from memory.store import hash_of
from tenants.context import within
from tenants.models import Tenant

log = logging.getLogger(__name__)

WINDOW = 60  # new messages a call (D19)
CONTEXT = 6  # observed messages that go along
LANGUAGE_SECONDS = 90.0
EMBED_SECONDS = 30.0
LEASE = timedelta(seconds=300)  # longer than both together


@dataclass(frozen=True)
class Window:
    """A claimed conversation's next messages, all that the model needs of them, and the mark."""

    conversation: Conversation
    tenant: Tenant
    start: int  # observed_to when claimed
    end: int  # observed_to when written
    messages: Sequence[Message]  # turn number n is messages[n - 1]
    recalled: Sequence[str]  # texts of memories that these messages' prompts carried
    transcript: Transcript


def step(tenant_id: int, *, agent_id: int | None = None, ignore_cooldown: bool = False) -> Tally:
    """Observe one window of one conversation. `processed` counts observations made."""
    with within(tenant_id):
        window = _claim(tenant_id, agent_id, ignore_cooldown)
    if window is None:
        return Tally()
    if not window.transcript.turns:
        return Tally(taken=1)
    tally = Tally(taken=1)
    try:
        observed = language_for(window.tenant).observe(window.transcript, timeout=LANGUAGE_SECONDS)
        rows = _observations(window, observed.findings, observed.made.as_json())
        _add_vectors(rows, window.tenant.space or default_space())
    except ProviderError as error:
        tally.fail(error)
        log.warning("observe: conversation %s: %s", window.conversation.pk, error.name)
        with within(tenant_id):
            give_up(window.conversation, error)
        return tally
    except Exception as error:
        tally.fail(error)
        log.exception("observe: conversation %s", window.conversation.pk)
        with within(tenant_id):
            give_up(window.conversation, error)
        return tally
    with within(tenant_id):
        tally.processed = _write(window, rows)
    return tally


def due(agent_id: int | None, ignore_cooldown: bool) -> QuerySet[Conversation]:
    """Conversations of reviewed agents with new messages that have been idle long enough."""
    rows = Conversation.objects.filter(
        observed_to__lt=F("last_position"),
        agent__memory_enabled=True,
        agent__mode=Mode.REVIEWED,
        tenant__memory_enabled=True,
    ).order_by("last_received_at", "id")
    if agent_id is not None:
        rows = rows.filter(agent_id=agent_id)
    if ignore_cooldown:
        return rows
    cooldown = Value(settings.OBSERVE_COOLDOWN, output_field=DurationField())
    # A long conversation is observed window by window: the first one waited out the cooldown.
    return rows.filter(last_received_at__lte=Now() - cooldown)


def _claim(tenant_id: int, agent_id: int | None, ignore_cooldown: bool) -> Window | None:
    held = claim(due(agent_id, ignore_cooldown), limit=1, lease=LEASE)
    if not held:
        return None
    conversation = held[0]
    tenant = Tenant.objects.get(pk=tenant_id)
    visitor = conversation.visitor
    # Read, not locked: the lock order is scope before row, and `_write` asks the gate again.
    if visitor is not None and not visitor.auto_capture_enabled:
        _skip(conversation)  # what was captured before is not observed either (E12)
        return Window(conversation, tenant, conversation.observed_to, 0, (), (), Transcript(()))
    start = conversation.observed_to
    near = Message.objects.filter(conversation=conversation).order_by("position")
    fresh = list(near.filter(position__gt=start)[:WINDOW])
    before = list(near.filter(position__lte=start, position__gt=start - CONTEXT))
    messages = before + fresh
    turns = [_turn(n, m, context=m.position <= start) for n, m in enumerate(messages, start=1)]
    agent = Agent.objects.get(pk=conversation.agent_id)
    name = visitor.name if visitor is not None else ""
    return Window(
        conversation,
        tenant,
        start,
        fresh[-1].position if fresh else conversation.last_position,
        messages,
        _recalled_texts(messages, agent.pk, conversation.visitor_id),
        Transcript(turns, user_name=name or None, assistant_name=agent.name),
    )


def _skip(conversation: Conversation) -> None:
    release(conversation)
    conversation.observed_to = conversation.last_position
    conversation.save()


def _turn(number: int, message: Message, *, context: bool) -> Turn:
    return Turn(
        number=number,
        role="user" if message.role == Message.Role.USER else "assistant",
        text=message.content,
        at=local_time(message.occurred_at, message.occurred_offset),
        context=context,
    )


def local_time(moment: datetime, offset_minutes: int) -> datetime:
    """The sender's own clock, so that "yesterday" is the sender's yesterday."""
    return moment.astimezone(timezone(timedelta(minutes=offset_minutes)))


def _recalled_texts(
    messages: Sequence[Message], agent_id: int, visitor_id: int | None
) -> list[str]:
    ids = {number for message in messages for number in message.recalled}
    if not ids:
        return []
    reader = Reader.for_chat(agent_id, visitor_id)
    return list(
        Memory.objects.visible_to(reader).filter(pk__in=ids).values_list("content", flat=True)
    )


# --- from findings to rows -------------------------------------------------------------------


def _observations(
    window: Window, findings: Sequence[Finding], made: dict[str, str]
) -> list[Observation]:
    rows = []
    seen: set[tuple[int, str]] = set()
    for finding in findings:
        row = _observation(window, finding, made)
        if row is None or (row.position, row.hash) in seen:
            continue
        seen.add((row.position, row.hash))
        rows.append(row)
    return rows


def _observation(window: Window, finding: Finding, made: dict[str, str]) -> Observation | None:
    """A row, flagged where a reviewer should know; None for what is no evidence at all."""
    statement = clean(finding.statement).text.strip()[:2_000]
    if not statement:
        return None
    flags = []
    message = _witness(window, finding)
    if message is None:
        named = _at(window, finding.turn)
        if named is not None and (
            named.role != Message.Role.USER or named.position <= window.start
        ):
            return None  # the assistant's words, or a turn that was observed before
        message = named or next(
            (m for m in window.messages if m.position > window.start and _is_user(m)), None
        )
        if message is None:
            return None
        flags.append("no-evidence")
    elif is_recalled_text(finding.quote, window.recalled):
        return None  # our own memory, come back inside a message (design rule 7)
    quote = clean(finding.quote).text
    if message.masked or MASK in statement:
        flags.append("secret-masked")
    if instruction_like(quote) or instruction_like(statement):
        flags.append("instruction-like")
    conversation = window.conversation
    return Observation(
        agent_id=conversation.agent_id,
        visitor_id=conversation.visitor_id,
        conversation_id=conversation.pk,
        position=message.position,
        statement=statement,
        evidence=[_evidence(message, quote, found="no-evidence" not in flags)],
        flags=sorted(set(flags)),
        hash=hash_of(statement, window.tenant.pk),
        said_at=message.occurred_at,
        made_by=made,
    )


def _at(window: Window, number: int | None) -> Message | None:
    if number is None or not 1 <= number <= len(window.messages):
        return None
    return window.messages[number - 1]


def _is_user(message: Message) -> bool:
    return message.role == Message.Role.USER


def _witness(window: Window, finding: Finding) -> Message | None:
    """The new user message that holds the quote: the named one, else any other that does."""
    if not finding.quote.strip():
        return None
    named = _at(window, finding.turn)
    fresh = [m for m in window.messages if m.position > window.start and _is_user(m)]
    for message in ([named] if named in fresh else []) + fresh:
        if message is not None and holds(message.content, finding.quote):
            return message
    return None


_PUNCTUATION = re.compile(r"[\s\"'“”‘’.,;:!?…-]+")


def holds(text: str, quote: str) -> bool:
    """Does the text contain the quote, white space, case and quotation marks aside?"""
    wanted = _PUNCTUATION.sub(" ", normal(quote)).strip()
    return bool(wanted) and wanted in _PUNCTUATION.sub(" ", normal(text))


def _evidence(message: Message, quote: str, *, found: bool) -> dict[str, Any]:
    return {
        "message": message.pk,
        "position": message.position,
        "role": message.role,
        "at": message.occurred_at.astimezone(UTC).isoformat(),
        "offset": message.occurred_offset,
        "quote": quote[:2_000],
        "found": found,
    }


def _add_vectors(rows: Sequence[Observation], space: str) -> None:
    """Both halves of every observation in one call; a fault leaves them to the embed stage."""
    if not rows:
        return
    texts = [text for row in rows for text in (row.statement, row.evidence[0]["quote"])]
    try:
        vectors = list(embedder_for(space).embed(texts, timeout=EMBED_SECONDS))
    except ProviderError:
        return
    for row, statement, evidence in zip(rows, vectors[::2], vectors[1::2], strict=True):
        row.space = space
        row.statement_vector = _or_none(statement)
        row.evidence_vector = _or_none(evidence)


def _or_none(vector: Vector) -> Vector | None:
    return vector if vector.any() else None


def _write(window: Window, rows: list[Observation]) -> int:
    """Store the observations and move the mark, if the claim and the mark are still ours."""
    conversation = window.conversation
    shut = gate(agent_id=conversation.agent_id, visitor_id=conversation.visitor_id)
    mine = still_mine(conversation)
    if mine is None or mine.observed_to != window.start or shut is GONE:
        log.info("observe: conversation %s: result dropped, claim lost", conversation.pk)
        return 0
    release(mine)
    if shut is MEMORY_OFF:
        mine.save()  # switched off meanwhile: the messages wait until it is on again
        return 0
    mine.observed_to = mine.last_position if shut is PERSON_OFF else window.end
    mine.save()
    if shut is PERSON_OFF:
        return 0
    known = set(
        Observation.objects.filter(
            conversation=mine, position__in={row.position for row in rows}
        ).values_list("position", "hash")
    )
    fresh = [row for row in rows if (row.position, row.hash) not in known]
    stored = Observation.objects.bulk_create(fresh)
    Unembedded.objects.bulk_create(Unembedded(observation=row) for row in stored if not row.space)
    return len(stored)
