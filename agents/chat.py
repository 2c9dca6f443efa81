"""One turn of a conversation, top to bottom: recall, answer, capture.

Whatever happens to memory or to the models, the visitor gets a reply: at worst an apology. No
transaction is open while a model or an embedder is called, and no connection is held while a
reply streams (D15).
"""

import logging
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, cast

from django.conf import settings

from agents import tool_loop
from agents.models import Agent, Conversation, Message, Visitor
from memory.interfaces.tasks import wake, wake_after
from memory.learning import capture
from memory.learning.capture import Said
from memory.learning.observe import evidence_of
from memory.models import Reader
from memory.providers import language_for, space_of
from memory.providers.cleaning import clean
from memory.providers.errors import Empty, ProviderError
from memory.providers.types import ChatMessage
from memory.recall import context
from memory.recall.context import Recalled
from memory.recall.names import Names
from memory.recall.traces import store_trace
from memory.tools import STANDING_PROMPT, Person
from tenants.actor import SYSTEM
from tenants.answers import places
from tenants.context import let_go, within

log = logging.getLogger(__name__)

APOLOGY = "Sorry, I can't answer just now. Please try again in a moment."
CUT_OFF = "\n\nSorry, I was cut off there. Please ask me again."
ANSWER_SECONDS = 90.0  # for the whole reply
EMBED_SECONDS = 2.0  # for the vector of a captured reply; else the embed stage adds it


@dataclass
class Asked:
    """What a channel asks. `agent` comes with its tenant, `who` is how the visitor is known:
    `{"cookie": …}` or `{"host_id": …}`. The last of `messages` is the visitor's new one.

    `conversation` is the one to go on with; from the first piece on, the one it became.
    """

    agent: Agent
    who: Mapping[str, Any]
    messages: Sequence[ChatMessage]
    channel: str
    conversation: uuid.UUID | None = None
    # Whether the prompt carries what is remembered of the person. Channels that answer outsiders
    # say no (contract 3); what the agent knows for everyone is told all the same.
    injects: bool = True
    # Whether the model may use the memory tools; None: where the agent has them switched on.
    tools: bool | None = None
    # Whether what is said is captured; a channel where no person speaks keeps it itself.
    captures: bool = True

    @property
    def may_use_tools(self) -> bool:
        return self.agent.tools if self.tools is None else self.tools


@dataclass
class _Memory:
    """What memory did before the first token, for what is left to do after the last."""

    recalled: Recalled = field(default_factory=Recalled)
    visitor_id: int | None = None
    conversation: Conversation | None = None  # None: nothing was captured, nothing will be
    message: Message | None = None  # the visitor's, as it was captured
    is_on: bool = False  # for this person: nobody switched anything off


def turn(asked: Asked) -> Generator[str, None, None]:
    """The reply in pieces. The first is empty: memory is done and `asked.conversation` is known.

    Close the generator when the visitor hangs up: what was said so far is captured.
    """
    agent = asked.agent
    messages = [ChatMessage(each.role, clean(each.content).text) for each in asked.messages]
    space = space_of(agent.tenant)

    # Recall, and the visitor's message written in the transaction that recall reads in.
    memory = _Memory()
    if agent.memory_enabled and agent.tenant.memory_enabled:
        memory = _before(asked, messages[-1].content, space)
    asked.conversation = memory.conversation.uid if memory.conversation else asked.conversation
    asked.conversation = asked.conversation or uuid.uuid4()
    let_go()
    yield ""

    # Answer.
    person = _person(asked, memory)
    told = [agent.instructions, memory.recalled.block, STANDING_PROMPT if person else ""]
    prompt = [ChatMessage("system", each) for each in told if each.strip()] + messages
    said: list[str] = []
    complete = False
    try:
        try:
            language = language_for(agent.tenant)
            if person is None:
                reply = language.answer(prompt, timeout=ANSWER_SECONDS)
            else:
                reply = tool_loop.converse(language, prompt, person, timeout=ANSWER_SECONDS)
            with closing(cast(Generator[str, None, None], reply)):
                for piece in reply:
                    said.append(piece)
                    yield piece
            if not "".join(said).strip():
                raise Empty("nothing was said")
            complete = True
        except Exception as error:
            _log("answer", agent, error)
            yield CUT_OFF if "".join(said).strip() else APOLOGY
    finally:
        # Capture what was said, also when the visitor hung up in the middle.
        if agent.memory_enabled and agent.tenant.memory_enabled:
            _after(asked, memory, "".join(said), complete, space)
        let_go()


