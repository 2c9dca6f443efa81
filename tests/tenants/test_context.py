"""One door to a tenant: outside it there are no rows, inside only its own."""

import pytest
from django.db import DatabaseError, connection, transaction

from agents.models import Agent
from tenants.context import OtherTenant, current_tenant, within, within_tenant_of_key
from tenants.models import Tenant, Token

pytestmark = pytest.mark.django_db


@pytest.fixture
def two() -> tuple[Tenant, Tenant]:
    return (
        Tenant.objects.start(slug="north", name="North"),
        Tenant.objects.start(slug="south", name="South"),
    )


def test_a_row_belongs_to_the_open_tenant_and_is_seen_there_only(
    two: tuple[Tenant, Tenant],
) -> None:
    north, south = two
    with within(north.pk):
        agent = Agent.objects.create(slug="ava", name="Ava")
        assert agent.tenant_id == north.pk
        assert Agent.objects.count() == 1
    with within(south.pk):
        assert Agent.objects.count() == 0
    assert Agent.objects.count() == 0


def test_without_a_tenant_nothing_is_written(two: tuple[Tenant, Tenant]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Agent.objects.create(slug="ava", name="Ava")


def test_a_row_cannot_be_written_into_another_tenant(two: tuple[Tenant, Tenant]) -> None:
    north, south = two
    with pytest.raises(DatabaseError), within(north.pk):
        Agent.objects.create(slug="ava", name="Ava", tenant_id=south.pk)


def test_inside_one_tenant_another_raises(two: tuple[Tenant, Tenant]) -> None:
    north, south = two
    with within(north.pk), pytest.raises(OtherTenant), within(south.pk):
        raise AssertionError("entered")


def test_leaving_gives_the_earlier_value_back(two: tuple[Tenant, Tenant]) -> None:
    north, _ = two
    with within(north.pk):
        with within(north.pk):
            assert current_tenant() == north.pk
        Agent.objects.create(slug="ava", name="Ava")
    assert current_tenant() is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('app.tenant', true)")
        assert cursor.fetchone()[0] in (None, "")


def test_a_key_opens_its_own_tenant_and_no_other(two: tuple[Tenant, Tenant]) -> None:
    north, south = two
    with within(south.pk):
        Agent.objects.create(slug="ben", name="Ben")
        token, _ = Token.objects.issue(kind=Token.Kind.ORGANISATION, name="a key")
    with within_tenant_of_key(token.digest) as tenant_id:
        assert tenant_id == south.pk == current_tenant()
        assert Agent.objects.count() == 1
    with within_tenant_of_key("nobody's") as tenant_id:
        assert tenant_id is None is current_tenant()
        assert Agent.objects.count() == 0
    with within(north.pk):
        with pytest.raises(OtherTenant), within_tenant_of_key(token.digest):
            pass
        assert current_tenant() == north.pk
        assert Agent.objects.count() == 0
        Agent.objects.create(slug="cyd", name="Cyd")
        with within_tenant_of_key("nobody's"):
            assert Agent.objects.count() == 0
        assert Agent.objects.count() == 1


def _waits_for_disk() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('synchronous_commit')")
        return bool(cursor.fetchone()[0] != "off")


@pytest.mark.django_db(transaction=True)
def test_a_block_waits_for_the_disk_unless_it_says_otherwise() -> None:
    tenant = Tenant.objects.start(slug="west", name="West")
    with connection.cursor() as cursor:  # the server of the tests never waits by itself
        cursor.execute("SET synchronous_commit TO on")
    with within(tenant.pk):
        assert _waits_for_disk()
        with within(tenant.pk, is_durable=False):
            assert _waits_for_disk()  # it ends with the block outside
    with within(tenant.pk, is_durable=False):
        assert not _waits_for_disk()
    assert _waits_for_disk()
    connection.close()
