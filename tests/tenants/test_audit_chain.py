"""The audit's chain: sealed by a stage, verified from its start, ended by retention alone."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction
from django.db.models import Max

from memory.interfaces import tasks
from memory.models import Run
from tenants import audit_chain
from tenants.actor import SYSTEM
from tenants.audit import record
from tenants.audit_chain import Verified
from tenants.context import within
from tenants.directory import tenants_with_work
from tenants.models import AuditEntry, AuditSeal, Tenant
from tests.factories import make_tenant
from tests.race import at_once

# The application cannot age or change an entry: the owner does, so rows have to be committed.
pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


@pytest.fixture
def tenant() -> Tenant:
    return make_tenant("acme")


def enter(tenant: Tenant, count: int, *, days: float = 0, minutes: float = 0) -> list[int]:
    with within(tenant.pk):
        made = [
            record("memory.deleted", by=SYSTEM, subject="memory", subject_id=n, n=n, z={"b": 1})
            for n in range(count)
        ]
    numbers = [entry.pk for entry in made]
    if days or minutes:
        span = timedelta(days=days, minutes=minutes)
        as_owner("UPDATE tenants_auditentry SET at = at - %s WHERE id = ANY(%s)", span, numbers)
    return numbers


def as_owner(sql: str, *values: Any) -> None:
    """On the test database, past what the application may do."""
    owner = connections["owner"]
    name = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = connection.settings_dict["NAME"]
    try:
        with owner.cursor() as cursor:
            cursor.execute(sql, values)
    finally:
        owner.close()
        owner.settings_dict["NAME"] = name


def seal(tenant: Tenant) -> int:
    with within(tenant.pk):
        return audit_chain.seal(tenant.pk)


def verify(tenant: Tenant) -> Verified:
    with within(tenant.pk):
        return audit_chain.verify(tenant.pk)


def end_old(tenant: Tenant) -> int:
    with within(tenant.pk):
        return audit_chain.end_old()


# --- sealing ----------------------------------------------------------------------------------


def test_what_is_five_minutes_old_is_sealed_and_what_is_not_is_named(tenant: Tenant) -> None:
    first = enter(tenant, 3, minutes=6)
    second = enter(tenant, 2, minutes=4)
    assert tenants_with_work("audit") == [tenant.pk]
    assert seal(tenant) == 3
    assert seal(tenant) == 0
    assert tenants_with_work("audit") == []
    found = verify(tenant)
    assert (found.start, found.seals, found.entries, found.broken) == (0, 1, 3, None)
    assert (found.unsealed, found.first_unsealed, found.last_unsealed) == (2, *second)
    with within(tenant.pk):
        assert AuditSeal.objects.get().up_to == first[-1]


def test_an_old_entry_behind_a_young_one_waits_for_it(tenant: Tenant) -> None:
    enter(tenant, 1, minutes=6)
    enter(tenant, 1)
    enter(tenant, 1, minutes=6)
    assert seal(tenant) == 1
    assert seal(tenant) == 0


def test_the_stage_seals_tenants_in_turn_and_batches_are_seals(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_chain, "ENTRIES", 2)
    other = make_tenant("other")
    enter(tenant, 5, minutes=6)
    enter(other, 2, minutes=6)
    assert tasks.work("audit").processed == 7
    assert Run.objects.get(stage="audit").processed == 7
    assert (verify(tenant).seals, verify(tenant).entries) == (3, 5)
    assert (verify(other).seals, verify(other).entries) == (1, 2)


def test_two_sealers_at_once_make_one_chain(tenant: Tenant) -> None:
    enter(tenant, 5, minutes=6)
    assert sorted(at_once(lambda: seal(tenant), lambda: seal(tenant))) == [0, 5]
    assert verify(tenant).broken is None


# --- what was changed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tenants_auditentry SET verb = 'memory.read' WHERE id = %s",
        "UPDATE tenants_auditentry SET user_id = 7 WHERE id = %s",
        "UPDATE tenants_auditentry SET detail = '{\"n\": 8}' WHERE id = %s",
        "UPDATE tenants_auditentry SET at = at + interval '1 microsecond' WHERE id = %s",
        "DELETE FROM tenants_auditentry WHERE id = %s",
    ],
)
@pytest.mark.parametrize("which", [0, 2, 4])
def test_any_change_is_named_with_its_place(tenant: Tenant, change: str, which: int) -> None:
    numbers = enter(tenant, 3, minutes=6)
    seal(tenant)
    numbers += enter(tenant, 2, minutes=6)
    seal(tenant)
    assert verify(tenant).broken is None
    as_owner(change, numbers[which])
    broken = verify(tenant).broken
    assert broken is not None
    assert broken.after < numbers[which] <= broken.up_to
    assert (broken.up_to == numbers[2]) == (which < 3)


def test_a_forged_seal_without_the_master_key_does_not_hold(tenant: Tenant, settings: Any) -> None:
    enter(tenant, 3, minutes=6)
    before = settings.MASTER_KEY
    settings.MASTER_KEY = "another"
    seal(tenant)
    settings.MASTER_KEY = before
    assert verify(tenant).broken is not None


def test_an_entry_that_was_slipped_in_is_noticed(tenant: Tenant) -> None:
    numbers = enter(tenant, 3, minutes=6)
    enter(tenant, 1, minutes=6)
    seal(tenant)
    as_owner("UPDATE tenants_auditentry SET id = -id WHERE id = %s", numbers[1])
    assert verify(tenant).broken is not None


def test_entries_that_are_gone_without_retention_are_noticed(tenant: Tenant) -> None:
    numbers = enter(tenant, 3, minutes=6)
    seal(tenant)
    enter(tenant, 1)
    as_owner("DELETE FROM tenants_auditentry WHERE id = ANY(%s)", numbers)
    broken = verify(tenant).broken
    assert broken is not None
    assert "retention did not remove them" in broken.why


def test_the_application_may_change_nothing(tenant: Tenant) -> None:
    enter(tenant, 1, minutes=6)
    seal(tenant)
    acts: list[Callable[[], Any]] = [
        lambda: AuditEntry.objects.update(verb="x"),
        lambda: AuditEntry.objects.all()._raw_delete("default"),
        lambda: AuditSeal.objects.update(hash="x"),
        lambda: AuditSeal.objects.all()._raw_delete("default"),
    ]
    for act in acts:
        with pytest.raises(DatabaseError), within(tenant.pk), transaction.atomic():
            act()


# --- retention --------------------------------------------------------------------------------


def test_sealed_and_old_goes_and_the_chain_holds_from_its_new_start(tenant: Tenant) -> None:
    old = enter(tenant, 3, days=366)
    seal(tenant)
    kept = enter(tenant, 2, days=364)
    seal(tenant)
    assert end_old(tenant) == 3
    assert end_old(tenant) == 0
    found = verify(tenant)
    assert (found.start, found.seals, found.entries, found.broken) == (old[-1], 1, 2, None)
    with within(tenant.pk):
        assert list(AuditEntry.objects.filter(pk__in=[*old, *kept]).values_list("pk", flat=True))
        ended = AuditEntry.objects.get(verb="audit.ended")
        assert (ended.actor, ended.detail) == ("system", {"entries": 3, "up_to": old[-1]})
        assert AuditSeal.objects.count() == 2
    as_owner("UPDATE tenants_auditentry SET verb = 'x' WHERE id = %s", kept[0])
    assert verify(tenant).broken is not None


def test_what_is_not_sealed_stays_however_old(tenant: Tenant) -> None:
    enter(tenant, 3, days=4_000)
    assert end_old(tenant) == 0
    assert seal(tenant) == 3
    assert end_old(tenant) == 3


def test_a_seal_with_one_young_entry_stays_whole(tenant: Tenant) -> None:
    enter(tenant, 2, days=366)
    enter(tenant, 1, days=10)
    seal(tenant)
    assert end_old(tenant) == 0
    with within(tenant.pk):
        assert AuditEntry.objects.count() == 3


def test_again_and_again_and_never_another_tenants(tenant: Tenant) -> None:
    other = make_tenant("other")
    enter(other, 2, days=400)
    seal(other)
    for days in (370, 368, 366):
        enter(tenant, 2, days=days)
        seal(tenant)
    assert end_old(tenant) == 6
    enter(tenant, 1, minutes=6)
    seal(tenant)
    assert verify(tenant).broken is None
    assert (verify(other).entries, verify(other).broken) == (2, None)
    with within(tenant.pk):
        assert AuditSeal.objects.count() == 1, "the removal's own entry is young: those behind wait"
    with connection.cursor() as cursor:  # outside any tenant there is nothing to end
        cursor.execute("SELECT * FROM end_audit()")
        assert cursor.fetchall() == []


# --- the command ------------------------------------------------------------------------------


def said(*words: str) -> str:
    out = StringIO()
    call_command("verify_audit", *words, stdout=out)
    return out.getvalue()


def test_the_command_says_what_holds_and_what_is_not_sealed(tenant: Tenant) -> None:
    make_tenant("quiet")
    first = enter(tenant, 3, minutes=6)
    seal(tenant)
    (last,) = enter(tenant, 1)
    with within(tenant.pk):
        newest = AuditSeal.objects.aggregate(last=Max("hash"))["last"]
    lines = said().splitlines()
    assert lines == [
        "acme: 3 entries hold under 1 seal; 1 since then is not sealed yet "
        f"({last:,} to {last:,}); the last seal is {newest}",
        "quiet: nothing is entered",
    ]
    assert said("--tenant", "acme").splitlines() == lines[:1]
    as_owner("DELETE FROM tenants_auditentry WHERE id = %s", first[1])
    out = StringIO()
    with pytest.raises(CommandError, match="the audit of 1 tenant does not hold"):
        call_command("verify_audit", stdout=out)
    assert f"BROKEN at entries 1 to {first[-1]:,}" in out.getvalue()
