import django.db.models.deletion
from django.db import migrations, models

import tenants.models.base
import tenants.security


class Migration(migrations.Migration):
    """What a replica knows is one clock, not a row an operation: no gaps, so numbers say it all."""

    dependencies = [("memory", "0013_sealed_proposal"), ("tenants", "0003_token_uid")]

    operations = [
        migrations.CreateModel(
            name="Replica",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("clock", models.JSONField(default=dict)),
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
                "constraints": [
                    models.UniqueConstraint(
                        models.F("tenant"), models.F("name"), name="replica_name_unique"
                    )
                ],
            },
        ),
        tenants.security.Freed(
            model="replicaknowledge",
        ),
        migrations.DeleteModel(
            name="ReplicaKnowledge",
        ),
        migrations.AddField(
            model_name="replicaoperation",
            name="tick",
            field=models.BigIntegerField(default=0),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="replicaoperation",
            name="made_at",
            field=models.DateTimeField(),
        ),
        migrations.AddIndex(
            model_name="replicaoperation",
            index=models.Index(
                fields=["tenant", "replica", "key", "-tick"], name="operation_by_key"
            ),
        ),
        migrations.AddConstraint(
            model_name="replicaoperation",
            constraint=models.UniqueConstraint(
                models.F("tenant"),
                models.F("replica"),
                models.F("tick"),
                name="operation_tick_unique",
            ),
        ),
        tenants.security.TenantTable(
            model="replica",
        ),
    ]
