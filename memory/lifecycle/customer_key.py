"""Setting, changing and removing a customer's key (D35). Inside `within`."""

import hmac
import os
from typing import Literal

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from memory import sealing
from memory.models import Memory, Mutation, TenantKey
from memory.sealing import KeyUnusable
from tenants.actor import Actor
from tenants.audit import record
from tenants.secrets import tenant_secret

Outcome = Literal["set", "rotated", "repaired", "unchanged"]


def put(customer_key: bytes, *, tenant_id: int, by: Actor) -> Outcome:
    """Use this key (32 bytes) from now on.

    Where another is in use, the data key is wrapped anew under this one: a rotation, which
    re-encrypts nothing and interrupts no read. The key that is in use already changes nothing,
    but opens the envelope again after MASTER_KEY was changed. Raises KeyUnusable when the key in
    use cannot be unwrapped and this is not it.
    """
    if len(customer_key) != sealing.KEY_BYTES:
        raise ValueError(f"a customer's key has {sealing.KEY_BYTES} bytes")
    row = _locked()
    if row is None:
        try:
            with transaction.atomic():
                return _first(customer_key, tenant_id, by)
        except IntegrityError:  # somebody else set one just now
            row = _locked()
            if row is None:
                raise
    return _again(row, customer_key, by)


def remove(*, by: Actor) -> bool:
    """Forget the key in use; whether there was one. What it sealed is shut for good.

    Waits for the writes that are sealing under it.
    """
    row = _locked()
    if row is None:
        return False
    row.wrapped, row.removed_at = None, Now()
    row.save(update_fields=["wrapped", "removed_at"])
    record("customer_key.removed", by=by, subject="tenant_key", subject_id=row.pk)
    return True


def waiting() -> int:
    """How many memories and proposals of agents are still in the clear."""
    return in_the_clear().count() + proposals_in_the_clear().count()


def in_the_clear() -> QuerySet[Memory]:
    return Memory.objects.filter(kind=Memory.Kind.SHARED, sealed=None)


def proposals_in_the_clear() -> QuerySet[Mutation]:
    # `isnull` asks whether the name is there; a sealed draft has none, or null.
    said = Q(draft__content__isnull=False) & ~Q(draft__content=None) | ~Q(reasoning="")
    return Mutation.objects.filter(said, writer__isnull=False, sealed=None)


def _first(customer_key: bytes, tenant_id: int, by: Actor) -> Outcome:
    row = TenantKey.objects.create(
        wrapped=sealing.wrap(
            os.urandom(sealing.KEY_BYTES), customer_key=customer_key, tenant_id=tenant_id
        ),
        fingerprint=_fingerprint(customer_key, tenant_id),
    )
    record("customer_key.set", by=by, subject="tenant_key", subject_id=row.pk)
    return "set"


def _again(row: TenantKey, customer_key: bytes, by: Actor) -> Outcome:
    fingerprint = _fingerprint(customer_key, row.tenant_id)
    outcome: Outcome = "rotated"
    try:
        secret = sealing.unwrapped(row).secret
        if hmac.compare_digest(fingerprint, row.fingerprint):
            return "unchanged"
    except KeyUnusable:
        found = sealing.unwrapped_with(row, customer_key)
        if found is None:
            raise
        secret, outcome = found, "repaired"
    row.wrapped = sealing.wrap(secret, customer_key=customer_key, tenant_id=row.tenant_id)
    row.fingerprint = fingerprint
    row.save(update_fields=["wrapped", "fingerprint"])
    record(f"customer_key.{outcome}", by=by, subject="tenant_key", subject_id=row.pk)
    return outcome


def _locked() -> TenantKey | None:
    rows = TenantKey.objects.select_for_update(of=("self",), no_key=True)
    return rows.filter(removed_at=None).first()


def _fingerprint(customer_key: bytes, tenant_id: int) -> str:
    """Tells keys apart and tells nothing of them without MASTER_KEY."""
    secret = tenant_secret(tenant_id, "customer-key-fingerprint")
    return hmac.digest(secret, customer_key, "sha256").hex()
