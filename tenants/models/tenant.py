"""An organisation, and who belongs to it."""

from typing import Any

from django.conf import settings
from django.db import connection, models
from django.db.models.functions import Now

from tenants.context import within
from tenants.models.base import TenantRow


class TenantManager(models.Manager["Tenant"]):
    def start(self, **fields: Any) -> "Tenant":
        """Make a tenant. Its id is drawn first: the policy lets a row in only under its own id."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval(pg_get_serial_sequence('tenants_tenant', 'id'))")
            (number,) = cursor.fetchone()
        with within(number):
            return self.create(id=number, **fields)


class Tenant(models.Model):
    """Readable only under its own id; `tenants.directory` finds the id."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=200)
    memory_enabled = models.BooleanField(default=True)
    # The embedding space that answers, and the one being filled (D44). Empty: the installation's.
    space = models.CharField(max_length=100, blank=True)
    space_wanted = models.CharField(max_length=100, blank=True)
    memories_days = models.PositiveIntegerField(null=True, blank=True)
    audit_days = models.PositiveIntegerField(default=365)
    scratch_days = models.PositiveIntegerField(default=30)
    messages_days = models.PositiveIntegerField(null=True, blank=True)
    traces_days = models.PositiveIntegerField(default=30)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = TenantManager()

    def __str__(self) -> str:
        return self.slug


class Role(models.TextChoices):
    OWNER = "owner"
    ADMIN = "admin"
    EDITOR = "editor"
    VIEWER = "viewer"


class Membership(TenantRow):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "user", name="membership_unique"),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_known"
            ),
        ]

    def __str__(self) -> str:
        return f"membership {self.pk}"

    @property
    def can_read(self) -> bool:
        return True

    @property
    def can_edit(self) -> bool:
        """Editors may edit every agent of the tenant, and decide visitor-scoped mutations."""
        return self.role in (Role.OWNER, Role.ADMIN, Role.EDITOR)

    @property
    def can_administer(self) -> bool:
        """Admins decide what reaches everyone, and see to people's data and keys."""
        return self.role in (Role.OWNER, Role.ADMIN)
