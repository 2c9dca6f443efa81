"""Which agent a command's words name, and the tenant with it."""

from uuid import UUID

from django.core.management.base import CommandError

from agents.models import Agent
from tenants.context import within
from tenants.directory import tenant_of_agent, tenants_with_work
from tenants.management.named import tenant_named
from tenants.models import Tenant


def as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def agent_in_tenant(text: str) -> Agent:
    """The agent by UUID or slug, inside its tenant's block; CommandError when there is none."""
    uid = as_uuid(text)
    found = None
    if "\0" not in text:
        found = Agent.objects.filter(**({"slug": text} if uid is None else {"uid": uid})).first()
    if found is None:
        raise CommandError(f"no agent {text!r} in this tenant: expected its slug or UUID")
    return found


def agent_named(text: str, *, tenant: str | None, stage: str) -> Agent:
    """The agent, looked up in the tenant, or by its UUID, or among tenants with work.

    Outside any block. A slug alone that several tenants have is ambiguous.
    """
    if tenant is not None:
        with within(tenant_named(tenant)):
            return agent_in_tenant(text)
    uid = as_uuid(text)
    if uid is not None:
        number = tenant_of_agent(uid)
        if number is None:
            raise CommandError(f"no agent {text!r}: expected its slug or UUID")
        with within(number):
            return agent_in_tenant(text)
    found: list[tuple[Agent, str]] = []
    for number in [] if "\0" in text else tenants_with_work(stage):
        with within(number):
            agent = Agent.objects.filter(slug=text).first()
            if agent is not None:
                found.append((agent, Tenant.objects.get(pk=number).slug))
    if not found:
        raise CommandError(
            f"no tenant with work waiting has an agent {text!r}: "
            "name its tenant by --tenant, or the agent by its UUID"
        )
    if len(found) > 1:
        slugs = ", ".join(sorted(slug for _, slug in found))
        raise CommandError(f"agent {text!r} is ambiguous: name one of these by --tenant: {slugs}")
    return found[0][0]
