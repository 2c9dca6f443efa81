"""`/api/public/agents/{uuid}/me/…`: what an agent remembers of a visitor, for that visitor.

The cookie alone says who it is: a session, a key or a token changes nothing (G20). In a frame of
another site browsers send that cookie with any request to us, so each address asks for a header
and a content type that no other site can send without our leave, and there is no CORS to give it;
an `Origin` or `Sec-Fetch-Site` of somewhere else is refused besides.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from agents.channels import cookies
from agents.channels import shapes_own as shapes
from agents.channels.asked import agent_of, object_in, over_limit, switch_in
from agents.models import Agent, Visitor
from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.api.rights import download
from memory.lifecycle.erase import NoSuchPerson
from memory.lifecycle.export import export_person
from memory.lifecycle.forget import NoSuchMemory, forget
from memory.models import Memory, Reader
from memory.models.memory import MemoryQuerySet
from memory.people import persons
from tenants.answers import Refused, in_json, only_post
from tenants.caller import Caller
from tenants.context import let_go, within
from tenants.described import described
from tenants.limits import Limit, client_address, hit
from tenants.rest import refuse_large_body, refuse_secrets_in_address
from tenants.views import opens_its_own

HEADER = "x-keepsake-widget"
PAGE = 50
SWITCHES = ("auto_capture_enabled", "use_memory_in_responses")

Own = Callable[["Me"], HttpResponseBase]


@dataclass(frozen=True)
class Me:
    """One request of a visitor. `visitor` is None until something of theirs was kept."""

    request: HttpRequest
    agent: Agent
    body: dict[str, Any]
    cookie: uuid.UUID | None
    visitor: Visitor | None

    @property
    def by(self) -> Caller:
        """The person, by their cookie: they have no token and no role."""
        pk = self.visitor.pk if self.visitor is not None else None
        return Caller(self.agent.tenant_id, "person", visitor_id=pk)

    def memories(self) -> MemoryQuerySet:
        """Inside `within`: what reaches this agent's prompts about them, and nobody else's."""
        if self.visitor is None:
            return Memory.objects.none()
        reader = Reader.for_chat(self.agent.pk, self.visitor.pk)
        return Memory.objects.visible_to(reader).filter(visitor=self.visitor)

    def number_of(self, id_: Any) -> int | None:
        """Inside `within`: the key of one of their memories by its public id; None: not theirs."""
        uid = as_uuid(id_)
        if uid is None:
            return None
        return self.memories().filter(uid=uid).values_list("pk", flat=True).first()


def own(view: Own) -> Callable[..., HttpResponseBase]:
    """A plain view for the visitor's own frame."""

    @opens_its_own
    @csrf_exempt
    @in_json
    @wraps(view)
    def asked(request: HttpRequest, agent_uid: uuid.UUID) -> HttpResponseBase:
        only_post(request)
        refuse_secrets_in_address(request)
        refuse_other_sites(request)
        refuse_large_body(request)
        body = object_in(request.body)
        agent = agent_of(agent_uid)
        cookie = cookies.visitor_of(request)
        over = hit(_limits(request, agent, cookie), window=settings.CHAT_LIMIT_WINDOW,
                   tenant_id=agent.tenant_id)  # fmt: skip
        if over is not None:
            return over_limit(over, "requests")
        visitor = None
        if cookie is not None:
            with within(agent.tenant_id):
                visitor = Visitor.objects.filter(cookie=cookie).first()
        answer = view(Me(request, agent, body, cookie, visitor))
        answer["Cache-Control"] = "no-store"
        let_go()
        return answer

    return asked


def refuse_other_sites(request: HttpRequest) -> None:
    """Only our own page in the visitor's browser, or a program without one, gets further."""
    if HEADER not in request.headers:
        raise PermissionDenied(f"expected a header: {HEADER}: 1")
    if request.content_type != "application/json":
        raise Refused("expected a body of type application/json")
    origin = request.headers.get("Origin")
    if origin is not None and origin != f"{request.scheme}://{request.get_host()}":
        raise PermissionDenied("this is asked from the widget's own page only")
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise PermissionDenied("this is asked from the widget's own page only")


@described("See what the agent remembers about you", takes=shapes.PLACE,
           answers={200: shapes.LISTED}, **shapes.OWN)  # fmt: skip
