"""The nouns, one file each, in the order of the flow."""

from memory.models.category import Category
from memory.models.chunk import MessageChunk
from memory.models.draft import Draft, Presence, Role, Scope
from memory.models.erasure import Erasure
from memory.models.event import Event
from memory.models.indexes import MemoryVector, Posting, Unembedded
from memory.models.listener import Hearing, Listener
from memory.models.memory import Memory, MemoryVersion
from memory.models.mutation import Mutation, MutationSource
from memory.models.observation import Observation
from memory.models.reader import Reader
from memory.models.rule import Rule
from memory.models.run import Run
from memory.models.shared import (
    AccessGrant,
    Attempt,
    ConflictPolicy,
    Delivery,
    Entity,
    Mention,
    Relation,
    Replica,
    ReplicaOperation,
    ScratchEntry,
    SharedAgent,
    Team,
    TenantKey,
    Unextracted,
    VectorClock,
    Webhook,
    WorkflowUsage,
)
from memory.models.tombstone import Tombstone
from memory.models.trace import RecallTrace

__all__ = [
    "AccessGrant",
    "Attempt",
    "Category",
    "ConflictPolicy",
    "Delivery",
    "Draft",
    "Entity",
    "Erasure",
    "Event",
    "Hearing",
    "Listener",
    "Memory",
    "MemoryVector",
    "MemoryVersion",
    "Mention",
    "MessageChunk",
    "Mutation",
    "MutationSource",
    "Observation",
    "Posting",
    "Presence",
    "Reader",
    "RecallTrace",
    "Relation",
    "Replica",
    "ReplicaOperation",
    "Role",
    "Rule",
    "Run",
    "Scope",
    "ScratchEntry",
    "SharedAgent",
    "Team",
    "TenantKey",
    "Tombstone",
    "Unembedded",
    "Unextracted",
    "VectorClock",
    "Webhook",
    "WorkflowUsage",
]
