"""`/api/mutations/`: the queue, and the reviewer's verbs as a program calls them (contract 1).

Only a member decides, signed in or by a token of their own: keys are answered 403, audited.
"""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse, JsonResponse
from rest_framework.request import Request

from memory import review
from memory.interfaces.api import shapes_loop as shapes
from memory.interfaces.api.lookup import agent_named
from memory.interfaces.api.paging import cursor_at, place_of
from memory.models import Mutation
from tenants import answers
from tenants.answers import Refused
from tenants.caller import Caller
from tenants.context import within
from tenants.described import described
from tenants.rest import TenantView

PAGE = 50
LONGEST_PAGE = 100
REASON_LIMIT = 500


class MutationList(TenantView):
    """`GET ?status=pending&agent=…&limit=…&cursor=…`, the oldest first, every row once."""

    @described(
        "List mutations, the oldest first",
        tag=shapes.REVIEW_TAG,
        answers={200: "MutationPage"},
        queries=shapes.QUEUE,
    )
    def get(self, request: Request) -> HttpResponse:
        asked = request.query_params
        status = asked.get("status", Mutation.Status.PENDING.value)
        if status not in Mutation.Status.values:
            wanted = ", ".join(Mutation.Status.values)
            raise Refused(f"expected one of {wanted}", field="status")
        limit = _limit(asked.get("limit", str(PAGE)))
        with within(self.caller.tenant_id):
            rows = readable(self.caller).filter(status=status).order_by("created_at", "id")
            if "agent" in asked:
                rows = rows.filter(agent=agent_named(asked["agent"], self.caller))
            if "cursor" in asked:
                at, number = place_of(asked["cursor"], field="cursor")
                rows = rows.filter(Q(created_at__gt=at) | Q(created_at=at, id__gt=number))
            found = list(rows[: limit + 1])
        page = found[:limit]
        following = cursor_at(page[-1].created_at, page[-1].pk) if len(found) > limit else None
        return JsonResponse({"results": [as_json(each) for each in page], "next": following})


class MutationDetail(TenantView):
    @described(
        "Read a mutation",
        tag=shapes.REVIEW_TAG,
        answers={200: "Mutation"},
    )
    def get(self, request: Request, number: int) -> HttpResponse:
        with within(self.caller.tenant_id):
            return JsonResponse(as_json(found(number, self.caller)))


class Decision(TenantView):
    """`POST …/approve` or `…/reject` with an optional `{"version", "reason"}`."""

    verb = ""

    @described(
        "Decide a mutation: a member does, never a key",
        tag=shapes.REVIEW_TAG,
        takes="Decision",
        may_be_empty=True,
        answers={200: "Mutation"},
        refuses=(409,),
    )
    def post(self, request: Request, number: int) -> HttpResponse:
        body = self.body()
        version = _version(body.get("version"))
        reason = _reason(body.get("reason"))
        if self.caller.agent_id is not None or self.caller.visitor_id is not None:
            with within(self.caller.tenant_id):
                found(number, self.caller)  # outside what the key is narrowed to: 404, not 403
        try:
            if self.verb == "approve":
                review.approve(mutation_id=number, by=self.caller, version=version)
            else:
                review.reject(mutation_id=number, by=self.caller, version=version, reason=reason)
        except review.ReviewRefused as refusal:
            return answers.error(refusal.status, str(refusal), code=refusal.code)
        with within(self.caller.tenant_id):
            return JsonResponse(as_json(found(number, self.caller)))


def readable(caller: Caller) -> QuerySet[Mutation]:
    """What the caller may read: a member all, a key its agent's, a person their own. No vectors."""
    rows = Mutation.objects.select_related("agent", "visitor", "resolved_by").defer("vector")
    if caller.agent_id is not None:
        rows = rows.filter(agent_id=caller.agent_id)
    if caller.sort == "person":
        rows = rows.filter(visitor_id__isnull=False, visitor_id=caller.visitor_id or 0)
    return rows


def found(number: int, caller: Caller) -> Mutation:
    """Inside `within`."""
    mutation = readable(caller).filter(pk=number).first()
    if mutation is None:
        raise Http404("no such mutation")
    return mutation


def as_json(mutation: Mutation) -> dict[str, Any]:
    by, visitor = mutation.resolved_by, mutation.visitor
    return {
        "id": mutation.pk,
        "uid": str(mutation.uid),
        "agent": mutation.agent.slug if mutation.agent is not None else None,
        "visitor": visitor.label if visitor is not None else None,
        "operation": mutation.operation,
        "target": mutation.target_id,
        "targetVersion": mutation.target_version,
        "draft": mutation.draft,
        "before": mutation.before,
        "evidence": mutation.evidence,
        "flags": mutation.flags,
        "reasoning": mutation.reasoning,
        "approver": mutation.approver,
        "status": mutation.status,
        "resolution": mutation.resolution or None,
        "reason": mutation.reason or None,
        "resolvedBy": by.get_username() if by is not None else None,
        "byToken": mutation.by_token,
        "resolvedAt": _iso(mutation.resolved_at),
        "memory": mutation.memory_id,
        "memoryVersion": mutation.memory_version,
        "version": mutation.version,
        "saidCount": mutation.said_count,
        "lastSaidAt": _iso(mutation.last_said_at),
        "createdAt": _iso(mutation.created_at),
    }


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None


def _limit(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= LONGEST_PAGE):
        raise Refused(f"expected a whole number from 1 to {LONGEST_PAGE}", field="limit")
    return int(text)


def _version(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Refused("expected a whole number, the version that was shown", field="version")
    return value


def _reason(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Refused("expected a string", field="reason")
    if len(value) > REASON_LIMIT:
        raise Refused(f"{len(value)} characters, at most {REASON_LIMIT} are taken", field="reason")
    return value
