"""Who did what, in ids and verbs; never text (D42)."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from tenants.models.base import TenantRow


class AuditEntry(TenantRow):
    """The application may insert and read these, not change them."""

    at = models.DateTimeField(db_default=Now(), editable=False)
    verb = models.CharField(max_length=60)
    actor = models.CharField(max_length=20)  # user, token, command, system, person
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,  # an entry outlives its actor
        related_name="+",
    )
    token_id = models.BigIntegerField(null=True)
    subject = models.CharField(max_length=40)
    subject_id = models.BigIntegerField(null=True)
    detail = models.JSONField(default=dict)  # ids, counts, names of fields

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["tenant", "-at", "-id"], name="audit_by_time"),
            models.Index(fields=["tenant", "subject", "subject_id"], name="audit_by_subject"),
        ]

    def __str__(self) -> str:
        return f"audit {self.pk}"


class AuditSeal(TenantRow):
    """Chains the entries up to `up_to`: `hash` covers them and the seal before."""

    up_to = models.BigIntegerField()
    hash = models.CharField(max_length=64)
    at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [models.UniqueConstraint("tenant", "up_to", name="seal_unique")]

    def __str__(self) -> str:
        return f"seal {self.pk}"
