from django.db import migrations, models

from tenants.security import DecidesTenant


class Migration(migrations.Migration):
    """What a search reads, found where the planner can tell how much of it there is."""

    dependencies = [("memory", "0019_listener_tenancy"), ("agents", "0005_automation_tenancy")]
    operations = [
        DecidesTenant("memory_memory", "agent_id"),
        DecidesTenant("memory_memory", "visitor_id"),
        DecidesTenant("memory_memory", "writer_id"),
        DecidesTenant("memory_memoryvector", "memory_id"),
        DecidesTenant("memory_memoryvector", "chunk_id"),
        DecidesTenant("memory_messagechunk", "agent_id"),
        DecidesTenant("memory_posting", "memory_id"),
        DecidesTenant("memory_posting", "chunk_id"),
        DecidesTenant("agents_message", "conversation_id"),
        # A search reads nothing else of a posting: it need not look at the row.
        migrations.RemoveConstraint(model_name="posting", name="posting_of_memory_unique"),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.UniqueConstraint(
                fields=["tenant", "term", "memory"],
                include=["count"],
                condition=models.Q(memory__isnull=False),
                name="posting_of_memory_unique",
            ),
        ),
    ]
