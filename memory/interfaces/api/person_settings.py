"""A person's two switches, whether memory is on at all, and the person's own tokens."""

from typing import Any

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from agents.models import Visitor
from memory.interfaces.api import shapes_people as shapes
from memory.interfaces.api.orgs import OrgView, instant, switch_in, text_in
from memory.interfaces.api.paging import paged
from memory.people import persons, rights
from memory.providers.cleaning import clean
from tenants.answers import Refused
from tenants.context import within
from tenants.described import described
from tenants.models import Tenant, Token

SWITCHES = ("auto_capture_enabled", "use_memory_in_responses")
NAME_LIMIT = 200


class Settings(OrgView):
    @described(
        "Read a person's two switches",
        tag=shapes.PERSON_TAG,
        answers={200: "PersonSettings"},
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        """For somebody unknown: what they would start with. Asking makes nobody."""
        with within(self.caller.tenant_id):
            visitor = self.who().find(self.caller)
            rights.may_set_for_person(self.caller, visitor)
        return JsonResponse(_settings(visitor or Visitor()))

    @described(
        "Set one or both of a person's switches",
        tag=shapes.PERSON_TAG,
        takes="PersonSettingsChange",
        answers={200: "PersonSettings"},
        notes="Makes the person when they are new.",
    )
    def put(self, request: Request, **path: str) -> HttpResponse:
        body = self.body()
        wanted = {name: switch_in(body, name) for name in SWITCHES}
        if all(value is None for value in wanted.values()):
            raise Refused("expected true or false", field=SWITCHES[0])
        visitor = persons.set_settings(by=self.caller, who=self.who(body), **wanted)
        return JsonResponse(_settings(visitor))


class Status(OrgView):
    @described(
        "Is memory on for the organisation?",
        tag=shapes.PERSON_TAG,
        answers={200: "MemoryStatus"},
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        with within(self.caller.tenant_id):
            rights.may_read_person(self.caller, self.who().find(self.caller))
            tenant = Tenant.objects.get(pk=self.caller.tenant_id)
        return JsonResponse({"memory_enabled": tenant.memory_enabled})


class Tokens(OrgView):
    """A person's tokens: for a link to their own memory page, or an app of theirs."""

    @described(
        "List a person's tokens",
        tag=shapes.PERSON_TAG,
        answers={200: "PersonTokenPage"},
        queries=shapes.PAGES,
    )
    def get(self, request: Request, **path: str) -> HttpResponse:
        rights.may_issue_for_person(self.caller)
        with within(self.caller.tenant_id):
            visitor = self.who().find(self.caller)
            rows = Token.objects.filter(kind=Token.Kind.PERSON)
            rows = rows.none() if visitor is None else rows.filter(visitor_id=visitor.pk)
            return JsonResponse(paged(request, rows, _token))

    @described(
        "Make a token of a person",
        tag=shapes.PERSON_TAG,
        takes="NewPersonToken",
        may_be_empty=True,
        answers={201: "MadePersonToken"},
        notes="Makes the person when they are new. The key is shown this once.",
    )
    def post(self, request: Request, **path: str) -> HttpResponse:
        body = self.body()
        name = clean(text_in(body, "name") or "").text.strip()
        if len(name) > NAME_LIMIT:
            raise Refused(f"{len(name)} characters, at most {NAME_LIMIT} are taken", field="name")
        token, key = persons.issue_token(
            by=self.caller, who=self.who(body), name=name, days=_days(body.get("days"))
        )
        answer = JsonResponse({**_token(token), "token": key}, status=201)
        answer["Cache-Control"] = "no-store"
        return answer


class OneToken(OrgView):
    @described(
        "End a token of a person",
        tag=shapes.PERSON_TAG,
        answers={204: None},
    )
    def delete(self, request: Request, number: int, **path: str) -> HttpResponse:
        persons.revoke_token(by=self.caller, who=self.who(), token_id=number)
        return HttpResponse(status=204)


def _settings(visitor: Visitor) -> dict[str, Any]:
    at = visitor.settings_updated_at
    return {
        **{name: getattr(visitor, name) for name in SWITCHES},
        "updated_at": instant(at) if at is not None else None,
    }


def _token(token: Token) -> dict[str, Any]:
    ends = {
        name: instant(at) if at is not None else None
        for name, at in (
            ("expires_at", token.expires_at),
            ("last_used_at", token.last_used_at),
            ("revoked_at", token.revoked_at),
        )
    }
    created_at = instant(token.created_at)
    return {
        "id": token.pk,
        "name": token.name,
        "prefix": token.prefix,
        "created_at": created_at,
    } | (ends)


def _days(given: Any) -> int | None:
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    raise Refused("expected a whole number or null", field="days")
