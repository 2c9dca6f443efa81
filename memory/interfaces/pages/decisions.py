"""What I decided today, newest first, each with its undo."""

from datetime import timedelta

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.interfaces.pages import words
from memory.interfaces.pages.conflicts import conflicts_of
from memory.interfaces.pages.related import key_of
from memory.models import Mutation
from tenants.request import MemberRequest

MOST = 200


@require_safe
def mine(request: MemberRequest) -> HttpResponse:
    """The last 24 hours, so that no midnight hides a decision; at most 200."""
    now = timezone.now()
    rows = (
        Mutation.objects.filter(
            resolved_by=request.caller.user_id, resolved_at__gt=now - timedelta(hours=24)
        )
        .defer("vector", "evidence")
        .select_related("agent", "writer", "visitor", "resolved_by")
        .order_by("-resolved_at", "-pk")[: MOST + 1]
    )
    found = list(rows)
    conflicts = conflicts_of(found[:MOST])
    decisions = [
        {
            "mutation": row,
            "key": key_of(row),
            "conflict": conflicts.get(row.pk),
            "text": row.draft.get("content") or row.before.get("content") or "",
            "who": row.visitor.label if row.visitor is not None else "",
            "when": words.ago(row.resolved_at, now) if row.resolved_at else "",
            "may_undo": row.undone_at is None and request.caller.may_decide(row.approver),
        }
        for row in found[:MOST]
    ]
    context = {"section": "review", "decisions": decisions, "more": len(found) > MOST, "most": MOST}
    return render(request, "memory/mine.html", context)
