"""What every tenant table shares: the tenant on the row, and keys that cannot cross it."""

from typing import Any

from django.db import models


class CurrentTenant(models.Func):
    """The transaction's tenant, as Postgres knows it. Null outside `within`, so NOT NULL fails."""

    template = "(nullif(current_setting('app.tenant', true), ''))::bigint"
    output_field = models.BigIntegerField()
    arity = 0


class TenantRow(models.Model):
    """A row of one tenant. `tenant` is filled by the database from the open `within` block."""

    tenant = models.ForeignKey(
        "tenants.Tenant",
        on_delete=models.CASCADE,
        db_default=CurrentTenant(),
        editable=False,
        related_name="+",
        db_index=False,  # every index of a tenant table starts with tenant_id already
    )

    class Meta:
        abstract = True


class InTenantKey(models.ForeignKey[Any, Any]):
    """A foreign key between tenant tables.

    The constraint is composite, `(tenant_id, x_id) → (tenant_id, id)`, and is made by the
    migration operation `TenantTable`; Django's own single-column one would let a row point
    into another tenant. The operation also indexes `(tenant_id, x_id)` where no other index
    starts so.
    """

    def __init__(self, to: Any, on_delete: Any, **kwargs: Any) -> None:
        kwargs["db_constraint"] = False
        kwargs["db_index"] = False
        super().__init__(to, on_delete, **kwargs)

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("db_constraint", None)
        kwargs.pop("db_index", None)
        return name, path, list(args), kwargs
