from django.db import migrations

from tenants.security import CompositeKey, TenantTable


class Migration(migrations.Migration):
    """Hold categories, and a memory's category, to their tenant."""

    dependencies = [("memory", "0003_people")]
    operations = [TenantTable("category"), CompositeKey("memory", "category")]
