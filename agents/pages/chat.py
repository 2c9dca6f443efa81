"""The conversation with an agent, for anybody who has its address; may be framed anywhere.

Nothing in the page depends on who asks. A framing page says how it looks by the query (`Look`);
our script applies it, so that no style stands in the page.
"""

from uuid import UUID

from csp.decorators import csp_replace
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from agents.models import Agent
from agents.pages.look import Look
from tenants.context import within
from tenants.directory import tenant_of_agent
from tenants.views import opens_its_own, without_tenant


@opens_its_own
@without_tenant
@login_not_required
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
@require_safe
def conversation(request: HttpRequest, agent_uid: UUID) -> HttpResponse:
    tenant_id = tenant_of_agent(agent_uid)
    if tenant_id is None:
        raise Http404("no such agent")
    with within(tenant_id):
        agent = Agent.objects.filter(uid=agent_uid).only("name", "uid").first()
    if agent is None:
        raise Http404("no such agent")
    answer = render(request, "agents/chat.html", {"agent": agent, "look": Look.asked(request.GET)})
    answer["Cache-Control"] = "no-cache"
    return answer
