from django.db import migrations, models


class Migration(migrations.Migration):
    """Mentions are read by entity: one index has both keys, in that order."""

    dependencies = [("memory", "0015_keeping")]
    operations = [
        migrations.RemoveConstraint(model_name="mention", name="mention_unique"),
        migrations.AddConstraint(
            model_name="mention",
            constraint=models.UniqueConstraint(
                models.F("tenant"), models.F("entity"), models.F("memory"), name="mention_unique"
            ),
        ),
        migrations.RemoveIndex(model_name="mention", name="mention_by_entity"),
        migrations.AddIndex(
            model_name="mention",
            index=models.Index(fields=["tenant", "memory"], name="mention_by_memory"),
        ),
    ]
