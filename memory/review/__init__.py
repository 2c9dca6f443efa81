"""The reviewer's verbs: approve, reject, edit, undo. The only code that applies a mutation.

Each opens its own block and is always outermost (G1), so that a refusal that has to be recorded
("stale", "out of scope") is kept although the caller gets an error. Lock order everywhere: scope,
mutation, target (G2). A decision is final and has one winner.
"""

from memory.review.decide import approve, approve_each, edit, keep_both, reject
from memory.review.held import Decided
from memory.review.refusals import (
    AlreadyDecided,
    CannotUndo,
    ChangedSinceShown,
    InvalidEdit,
    MayNotDecide,
    NoConflict,
    NoSuchMutation,
    OutOfScope,
    ReviewRefused,
    Stale,
    SwitchedOff,
)
from memory.review.take_back import undo

__all__ = [
    "AlreadyDecided",
    "CannotUndo",
    "ChangedSinceShown",
    "Decided",
    "InvalidEdit",
    "MayNotDecide",
    "NoConflict",
    "NoSuchMutation",
    "OutOfScope",
    "ReviewRefused",
    "Stale",
    "SwitchedOff",
    "approve",
    "approve_each",
    "edit",
    "keep_both",
    "reject",
    "undo",
]
