"""What an agent remembers: one table for every kind, and the one queryset that reads it."""

import uuid
from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from agents.models import Agent, Visitor
from agents.models.scope import in_scope
from memory.models.category import Category
from memory.models.draft import ROLES, SCOPES, Draft, Presence, Role, Scope
from memory.models.reader import Reader
from tenants.models import InTenantKey, TenantRow

PRESENCES = [(p.value, p.value) for p in Presence]


class MemoryQuerySet(models.QuerySet["Memory"]):
    def live(self) -> "MemoryQuerySet":
        """Not deleted, not superseded: what constraints and review count as existing."""
        return self.filter(deleted_at=None, superseded_by=None)

    def as_of(self, at: datetime | None = None) -> "MemoryQuerySet":
        """True and known at an instant; by default now, by the database's clock.

        A row ends at the least of `deleted_at`, `expires_at`, `valid_to` (D33); the instant of
        the end itself is already outside. The rows say what they say today: for what they said
        at `at`, read `MemoryVersion` (`memory.recall` does).
        """
        moment = Now() if at is None else models.Value(at)
        after = [
            models.Q(**{f"{column}__isnull": True}) | models.Q(**{f"{column}__gt": moment})
            for column in ("expires_at", "valid_to")
        ]
        rows = self.filter(*after)
        if at is None:
            return rows.filter(deleted_at=None, superseded_by=None)
        then = MemoryVersion.objects.filter(memory=models.OuterRef("pk"), made_at__lte=moment)
        newest = then.order_by("-version")
        return rows.alias(
            then=models.Subquery(newest.values("version")[:1]),
            then_because=models.Subquery(newest.values("because")[:1]),
        ).filter(
            models.Q(deleted_at=None) | models.Q(deleted_at__gt=moment),
            # A change of the text moves `valid_from`: what it said before was true before.
            models.Q(valid_from__lte=moment) | models.Q(then__lt=models.F("version")),
            # One that was restored later was closed, or superseded, then.
            models.Q(then_because=None) | ~models.Q(then_because__in=["closed", "superseded"]),
            created_at__lte=moment,
        )

    def visible_to(self, reader: Reader, at: datetime | None = None) -> "MemoryQuerySet":
        """Every read of memories starts here: who may see, and what is true now or was at `at`.

        The tenant is the transaction's; row-level security holds it.
        """
        return self.as_of(at).sight(reader)

    def sight(self, reader: Reader) -> "MemoryQuerySet":
        """Who may see, whenever it was true: for histories. Readers of what holds now, or held at
        an instant, use `visible_to`."""
        rows = self
        if reader.sort == "chat":
            own = in_scope(reader.agent_id, None)
            if reader.visitor_id is not None:
                own |= in_scope(reader.agent_id, reader.visitor_id)
                own |= in_scope(None, reader.visitor_id)
            return rows.filter(own, kind__in=Memory.IN_CHAT)
        if reader.sort == "person":
            return rows.filter(models.Q(("visitor_id", reader.visitor_id), visitor__isnull=False))
        if reader.sort == "shared":
            return rows.filter(_shared_with(reader), kind=Memory.Kind.SHARED)
        if reader.sort == "key":
            rows = rows.filter(kind__in=(Memory.Kind.PERSON, Memory.Kind.KNOWLEDGE))
        if reader.agent_id is not None:
            return rows.filter(agent_id=reader.agent_id)
        return rows

    def in_scope(self, agent_id: int | None, visitor_id: int | None) -> "MemoryQuerySet":
        """Exactly this scope, as a mutation names it."""
        return self.filter(in_scope(agent_id, visitor_id))


def _shared_with(reader: Reader) -> models.Q:
    """What an agent sees of shared memory (contract 4), within one workflow and scope if asked.

    A team's rows are those of its present members; while no teams are defined, all belong to one.
    """
    seen = models.Q()
    if reader.writer_id is not None:
        own = models.Q(("writer_id", reader.writer_id))
        seen = models.Q(scope=Scope.GLOBAL) | own
        if not reader.has_teams:
            seen |= models.Q(scope=Scope.TEAM)
        elif reader.team_id is not None:
            seen |= models.Q(("writer__team_id", reader.team_id), scope=Scope.TEAM)
        for role, scope in reader.grants:
            seen |= models.Q(role=role, scope=scope)
    if reader.workflow is not None:
        seen &= models.Q(workflow=reader.workflow)
    if reader.scope is not None:
        seen &= models.Q(scope=reader.scope)
    return seen


