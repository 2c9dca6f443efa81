"""Stage 1: an idle conversation's new messages become observations.

The points at which a worker may die, and what the next run finds:
1. claimed: the lease runs out, the window is read again;
2. answered, not written: the same;
3. written: the mark has moved in the same transaction, nothing is observed twice.
"""

import logging
from collections.abc import Sequence
from datetime import UTC, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from agents.models import Conversation, Message, Mode
from memory.gate import GONE, gate
from memory.learning.window import Window, finish, take, unread
from memory.models import Observation, Unembedded
from memory.providers import language_for, space_of, try_embed
from memory.providers.cleaning import MASK, clean, instruction_like
from memory.providers.errors import ProviderError
from memory.providers.types import Finding
from memory.recall.echo import is_recalled_text
from memory.stages import Tally, give_up
from memory.store import hash_of
from tenants.context import within

log = logging.getLogger(__name__)

LANGUAGE_SECONDS = 90.0
EMBED_SECONDS = 30.0
LEASE = timedelta(seconds=300)  # longer than both together


def step(tenant_id: int, *, agent_id: int | None = None, ignore_cooldown: bool = False) -> Tally:
    """Observe one window of one conversation. `processed` counts observations made."""
    with within(tenant_id):
        window = take(due(agent_id, ignore_cooldown), LEASE)
    if window is None:
        return Tally()
    if not window.transcript.turns:
        return Tally(taken=1)
    tally = Tally(taken=1)
    try:
        observed = language_for(window.tenant).observe(window.transcript, timeout=LANGUAGE_SECONDS)
        rows = _observations(window, observed.findings, observed.made.as_json())
        _add_vectors(rows, space_of(window.tenant))
        with within(tenant_id):
            tally.processed = _write(window, rows)
    except Exception as error:
        tally.fail(error)
        if isinstance(error, ProviderError):
            log.warning("observe: conversation %s: %s", window.conversation.pk, error.name)
        else:
            log.exception("observe: conversation %s", window.conversation.pk)
        with within(tenant_id):
            give_up(window.conversation, error)
    return tally


def due(agent_id: int | None, ignore_cooldown: bool) -> QuerySet[Conversation]:
    """Conversations of reviewed agents with new messages that have been idle long enough.

    A long one is read window by window: the first has waited out the cooldown for all of them.
    """
    rows = unread(Mode.REVIEWED, agent_id)
    if ignore_cooldown:
        return rows
    return rows.filter(last_received_at__lte=Now() - settings.OBSERVE_COOLDOWN)


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
    message = window.witness(finding.quote, finding.turn)
    if message is None:
        named = window.at(finding.turn)
        if named is not None and (
            named.role != Message.Role.USER or named.position <= window.start
        ):
            return None  # the assistant's words, or a turn that was observed before
        message = named or next(iter(window.fresh), None)
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
        evidence=[evidence_of(message, quote, found="no-evidence" not in flags)],
        flags=sorted(set(flags)),
        hash=hash_of(statement, window.tenant.pk),
        said_at=message.occurred_at,
        made_by=made,
    )


def evidence_of(
    message: Message, quote: str | None = None, *, found: bool = True
) -> dict[str, Any]:
    """What is kept of a message beside a proposal: all that a reviewer needs when it is gone."""
    quote = message.content if quote is None else quote
    return {
        "message": message.pk,
        "conversation": message.conversation_id,
        "position": message.position,
        "role": message.role,
        "at": message.occurred_at.astimezone(UTC).isoformat(),
        "offset": message.occurred_offset,
        "quote": quote[:2_000],
        "found": found,
    }


def _add_vectors(rows: Sequence[Observation], space: str) -> None:
    """Both halves of every observation in one call; a fault leaves them to the embed stage."""
    texts = [text for row in rows for text in (row.statement, row.evidence[0]["quote"])]
    vectors = try_embed(texts, space, timeout=EMBED_SECONDS)
    if vectors is None:
        return
    for row, statement, evidence in zip(rows, vectors[::2], vectors[1::2], strict=True):
        row.space = space
        row.statement_vector = statement
        row.evidence_vector = evidence


def _write(window: Window, rows: list[Observation]) -> int:
    """Store the observations and move the mark, if the claim and the mark are still ours."""
    conversation = window.conversation
    shut = gate(agent_id=conversation.agent_id, visitor_id=conversation.visitor_id)
    if shut is GONE or finish(window, shut) is None:
        log.info("observe: conversation %s: result dropped, claim lost", conversation.pk)
        return 0
    if shut is not None:
        return 0
    known = set(
        Observation.objects.filter(
            conversation=conversation, position__in={row.position for row in rows}
        ).values_list("position", "hash")
    )
    fresh = [row for row in rows if (row.position, row.hash) not in known]
    stored = Observation.objects.bulk_create(fresh)
    Unembedded.objects.bulk_create(Unembedded(observation=row) for row in stored if not row.space)
    return len(stored)
