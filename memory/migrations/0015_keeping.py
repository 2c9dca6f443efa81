from django.db import migrations, models

from tenants.security import Function


class Migration(migrations.Migration):
    """What comes under a customer's key afterwards is found; so are sweeps and unsealed audits."""

    dependencies = [("memory", "0014_replica")]
    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["tenant", "id"],
                condition=models.Q(("kind", "shared"), ("sealed", None)),
                name="memory_to_seal",
            ),
        ),
        Function(
            "tenants_with_work(text,integer)",
            "memory/sql/tenants_with_work_keeping.sql",
            "memory/sql/tenants_with_work_shared.sql",
        ),
    ]
