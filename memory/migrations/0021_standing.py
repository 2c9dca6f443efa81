from django.db import migrations, models


class Migration(migrations.Migration):
    """What a prompt is told without a search has an index of its own."""

    dependencies = [("memory", "0020_planning")]
    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["tenant", "agent"],
                condition=models.Q(
                    ("deleted_at", None),
                    ("superseded_by", None),
                    models.Q(
                        models.Q(("kind", "learned"), _negated=True),
                        models.Q(("presence", "on-demand"), _negated=True),
                        _connector="OR",
                    ),
                ),
                name="memory_standing",
            ),
        ),
    ]
