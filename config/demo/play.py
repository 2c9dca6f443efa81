"""The main loop, step by step, each step checked: said, observed, proposed, approved, recalled.

`play` yields what a terminal shows; a step that did not do its part raises `DidNotWork`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agents.chat import Asked, turn
from agents.models import Message
from config.demo.scratch import INSTRUCTIONS, Scratch
from memory import review
from memory.learning import observe, reconcile
from memory.models import Memory, MemoryVector, Mutation, Observation
from memory.providers.offline import OfflineLanguage
from memory.providers.types import ChatMessage
from tenants.context import within

VISITOR = "maya"
STAGE_SECONDS = 30.0  # for one stage: no row of these few may be taken again and again
FIRST = (
    "Hi! I live in Lisbon.",
    "I'm allergic to shellfish.",
    "I prefer trains to planes.",
)
QUESTION = "Where do I live?"
CHANGE = ("I moved to Porto last month.",)


class DidNotWork(Exception):
    """A step of the loop did not do its part; the message says which and how."""


@dataclass(frozen=True)
class Title:
    text: str


@dataclass(frozen=True)
class Table:
    """Rows of one stage."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Block:
    """What a prompt was given of memory."""

    title: str
    text: str


Shown = Title | Table | Block


@dataclass
class Overheard(OfflineLanguage):
    """The offline model, and the system messages of every prompt that reached it."""

    prompts: list[list[str]] = field(default_factory=list)

    def answer(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        self.prompts.append([each.content for each in messages if each.role == "system"])
        return super().answer(messages, timeout=timeout)


def play(scratch: Scratch, model: Overheard) -> Iterator[Shown]:
    """Three conversations of one visitor and the work between them."""
    yield Title("1 · A first conversation: nothing is remembered yet")
    yield _talk(scratch, FIRST)
    yield Block("What its prompts were given of memory", _block(model))
    _check(not _block(model), "memory was recalled before anything was approved")
    yield _captured(scratch, 2 * len(FIRST))

    yield Title("2 · Observe: what the conversation says about the visitor, with the evidence")
    yield _observed(scratch)

    yield Title("3 · Reconcile: observations become mutations, and wait for a person")
    proposed, table = _reconciled(scratch)
    yield table
    _talk(scratch, (QUESTION,))
    _check(not _block(model), "a mutation that nobody approved reached a prompt")

    yield Title("4 · A person approves")
    for each in proposed:
        review.approve(mutation_id=each.pk, by=scratch.reviewer)
    yield _memories(scratch, len(proposed))

    yield Title("5 · A second conversation: the agent remembers")
    yield _talk(scratch, (QUESTION,))
    yield Block("What its prompt was given of memory", _block(model))
    for wanted in ("Lisbon", "shellfish"):
        _check(wanted in _block(model), f"the prompt does not carry {wanted!r}")

    yield Title("6 · Later it is no longer true: a change is proposed, not a second fact")
    yield _talk(scratch, CHANGE)
    yield _observed(scratch)
    proposed, table = _reconciled(scratch)
    yield table
    changes = [each for each in proposed if each.operation == Mutation.Operation.MODIFY]
    _check(len(changes) == 1, f"expected one change of what is remembered, got {len(changes)}")
    review.approve(mutation_id=changes[0].pk, by=scratch.reviewer)
    yield _memories(scratch, None)
    answered = _talk(scratch, (QUESTION,))
    yield answered
    _check("Porto" in answered.rows[-1][1], "the answer does not know what was approved")
    yield Block("What its prompt was given of memory", _block(model))
    _check("Porto" in _block(model), "the prompt does not carry the change")
    _check("Lisbon" not in _block(model), "the prompt still carries what is no longer true")
    with within(scratch.tenant_id):
        homes = [m.content for m in Memory.objects.live() if _names_a_home(m.content)]
    _check(len(homes) == 1, f"expected one live statement of where they live, got {homes}")


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise DidNotWork(otherwise)


def _names_a_home(text: str) -> bool:
    return "Lisbon" in text or "Porto" in text


def _block(model: Overheard) -> str:
    """What memory added to the last prompt."""
    _check(bool(model.prompts), "no prompt reached the model")
    return "\n\n".join(each for each in model.prompts[-1] if each != INSTRUCTIONS)


# --- one step each ---------------------------------------------------------------------------


def _talk(scratch: Scratch, lines: Iterable[str]) -> Table:
    """One conversation through the chat turn, as the public route makes it."""
    history: list[ChatMessage] = []
    conversation = None
    for line in lines:
        history.append(ChatMessage("user", line))
        asked = Asked(scratch.agent, {"host_id": VISITOR}, history, "chat", conversation)
        history.append(ChatMessage("assistant", "".join(turn(asked))))
        conversation = asked.conversation
    return Table("Said", ("who", "text"), [(each.role, each.content) for each in history])


def _captured(scratch: Scratch, expected: int) -> Table:
    with within(scratch.tenant_id):
        messages = list(Message.objects.order_by("id"))
        vectors = MemoryVector.objects.filter(chunk__isnull=False)
        spaces = dict(vectors.values_list("chunk__message_id", "space"))
    rows = [(str(m.position), m.role, m.content, spaces.get(m.pk, "none")) for m in messages]
    _check(len(messages) == expected, f"{len(messages)} messages captured, expected {expected}")
    missing = [m.position for m in messages if m.role == "user" and m.pk not in spaces]
    _check(not missing, f"messages without a vector: {missing}")
    return Table("Captured", ("position", "role", "content", "vector"), rows)


def _observed(scratch: Scratch) -> Table:
    before = _count(scratch, Observation)
    _until_done(lambda: observe.step(scratch.tenant_id, ignore_cooldown=True).taken)
    with within(scratch.tenant_id):
        fresh = list(Observation.objects.order_by("id")[before:])
    _check(bool(fresh), "nothing was observed")
    for each in fresh:
        found = all(item["found"] and item["quote"] for item in each.evidence)
        _check(found, f"an observation without its quote: {each.statement}")
    rows = [(o.statement, o.evidence[0]["quote"], o.status) for o in fresh]
    return Table("Observations", ("statement", "evidence", "status"), rows)


def _reconciled(scratch: Scratch) -> tuple[list[Mutation], Table]:
    _until_done(lambda: reconcile.step(scratch.tenant_id).taken)
    with within(scratch.tenant_id):
        pending = list(Mutation.objects.pending().select_related("target").order_by("id"))
    _check(bool(pending), "nothing was proposed")
    rows = [
        (
            m.operation,
            m.draft.get("key") or (m.target.key if m.target is not None else ""),
            str(m.before.get("content", "")),
            str(m.draft.get("content", "")),
            m.reasoning,
        )
        for m in pending
    ]
    return pending, Table("Pending", ("operation", "key", "before", "after", "because"), rows)


def _memories(scratch: Scratch, expected: int | None) -> Table:
    with within(scratch.tenant_id):
        live = list(Memory.objects.live().order_by("key"))
    wanted = len(live) if expected is None else expected
    _check(len(live) == wanted, f"{len(live)} memories after approving {wanted}")
    rows = [(m.key, m.presence, m.content, str(m.version)) for m in live]
    return Table("Memories", ("key", "presence", "content", "version"), rows)


def _count(scratch: Scratch, model: type[Observation]) -> int:
    with within(scratch.tenant_id):
        return model.objects.count()


def _until_done(step: Callable[[], int]) -> None:
    until = time.monotonic() + STAGE_SECONDS
    while step():
        _check(time.monotonic() < until, "a stage does not come to an end")
