"""A workflow's transient working memory: keys and values that end by themselves.

Values are kept as they are: they are no memories, so nothing searches them, shows them to a model
or masks what looks like a secret. All inside `within`.
"""

import json
from typing import Any

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from memory.models import ScratchEntry


def put(workflow: str, key: str, value: Any, *, ttl: int | None = None) -> None:
    """Set a key, whatever it was; it ends after `ttl` seconds, or with the workflow.

    One statement: of two that set a key at once, one is the last, whole.
    """
    with connection.cursor() as cursor:
        cursor.execute(_PUT, [workflow, key, json.dumps(value), ttl])


def get(workflow: str, key: str) -> Any:
    """The value now, by the database's clock; None when there is none, or it is null."""
    there = ScratchEntry.objects.filter(Q(expires_at=None) | Q(expires_at__gt=Now()))
    return there.filter(workflow=workflow, key=key).values_list("value", flat=True).first()


def remove(workflow: str, key: str) -> None:
    ScratchEntry.objects.filter(workflow=workflow, key=key).delete()


def remove_all(workflow: str) -> int:
    """Everything of a workflow; answers how many there were."""
    return ScratchEntry.objects.filter(workflow=workflow).delete()[0]


_PUT = """
INSERT INTO memory_scratchentry (workflow, key, value, set_at, expires_at)
VALUES (%s, %s, %s::jsonb, now(), now() + %s * interval '1 second')
ON CONFLICT (tenant_id, workflow, key) DO UPDATE
SET value = excluded.value, set_at = excluded.set_at, expires_at = excluded.expires_at
"""
