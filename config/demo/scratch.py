"""A tenant that exists while a demonstration is played, and is gone without a trace after it."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connections, transaction

from agents.models import Agent
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Membership, Role, Tenant
from tenants.models.base import TenantRow

INSTRUCTIONS = "You are Ava. Be brief."


@dataclass(frozen=True)
class Scratch:
    tenant_id: int
    agent: Agent
    reviewer: Caller


@contextmanager
def scratch_tenant() -> Iterator[Scratch]:
    """A tenant with an agent that remembers and a reviewer; removed however the block ends.

    Its audit can be added to by the application and not removed, so the schema's owner removes it.
    """
    name = f"played-{secrets.token_hex(4)}"
    tenant = Tenant.objects.start(slug=name, name="A demonstration that is being played")
    user = User.objects.create(username=name)
    try:
        with within(tenant.pk):
            agent = Agent.objects.create(
                slug="ava", name="Ava", memory_enabled=True, instructions=INSTRUCTIONS
            )
            agent.tenant = tenant  # read with its tenant, as a channel reads it
            member = Membership.objects.create(user=user, role=Role.ADMIN)
        yield Scratch(tenant.pk, agent, Caller.of(member))
    finally:
        remove(tenant.pk, user.pk)


def remove(tenant_id: int, user_id: int) -> None:
    """Every row of the tenant, then the tenant and the user; keys are checked at the end."""
    tables = [model._meta.db_table for model in apps.get_models() if issubclass(model, TenantRow)]
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table in tables:
            cursor.execute(f'DELETE FROM "{table}" WHERE tenant_id = %s', [tenant_id])  # noqa: S608
        cursor.execute("DELETE FROM tenants_tenant WHERE id = %s", [tenant_id])
        cursor.execute("DELETE FROM auth_user WHERE id = %s", [user_id])
