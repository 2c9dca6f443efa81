"""Whom a verb is about: found, made by the first write, their settings and their tokens."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models.functions import Now
from django.http import Http404

from agents.models import Visitor
from memory.gate import GONE, MEMORY_OFF, gate
from memory.people import rights
from tenants.answers import Refused
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within
from tenants.models import Token

DAYS_LIMIT = 3_650


@dataclass(frozen=True)
class Who:
    """A row that is there, or a host's id (in its one form) that becomes one by the first write.

    `username` and `email` come with that write; later ones fill in only what was empty (G14).
    """

    visitor_id: int | None = None
    host_id: str | None = None
    username: str = ""
    email: str = ""

    def find(self, by: Caller) -> Visitor | None:
        """Inside `within`. A person token finds its own person and nobody else: 404."""
        rows = Visitor.objects.select_related("user")
        if self.visitor_id is not None:
            found = rows.filter(pk=self.visitor_id).first()
        else:
            found = rows.filter(host_id__isnull=False, host_id=self.host_id).first()
        if by.sort == "person" and not rights.is_own(by, found):
            raise Http404("no such person")
        if found is None and self.host_id is None:
            raise Http404("no such person")
        return found

    def meet(self, by: Caller) -> Visitor:
        """Inside `within`, for a write: the person, made if new. They were not here themselves,
        so `last_seen_at` stays."""
        found = self.find(by)
        if found is None:
            found, _ = Visitor.objects.get_or_create(
                host_id=self.host_id, defaults={"name": self.username, "email": self.email}
            )
        given = {"name": self.username, "email": self.email}
        missing = {k: v for k, v in given.items() if v and not getattr(found, k)}
        if missing and by.sort != "person":  # who they are is for the organisation to say
            for name, value in missing.items():
                setattr(found, name, value)
            found.save(update_fields=list(missing))
        return found


def hold(visitor: Visitor, *, is_end: bool = False) -> None:
    """Keep an erase away until the block ends (D18), and read the tenant's switch.

    A person's own switches, and an agent's, do not stop what is written by hand; and with memory
    off a memory can still be ended.
    """
    shut = gate(agent_id=None, visitor_id=visitor.pk)
    if shut is GONE:
        raise Http404("no such person")
    if shut is MEMORY_OFF and not is_end:
        raise Refused("memory is off for this organisation", status=409)


def set_settings(
    *,
    by: Caller,
    who: Who,
    auto_capture_enabled: bool | None = None,
    use_memory_in_responses: bool | None = None,
) -> Visitor:
    """The person's two switches; None leaves one as it is. Makes the person if new."""
    with within(by.tenant_id):
        rights.may_set_for_person(by, who.find(by))
        visitor = who.meet(by)
        visitor = Visitor.objects.select_for_update(of=("self",)).get(pk=visitor.pk)
        wanted = {
            "auto_capture_enabled": auto_capture_enabled,
            "use_memory_in_responses": use_memory_in_responses,
        }
        changed = {k: v for k, v in wanted.items() if v is not None and v != getattr(visitor, k)}
        for name, value in changed.items():
            setattr(visitor, name, value)
        visitor.settings_updated_at = Now()
        visitor.save(update_fields=[*changed, "settings_updated_at"])
        visitor.refresh_from_db()
        if changed:
            record(
                "person.settings_changed",
                by=by.actor,
                subject="visitor",
                subject_id=visitor.pk,
                **changed,
            )
    return visitor


def issue_token(
    *, by: Caller, who: Who, name: str = "", days: int | None = None
) -> tuple[Token, str]:
    """A token of the person and its key, which is shown only now. None: until it is revoked."""
    rights.may_issue_for_person(by)
    if days is not None and not 1 <= days <= DAYS_LIMIT:
        raise Refused(f"expected a whole number from 1 to {DAYS_LIMIT}, or null", field="days")
    with within(by.tenant_id):
        visitor = who.meet(by)
        expires_at = None
        if days is not None:
            expires_at = Now() + timedelta(days=days)
        token, key = Token.objects.issue(
            kind=Token.Kind.PERSON,
            name=name or "person",
            visitor_id=visitor.pk,
            expires_at=expires_at,
        )
        token.refresh_from_db()
        record(
            "token.created",
            by=by.actor,
            subject="token",
            subject_id=token.pk,
            kind=token.kind,
            visitor=visitor.pk,
        )
    return token, key


def revoke_token(*, by: Caller, who: Who, token_id: int) -> None:
    """End a token of the person. One that has ended already stays as it is."""
    rights.may_issue_for_person(by)
    with within(by.tenant_id):
        visitor = who.find(by)
        tokens = Token.objects.select_for_update(of=("self",)).filter(kind=Token.Kind.PERSON)
        token = None
        if visitor is not None:
            token = tokens.filter(pk=token_id, visitor_id=visitor.pk).first()
        if token is None:
            raise Http404("no such token")
        if token.revoked_at is None:
            Token.objects.filter(pk=token.pk).update(revoked_at=Now())
            record("token.revoked", by=by.actor, subject="token", subject_id=token.pk)
