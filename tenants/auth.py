"""Headers to a Caller: the one way a key is read, for REST, MCP and whatever comes later (D12).

`Authorization: Token|Api-Token|Bearer <key>`. Keys are looked up by digest, so no comparison
depends on how much of a key was right. A key is never logged and never taken from an address.
"""

import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import Literal, cast

from django.db.models import Q
from django.db.models.functions import Now

from tenants.caller import Caller
from tenants.context import within
from tenants.directory import tenant_of_key
from tenants.models import Membership, Role, Token
from tenants.models.token import digest_of

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
    tenant_id = tenant_of_key(digest)
    if tenant_id is None:
        raise NotAuthenticated("the key is not valid")
    with within(tenant_id):
        # The database's clock says whether a key has run out.
        usable = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=Now()))
        long_ago = Now() - USED_AGAIN_AFTER
        token = (
            Token.objects.filter(usable, digest=digest)
            .select_related("tenant")
            .annotate(used_lately=Q(last_used_at__isnull=False) & Q(last_used_at__gt=long_ago))
            .first()
        )
        if token is None or not hmac.compare_digest(token.digest, digest):
            raise NotAuthenticated("the key is not valid")
        caller = _caller(token)
        if not token.used_lately:
            Token.objects.filter(pk=token.pk).update(last_used_at=Now())
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


def _caller(token: Token) -> Caller:
    role = None
    if token.user_id is not None:
        # What the member may do is read now: a token does not outlive a membership or a rank.
        membership = Membership.objects.filter(user_id=token.user_id, user__is_active=True).first()
        if membership is None:
            raise NotAuthenticated("the key is not valid")
        role = Role(membership.role)
    return Caller(
        tenant_id=token.tenant_id,
        sort=cast(Sort, token.kind),  # the kinds are sorts by name
        role=role,
        user_id=token.user_id,
        token_id=token.pk,
        agent_id=token.agent_id,
        visitor_id=token.visitor_id,
        shared_agent=token.shared_agent,
        scope=token.scope,
        tier=token.tier,
        space=token.tenant.space,
    )
