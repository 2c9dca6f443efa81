"""Secrets are sealed to their webhook, and signatures cover every byte and the second."""

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.events.signature import (
    SecretLost,
    headers,
    new_secret,
    policy_secret,
    seal,
    unseal,
)
from tests.receivers import Taken

UID = UUID(int=7)


def test_a_secret_opens_for_its_webhook_alone() -> None:
    secret = new_secret()
    sealed = seal(secret, tenant_id=1, uid=UID)
    assert secret.encode() not in sealed
    assert unseal(sealed, tenant_id=1, uid=UID) == secret
    assert seal(secret, tenant_id=1, uid=UID) != sealed
    damaged = sealed[:-1] + bytes([sealed[-1] ^ 1])
    for other, tenant, uid in (
        (sealed, 2, UID),
        (sealed, 1, uuid4()),
        (damaged, 1, UID),
        (sealed[:12], 1, UID),
        (b"", 1, UID),
    ):
        with pytest.raises(SecretLost):
            unseal(other, tenant_id=tenant, uid=uid)


def test_a_policys_secret_is_its_own_and_stays() -> None:
    one = policy_secret(tenant_id=1, uid=UID)
    assert policy_secret(tenant_id=1, uid=UID) == one
    assert policy_secret(tenant_id=1, uid=uuid4()) != one
    assert policy_secret(tenant_id=2, uid=UID) != one


@given(st.binary(max_size=200), st.integers(0, 2**40))
def test_what_was_signed_verifies_and_nothing_else(body: bytes, at: int) -> None:
    secret = "whsec_secret"
    made = {name.lower(): value for name, value in headers(secret, body, at=at).items()}
    Taken("/", made, body).verify(secret)
    for taken, key in ((Taken("/", made, body + b" "), secret), (Taken("/", made, body), "other")):
        with pytest.raises(AssertionError):
            taken.verify(key)


def test_a_second_of_another_time_is_another_signature() -> None:
    first, second = (headers("whsec_a", b"{}", at=at) for at in (1, 2))
    assert first["X-DinoMem-Signature"] == second["X-DinoMem-Signature"]
    v1 = [each["X-Keepsake-Signature"].split("v1=")[1] for each in (first, second)]
    assert v1[0] != v1[1]
