from django.db import migrations

from tenants.security import Function


class Migration(migrations.Migration):
    """Retention looks at every tenant: `tenants_with_work` answers for it, too."""

    dependencies = [("memory", "0006_erasure")]
    operations = [
        Function(
            "tenants_with_work(text,integer)",
            "memory/sql/tenants_with_work.sql",
            "memory/sql/tenants_with_work.sql",
        ),
    ]
