"""`/v1/teams`: which agents read each other's `team` memories."""

from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_setting as shapes
from memory.interfaces.wire.base import WireView
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.shown import instant
from memory.models import Team
from memory.sharing import teams
from tenants import answers
from tenants.answers import Refused
from tenants.context import within
from tenants.races import settled

AGENTS_LIMIT = 1_000  # of one team


class Teams(WireView):
    manages = True

    @told("List teams", tag=shapes.WHO_TAG, answers={200: "Teams"})
    def get(self, request: Request) -> HttpResponse:
        with within(self.caller.tenant_id):
            rows = Team.objects.order_by("created_at", "id")
            return JsonResponse({"teams": [as_json(row) for row in rows]})

    @told(
        "Make a team",
        tag=shapes.WHO_TAG,
        takes="NewTeam",
        answers={201: "Team"},
        refuses=(409,),
    )
    def post(self, request: Request) -> HttpResponse:
        name = fields.named(self.body(), "name")
        try:
            with within(self.caller.tenant_id):
                made = as_json(teams.create(name=name, by=self.caller.actor))
        except teams.NameTaken:
            return answers.error(409, "there is a team of this name", field="name")
        return JsonResponse(made, status=201)


class TeamDetail(WireView):
    manages = True

    @told("Remove a team, if it is there", tag=shapes.WHO_TAG, answers={204: None})
    def delete(self, request: Request, uid: str) -> HttpResponse:
        def remove() -> None:
            with within(self.caller.tenant_id):
                team = teams.found(as_uuid(uid))
                if team is not None:
                    teams.remove(team, by=self.caller.actor)

        settled(remove)  # its agents may write meanwhile
        return HttpResponse(status=204)


class TeamAgents(WireView):
    manages = True

    @told("List the agents of a team", tag=shapes.WHO_TAG, answers={200: "TeamAgents"})
    def get(self, request: Request, uid: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            names = _found(uid).agents.order_by("name").values_list("name", flat=True)
            return JsonResponse({"agents": list(names)})

    @told(
        "Say which agents are in a team; they leave the one they were in",
        tag=shapes.WHO_TAG,
        takes="TeamAgents",
        answers={200: "TeamAgents"},
    )
    def put(self, request: Request, uid: str) -> HttpResponse:
        given = self.body().get("agents")
        if not isinstance(given, list) or len(given) > AGENTS_LIMIT:
            raise Refused(f"expected a list of at most {AGENTS_LIMIT} names", field="agents")
        names = [fields.named({"agents": each}, "agents") for each in given]

        def put() -> list[str]:
            with within(self.caller.tenant_id):
                return teams.set_agents(_found(uid), names, by=self.caller.actor)

        return JsonResponse({"agents": settled(put)})


def _found(uid: str) -> Team:
    team = teams.found(as_uuid(uid))
    if team is None:
        raise Http404("no such team")
    return team


def as_json(team: Team) -> dict[str, Any]:
    return {"id": str(team.uid), "name": team.name, "created_at": instant(team.created_at)}
