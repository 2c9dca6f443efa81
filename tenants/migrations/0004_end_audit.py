from django.db import migrations

from tenants.security import Function


class Migration(migrations.Migration):
    """The application may only add to the audit; what was kept long enough ends by this (D42)."""

    dependencies = [("tenants", "0003_token_uid")]
    operations = [Function("end_audit()", "tenants/sql/end_audit.sql")]
