from django.db import migrations

from tenants.security import AppendOnly, Function, OwnRowOnly, TenantTable, Unlogged


class Migration(migrations.Migration):
    """Row-level security, composite keys, the directory's functions, narrow rights."""

    dependencies = [("tenants", "0001_initial")]
    operations = [
        OwnRowOnly("tenants_tenant"),
        TenantTable("membership"),
        TenantTable("token"),
        TenantTable("auditentry"),
        TenantTable("auditseal"),
        AppendOnly("tenants_auditentry"),
        AppendOnly("tenants_auditseal"),
        Unlogged("tenants_ratewindow"),
        Function("tenant_of_slug(text)", "tenants/sql/tenant_of_slug.sql"),
        Function("tenant_of_key(text)", "tenants/sql/tenant_of_key.sql"),
        Function("tenants_of_user(bigint)", "tenants/sql/tenants_of_user.sql"),
    ]
