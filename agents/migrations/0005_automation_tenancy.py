from django.db import migrations

from tenants.security import TenantTable


class Migration(migrations.Migration):
    """Hold scheduled runs and inbound webhooks to their tenant."""

    dependencies = [("agents", "0004_automation")]
    operations = [TenantTable("scheduledrun"), TenantTable("inboundhook")]
