"""Rules against kinds of mutations: made and lifted by editors, kept by reconcile."""

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from memory.models import Rule
from memory.models.draft import normal_key
from tenants.audit import record
from tenants.caller import Caller
from tenants.context import within


class MayNotRule(PermissionError):
    """Only editors and admins make or lift rules."""


def forbid(*, agent_id: int, key: str, by: Caller) -> Rule:
    """From now on the agent proposes nothing under this key. A standing rule stays as it is.

    Raises ValueError for something that is no key.
    """
    _check(by)
    prefix = normal_key(key)
    assert by.user_id is not None
    with within(by.tenant_id):
        standing = Rule.objects.filter(agent_id=agent_id, key_prefix=prefix, lifted_at=None)
        found = standing.first()
        if found is not None:
            return found
        try:
            with transaction.atomic():
                rule = Rule.objects.create(
                    agent_id=agent_id, key_prefix=prefix, made_by_id=by.user_id
                )
        except IntegrityError:  # a colleague at the same time
            return standing.get()
        record("rule.made", by=by.actor, subject="rule", subject_id=rule.pk, agent=agent_id)
        return rule


def lift(*, rule_id: int, by: Caller) -> bool:
    """Let it be proposed again. False when there is no such standing rule."""
    _check(by)
    with within(by.tenant_id):
        lifted = Rule.objects.filter(pk=rule_id, lifted_at=None).update(lifted_at=Now())
        if lifted:
            record("rule.lifted", by=by.actor, subject="rule", subject_id=rule_id)
        return bool(lifted)


def _check(by: Caller) -> None:
    if not by.can_edit:
        raise MayNotRule("rules are made by editors and admins, signed in")
