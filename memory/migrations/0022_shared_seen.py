from django.db import migrations, models


class Migration(migrations.Migration):
    """What a search asks of a workflow's memories is read from an index alone."""

    dependencies = [("memory", "0021_standing")]
    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["tenant", "workflow", "id"],
                include=["length", "scope", "writer", "expires_at", "valid_to"],
                condition=models.Q(
                    ("deleted_at", None), ("kind", "shared"), ("superseded_by", None)
                ),
                name="memory_shared_seen",
            ),
        ),
    ]
