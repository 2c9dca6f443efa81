from django.db import migrations

from tenants.security import TenantTable


class Migration(migrations.Migration):
    """Hold rules to their tenant."""

    dependencies = [("memory", "0008_rule")]
    operations = [TenantTable("rule")]
