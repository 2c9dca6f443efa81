"""Notes of every kind as assertions: read, and set against each other by what they state."""

from memory.providers.offline.notes.comparing import Verdict, judge

__all__ = ["Verdict", "judge"]