class Memory(TenantRow):
    """`agent` and `visitor` say who it is for; `kind` says which rules hold.

    `version` counts changes to what the memory says. Only `memory.store` writes here.
    """

    class Kind(models.TextChoices):
        LEARNED = "learned"  # from conversations, approved by a person
        PERSON = "person"  # about one person, by category or for every agent
        KNOWLEDGE = "knowledge"  # written by hand for everyone the agent serves
        SHARED = "shared"  # among agents of the organisation, written by themselves

    class Closed(models.TextChoices):
        DELETED = "deleted"  # by an approved delete or an editor; restorable for 30 days
        UNDONE = "undone"
        CORRECTED = "corrected"  # another memory says what holds now
        EXPIRED = "expired"
        SUPERSEDED = "superseded"  # a later shared memory contradicted it and won
        RETAINED = "retained"  # kept as long as the organisation's retention says

    IN_CHAT = (Kind.LEARNED, Kind.PERSON, Kind.KNOWLEDGE)

    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=10, choices=Kind)
    agent = InTenantKey(
        Agent, on_delete=models.CASCADE, null=True, blank=True, related_name="memories"
    )
    visitor = InTenantKey(
        Visitor, on_delete=models.CASCADE, null=True, blank=True, related_name="memories"
    )
    key = models.CharField(max_length=200, blank=True)
    description = models.CharField(max_length=200, blank=True)
    content = models.TextField()
    presence = models.CharField(max_length=11, choices=PRESENCES, blank=True)
    trigger_patterns = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    # Of a person: a category under an agent, a free label without one (contracts 2 and 3).
    category = InTenantKey(
        Category, on_delete=models.PROTECT, null=True, blank=True, related_name="memories"
    )
    label = models.CharField(max_length=100, blank=True)
    slug = models.SlugField(max_length=200, null=True, blank=True)
    pinned = models.BooleanField(default=False)
    is_auto_generated = models.BooleanField(default=False)
    # Who wrote it by hand: a user at a page, or a token (G12).
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    creator_token_id = models.BigIntegerField(null=True, blank=True)
    # Shared: who wrote it, who sees it, what it belongs to. `owner` is the writer of a private
    # one, and of a team's by an agent of no team where there are teams; `team` is the writer's team
    # (`sharing.teams` moves both with it). Within these a text or a fact is one.
    writer = InTenantKey(
        "memory.SharedAgent",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="memories",
    )
    scope = models.CharField(max_length=7, choices=SCOPES, blank=True)
    owner = InTenantKey(
        "memory.SharedAgent", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    team = InTenantKey(
        "memory.Team", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    role = models.CharField(max_length=8, choices=ROLES, blank=True)
    workflow = models.CharField(max_length=200, blank=True)
    fact_key = models.CharField(max_length=200, null=True, blank=True)
    clock = models.JSONField(null=True, blank=True)  # agent's name → tick
    extracted = models.BooleanField(default=False)  # its entities and relations were looked for
    unchecked = models.BooleanField(default=False)  # written before its conflicts were known
    sealed = models.BinaryField(null=True, editable=False)  # the text under the customer's key
    hash = models.CharField(max_length=64)  # of the content, E7
    version = models.PositiveIntegerField(default=1)
    length = models.PositiveIntegerField(default=0)  # in index terms
    source = models.JSONField(default=dict)
    confirmed = models.PositiveIntegerField(default=0)  # how often it was said again
    confirmed_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(db_default=Now())
    valid_to = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    closed_because = models.CharField(max_length=10, choices=Closed, blank=True)
    superseded_by = InTenantKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="supersedes"
    )
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            models.UniqueConstraint("tenant", "uid", name="memory_uid_unique"),
            models.UniqueConstraint(
                fields=["tenant", "kind", "agent", "visitor", "key"],
                condition=models.Q(kind="learned", deleted_at=None, superseded_by=None),
                nulls_distinct=False,
                name="memory_learned_key_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "agent", "visitor", "hash"],
                condition=models.Q(kind="person", deleted_at=None, superseded_by=None),
                nulls_distinct=False,
                name="memory_person_text_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "visitor", "slug"],
                condition=models.Q(
                    kind="person", slug__isnull=False, deleted_at=None, superseded_by=None
                ),
                name="memory_person_slug_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "agent", "hash"],
                condition=models.Q(kind="knowledge", deleted_at=None, superseded_by=None),
                name="memory_knowledge_text_unique",
            ),
            models.CheckConstraint(
                name="memory_kind_known",
                condition=models.Q(kind__in=["learned", "person", "knowledge", "shared"]),
            ),
            models.UniqueConstraint(
                fields=["tenant", "hash", "scope", "workflow", "owner", "team", "fact_key"],
                condition=models.Q(kind="shared", deleted_at=None, superseded_by=None),
                nulls_distinct=False,
                name="memory_shared_text_unique",
            ),
            models.UniqueConstraint(
                fields=["tenant", "fact_key", "scope", "workflow", "owner", "team"],
                condition=models.Q(
                    kind="shared", fact_key__isnull=False, deleted_at=None, superseded_by=None
                ),
                nulls_distinct=False,
                name="memory_shared_fact_unique",
            ),
            models.CheckConstraint(
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
            models.CheckConstraint(
                name="memory_person_is_whole",
                condition=~models.Q(kind="person")
                | models.Q(visitor__isnull=False, key="", presence="")
                & (
                    models.Q(agent__isnull=False, category__isnull=False, slug=None, label="")
                    | models.Q(agent=None, category=None) & ~models.Q(label="")
                ),
            ),
            models.CheckConstraint(
                name="memory_knowledge_is_whole",
                condition=~models.Q(kind="knowledge")
                | models.Q(
                    agent__isnull=False,
                    visitor=None,
                    category=None,
                    label="",
                    slug=None,
                    key="",
                    presence="",
                )
                & (models.Q(creator__isnull=False) | models.Q(creator_token_id__isnull=False)),
            ),
            models.CheckConstraint(
                name="memory_learned_is_whole",
                condition=~models.Q(kind="learned")
                | models.Q(agent__isnull=False, category=None, label="", slug=None)
                & ~models.Q(key="")
                & ~models.Q(presence=""),
            ),
            models.CheckConstraint(
                name="memory_pattern_has_a_trigger",
                condition=~models.Q(presence="pattern") | models.Q(trigger_patterns__len__gt=0),
            ),
            models.CheckConstraint(
                name="memory_valid_in_order",
                condition=models.Q(valid_to=None) | models.Q(valid_to__gte=models.F("valid_from")),
            ),
            models.CheckConstraint(
                name="memory_end_has_a_reason",
                condition=models.Q(deleted_at=None, closed_because="")
                | models.Q(deleted_at__isnull=False) & ~models.Q(closed_because=""),
            ),
            models.CheckConstraint(
                name="memory_superseded_is_closed",
                condition=models.Q(superseded_by=None)
                | models.Q(deleted_at__isnull=False)
                | models.Q(valid_to__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["tenant", "agent", "visitor", "id"],
                condition=models.Q(deleted_at=None, superseded_by=None),
                name="memory_live_by_scope",
            ),
            # What a prompt is told without a search: read in every turn, and mostly few.
            models.Index(
                fields=["tenant", "agent"],
                condition=models.Q(deleted_at=None, superseded_by=None)
                & (~models.Q(kind="learned") | ~models.Q(presence="on-demand")),
                name="memory_standing",
            ),
            models.Index(fields=["tenant", "-created_at", "-id"], name="memory_by_time"),
            models.Index(fields=["tenant", "visitor"], name="memory_by_visitor"),
            # The lists of contract 2, counted and paged without a look at the rows.
            models.Index(
                fields=["tenant", "visitor", "-created_at", "-id"],
                include=["agent", "expires_at", "valid_to"],
                condition=models.Q(kind="person", deleted_at=None, superseded_by=None),
                name="memory_of_person_by_time",
            ),
            models.Index(
                fields=["tenant", "agent", "-created_at", "-id"],
                include=["expires_at", "valid_to"],
                condition=models.Q(
                    kind="knowledge", visitor=None, deleted_at=None, superseded_by=None
                ),
                name="memory_known_by_time",
            ),
            # What agents share, by what a search narrows to; the past is in it too (`atTime`).
            models.Index(
                fields=["tenant", "workflow", "scope", "writer"],
                condition=models.Q(kind="shared"),
                name="memory_shared_by_workflow",
            ),
            # All that a search asks of a workflow's rows, in the order in which it wants them.
            models.Index(
                fields=["tenant", "workflow", "id"],
                include=["length", "scope", "writer", "expires_at", "valid_to"],
                condition=models.Q(kind="shared", deleted_at=None, superseded_by=None),
                name="memory_shared_seen",
            ),
            models.Index(
                fields=["tenant", "scope", "writer"],
                condition=models.Q(kind="shared"),
                name="memory_shared_by_scope",
            ),
            models.Index(
                fields=["tenant", "expires_at"],
                condition=models.Q(expires_at__isnull=False, deleted_at=None),
                name="memory_to_expire",
            ),
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(unchecked=True, deleted_at=None),
                name="memory_to_check",
            ),
            models.Index(
                fields=["tenant", "id"],
                condition=models.Q(kind="shared", sealed=None),
                name="memory_to_seal",
            ),
        ]

    def __str__(self) -> str:
        return f"memory {self.pk}"

    @property
    def as_draft(self) -> Draft:
        """What it says now, in the one value that mutations and versions keep."""
        if self.kind == Memory.Kind.KNOWLEDGE:
            return Draft(content=self.content)
        if self.kind == Memory.Kind.SHARED:
            return Draft(
                content=self.content or None,
                scope=Scope(self.scope),
                role=Role(self.role) if self.role else None,
                workflow=self.workflow or None,
                fact_key=self.fact_key,
                expires_at=self.expires_at,
            )
        if self.kind == Memory.Kind.PERSON:
            if self.category is not None:
                return Draft(content=self.content, category=self.category.slug)
            return Draft(content=self.content, label=self.label, slug=self.slug, pinned=self.pinned)
        return Draft(
            key=self.key,
            description=self.description,
            content=self.content,
            presence=Presence(self.presence),
            trigger_patterns=tuple(self.trigger_patterns),
        )


class MemoryVersion(TenantRow):
    """What a memory said at one version, who made it so, and why."""

    memory = InTenantKey(Memory, on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    draft = models.JSONField()
    because = models.CharField(max_length=20)  # added, changed, closed, restored
    mutation_id = models.BigIntegerField(null=True)
    user_id = models.BigIntegerField(null=True)
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint("tenant", "memory", "version", name="version_unique")
        ]

    def __str__(self) -> str:
        return f"version {self.memory_id}.{self.version}"
