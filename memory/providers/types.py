"""What the stages ask of a language model and an embedder, and what they get back.

Stages speak in these values only. How a model is prompted and how its text is parsed is the
provider's affair (`prompts`, `parsing`); the offline provider answers without a prompt.
Numbers shown to a model (`Turn.number`, `Known.number`) are small, start at 1 and are valid for
one call only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from memory.models.draft import Draft
from memory.providers.named import Entities

Role = Literal["user", "assistant", "system"]
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Made:
    """Who made a proposal: kept with it, so that a run can be traced to model and prompt."""

    provider: str
    model: str
    prompt_hash: str = ""

    def as_json(self) -> dict[str, str]:
        return {"provider": self.provider, "model": self.model, "prompt": self.prompt_hash}


# --- observe ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """One message of a transcript. `at` is the sender's local time (aware, the sender's offset).

    `context` turns were observed before: they explain the new ones and are never evidence.
    """

    number: int
    role: Role
    text: str
    at: datetime
    context: bool = False


@dataclass(frozen=True)
class Transcript:
    """The part of a conversation to observe. `user_name` is None for a nameless visitor."""

    turns: Sequence[Turn]
    user_name: str | None = None
    assistant_name: str | None = None


@dataclass(frozen=True)
class Finding:
    """A statement about the user, and the words it rests on.

    `statement` names the speaker ("The user ..." or by name), has its dates resolved against the
    turn's own `at`, and stands by itself. `quote` is copied from turn `turn`, or the stage flags
    it.
    """

    statement: str
    quote: str
    turn: int | None


@dataclass(frozen=True)
class Observed:
    findings: Sequence[Finding]
    made: Made


# --- reconcile -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """Something the scope already holds: a live memory, a pending proposal, or a rejected one.

    `similarity` is the cosine of its content to the observation's statement, None when unknown
    (other embedding space, no vector yet, or not among the nearest).
    """

    number: int
    state: Literal["memory", "pending", "rejected"]
    key: str
    description: str
    content: str
    presence: str
    similarity: float | None = None


@dataclass(frozen=True)
class Question:
    """One observation to reconcile, with all that the model may look at."""

    statement: str
    quote: str
    said_at: datetime
    wide: bool  # agent-wide: true when the observation has no visitor
    siblings: Sequence[str] = ()  # nearest other observations of the scope
    excerpts: Sequence[str] = ()  # nearest captured messages of the scope, "role: text"
    known: Sequence[Known] = ()


@dataclass(frozen=True)
class Proposal:
    """One change. `target` is the `number` of a Known memory for modify and delete."""

    operation: Literal["add", "modify", "delete"]
    draft: Draft = field(default_factory=Draft)
    target: int | None = None


@dataclass(frozen=True)
class Decision:
    """What to do with an observation.

    mutate: `proposals` become pending mutations. defer: ask again later. discard: drop it.
    repeat: it restates Known `about` (memory: a confirmation, pending: more evidence for it,
    rejected: dropped).
    """

    action: Literal["mutate", "defer", "discard", "repeat"]
    reasoning: str
    made: Made
    proposals: Sequence[Proposal] = ()
    about: int | None = None


# --- extract (automatic agents) ---------------------------------------------------------------


@dataclass(frozen=True)
class CategoryHint:
    """An active category of the agent, as the model is told of it."""

    slug: str
    name: str
    description: str = ""
    prompt: str = ""  # the agent's own hint for this category


@dataclass(frozen=True)
class Exchange:
    """What was said since the last extraction, and a summary of what is known already.

    `known` maps a category's slug to texts; under None stand those that every agent knows.
    """

    transcript: Transcript
    categories: Sequence[CategoryHint] = ()
    known: Mapping[str | None, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Fact:
    """Something about the user. `category` is a slug, or None: for every agent to know.

    `quote` and `turn` are "" and None when the model gave no evidence.
    """

    content: str
    category: str | None
    quote: str = ""
    turn: int | None = None


@dataclass(frozen=True)
class Extracted:
    facts: Sequence[Fact]
    made: Made


# --- contradictions ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """A new text, and stored ones that it may contradict; they are numbered from 1."""

    text: str
    stored: Sequence[str]


@dataclass(frozen=True)
class Conflict:
    """Stored text `number` cannot stand beside the new one. high: both cannot be true now;
    medium: they probably conflict; low: a tension. `description` may be empty."""

    number: int
    severity: Literal["high", "medium", "low"]
    description: str


@dataclass(frozen=True)
class Compared:
    conflicts: Sequence[Conflict]
    made: Made


# --- relevance --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """A question, and notes whose relevance to it is wanted."""

    question: str
    texts: Sequence[str]


@dataclass(frozen=True)
class Relevances:
    """A score in 0…1 for each note, in their order."""

    scores: Sequence[float]
    made: Made


# --- summary ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Note:
    """What an agent wrote; `role` is empty when it named none."""

    writer: str
    role: str
    text: str


@dataclass(frozen=True)
class Notes:
    """Of one task, in the order in which they were written."""

    notes: Sequence[Note]


# --- answer ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """Something the model may call. `parameters` is the JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class Call:
    """The model wants a function run. `arguments` is its own text: JSON, or what it took for it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class ChatMessage:
    """`calls` of an assistant's message; a message of role "tool" `answers` one of them."""

    role: Role | Literal["tool"]
    content: str
    calls: tuple[Call, ...] = ()
    answers: str = ""


