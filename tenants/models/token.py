"""Credentials for programs and people: kept as digest and prefix, shown once."""

import hashlib
import secrets
import uuid
from typing import Any

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models.functions import Now

from tenants.models.base import TenantRow

PREFIX = "ksk_"


def digest_of(key: str) -> str:
    """SHA-256 in hex. The key is 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class TokenManager(models.Manager["Token"]):
    def issue(self, **fields: Any) -> tuple["Token", str]:
        """Make a token inside the open tenant; the second value is the key, shown only now."""
        key = PREFIX + secrets.token_urlsafe(32)
        token = self.create(digest=digest_of(key), prefix=key[:12], **fields)
        return token, key


class Token(TenantRow):
    class Kind(models.TextChoices):
        ORGANISATION = "organisation"  # acts for the tenant, never decides
        MEMBER = "member"  # a signed-in member's, 12 hours at most, may decide (D26)
        PERSON = "person"  # one visitor's own

    uid = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), editable=False)
    kind = models.CharField(max_length=12, choices=Kind)
    name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    prefix = models.CharField(max_length=12)
    # By number, not by relation: agents stand above tenants. The agents app adds the constraint.
    agent_id = models.BigIntegerField(null=True, blank=True)
    visitor_id = models.BigIntegerField(null=True, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    # Of a key for shared memory alone: one agent by its name there, one scope.
    shared_agent = models.CharField(max_length=200, blank=True)
    scope = models.CharField(max_length=10, blank=True)
    tier = models.CharField(max_length=20, default="standard")
    made_by_command = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = TokenManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "digest", name="token_digest_unique"),
            models.UniqueConstraint("tenant", "uid", name="token_uid_unique"),
            models.CheckConstraint(
                name="token_kind_names_its_bearer",
                condition=(
                    models.Q(kind="organisation", user=None, visitor_id=None)
                    | models.Q(
                        kind="member", user__isnull=False, visitor_id=None, expires_at__isnull=False
                    )
                    | models.Q(kind="person", user=None, visitor_id__isnull=False)
                ),
            ),
        ]

        # The directory looks a digest up before it knows a tenant.
        indexes = [models.Index(fields=["digest"], name="token_by_digest")]

    def __str__(self) -> str:
        return f"token {self.prefix}…"
