"""The scratch tenant leaves nothing, whatever happened in it."""

import pytest
from django.contrib.auth.models import User
from django.db import connections

from config.demo.scratch import scratch_tenant
from memory.learning.capture import Said, conversation_of, prepare, write
from tenants.actor import COMMAND
from tenants.audit import record
from tenants.context import within
from tenants.directory import tenant_of_slug
from tenants.models import Tenant
from tests.factories import make_memory, make_mutation, make_visitor

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def test_rows_of_every_kind_go_with_it_and_no_others() -> None:
    played: list[str] = []

    def broken() -> None:
        with scratch_tenant() as scratch, within(scratch.tenant_id):
            played.append(Tenant.objects.get(pk=scratch.tenant_id).slug)
            visitor = make_visitor()
            memory = make_memory(scratch.agent, visitor)
            make_mutation(scratch.agent, visitor, operation="delete", target=memory)
            write(
                prepare([Said("user", "I like tea.")], space="", timeout=1),
                conversation=conversation_of(
                    agent_id=scratch.agent.pk, visitor_id=visitor.pk, channel="chat"
                ),
            )
            record("something", by=COMMAND)
            raise ZeroDivisionError

    with scratch_tenant() as other:
        with pytest.raises(ZeroDivisionError):
            broken()
        assert tenant_of_slug(played[0]) is None
        assert not User.objects.filter(username=played[0]).exists()
        with within(other.tenant_id):
            assert Tenant.objects.filter(pk=other.tenant_id).exists()


def test_what_was_committed_goes_as_well() -> None:
    with scratch_tenant() as scratch, within(scratch.tenant_id):
        visitor = make_visitor()
        memory = make_memory(scratch.agent, visitor)
        make_mutation(scratch.agent, visitor, operation="delete", target=memory)
        record("something", by=COMMAND)
    with connections["owner"].cursor() as cursor:
        for table in ("memory_memory", "memory_mutation", "tenants_auditentry", "agents_visitor"):
            cursor.execute(f"SELECT count(*) FROM {table}")
            assert cursor.fetchone() == (0,)
