"""The next stretch of a conversation that a stage reads: claimed, turned into a transcript.

Observe and extract share position and claim (D22), so that an agent that changes its mode neither
repeats nor skips a message.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cached_property

from django.db import connection
from django.db.models import F, QuerySet

from agents.models import Agent, Conversation, Message, Mode
from memory.gate import MEMORY_OFF, Shut
from memory.models import Memory, Reader
from memory.providers.cleaning import normal
from memory.providers.types import Transcript, Turn
from memory.stages import claim, release
from tenants.models import Tenant

WINDOW = 60  # new messages a call (D19)
CONTEXT = 6  # messages read before that go along


@dataclass(frozen=True)
class Window:
    """A claimed conversation's next messages, and where the mark stood and will stand.

    Turn number n of the transcript is `messages[n - 1]`; no turns: there is nothing to read.
    """

    conversation: Conversation
    start: int  # observed_to when claimed
    end: int  # observed_to when written
    messages: Sequence[Message]
    recalled: Sequence[str]  # texts of memories that these messages' prompts carried
    transcript: Transcript

    @property
    def tenant(self) -> Tenant:
        return self.conversation.tenant

    @property
    def agent(self) -> Agent:
        agent: Agent = self.conversation.agent
        return agent

    @cached_property
    def fresh(self) -> list[Message]:
        """The user's messages that were not read before: the only evidence there is."""
        return [m for m in self.messages if m.position > self.start and is_users(m)]

    def at(self, number: int | None) -> Message | None:
        """The message of a turn; None for a number that was not shown."""
        if number is None or not 1 <= number <= len(self.messages):
            return None
        return self.messages[number - 1]

    def witness(self, quote: str, turn: int | None) -> Message | None:
        """The fresh message that holds the quote: the named one, else any other that does."""
        if not quote.strip():
            return None
        named, fresh = self.at(turn), self.fresh
        for message in ([named] if named in fresh else []) + fresh:
            if message is not None and holds(message.content, quote):
                return message
        return None


def unread(mode: Mode, agent_id: int | None) -> QuerySet[Conversation]:
    """Conversations of agents in this mode that have messages past the mark, oldest first."""
    rows = Conversation.objects.filter(
        observed_to__lt=F("last_position"),
        agent__memory_enabled=True,
        agent__mode=mode,
        tenant__memory_enabled=True,
    ).order_by("last_received_at", "id")
    return rows if agent_id is None else rows.filter(agent_id=agent_id)


def take(rows: QuerySet[Conversation], lease: timedelta) -> Window | None:
    """Claim the first conversation and read its next window. Inside `within`."""
    held = claim(rows.select_related("tenant", "agent", "visitor"), limit=1, lease=lease)
    if not held:
        return None
    conversation = held[0]
    visitor, start = conversation.visitor, conversation.observed_to
    # Read, not locked: the lock order is scope before row, and whoever writes asks the gate.
    if visitor is not None and not visitor.auto_capture_enabled:
        _skip(conversation)  # what was captured before is not read either (E12)
        return Window(conversation, start, start, (), (), Transcript(()))
    near = Message.objects.filter(conversation=conversation, position__gt=start - CONTEXT)
    messages = list(near.order_by("position")[: WINDOW + min(CONTEXT, start)])
    turns = [_turn(n, m, context=m.position <= start) for n, m in enumerate(messages, start=1)]
    name = visitor.name if visitor is not None else ""
    end = messages[-1].position if messages else conversation.last_position
    return Window(
        conversation,
        start,
        end,
        messages,
        _recalled_texts(messages, conversation),
        Transcript(turns, user_name=name or None, assistant_name=conversation.agent.name),
    )


def finish(window: Window, shut: Shut | None, hashes: Sequence[str] = ()) -> set[str] | None:
    """Move the mark and give the claim back, in one statement; None when the claim was lost.

    Switched off meanwhile: what was said by a person who is off is never read, what was said to
    an agent that is off waits until it is on again. Of the hashes, those are answered that the
    person has forgotten or a reviewer rejected: looked up here, under the gate's lock, because a
    statement of its own would be one too many for a stage that runs after every reply.
    """
    mark = "observed_to" if shut is MEMORY_OFF else "%(end)s" if shut is None else "last_position"
    with connection.cursor() as cursor:
        cursor.execute(
            _FINISH.format(mark=mark),
            {
                "end": window.end,
                "conversation": window.conversation.pk,
                "token": window.conversation.lease_token,
                "start": window.start,
                "hashes": list(hashes),
            },
        )
        row = cursor.fetchone()
    return None if row is None else set(row[0])


# The graves are `Tombstone.objects.standing().covering(…)`.
_FINISH = """
UPDATE agents_conversation c
SET observed_to = {mark}, lease_until = NULL, lease_token = NULL, not_before = NULL, attempts = 0,
    failed_because = ''
WHERE c.id = %(conversation)s AND c.lease_token = %(token)s AND c.observed_to = %(start)s
RETURNING ARRAY(
    SELECT t.hash FROM memory_tombstone t
    WHERE t.hash = ANY(%(hashes)s) AND t.visitor_id = c.visitor_id
        AND (t.agent_id IS NULL OR t.agent_id = c.agent_id)
        AND t.lifted_at IS NULL AND t.expires_at > now()
)
"""


def is_users(message: Message) -> bool:
    return message.role == Message.Role.USER


def _skip(conversation: Conversation) -> None:
    release(conversation)
    conversation.observed_to = conversation.last_position
    conversation.save()


def _turn(number: int, message: Message, *, context: bool) -> Turn:
    return Turn(
        number=number,
        role="user" if is_users(message) else "assistant",
        text=message.content,
        at=local_time(message.occurred_at, message.occurred_offset),
        context=context,
    )


def local_time(moment: datetime, offset_minutes: int) -> datetime:
    """The sender's own clock, so that "yesterday" is the sender's yesterday."""
    return moment.astimezone(timezone(timedelta(minutes=offset_minutes)))


def _recalled_texts(messages: Sequence[Message], conversation: Conversation) -> list[str]:
    ids = {number for message in messages for number in message.recalled}
    if not ids:
        return []
    reader = Reader.for_chat(conversation.agent_id, conversation.visitor_id)
    return list(
        Memory.objects.visible_to(reader).filter(pk__in=ids).values_list("content", flat=True)
    )


_PUNCTUATION = re.compile(r"[\s\"'“”‘’.,;:!?…-]+")


def holds(text: str, quote: str) -> bool:
    """Does the text contain the quote, white space, case and quotation marks aside?"""
    wanted = _PUNCTUATION.sub(" ", normal(quote)).strip()
    return bool(wanted) and wanted in _PUNCTUATION.sub(" ", normal(text))
