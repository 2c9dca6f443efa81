"""Shared memory under the customer's key (D35): the envelope, and what is sealed with it.

A tenant's data key is wrapped under the customer's key, which is wrapped under one that is derived
from MASTER_KEY for this tenant. All three are AES-256-GCM with a random nonce. What is sealed says
which data key sealed it, and is bound to the tenant and to the memory's `uid`: bytes that were
moved to another row do not open. Everything here happens inside `within`.
"""

import hmac
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db.models import BinaryField, Func, Q, Value
from django.db.models.lookups import Exact

from memory.models import Draft, Memory, Mutation, TenantKey
from memory.providers.cleaning import content_hash
from tenants.answers import Refused
from tenants.secrets import tenant_secret

log = logging.getLogger(__name__)

KEY_BYTES = 32  # AES-256
NONCE_BYTES = 12  # what GCM is defined for
FORMAT = b"\x01"
ID_BYTES = 8  # of the data key, behind the format
_PREFIX = len(FORMAT) + ID_BYTES
# Django knows no FOR SHARE, and NO KEY UPDATE would make all writes of a tenant queue.
_FOR_WRITE = "SELECT * FROM memory_tenantkey WHERE removed_at IS NULL FOR SHARE"
_WRAPPED_KEY = NONCE_BYTES + KEY_BYTES + 16  # with GCM's tag


class KeyUnusable(Refused):
    """The tenant's key is there and cannot be unwrapped: MASTER_KEY is another, or bytes broke.

    Nothing is written in the clear instead, and nothing sealed is reported as lost.
    """

    def __init__(self) -> None:
        super().__init__(
            "the customer's key cannot be unwrapped: this server runs under another MASTER_KEY "
            "than the one it was set under",
            status=503,
        )


class NotOpened(Exception):
    """Sealed bytes that this key does not open."""


class OtherKey(NotOpened):
    """Sealed under a data key that is not this one: it was removed, and nothing opens it again."""


class SealBroken(NotOpened):
    """Changed, cut, or moved here from another memory or tenant."""


@dataclass(frozen=True)
class Sealed:
    """A text under the customer's key, and its hash keyed by the data key (D35)."""

    text: bytes
    hash: str


@dataclass(frozen=True)
class DataKey:
    """What a tenant's shared memory is sealed with while a customer's key is in use."""

    id: int
    tenant_id: int
    secret: bytes = field(repr=False)

    def seal(self, text: str, *, uid: UUID) -> Sealed:
        """Seal the content of the memory that has, or will have, this `uid`."""
        sealed = _encrypt(self.secret, text.encode(), self._bound_to(uid))
        return Sealed(self.prefix + sealed, self.hash_of(text))

    def open(self, sealed: bytes, *, uid: UUID) -> str:
        """The text; raises OtherKey or SealBroken, both NotOpened."""
        sealed = bytes(sealed)
        if not sealed.startswith(self.prefix):
            known = sealed.startswith(FORMAT) and len(sealed) > _PREFIX
            raise OtherKey if known else SealBroken
        return _decrypt(self.secret, sealed[_PREFIX:], self._bound_to(uid)).decode()

    def hash_of(self, text: str) -> str:
        """What "exact duplicate" means for sealed texts: E7's rule, keyed by the data key."""
        return content_hash(text, hmac.digest(self.secret, b"content-hash", "sha256"))

    @property
    def prefix(self) -> bytes:
        return FORMAT + self.id.to_bytes(ID_BYTES, "big")

    def _bound_to(self, uid: UUID) -> bytes:
        return f"memory:{self.tenant_id}:{uid}".encode()


# --- the key in use --------------------------------------------------------------------------


def key_in_use(*, for_write: bool = False) -> DataKey | None:
    """The data key of the open tenant; None where no customer's key is set. One query.

    Whoever seals asks `for_write` in the transaction that writes: a removal then waits for its
    end, so that nothing is sealed under a key that is gone. Raises KeyUnusable where a key is set
    and cannot be unwrapped.
    """
    if for_write:
        rows = list(TenantKey.objects.raw(_FOR_WRITE))
    else:
        rows = list(TenantKey.objects.filter(removed_at=None)[:1])
    return unwrapped(rows[0]) if rows else None


def wrap(secret: bytes, *, customer_key: bytes, tenant_id: int) -> bytes:
    """The envelope: the customer's key under the server's, then the data key under the former."""
    server_key = tenant_secret(tenant_id, "customer-key")
    return _encrypt(server_key, customer_key, _wrapping("customer", tenant_id)) + _encrypt(
        customer_key, secret, _wrapping("data", tenant_id)
    )


