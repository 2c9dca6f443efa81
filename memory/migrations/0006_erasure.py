import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import tenants.models.base
from tenants.security import TenantTable


class Migration(migrations.Migration):
    """Receipts of erasures."""

    dependencies = [("memory", "0005_corrected"), ("tenants", "0002_tenancy")]

    operations = [
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("visitor_id", models.BigIntegerField()),
                ("rows", models.JSONField(default=dict)),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("user_id", models.BigIntegerField(null=True)),
                ("token_id", models.BigIntegerField(null=True)),
                ("oldest_backup", models.DateField(null=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_default=tenants.models.base.CurrentTenant(),
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["tenant", "-at", "-id"], name="erasure_by_time")],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("tenant"), models.F("uid"), name="erasure_uid_unique"
                    )
                ],
            },
        ),
        TenantTable("erasure"),
    ]
