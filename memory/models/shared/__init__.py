"""Nouns of the memory that many agents share (contract 4), one file each."""

from memory.models.shared.agent import AccessGrant, SharedAgent, Team
from memory.models.shared.clock import VectorClock
from memory.models.shared.graph import Entity, Mention, Relation, Unextracted
from memory.models.shared.policy import ConflictPolicy
from memory.models.shared.replica import Replica, ReplicaOperation
from memory.models.shared.scratch import ScratchEntry
from memory.models.shared.tenant_key import TenantKey
from memory.models.shared.usage import WorkflowUsage
from memory.models.shared.webhook import Attempt, Delivery, Webhook

__all__ = [
    "AccessGrant",
    "Attempt",
    "ConflictPolicy",
    "Delivery",
    "Entity",
    "Mention",
    "Relation",
    "Replica",
    "ReplicaOperation",
    "ScratchEntry",
    "SharedAgent",
    "Team",
    "TenantKey",
    "Unextracted",
    "VectorClock",
    "Webhook",
    "WorkflowUsage",
]
