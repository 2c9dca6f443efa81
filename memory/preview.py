"""What recall would say if this proposal were approved: done, looked at, and taken back whole.

The one caller of `memory.review` that is outermost in its place (G1): whatever approving writes,
a recorded refusal included, goes with the transaction. Nothing stays but a gap in some sequences.
"""

import time
from dataclasses import dataclass

from django.conf import settings

from agents.models import Agent, Visitor
from memory import review
from memory.models import Mutation, Reader
from memory.providers import space_of
from memory.recall.context import Query, Recalled, prepare, recall
from memory.recall.names import Names
from tenants.caller import Caller
from tenants.context import within


@dataclass(frozen=True)
class Preview:
    """The block for a message as things are, and as they would be."""

    before: Recalled
    after: Recalled
    by_words_alone: bool  # the proposal's vector is not there yet: only its words were searched


class _TakeBack(Exception):
    """Ends the block so that nothing of it stays."""


def preview(*, mutation_id: int, by: Caller, message: str, version: int | None = None) -> Preview:
    """For whoever may decide it. Raises what `review.approve` would raise, and records nothing.

    `message` is asked as the proposal's own visitor would, or as nobody known for one that is
    for everyone. The message is embedded outside the block, and nothing else is.
    """
    with within(by.tenant_id):
        mutation = Mutation.objects.filter(pk=mutation_id).defer("vector").first()
        if mutation is None:
            raise review.NoSuchMutation("no such mutation")
        if mutation.agent_id is None:
            raise review.ReviewRefused("a conflict among shared memories changes no recall")
        if not by.may_decide(mutation.approver):
            raise review.MayNotDecide("only who may decide it may try it")
        agent = Agent.objects.select_related("tenant").get(pk=mutation.agent_id)
        names = Names.of(agent, Visitor.objects.filter(pk=mutation.visitor_id or 0).first())
    seconds = settings.RECALL_TIMEOUT.total_seconds()
    deadline = time.monotonic() + seconds
    space = space_of(agent.tenant)
    query = prepare(message, space=space, timeout=seconds, names=names)
    reader = Reader.for_chat(agent.pk, mutation.visitor_id)
    found: list[Preview] = []
    try:
        with within(by.tenant_id):
            found.append(_tried(mutation_id, by, version, reader, query, deadline))
            raise _TakeBack
    except _TakeBack:
        return found[0]


def _tried(
    mutation_id: int,
    by: Caller,
    version: int | None,
    reader: Reader,
    query: Query,
    deadline: float,
) -> Preview:
    before = recall(reader, query, deadline=deadline)
    decided = review.approve(mutation_id=mutation_id, by=by, version=version)
    after = recall(reader, query, deadline=deadline)
    memory = decided.memory
    is_told = memory is not None and memory.deleted_at is None
    return Preview(
        before=before,
        after=after,
        by_words_alone=is_told
        and memory is not None
        and not memory.vectors.filter(space=query.space).exists(),
    )