class Language(Protocol):
    """A language model behind one door. Every method raises only `errors.ProviderError`s.

    `timeout` is seconds for the whole call. No transaction may be open during a call.
    """

    made: Made

    def observe(self, transcript: Transcript, *, timeout: float) -> Observed: ...

    def reconcile(self, question: Question, *, timeout: float) -> Decision: ...

    def extract(self, exchange: Exchange, *, timeout: float) -> Extracted: ...

    def contradictions(self, comparison: Comparison, *, timeout: float) -> Compared: ...

    def relevance(self, judged: Judged, *, timeout: float) -> Relevances: ...

    def summary(self, notes: Notes, *, timeout: float) -> str:
        """A brief in Markdown, not empty; Unparseable from a provider that makes none."""
        ...

    def entities(self, texts: Sequence[str], *, timeout: float) -> Entities: ...

    def answer(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]:
        """The reply in pieces, as they come. Nothing but text; raises before or between pieces."""
        ...

    def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        functions: Sequence[Function],
        may_call: bool,
        timeout: float,
    ) -> Iterator[str | Call]:
        """One round of a reply: its text in pieces, then what the model wants called, if
        anything. `may_call` false: it is told what there is and may only speak."""
        ...


class Embedder(Protocol):
    """Text to unit vectors of one space. Two vectors are comparable only if `space` is equal."""

    space: str  # "wordllama-256", "text-embedding-3-small-1536": model and dimensions
    dimensions: int
    token_limit: int | None  # per text; None: none
    batch_limit: int  # texts per call

    def embed(self, texts: Sequence[str], *, timeout: float) -> npt.NDArray[np.float32]:
        """Shape (len(texts), dimensions), rows of length 1; a row of zeros where a text has no
        vector (blank, nothing known in it): the caller stores no vector for it."""
        ...


class ChatTransport(Protocol):
    """One chat-completion call to a server or to a test's script: the only thing below parsing."""

    made: Made

    def complete(
        self, messages: Sequence[ChatMessage], *, schema: Mapping[str, Any], timeout: float
    ) -> Mapping[str, Any]:
        """The reply's first choice: {"message": {"content", "refusal"}, "finish_reason"}.

        `schema` is {"name", "schema"}, the JSON schema strict: see `replies.strict_schema`.
        """
        ...

    def stream(self, messages: Sequence[ChatMessage], *, timeout: float) -> Iterator[str]: ...

    def converse(
        self,
        messages: Sequence[ChatMessage],
        *,
        functions: Sequence[Function],
        may_call: bool,
        timeout: float,
    ) -> Iterator[str | Call]:
        """See `Language.converse`."""
        ...
