"""A customer's key: what shared memory of a tenant is encrypted under (D35)."""

from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow


class TenantKey(TenantRow):
    """The data key, wrapped under the customer's key, which is wrapped under the server's.

    At most one is in use; one that was removed keeps no bytes, so what it sealed stays shut.
    """

    wrapped = models.BinaryField(null=True, editable=False)
    fingerprint = models.CharField(max_length=64)  # of the customer's key, to tell keys apart
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant"],
                condition=models.Q(removed_at=None),
                name="tenant_key_in_use_unique",
            ),
            models.CheckConstraint(
                name="tenant_key_removed_is_gone",
                condition=models.Q(removed_at=None, wrapped__isnull=False)
                | models.Q(removed_at__isnull=False, wrapped=None),
            ),
        ]

    def __str__(self) -> str:
        return f"key {self.pk}"
