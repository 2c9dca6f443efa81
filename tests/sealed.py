"""A tenant with a customer's key, and what it shares, for tests. Call inside `within`."""

import os
from typing import Any
from uuid import uuid4

from memory import sealing, store
from memory.models import Draft, Memory, Scope, TenantKey
from memory.sealing import DataKey
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tests.factories import World


def put_key(world: World, customer_key: bytes | None = None) -> DataKey:
    secret = os.urandom(32)
    customer_key = customer_key or os.urandom(32)
    wrapped = sealing.wrap(secret, customer_key=customer_key, tenant_id=world.tenant.pk)
    TenantKey.objects.create(wrapped=wrapped, fingerprint="f")
    key = sealing.key_in_use()
    assert key is not None
    assert key.secret == secret
    return key


def remove_key() -> None:
    TenantKey.objects.filter(removed_at=None).update(wrapped=None, removed_at="2026-01-01T00:00Z")


def make_shared(
    text: str, key: DataKey | None = None, *, writer: str = "a", **fields: Any
) -> Memory:
    """`fields` go into the draft; with `key` it is sealed as it is written."""
    uid = uuid4()
    return store.share(
        Draft(content=text, **{"scope": Scope.GLOBAL, **fields}),
        writer=agent_called(writer),
        by=SYSTEM,
        uid=uid,
        sealed=None if key is None else key.seal(text, uid=uid),
    )
