"""Every table, and every column of it that can hold words: what becomes of them (D41).

The one list that erase, export and their tests go by. A test compares it with the catalogue of
the running database: a column of text, JSON, an array, a vector, bytes, a UUID or an address that
is not here fails it. So whoever adds a column says here whose it is, what an erase does with it,
and what the person gets to see.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.apps import apps
from django.db.models import Model, Q

# Why a column is not in an export.
BEARER = "a bearer's secret, or its digest"
VECTOR = "numbers that stand for the text beside it"
DERIVED = "made of text that is exported itself"
MACHINE = "the machinery's own: states, leases, names of kinds"
OTHERS = "names other people, or who runs the product"
# Why a row stays after an erase.
NOBODYS = "written by those who run the product, about nobody it talks with"
IDS = "ids, verbs and counts, no words"
AGENTS = "of what agents share among themselves, never about one person's rows"
PLATFORM = "of the installation; an account's own data, not what an agent learned"

Fate = Literal["delete", "blank", "keep"]


@dataclass(frozen=True)
class Going:
    """Whom an erase is about, with the rows of nobody in particular that quote them."""

    visitor_id: int
    memories: Sequence[int] = ()
    mutations: Sequence[int] = ()
    observations: Sequence[int] = ()


@dataclass(frozen=True)
class Place:
    """One table.

    `mine` finds a person's rows: several conditions, each of which an index serves. `shows` are
    the columns an export has, `hides` the other columns that can hold words and why the person
    does not get them. A table that is kept has no rows of a person's: `hides` then says why.
    """

    table: str
    fate: Fate
    mine: Callable[[Going], Sequence[Q]] | None = None
    shows: tuple[str, ...] = ()
    hides: Mapping[str, str] = field(default_factory=dict)
    blanks: tuple[str, ...] = ()
    section: str = ""

    @property
    def model(self) -> type[Model]:
        return MODELS[self.table]


MODELS: dict[str, type[Model]] = {
    model._meta.db_table: model for model in apps.get_models(include_auto_created=True)
}


def _all(reason: str, *columns: str) -> dict[str, str]:
    return dict.fromkeys(columns, reason)


def _said(going: Going) -> Sequence[Q]:
    return (Q(conversation__visitor=going.visitor_id),)


def _chunks(going: Going) -> Sequence[Q]:
    return (Q(visitor=going.visitor_id), Q(message__conversation__visitor=going.visitor_id))


def _indexed(going: Going) -> Sequence[Q]:
    """Search entries of the person's memories and messages, and of what quotes them."""
    return (
        Q(memory__visitor=going.visitor_id),
        Q(chunk__visitor=going.visitor_id),
        Q(memory__in=going.memories),
    )


def _unembedded(going: Going) -> Sequence[Q]:
    return (
        *_indexed(going),
        Q(observation__visitor=going.visitor_id),
        Q(observation__in=going.observations),
        Q(mutation__visitor=going.visitor_id),
        Q(mutation__in=going.mutations),
    )


def _observations(going: Going) -> Sequence[Q]:
    return (
        Q(visitor=going.visitor_id),
        Q(conversation__visitor=going.visitor_id),
        Q(pk__in=going.observations),
    )


def _mutations(going: Going) -> Sequence[Q]:
    return (Q(visitor=going.visitor_id), Q(pk__in=going.mutations))


def _sources(going: Going) -> Sequence[Q]:
    return (
        Q(mutation__visitor=going.visitor_id),
        Q(mutation__in=going.mutations),
        Q(observation__visitor=going.visitor_id),
        Q(observation__in=going.observations),
    )


def _memories(going: Going) -> Sequence[Q]:
    return (Q(visitor=going.visitor_id), Q(pk__in=going.memories))


def _versions(going: Going) -> Sequence[Q]:
    return (Q(memory__visitor=going.visitor_id), Q(memory__in=going.memories))


def _events(going: Going) -> Sequence[Q]:
    return (Q(memory_id__in=going.memories),)


def _tombstones(going: Going) -> Sequence[Q]:
    return (Q(visitor=going.visitor_id), Q(mutation__in=going.mutations))


def _traces(going: Going) -> Sequence[Q]:
    return (Q(visitor=going.visitor_id), Q(message__conversation__visitor=going.visitor_id))


def _of_person(going: Going) -> Sequence[Q]:
    return (Q(visitor_id=going.visitor_id),)


def _visitor(going: Going) -> Sequence[Q]:
    return (Q(pk=going.visitor_id),)


