"""Measure an observer against annotated conversations: which turns it quotes, which it should.

The file is a list of conversations: `sessions[].turns[] {id, speaker, text}`, `sessions[].at`,
`speakers`, and `observations[] {speaker, evidence}` where evidence is a turn's id or a list.
Each speaker in turn is the user and the other the assistant, one session at a time.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory.providers.types import Transcript, Turn

Observe = Callable[[Transcript], set[int]]  # the numbers of the turns that are quoted

_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|we'd|we'll|us|our|ours|ourselves)\b",
    re.IGNORECASE,
)
_ID = re.compile(r"[^\s,;]+")


@dataclass(frozen=True)
class Score:
    """Counts of turns, and the three figures made from them."""

    hits: int = 0
    quoted: int = 0
    annotated: int = 0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.hits + other.hits,
            self.quoted + other.quoted,
            self.annotated + other.annotated,
        )

    @property
    def precision(self) -> float:
        return self.hits / self.quoted if self.quoted else 0.0

    @property
    def recall(self) -> float:
        return self.hits / self.annotated if self.annotated else 0.0

    @property
    def f1(self) -> float:
        both = self.quoted + self.annotated
        return 2 * self.hits / both if both else 0.0


@dataclass(frozen=True)
class Case:
    """One session seen by one speaker, and the turns of theirs that an annotator cited."""

    transcript: Transcript
    annotated: frozenset[int]


def first_person(transcript: Transcript) -> set[int]:
    """The baseline: every turn of the user that holds a word of the first person."""
    return {
        turn.number
        for turn in transcript.turns
        if turn.role == "user" and _FIRST_PERSON.search(turn.text.replace("\u2019", "'"))
    }


def said_at(text: str) -> datetime:
    for pattern in ("%I:%M %p on %d %B, %Y", "%Y-%m-%dT%H:%M:%S"):
        try:
            return datetime.strptime(text.strip(), pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
    return datetime(2000, 1, 1, tzinfo=UTC)


def _cited(conversation: Mapping[str, Any]) -> set[tuple[str, str]]:
    cited: set[tuple[str, str]] = set()
    for observation in conversation["observations"]:
        evidence = observation["evidence"]
        for entry in [evidence] if isinstance(evidence, str) else evidence:
            cited |= {(observation["speaker"], turn) for turn in _ID.findall(str(entry))}
    return cited


def cases(conversation: Mapping[str, Any]) -> Iterator[Case]:
    """Every session of a conversation, once for each speaker as the user."""
    cited = _cited(conversation)
    for session in conversation["sessions"]:
        start = said_at(session["at"])
        for speaker in conversation["speakers"]:
            other = next((s for s in conversation["speakers"] if s != speaker), None)
            turns = [
                Turn(
                    number=number,
                    role="user" if turn["speaker"] == speaker else "assistant",
                    text=turn["text"],
                    at=start + timedelta(minutes=number),
                )
                for number, turn in enumerate(session["turns"], start=1)
            ]
            annotated = frozenset(
                number
                for number, turn in enumerate(session["turns"], start=1)
                if turn["speaker"] == speaker and (speaker, turn["id"]) in cited
            )
            yield Case(Transcript(turns, user_name=speaker, assistant_name=other), annotated)


def score(conversation: Mapping[str, Any], observe: Observe) -> Score:
    """Precision and recall of the quoted turns over all sessions of a conversation."""
    total = Score()
    for case in cases(conversation):
        quoted = observe(case.transcript)
        total += Score(len(quoted & case.annotated), len(quoted), len(case.annotated))
    return total


def load(path: Path) -> list[Mapping[str, Any]]:
    """The conversations of a file; ValueError says what is missing."""
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, list) or not all(
        isinstance(c, dict) and {"sessions", "speakers", "observations"} <= c.keys() for c in data
    ):
        raise ValueError(f"{path.name}: expected a list of conversations with observations")
    return data


def table(conversations: Sequence[Mapping[str, Any]], observe: Observe) -> str:
    """The figures as text: the baseline and the observer, a line a conversation and all of it."""
    lines = [
        f"{'':<14}{'baseline':^24}{'observer':^24}{'F1':>8}",
        f"{'conversation':<14}{'P':>8}{'R':>8}{'F1':>8}{'P':>8}{'R':>8}{'F1':>8}{'gain':>8}",
    ]
    base_all, ours_all = Score(), Score()

    def row(name: str, base: Score, ours: Score) -> str:
        figures = (base.precision, base.recall, base.f1, ours.precision, ours.recall, ours.f1)
        return (
            f"{name:<14}"
            + "".join(f"{100 * figure:>8.1f}" for figure in figures)
            + f"{100 * (ours.f1 - base.f1):>+8.1f}"
        )

    for index, conversation in enumerate(conversations, start=1):
        base, ours = score(conversation, first_person), score(conversation, observe)
        base_all, ours_all = base_all + base, ours_all + ours
        lines.append(row(str(conversation.get("id", index)), base, ours))
    return "\n".join([*lines, row("all", base_all, ours_all)])
