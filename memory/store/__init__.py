"""The one writer of memories: add, change, close (or supersede), restore, erase.

Every verb runs inside an open `within` block and writes, in that transaction, the row, its
version, its index entries and its event. Whoever calls has locked what it changes and writes the
audit entry: one decision, one entry. No verb needs a provider: a text without a vector at hand
is left to the embed stage.
"""

from memory.sealing import Sealed
from memory.store.index import AtHand
from memory.store.sealed import seal
from memory.store.share import share, state_fact, supersede_all
from memory.store.shared import Because, Shared
from memory.store.verbs import (
    New,
    add,
    add_many,
    change,
    checked,
    close,
    confirm,
    erase,
    hash_of,
    restore,
)

__all__ = [
    "AtHand",
    "Because",
    "New",
    "Sealed",
    "Shared",
    "add",
    "add_many",
    "change",
    "checked",
    "close",
    "confirm",
    "erase",
    "hash_of",
    "restore",
    "seal",
    "share",
    "state_fact",
    "supersede_all",
]
