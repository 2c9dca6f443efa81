from django.db import migrations

from tenants.security import Function, TenantTable


class Migration(migrations.Migration):
    """Row-level security and composite keys; which tenants have work for a stage."""

    dependencies = [("memory", "0001_initial"), ("agents", "0002_tenancy")]
    operations = [
        TenantTable("memory"),
        TenantTable("memoryversion"),
        TenantTable("messagechunk"),
        TenantTable("observation"),
        TenantTable("mutation"),
        TenantTable("mutationsource"),
        TenantTable("memoryvector"),
        TenantTable("posting"),
        TenantTable("unembedded"),
        TenantTable("tombstone"),
        TenantTable("event"),
        TenantTable("recalltrace"),
        Function("tenants_with_work(text,integer)", "memory/sql/tenants_with_work.sql"),
    ]
