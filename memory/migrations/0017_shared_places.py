from django.db import migrations, models


class Migration(migrations.Migration):
    """Within what a shared text is one: of an agent of no team its own; of two facts, twice."""

    dependencies = [("memory", "0016_mention_order")]
    operations = [
        migrations.RemoveConstraint(model_name="memory", name="memory_shared_text_unique"),
        migrations.RemoveConstraint(model_name="memory", name="memory_shared_is_whole"),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.UniqueConstraint(
                fields=["tenant", "hash", "scope", "workflow", "owner", "team", "fact_key"],
                condition=models.Q(kind="shared", deleted_at=None, superseded_by=None),
                nulls_distinct=False,
                name="memory_shared_text_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="memory",
            constraint=models.CheckConstraint(
                name="memory_shared_is_whole",
                condition=~models.Q(kind="shared")
                & models.Q(
                    writer=None,
                    scope="",
                    owner=None,
                    team=None,
                    role="",
                    workflow="",
                    fact_key=None,
                    clock=None,
                    sealed=None,
                )
                | models.Q(
                    kind="shared",
                    agent=None,
                    visitor=None,
                    writer__isnull=False,
                    clock__isnull=False,
                    key="",
                    presence="",
                    category=None,
                    label="",
                    slug=None,
                )
                & (
                    models.Q(scope="private", owner=models.F("writer"), team=None)
                    | models.Q(scope="team", owner=None)
                    | models.Q(scope="team", owner=models.F("writer"), team=None)
                    | models.Q(scope="global", owner=None, team=None)
                ),
            ),
        ),
    ]
