from django.db import migrations

from tenants.security import CompositeKey, Function, TenantTable


class Migration(migrations.Migration):
    """Hold what agents share to its tenant; its stages ask which tenants have work."""

    dependencies = [("memory", "0011_shared")]
    operations = [
        TenantTable("team"),
        TenantTable("sharedagent"),
        TenantTable("accessgrant"),
        TenantTable("conflictpolicy"),
        TenantTable("vectorclock"),
        TenantTable("scratchentry"),
        TenantTable("workflowusage"),
        TenantTable("replicaoperation"),
        TenantTable("replicaknowledge"),
        TenantTable("tenantkey"),
        TenantTable("webhook"),
        TenantTable("delivery"),
        TenantTable("attempt"),
        TenantTable("entity"),
        TenantTable("mention"),
        TenantTable("relation"),
        TenantTable("unextracted"),
        CompositeKey("memory", "writer"),
        CompositeKey("memory", "owner"),
        CompositeKey("memory", "team"),
        CompositeKey("mutation", "writer"),
        Function(
            "tenants_with_work(text,integer)",
            "memory/sql/tenants_with_work_shared.sql",
            "memory/sql/tenants_with_work.sql",
        ),
    ]
