from django.db import migrations

from tenants.security import Function, TenantTable


class Migration(migrations.Migration):
    """Hold listeners to their tenant; find the tenants where they, or scheduled runs, have work."""

    dependencies = [("memory", "0018_listener"), ("agents", "0005_automation_tenancy")]
    operations = [
        TenantTable("listener"),
        TenantTable("hearing"),
        Function(
            "tenants_with_work(text,integer)",
            "memory/sql/tenants_with_work_automation.sql",
            "memory/sql/tenants_with_work_keeping.sql",
        ),
    ]
