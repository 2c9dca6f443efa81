"""A tenant with a customer's key, and what it shares, for tests. Call inside `within`."""

import os
from typing import Any
from uuid import uuid4

from django.db import connection

from memory import sealing, store
from memory.models import Draft, Memory, Scope, TenantKey
from memory.sealing import DataKey
from memory.sharing.agents import agent_called
from tenants.actor import SYSTEM
from tenants.context import current_tenant
from tenants.models import Tenant


def put_key(tenant: Tenant, customer_key: bytes | None = None) -> DataKey:
    secret = os.urandom(32)
    customer_key = customer_key or os.urandom(32)
    wrapped = sealing.wrap(secret, customer_key=customer_key, tenant_id=tenant.pk)
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


def occurrences(*texts: str) -> list[str]:
    """Every table of the tenant that has one of these texts anywhere, in any case, bytes too."""
    assert current_tenant() is not None, "without a tenant there are no rows to look at"
    forms = {text.lower() for text in texts}
    for text in texts:
        forms |= {form.encode().hex() for form in (text, text.lower(), text.title())}
    found = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (table,) in cursor.fetchall():
            cursor.execute(
                f'SELECT count(*) FROM "{table}" t, unnest(%s::text[]) form '
                "WHERE strpos(lower(t::text), form) > 0",
                [sorted(forms)],
            )
            if cursor.fetchone()[0]:
                found.append(table)
    return sorted(found)
