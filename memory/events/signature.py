"""How a receiver knows that a telling is ours: two HMAC-SHA256 over the raw bytes of the body.

A webhook's secret is random, shown once, and kept sealed with AES-256-GCM under a key derived
from MASTER_KEY for its tenant. A policy's `webhookUrl` signs with a secret derived for the policy.
"""

import hmac
import secrets
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tenants.secrets import tenant_secret

PREFIX = "whsec_"
NONCE = 12  # bytes, random for each sealing


class SecretLost(ValueError):
    """The secret cannot be opened: MASTER_KEY is not the one it was sealed under."""


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def seal(secret: str, *, tenant_id: int, uid: UUID) -> bytes:
    """Bound to the webhook: what was sealed for one opens for no other."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + _cipher(tenant_id).encrypt(nonce, secret.encode(), uid.bytes)


def unseal(sealed: bytes, *, tenant_id: int, uid: UUID) -> str:
    try:
        return _cipher(tenant_id).decrypt(sealed[:NONCE], sealed[NONCE:], uid.bytes).decode()
    except (InvalidTag, ValueError):
        raise SecretLost("sealed under another MASTER_KEY") from None


def policy_secret(*, tenant_id: int, uid: UUID) -> str:
    """What a policy's `webhookUrl` is signed with: the same for as long as the policy lives."""
    return (
        PREFIX + hmac.digest(tenant_secret(tenant_id, "policy-webhook"), uid.bytes, "sha256").hex()
    )


def headers(secret: str, body: bytes, *, at: int) -> dict[str, str]:
    """Both signatures. `at` is the second of sending; ours covers it, against replays."""
    key = secret.encode()
    stamped = f"{at}.".encode() + body
    return {
        "X-DinoMem-Signature": f"sha256={hmac.digest(key, body, 'sha256').hex()}",
        "X-Keepsake-Signature": f"t={at},v1={hmac.digest(key, stamped, 'sha256').hex()}",
    }


def _cipher(tenant_id: int) -> AESGCM:
    return AESGCM(tenant_secret(tenant_id, "webhook-secret"))