# In the order in which an erase goes through them: what is found by way of another table comes
# before it, and the person's own row last.
PERSONS: tuple[Place, ...] = (
    Place(
        "memory_unembedded", "delete", _unembedded,
        hides=_all(MACHINE, "lease_token", "failed_because"),
    ),
    Place("memory_memoryvector", "delete", _indexed, hides={"space": MACHINE, "vector": VECTOR}),
    Place("memory_posting", "delete", _indexed, hides={"term": DERIVED}),
    Place("memory_messagechunk", "delete", _chunks),
    Place(
        "memory_recalltrace", "delete", _traces, section="read_by_agents",
        shows=("id", "agent_id", "message_id", "channel", "memories", "at"),
        hides=_all(MACHINE, "steps", "failed"),
    ),
    Place(
        "memory_tombstone", "delete", _tombstones, section="not_to_be_learned",
        shows=("id", "agent_id", "created_at", "expires_at", "lifted_at"),
        hides={"hash": DERIVED, "space": MACHINE, "vector": VECTOR},
    ),
    Place(
        "memory_hearing", "delete", _of_person,
        hides=_all(MACHINE, "status", "said", "lease_token", "failed_because"),
    ),
    Place(
        "agents_scheduledrun", "delete", _of_person, section="scheduled_runs",
        shows=("id", "agent_id", "name", "prompt", "crontab", "active", "last_run_at"),
        hides=_all(MACHINE, "last_conversation", "last_said", "lease_token", "failed_because"),
    ),
    Place("memory_mutationsource", "delete", _sources),
    Place(
        "memory_mutation", "delete", _mutations, section="proposals",
        shows=(
            "id", "agent_id", "operation", "target_id", "draft", "before", "evidence", "flags",
            "reasoning", "status", "resolution", "reason", "resolved_at", "memory_id",
            "said_count", "created_at",
        ),
        hides={
            **_all(MACHINE, "uid", "approver", "made_by", "space"),
            "hash": DERIVED, "vector": VECTOR, **_all(AGENTS, "conflicts", "sealed"),
        },
    ),
    Place(
        "memory_memoryversion", "delete", _versions, section="memory_versions",
        shows=("id", "memory_id", "version", "draft", "because", "made_at"),
    ),
    Place(
        "memory_memory", "delete", _memories, section="memories",
        shows=(
            "id", "uid", "kind", "agent_id", "key", "description", "content", "presence",
            "trigger_patterns", "category_id", "label", "slug", "pinned", "is_auto_generated",
            "source", "version", "confirmed", "confirmed_at", "valid_from", "valid_to",
            "expires_at", "deleted_at", "closed_because", "created_at", "updated_at",
        ),
        hides={
            "hash": DERIVED,
            **_all(AGENTS, "scope", "role", "workflow", "fact_key", "clock", "sealed"),
        },
    ),
    Place(
        "memory_event", "blank", _events, blanks=("category", "key"),
        hides={
            **_all(DERIVED, "category", "key"),
            **_all(MACHINE, "uid", "kind"),
            **_all(IDS, "memory_uid", "detail"),
        },
    ),
    Place(
        "memory_observation", "delete", _observations, section="observations",
        shows=(
            "id", "agent_id", "conversation_id", "statement", "evidence", "flags", "said_at",
            "status", "resolved_because", "resolved_at", "created_at",
        ),
        hides={
            **_all(MACHINE, "lease_token", "failed_because", "made_by", "space"),
            "hash": DERIVED, **_all(VECTOR, "statement_vector", "evidence_vector"),
        },
    ),
    Place(
        "agents_message", "delete", _said, section="messages",
        shows=(
            "id", "conversation_id", "position", "role", "content", "external_id",
            "occurred_at", "received_at", "complete", "masked", "recalled",
        ),
    ),
    Place(
        "agents_conversation", "delete", _of_person, section="conversations",
        shows=("id", "uid", "agent_id", "external_id", "channel", "created_at"),
        hides=_all(MACHINE, "lease_token", "failed_because"),
    ),
    Place(
        "tenants_token", "delete", _of_person, section="tokens",
        shows=("id", "name", "prefix", "created_at", "expires_at", "last_used_at", "revoked_at"),
        hides={**_all(MACHINE, "uid", "kind", "shared_agent", "scope", "tier"), "digest": BEARER},
    ),
    Place(
        "agents_visitor", "delete", _visitor, section="person",
        shows=(
            "id", "host_id", "name", "email", "auto_capture_enabled", "use_memory_in_responses",
            "settings_updated_at", "created_at", "last_seen_at",
        ),
        hides={"cookie": BEARER},
    ),
)  # fmt: skip

