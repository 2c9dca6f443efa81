"""Which stored texts a new one contradicts: by a language model, or in plain Python.

`check` asks the model that it is given and falls back to the offline comparison when that cannot
answer; `check_offline` is the comparison alone. Nothing is read from or written to a database.
"""

from memory.conflicts.check import check, check_offline
from memory.conflicts.types import Candidate, Checked, Contradiction, Severity

__all__ = ["Candidate", "Checked", "Contradiction", "Severity", "check", "check_offline"]
