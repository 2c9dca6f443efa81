"""Headers to a Caller: the one way a key is read, for REST, MCP and whatever comes later (D12).

`Authorization: Token|Api-Token|Bearer <key>`. Keys are looked up by digest, so no comparison
depends on how much of a key was right. A key is never logged and never taken from an address.
"""

import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import Literal, NamedTuple

from django.db.models.functions import Now

from tenants.caller import Caller
from tenants.context import within_tenant_of_key
from tenants.models import Membership, Role, Token
from tenants.models.token import digest_of
from tenants.prepared import prepared

Sort = Literal["organisation", "member", "person"]

SCHEMES = frozenset({"token", "api-token", "bearer"})
KEY_LENGTH = 200  # no key of ours is longer
USED_AGAIN_AFTER = timedelta(minutes=1)  # how exact `last_used_at` is


class NotAuthenticated(Exception):
    """No usable key. The message says what is wrong with the header, never why a key failed."""


def authenticate(headers: Mapping[str, str]) -> Caller:
    """The caller that the Authorization header names, or NotAuthenticated.

    Outside any block: opens its own. `headers` finds names in any case, as Django's do.
    """
    key = key_of(headers)
    digest = digest_of(key)
    with within_tenant_of_key(digest) as tenant_id:
        found = None if tenant_id is None else _read(digest)
        if found is None or tenant_id is None or not hmac.compare_digest(found.digest, digest):
            raise NotAuthenticated("the key is not valid")
        caller = _caller(found, tenant_id)
        if not found.used_lately:
            Token.objects.filter(pk=found.id).update(last_used_at=Now())
    return caller


def key_of(headers: Mapping[str, str]) -> str:
    """The key of the Authorization header; NotAuthenticated when there is none in its place."""
    given = headers.get("Authorization") or headers.get("authorization") or ""
    scheme, _, key = given.strip().partition(" ")
    key = key.strip()
    if not given:
        raise NotAuthenticated("expected a header: Authorization: Bearer <key>")
    if scheme.lower() not in SCHEMES or not key or len(key) > KEY_LENGTH or " " in key:
        raise NotAuthenticated("expected Authorization to be: Bearer <key>")
    return key


class _Key(NamedTuple):
    """A usable token as it is read for every request."""

    id: int
    digest: str
    kind: Sort
    user_id: int | None
    agent_id: int | None
    visitor_id: int | None
    shared_agent: str
    scope: str
    tier: str
    space: str
    used_lately: bool


def _read(digest: str) -> _Key | None:
    with prepared() as cursor:
        cursor.execute(_KEY, [USED_AGAIN_AFTER.total_seconds(), digest])
        row = cursor.fetchone()
    return None if row is None else _Key(*row)


def _caller(key: _Key, tenant_id: int) -> Caller:
    role = None
    if key.user_id is not None:
        # What the member may do is read now: a token does not outlive a membership or a rank.
        membership = Membership.objects.filter(user_id=key.user_id, user__is_active=True).first()
        if membership is None:
            raise NotAuthenticated("the key is not valid")
        role = Role(membership.role)
    return Caller(
        tenant_id=tenant_id,
        sort=key.kind,  # the kinds are sorts by name
        role=role,
        user_id=key.user_id,
        token_id=key.id,
        agent_id=key.agent_id,
        visitor_id=key.visitor_id,
        shared_agent=key.shared_agent,
        scope=key.scope,
        tier=key.tier,
        space=key.space,
    )


# By hand: every request reads it, and to compile it would take longer than to run it. The
# database's clock says whether a key has run out.
_KEY = """
SELECT token.id, digest, kind, user_id, agent_id, visitor_id, shared_agent, scope, tier, space,
       coalesce(last_used_at > statement_timestamp() - make_interval(secs => %s), false)
FROM tenants_token token JOIN tenants_tenant tenant ON tenant.id = token.tenant_id
WHERE digest = %s AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > statement_timestamp())
"""
