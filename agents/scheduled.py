"""The scheduled stage: agents that are asked by the clock, for a person or for nobody (D39).

A run is claimed under a lease and its next time is set in the same transaction, so that two ticks
make no two runs; one whose worker died is made again when the lease has run out. What was asked
and answered is kept as a conversation of channel `scheduled`. Nothing is learned from it: the
prompt is not the person's own words.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Now

from agents.chat import APOLOGY, Asked, turn
from agents.models import Agent, Conversation, ScheduledRun
from agents.schedule import Crontab
from memory.learning import capture
from memory.learning.capture import Said
from memory.providers.types import ChatMessage
from memory.stages import Tally, claim, give_up, still_mine
from tenants.context import within

CHANNEL = "scheduled"
LEASE = timedelta(minutes=5)  # longer than a reply may take


def step(tenant_id: int) -> Tally:
    """One due run of one tenant. `processed` counts answers that were kept."""
    with within(tenant_id):
        due = ScheduledRun.objects.filter(Q(next_run_at=None) | Q(next_run_at__lte=Now()))
        rows = claim(due.filter(active=True).order_by("next_run_at", "id"), limit=1, lease=LEASE)
        if not rows:
            return Tally()
        (row,) = rows
        is_new = row.next_run_at is None
        if is_new:
            _reckon(row)
        else:
            agent = Agent.objects.select_related("tenant").get(pk=row.agent_id)
    tally = Tally(taken=1)
    if is_new:
        return tally  # it was only just written down: its first time is to come
    try:
        answer, uid = _asked(row, agent)
        with within(tenant_id):
            if still_mine(row) is None:
                return tally
            kept = _keep(row, answer, uid)
            _reckon(row, said="answered" if kept else "answered; not kept: memory is off")
            ScheduledRun.objects.filter(pk=row.pk).update(last_conversation=kept)
        tally.processed = 1
    except Exception as error:
        tally.fail(error)
        with within(tenant_id):
            give_up(row, error)
    return tally


class NoAnswer(Exception):
    """The model gave none; the run is tried again."""


def _asked(row: ScheduledRun, agent: Agent) -> tuple[str, UUID | None]:
    """The whole reply, with what is remembered of the person in the prompt (contract 3)."""
    who = {"pk": row.visitor_id or 0}
    asked = Asked(agent, who, [ChatMessage("user", row.prompt)], CHANNEL, captures=False)
    if row.visitor_id is None:
        asked.tools = False
    reply = "".join(turn(asked))
    if reply == APOLOGY:
        raise NoAnswer("no answer")
    return reply, asked.conversation


def _keep(row: ScheduledRun, answer: str, uid: UUID | None) -> UUID | None:
    """The uid of the conversation; None where capturing is switched off (E12). Inside `within`."""
    conversation = capture.conversation_of(
        agent_id=row.agent_id, visitor_id=row.visitor_id, channel=CHANNEL
    )
    said = [Said("user", row.prompt), Said("assistant", answer)]
    prepared = capture.prepare(said, space="", timeout=0)  # the embed stage adds the vectors
    captured = capture.write(prepared, conversation=conversation)
    if not captured.accepted:
        Conversation.objects.filter(pk=conversation.pk).delete()
        return None
    uid = uid or conversation.uid  # the one that the tools gave as their source
    Conversation.objects.filter(pk=conversation.pk).update(uid=uid, observed_to=F("last_position"))
    return uid


def _reckon(row: ScheduledRun, *, said: str | None = None) -> None:
    """Set the next time, by the database's clock; a run that was missed is made once, not often."""
    now = ScheduledRun.objects.filter(pk=row.pk).values_list(Now(), flat=True).get()
    following = Crontab.parse(row.crontab).after(now)
    changes: dict[str, Any] = {"next_run_at": following, "lease_until": None, "lease_token": None}
    if said is not None:
        changes |= {"last_run_at": now, "last_said": said, "attempts": 0, "not_before": None,
                    "failed_because": ""}  # fmt: skip
    ScheduledRun.objects.filter(pk=row.pk).update(**changes)