KEPT: tuple[Place, ...] = (
    Place("agents_agent", "keep", hides=_all(
        NOBODYS, "uid", "slug", "name", "instructions", "mode",
    )),
    Place(
        "memory_category", "keep",
        hides=_all(NOBODYS, "slug", "name", "description", "extraction_prompt"),
    ),
    Place("memory_erasure", "keep", hides=_all(IDS, "uid", "rows")),
    Place("memory_listener", "keep", hides=_all(
        NOBODYS, "name", "event", "category", "key_prefix", "tool", "arguments",
    )),
    Place("agents_inboundhook", "keep", hides=_all(
        NOBODYS, "uid", "name", "preset", "secret",
    )),
    Place("memory_rule", "keep", hides={"key_prefix": NOBODYS}),
    Place("memory_team", "keep", hides=_all(AGENTS, "uid", "name")),
    Place("memory_sharedagent", "keep", hides={"name": AGENTS}),
    Place(
        "memory_accessgrant", "keep",
        hides=_all(AGENTS, "uid", "grantor_role", "resource_scope"),
    ),
    Place(
        "memory_conflictpolicy", "keep",
        hides=_all(AGENTS, "uid", "workflow", "policy", "webhook_url"),
    ),
    Place("memory_vectorclock", "keep", hides=_all(AGENTS, "scope", "seen")),
    Place("memory_scratchentry", "keep", hides=_all(AGENTS, "workflow", "key", "value")),
    Place("memory_workflowusage", "keep", hides={"workflow": AGENTS}),
    Place("memory_replicaoperation", "keep", hides=_all(
        AGENTS, "uid", "replica", "key", "value", "writer", "clock", "evidence_id",
    )),
    Place("memory_replica", "keep", hides=_all(AGENTS, "name", "clock")),
    Place("memory_tenantkey", "keep", hides=_all(MACHINE, "wrapped", "fingerprint")),
    Place("memory_webhook", "keep", hides=_all(
        NOBODYS, "uid", "url", "events", "secret", "paused_because",
    )),
    Place("memory_delivery", "keep", hides={
        **_all(MACHINE, "uid", "url", "status", "lease_token", "failed_because"), "body": AGENTS,
    }),
    Place("memory_attempt", "keep", hides={"error": MACHINE}),
    Place("memory_entity", "keep", hides=_all(AGENTS, "name", "shown")),
    Place("memory_relation", "keep", hides={"verb": AGENTS}),
    Place("memory_unextracted", "keep", hides=_all(MACHINE, "lease_token", "failed_because")),
    Place("memory_run", "keep", hides=_all(IDS, "stage", "error")),
    Place("tenants_auditentry", "keep", hides=_all(IDS, "verb", "actor", "subject", "detail")),
    Place("tenants_auditseal", "keep", hides={"hash": IDS}),
    Place("tenants_membership", "keep", hides={"role": OTHERS}),
    Place("tenants_ratewindow", "keep", hides={"bucket": "a keyed hash, swept within a day"}),
    Place("tenants_tenant", "keep", hides=_all(NOBODYS, "slug", "name", "space", "space_wanted")),
    Place("auth_user", "keep", hides=_all(
        PLATFORM, "password", "username", "first_name", "last_name", "email",
    )),
    Place("auth_group", "keep", hides={"name": PLATFORM}),
    Place("auth_permission", "keep", hides=_all(PLATFORM, "name", "codename")),
    Place("django_admin_log", "keep", hides=_all(
        PLATFORM, "object_id", "object_repr", "change_message",
    )),
    Place("django_content_type", "keep", hides=_all(PLATFORM, "app_label", "model")),
    Place("django_migrations", "keep", hides=_all(PLATFORM, "app", "name")),
    Place("django_session", "keep", hides=_all(PLATFORM, "session_key", "session_data")),
    Place("django_celery_beat_solarschedule", "keep", hides={"event": PLATFORM}),
    Place("django_celery_beat_intervalschedule", "keep", hides={"period": PLATFORM}),
    Place("django_celery_beat_crontabschedule", "keep", hides=_all(
        PLATFORM, "minute", "hour", "day_of_month", "month_of_year", "day_of_week", "timezone",
    )),
    Place("django_celery_beat_periodictask", "keep", hides=_all(
        PLATFORM, "name", "task", "args", "kwargs", "queue", "exchange", "routing_key", "headers",
        "description",
    )),
)  # fmt: skip

REGISTRY: Mapping[str, Place] = {place.table: place for place in (*PERSONS, *KEPT)}
