"""Never propose this kind: a rule from a card, and the list of rules to lift them."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from memory import review, rules
from memory.interfaces.pages.related import branch_of, key_of
from memory.models import Mutation, Rule
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own


@opens_its_own
@require_POST
def never(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """Reject the mutation, and let the agent propose nothing more under its key or branch.

    `under` is the key itself or its first folder, as the card offered them.
    """
    with within(request.tenant_id):
        mutation = get_object_or_404(Mutation.objects.defer("vector"), pk=mutation_id)
        if mutation.agent is None:
            raise Http404("a conflict is of no kind")
        key = key_of(mutation)
        agent = mutation.agent
    under = request.POST.get("under", "")
    if under not in (key, "/" + branch_of(key)):
        raise Http404("no such kind")
    try:
        rules.forbid(agent_id=agent.pk, key=under, by=request.caller)
    except rules.MayNotRule as error:
        raise PermissionDenied(str(error)) from error
    try:
        review.reject(
            mutation_id=mutation_id, by=request.caller, reason=f"never propose {under}"[:500]
        )
    except review.ReviewRefused as refusal:
        messages.warning(request, f"The rule holds, but this mutation was not rejected: {refusal}")
    else:
        messages.success(request, f"{agent.name} proposes nothing more under {under}.")
    return HttpResponseRedirect(resolve_url("review:queue"))


@require_safe
def standing(request: MemberRequest) -> HttpResponse:
    """The rules of every agent, newest first."""
    rows = (
        Rule.objects.filter(lifted_at=None)
        .select_related("agent", "made_by")
        .order_by("-created_at", "-pk")[:500]
    )
    return render(request, "memory/rules.html", {"section": "review", "rules": rows})


@opens_its_own
@require_POST
def lift(request: MemberRequest, rule_id: int) -> HttpResponse:
    try:
        lifted = rules.lift(rule_id=rule_id, by=request.caller)
    except rules.MayNotRule as error:
        raise PermissionDenied(str(error)) from error
    if not lifted:
        raise Http404("no such standing rule")
    messages.success(request, "The rule is lifted.")
    return HttpResponseRedirect(resolve_url("review:rules"))
