"""A person an agent talks with, known by a cookie or by the host application's user id."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from tenants.models import TenantRow

SEEN_AGAIN_AFTER = timedelta(hours=1)  # how exact `last_seen_at` is


class VisitorManager(models.Manager["Visitor"]):
    def meet(self, **who: Any) -> "Visitor":
        """The visitor known by `host_id=` or `cookie=`, made if new; notes that they were here."""
        visitor, made = self.get_or_create(**who)
        if not made:
            visitor.was_here()
        return visitor


class Visitor(TenantRow):
    """Two identities in two columns (G14). The cookie is a bearer secret and is shown nowhere."""

    host_id = models.CharField(max_length=200, null=True, blank=True)
    cookie = models.UUIDField(null=True, blank=True, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    auto_capture_enabled = models.BooleanField(default=True)
    use_memory_in_responses = models.BooleanField(default=True)
    settings_updated_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_seen_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = VisitorManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "host_id"],
                condition=models.Q(host_id__isnull=False),
                name="visitor_host_id_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "cookie"],
                condition=models.Q(cookie__isnull=False),
                name="visitor_cookie_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "user"],
                condition=models.Q(user__isnull=False),
                name="visitor_user_unique",
            ),
            models.CheckConstraint(
                name="visitor_has_an_identity",
                condition=models.Q(host_id__isnull=False)
                | models.Q(cookie__isnull=False)
                | models.Q(user__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"visitor {self.pk}"

    def was_here(self) -> None:
        """Note it, at most once an hour."""
        if datetime.now(UTC) - self.last_seen_at > SEEN_AGAIN_AFTER:
            type(self).objects.filter(pk=self.pk).update(last_seen_at=Now())

    @property
    def label(self) -> str:
        """What a reviewer sees: the host's id, else the name, else the row's number."""
        return self.host_id or self.name or f"#{self.pk}"
