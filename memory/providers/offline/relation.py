"""How one statement stands to another."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["contradiction", "restatement", "refinement", "unrelated"]
Severity = Literal["high", "medium", "low"]


@dataclass(frozen=True)
class Relation:
    """How b stands to a. `severity` is set for contradictions only; `because` is for people."""

    kind: Kind
    severity: Severity | None = None
    because: str = ""
    says: tuple[str, str] = ("", "")  # of a contradiction: what a says, what b says

    @property
    def contradicts(self) -> bool:
        return self.kind == "contradiction"
