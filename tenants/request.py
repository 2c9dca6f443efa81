"""A request after the tenant middleware: for annotations in pages and admin."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from tenants.caller import Caller
from tenants.models import Membership


class MemberRequest(HttpRequest):
    """A signed-in member's request under `/t/<tenant>/`. `membership` is None for an operator."""

    tenant_id: int
    tenant_slug: str
    caller: Caller
    membership: Membership | None
    htmx: HtmxDetails