def _before(asked: Asked, message: str, space: str) -> _Memory:
    """Recall and capture, in one transaction. A fault is logged, counted with the trace."""
    agent, memory, captured = asked.agent, _Memory(), None
    deadline = time.monotonic() + settings.RECALL_TIMEOUT.total_seconds()
    try:
        query = context.prepare(
            message,
            space=space,
            timeout=settings.RECALL_TIMEOUT.total_seconds(),
            names=_names(asked),
        )
        # The question's vector is the message's, too, unless names were left out of it.
        at_hand = query.vector if query.embedded == message else None
        prepared = capture.prepare(
            [Said("user", message)],
            space=space if at_hand is not None else "",  # no vector: the embed stage's work
            timeout=EMBED_SECONDS,
            vectors=[at_hand] if at_hand is not None else [],
        )
        with within(agent.tenant_id):
            visitor = Visitor.objects.filter(**asked.who).first()
            memory.visitor_id = visitor.pk if visitor is not None else None
            about = memory.visitor_id if asked.injects else None
            memory.recalled = context.recall(
                Reader.for_chat(agent.pk, about), query, deadline=deadline
            )
            memory.is_on = visitor is None or (
                visitor.auto_capture_enabled and visitor.use_memory_in_responses
            )
            if asked.captures and (visitor is None or visitor.auto_capture_enabled):
                conversation = _conversation(asked, visitor)
                captured = capture.write(prepared, conversation=conversation)
                if not prepared.is_embedded:
                    wake("embed", agent.tenant_id)
        if captured is not None and captured.accepted:
            memory.conversation, memory.visitor_id = conversation, conversation.visitor_id
            memory.message = captured.messages[0] if captured.messages else None
    except Exception as error:
        _log("recall and capture", agent, error)
        memory.recalled = Recalled(failed=type(error).__name__)
    return memory


def _names(asked: Asked) -> Names:
    """What both sides are called; a person of whom nothing is told has no name either."""
    visitor = None
    if asked.injects:
        with within(asked.agent.tenant_id):
            visitor = Visitor.objects.filter(**asked.who).first()
    return Names.of(asked.agent, visitor)


def _person(asked: Asked, memory: _Memory) -> Person | None:
    """Whose memory the model may keep in this turn; None: nobody's."""
    if not (asked.may_use_tools and memory.is_on and memory.visitor_id):
        return None
    message, conversation = memory.message, memory.conversation
    if conversation is None and asked.captures:
        return None  # nothing of this turn is kept, so neither is what the model makes of it
    named = conversation.external_id if conversation is not None else None
    return Person(
        tenant_id=asked.agent.tenant_id,
        visitor_id=memory.visitor_id,
        by=SYSTEM,
        channel=asked.channel,
        agent_id=asked.agent.pk,
        conversation=named or str(asked.conversation),
        evidence=() if message is None else (evidence_of(message),),
    )


def _conversation(asked: Asked, visitor: Visitor | None) -> Conversation:
    """The visitor's row is made with their first captured message, not before."""
    if visitor is None:
        visitor = Visitor.objects.meet(**asked.who)
    else:
        visitor.was_here()
    return capture.conversation_of(
        agent_id=asked.agent.pk,
        visitor_id=visitor.pk,
        uid=asked.conversation,
        channel=asked.channel,
    )


def _after(asked: Asked, memory: _Memory, reply: str, complete: bool, space: str) -> None:
    """The reply as it was said, and the trace of what its prompt carried."""
    agent = asked.agent
    try:
        message_id = None
        wanted = memory.conversation is not None and bool(reply.strip())
        said = [Said("assistant", reply)] if wanted else []
        prepared = capture.prepare(said, space=space, timeout=EMBED_SECONDS)
        with within(agent.tenant_id):
            if wanted and memory.conversation is not None:
                captured = capture.write(
                    prepared,
                    conversation=memory.conversation,
                    recalled=[each.id for each in memory.recalled.memories],
                    complete=complete,
                )
                message_id = captured.messages[0].pk if captured.messages else None
                wake_after(captured, prepared, agent)
            store_trace(
                memory.recalled,
                agent_id=agent.pk,
                visitor_id=memory.visitor_id,
                message_id=message_id,
                channel=asked.channel,
            )
    except Exception as error:
        _log("capture of the reply", agent, error)


def _log(what: str, agent: Agent, error: Exception) -> None:
    """Ids and kinds; a provider's or Postgres's own words may quote the visitor."""
    why = error.name if isinstance(error, ProviderError) else places(error)
    log.warning("chat: %s failed: tenant=%s agent=%s %s", what, agent.tenant_id, agent.pk, why)
