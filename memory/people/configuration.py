"""What an admin sets about memory as such: the organisation's switch, and who a person is here."""

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.http import Http404

from agents.models import Visitor
from memory.people.persons import Who
from tenants.answers import Refused
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Membership, Tenant


def set_memory_enabled(*, by: Caller, enabled: bool) -> None:
    """The master switch. Off: nothing is captured, recalled or added; what is there stays."""
    _check(by)
    with within(by.tenant_id):
        tenant = Tenant.objects.select_for_update().get(pk=by.tenant_id)
        if tenant.memory_enabled == enabled:
            return
        tenant.memory_enabled = enabled
        tenant.save(update_fields=["memory_enabled"])
        record(
            "tenant.memory_switched",
            by=by.actor,
            subject="tenant",
            subject_id=tenant.pk,
            memory_enabled=enabled,
        )


def link_account(*, by: Caller, who: Who, username: str) -> Visitor:
    """Say which member this person is (G14), so that they find their memories at their own page.

    An empty name takes the link away. Refused: no such member, or one who is another person.
    """
    _check(by)
    with within(by.tenant_id):
        found = who.find(by)
        if found is None:
            raise Http404("no such person")
        visitor = Visitor.objects.select_for_update(of=("self",)).get(pk=found.pk)
        user_id = _member(username) if username else None
        if user_id is None and visitor.host_id is None and visitor.cookie is None:
            raise Refused("the account is all this person is known by", field="username")
        if visitor.user_id == user_id:
            return visitor
        visitor.user_id = user_id
        try:
            with transaction.atomic():
                visitor.save(update_fields=["user"])
        except IntegrityError:
            raise Refused(
                "this member is another person here already", field="username", status=409
            ) from None
        record("person.linked", by=by.actor, subject="visitor", subject_id=visitor.pk, user=user_id)
    return visitor


def _member(username: str) -> int:
    row = Membership.objects.filter(user__username=username).first()
    if row is None:
        raise Refused("there is no member of this name", field="username")
    return row.user_id


def _check(by: Caller) -> None:
    if not by.can_administer:
        raise PermissionDenied("only admins and owners configure memory")
