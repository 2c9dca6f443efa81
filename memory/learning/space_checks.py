"""Says at `check --database` when vectors of another model exist than the one that answers."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import DatabaseError

from memory.models import MemoryVector
from memory.providers import space_of
from memory.providers.errors import Misconfigured
from tenants.context import within
from tenants.directory import tenants_with_work
from tenants.models import Tenant

_EVERY = 1_000_000


@register(Tags.database)
def one_space_a_tenant(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """One warning for all tenants that have vectors nothing compares any more, with what to do."""
    if not databases or "default" not in databases:
        return []
    try:
        found = {slug: spaces for slug, spaces in map(_foreign, _tenants()) if spaces}
    except (DatabaseError, Misconfigured):
        return []  # no tables yet, or no model: others say so
    if not found:
        return []
    spaces = sorted({space for each in found.values() for space in each})
    names = ", ".join(sorted(found)[:5]) + (" and others" if len(found) > 5 else "")
    return [
        Warning(
            f"{len(found)} tenants ({names}) have vectors of {', '.join(spaces)}, which are not "
            "compared with what is asked now: these texts are found by their words only",
            hint="`manage.py reembed` moves them; the old space answers until it is done",
            id="memory.W001",
        )
    ]


def _tenants() -> list[int]:
    return tenants_with_work("retention", _EVERY)


def _foreign(tenant_id: int) -> tuple[str, list[str]]:
    """Spaces with vectors that neither answer nor are being filled."""
    with within(tenant_id):
        tenant = Tenant.objects.get(pk=tenant_id)
        kept = [space_of(tenant), *([tenant.space_wanted] if tenant.space_wanted else [])]
        rows = MemoryVector.objects.exclude(space__in=kept)
        return tenant.slug, list(rows.values_list("space", flat=True).distinct()[:5])