@own
def memories(me: Me) -> HttpResponseBase:
    """Newest first, a page at a time; the cursor is the last one seen."""
    with within(me.agent.tenant_id):
        rows = me.memories()
        after = me.body.get("after")
        if after is not None:
            last = me.number_of(after)
            if last is None:
                raise Refused("no memory of yours", field="after")
            rows = rows.filter(pk__lt=last)
        found = list(rows.select_related("category").order_by("-pk")[: PAGE + 1])
    return JsonResponse(
        {
            "memories": [_shown(row) for row in found[:PAGE]],
            "more": len(found) > PAGE,
            "settings": _settings(me.visitor),
            "remembers": me.agent.memory_enabled and me.agent.tenant.memory_enabled,
        }
    )


@described("Delete one of your memories for good", takes=shapes.ONE,
           answers={200: shapes.FORGOTTEN}, **shapes.OWN)  # fmt: skip
@own
def forget_one(me: Me) -> HttpResponseBase:
    """Gone with its versions and mutations, and not learned again. There is no undo."""
    with within(me.agent.tenant_id):
        memory_id = me.number_of(me.body.get("id"))
        if me.visitor is None or memory_id is None:
            raise Http404("no such memory")
        try:
            forget(memory_id=memory_id, by=me.by.actor, visitor_id=me.visitor.pk)
        except NoSuchMemory:
            raise Http404("no such memory") from None
    return JsonResponse({"forgotten": str(me.body["id"])})


@described("Switch your memory off or on", takes=shapes.WANTED,
           answers={200: shapes.SETTINGS}, **shapes.OWN)  # fmt: skip
@own
def set_settings(me: Me) -> HttpResponseBase:
    """Also before the first message: who says no beforehand is known by a cookie for that."""
    for name in set(me.body) - {*SWITCHES, "embed"}:
        raise Refused("unknown", field=name)
    wanted = {name: switch_in(me.body, name) for name in SWITCHES if name in me.body}
    if not wanted:
        raise Refused("expected true or false", field=SWITCHES[0])
    embedded = switch_in(me.body, "embed")
    cookie, visitor = me.cookie or uuid.uuid4(), me.visitor
    if visitor is None:
        with within(me.agent.tenant_id):
            visitor = Visitor.objects.meet(cookie=cookie)
    by = Caller(me.agent.tenant_id, "person", visitor_id=visitor.pk)
    visitor = persons.set_settings(by=by, who=persons.Who(visitor_id=visitor.pk), **wanted)
    answer = JsonResponse(_settings(visitor))
    if me.cookie is None:
        cookies.give(answer, cookie, embedded=embedded)
    return answer


@described("Download everything kept about you", takes=shapes.NOTHING,
           answers={200: shapes.FILE}, **shapes.OWN)  # fmt: skip
@own
def export(me: Me) -> HttpResponseBase:
    """The whole of the person, conversations included: more than the list shows."""
    if me.visitor is None:
        raise Http404("nothing is kept about you")
    try:
        file = export_person(
            tenant_id=me.agent.tenant_id,
            visitor_id=me.visitor.pk,
            by=me.by.actor,
            format="json",
        )
    except NoSuchPerson:
        raise Http404("nothing is kept about you") from None
    return download(file, "json", me.request)


def _limits(request: HttpRequest, agent: Agent, cookie: uuid.UUID | None) -> list[Limit]:
    own = (
        [Limit("own visitor", f"{agent.pk} {cookie}", settings.OWN_LIMIT_VISITOR)] if cookie else []
    )
    address = f"{agent.pk} {client_address(request)}"
    return [*own, Limit("own address", address, settings.OWN_LIMIT_ADDRESS)]


def _shown(memory: Memory) -> dict[str, Any]:
    """What it says, and where it stands: a path, a category or a label."""
    about = memory.key or (memory.category.name if memory.category else memory.label)
    return {
        "id": str(memory.uid),
        "text": memory.content,
        "about": about,
        "everywhere": memory.agent_id is None,  # every agent of the organisation knows it
        "since": memory.created_at.isoformat(),
    }


def _settings(visitor: Visitor | None) -> dict[str, bool]:
    known = visitor or Visitor()
    return {name: getattr(known, name) for name in SWITCHES}
