from django.db import migrations

from tenants.security import Function, NumberKey, TenantTable


class Migration(migrations.Migration):
    """Row-level security and composite keys; tokens may now name an agent or a visitor."""

    dependencies = [("agents", "0001_initial"), ("tenants", "0002_tenancy")]
    operations = [
        TenantTable("agent"),
        TenantTable("visitor"),
        TenantTable("conversation"),
        TenantTable("message"),
        NumberKey("tenants_token", "agent_id", "agents_agent"),
        NumberKey("tenants_token", "visitor_id", "agents_visitor"),
        Function("tenant_of_agent(uuid)", "agents/sql/tenant_of_agent.sql"),
    ]
