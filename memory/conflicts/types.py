"""What is compared, and what comes out."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """high: both cannot be true now. medium: they probably conflict. low: a tension."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True)
class Candidate:
    """A stored text that a new one may contradict. `id` is the caller's own."""

    id: int
    text: str


@dataclass(frozen=True)
class Contradiction:
    """Candidate `id` is contradicted. `description`: one plain sentence that names both values."""

    id: int
    severity: Severity
    description: str


@dataclass(frozen=True)
class Checked:
    """The contradictions in the candidates' order, and who found them.

    `by` is "offline" or the model's name. `fell_back` names the failure (`ProviderError.name`)
    when a model was to answer and could not, so that the offline comparison did; else None.
    """

    contradictions: tuple[Contradiction, ...]
    by: str
    fell_back: str | None = None
