"""What an agent sorts its memories of a person into."""

from django.db import models
from django.db.models.functions import Now

from agents.models import Agent
from tenants.models import InTenantKey, TenantRow

# (slug, name, description): made for an agent at first need, then the agent's own to change.
SEEDED = (
    ("knowledge_gaps", "Knowledge Gaps", "Topics or concepts the user struggles with"),
    ("learning_goals", "Learning Goals", "Goals the user wants to achieve"),
    ("preferences", "Preferences", "Learning style, pace, content preferences"),
    ("progress_milestones", "Progress Milestones", "Achievements and completed milestones"),
    ("personal_context", "Personal Context", "Relevant personal information shared"),
)


class CategoryManager(models.Manager["Category"]):
    def of(self, agent_id: int) -> "list[Category]":
        """The agent's categories, oldest first; the five usual ones if it never had any."""
        rows = self.filter(agent_id=agent_id).order_by("id")
        found = list(rows)
        if found:
            return found
        self.bulk_create(
            (
                Category(agent_id=agent_id, slug=slug, name=name, description=text)
                for slug, name, text in SEEDED
            ),
            ignore_conflicts=True,
        )
        return list(rows.all())


class Category(TenantRow):
    """`slug` is unique per agent. An inactive one keeps what it has and takes no more."""

    agent = InTenantKey(Agent, on_delete=models.CASCADE, related_name="categories")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=500, blank=True)
    extraction_prompt = models.TextField(max_length=2_000, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = CategoryManager()

    class Meta:
        verbose_name_plural = "categories"
        constraints = [
            models.UniqueConstraint("tenant", "agent", "slug", name="category_slug_unique")
        ]

    def __str__(self) -> str:
        return self.slug