def unwrapped_with(row: TenantKey, customer_key: bytes) -> bytes | None:
    """The data key by the customer's key itself; None when it is not the one in use."""
    inner = bytes(row.wrapped or b"")[_WRAPPED_KEY:]
    try:
        return _decrypt(customer_key, inner, _wrapping("data", row.tenant_id))
    except SealBroken:
        return None


def unwrapped(row: TenantKey) -> DataKey:
    envelope, tenant_id = bytes(row.wrapped or b""), row.tenant_id
    try:
        customer_key = _decrypt(
            tenant_secret(tenant_id, "customer-key"),
            envelope[:_WRAPPED_KEY],
            _wrapping("customer", tenant_id),
        )
        secret = _decrypt(customer_key, envelope[_WRAPPED_KEY:], _wrapping("data", tenant_id))
    except SealBroken:
        log.error("tenant key %s of tenant %s cannot be unwrapped", row.pk, tenant_id)
        raise KeyUnusable from None
    return DataKey(row.pk, tenant_id, secret)


# --- reading ---------------------------------------------------------------------------------


def opened(memories: Iterable[Memory]) -> list[tuple[Memory, str | None]]:
    """Each memory with its text; None where it is sealed under a key that was removed.

    One look-up of the key for the list, none if nothing in it is sealed.
    """
    rows = list(memories)
    key = key_in_use() if any(row.sealed is not None for row in rows) else None
    return [(row, _text(row, key)) for row in rows]


def is_readable(key: DataKey | None) -> Q:
    """Memories whose text can be had: what a search is narrowed to (E15)."""
    if key is None:
        return Q(sealed=None)
    return Q(sealed=None) | Q(Exact(_Prefix(), Value(key.prefix, BinaryField())))


def _text(row: Memory, key: DataKey | None) -> str | None:
    if row.sealed is None:
        return row.content
    return _opened(bytes(row.sealed), row.uid, key, f"memory {row.pk}")


def _opened(sealed: bytes, uid: UUID, key: DataKey | None, what: str) -> str | None:
    if key is None:
        return None
    try:
        return key.open(sealed, uid=uid)
    except OtherKey:
        return None
    except SealBroken:
        log.error("the seal of %s of tenant %s is broken", what, key.tenant_id)
        return None


class _Prefix(Func):
    """Which data key sealed a row."""

    template = f"substring(sealed from 1 for {_PREFIX})"
    output_field = BinaryField()


# --- a write that waits for a person ---------------------------------------------------------


def sealed_proposal(draft: Draft, key: DataKey | None, *, uid: UUID) -> dict[str, Any]:
    """The columns `draft`, `sealed` and, when sealed, `hash` of a Mutation under this `uid`.

    The memory that an approval makes has the same `uid`, so the same bytes open there, too. What
    is said about a sealed text is not kept either: see `hushed`.
    """
    if key is None or draft.content is None:
        return {"draft": draft.given(), "sealed": None}
    sealed = key.seal(draft.content, uid=uid)
    return {"draft": without_content(draft.given()), "sealed": sealed.text, "hash": sealed.hash}


def hushed(conflicts: list[dict[str, Any]]) -> dict[str, Any]:
    """The columns `conflicts` and `reasoning` of a sealed proposal: descriptions quote texts."""
    return {"conflicts": [{**each, "description": ""} for each in conflicts], "reasoning": ""}


def proposals_opened(mutations: Iterable[Mutation]) -> list[tuple[Mutation, Draft]]:
    """Each proposal's draft with its text; without `content` where nothing opens it any more."""
    rows: Sequence[Mutation] = list(mutations)
    key = key_in_use() if any(row.sealed is not None for row in rows) else None
    return [(row, _whole(row, key)) for row in rows]


def without_content(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != "content"}


def _whole(row: Mutation, key: DataKey | None) -> Draft:
    if row.sealed is None:
        return row.proposal
    text = _opened(bytes(row.sealed), row.uid, key, f"mutation {row.pk}")
    return row.proposal if text is None else Draft(content=text).over(row.proposal)


# --- AES-256-GCM -----------------------------------------------------------------------------


def _wrapping(what: str, tenant_id: int) -> bytes:
    return f"{what}-key:{tenant_id}".encode()


def _encrypt(key: bytes, text: bytes, bound_to: bytes) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, text, bound_to)


def _decrypt(key: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    if len(sealed) < NONCE_BYTES + 16:
        raise SealBroken
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound_to)
    except InvalidTag:
        raise SealBroken from None
