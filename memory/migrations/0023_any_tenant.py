from django.db import migrations

from tenants.security import NotReferredTo, PlannedForAnyTenant

# The unique constraints over the same columns and more serve these keys as well.
_SERVED = [
    ("memory_memoryvector_memory_id_key", "memory_id"),
    ("memory_memoryvector_chunk_id_key", "chunk_id"),
]


class Migration(migrations.Migration):
    """One plan for all tenants, and fewer indexes to choose from and to write."""

    dependencies = [("memory", "0022_shared_seen"), ("tenants", "0004_end_audit")]
    operations = [
        PlannedForAnyTenant(),
        NotReferredTo("memory_posting"),
        NotReferredTo("memory_memoryvector"),
        *(
            migrations.RunSQL(
                f'DROP INDEX "{name}"',
                f'CREATE INDEX "{name}" ON "memory_memoryvector" (tenant_id, "{column}") '
                f'WHERE "{column}" IS NOT NULL',
            )
            for name, column in _SERVED
        ),
    ]
