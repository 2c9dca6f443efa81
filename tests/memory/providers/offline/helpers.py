"""Short ways to ask the offline provider in a test."""

from collections.abc import Sequence
from datetime import datetime

from memory.providers.offline import OfflineLanguage
from memory.providers.types import Decision, Finding, Known, Question, Role, Transcript, Turn

NOON = datetime.fromisoformat("2026-03-03T12:00:00+00:00")


def transcript(
    *messages: tuple[Role, str], at: datetime = NOON, name: str | None = None
) -> Transcript:
    turns = [Turn(n, role, text, at) for n, (role, text) in enumerate(messages, start=1)]
    return Transcript(turns, user_name=name)


def observe(
    *messages: tuple[Role, str], at: datetime = NOON, name: str | None = None
) -> Sequence[Finding]:
    return OfflineLanguage().observe(transcript(*messages, at=at, name=name), timeout=5).findings


def statements(*messages: tuple[Role, str], at: datetime = NOON) -> list[str]:
    return [finding.statement for finding in observe(*messages, at=at)]


def said(text: str, at: datetime = NOON) -> list[str]:
    """The statements found when the user says just this."""
    return statements(("user", text), at=at)


def known(number: int, content: str, state: str = "memory", key: str = "/notes/one") -> Known:
    return Known(number, state, key, "label", content, "on-demand")  # type: ignore[arg-type]


def reconcile(statement: str, *existing: Known) -> Decision:
    question = Question(statement, statement, NOON, wide=False, known=existing)
    return OfflineLanguage().reconcile(question, timeout=5)
