"""The list of agents and the page of one: set-up, what it is told and how it learns."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from agents.models import Agent
from memory.models import Memory, Mutation
from tenants.audit import record
from tenants.request import MemberRequest


class SetUp(forms.ModelForm):  # type: ignore[type-arg]
    """What an editor may change about an agent."""

    class Meta:
        model = Agent
        fields = ("name", "instructions", "memory_enabled", "mode", "tools")


@require_safe
def agents(request: MemberRequest) -> HttpResponse:
    """Every agent with how much waits and how much it remembers: three queries."""
    rows = list(Agent.objects.order_by("name", "pk")[:500])
    pending = _count(Mutation.objects.pending())
    memories = _count(Memory.objects.live().filter(kind=Memory.Kind.LEARNED))
    entries = [
        {"agent": row, "pending": pending.get(row.pk, 0), "stored": memories.get(row.pk, 0)}
        for row in rows
    ]
    return render(request, "agents/list.html", {"section": "agents", "entries": entries})


@require_http_methods(["GET", "HEAD", "POST"])
def agent(request: MemberRequest, slug: str) -> HttpResponse:
    row = get_object_or_404(Agent, slug=slug)
    if request.method == "POST":
        if not request.caller.can_edit:
            raise PermissionDenied("only editors, admins and owners change an agent")
        form = SetUp(request.POST, instance=row)
        if form.is_valid():
            return _saved(request, form)
        return _page(request, Agent.objects.get(pk=row.pk), form, status=400)
    return _page(request, row, SetUp(instance=row))


def _saved(request: MemberRequest, form: SetUp) -> HttpResponse:
    row = form.save()
    if form.changed_data:
        record(
            "agent.changed",
            by=request.caller.actor,
            subject="agent",
            subject_id=row.pk,
            fields=form.changed_data,
        )
    messages.success(request, "Saved.")
    return HttpResponseRedirect(reverse("agents:agent", args=[row.slug]))


def _page(request: MemberRequest, row: Agent, form: SetUp, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "agents",
        "agent": row,
        "form": form,
        "pending": Mutation.objects.pending().filter(agent=row).count(),
        "modes": Agent._meta.get_field("mode").choices,
        "memory_help": Agent._meta.get_field("memory_enabled").help_text,
        "tools_help": Agent._meta.get_field("tools").help_text,
    }
    return render(request, "agents/agent.html", context, status=status)


def _count(rows: Any) -> dict[int, int]:
    return dict(rows.order_by().values_list("agent_id").annotate(Count("pk")))
