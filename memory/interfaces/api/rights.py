"""A person's rights beside contract 2's routes (G19): all of it as a file, and all of it gone.

By the person, an admin or owner, or an organisation's key for every agent (E2).
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import IO, Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from drf_spectacular.utils import extend_schema
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from memory.interfaces.api import shapes_people as shapes
from memory.interfaces.api.orgs import OrgView
from memory.lifecycle.erase import NoSuchPerson, erase_person
from memory.lifecycle.export import FORMATS, export_person
from memory.people import rights
from tenants.answers import Refused
from tenants.context import within
from tenants.described import described

TYPES = {"json": "application/json", "csv": "application/zip"}
ENDINGS = {"json": "json", "csv": "zip"}
PIECE = 64 * 1024  # bytes


class AsAsked(BaseContentNegotiation):
    """`?format=` is ours here: it names the file, not a renderer; so does `Accept`."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return JSONRenderer(), JSONRenderer.media_type


class OnePerson(OrgView):
    def visitor_id(self) -> int:
        """The person of the address, whom the caller has these rights over; else 403 or 404."""
        with within(self.caller.tenant_id):
            visitor = self.who().find(self.caller)
            rights.may_set_for_person(self.caller, visitor)
            if visitor is None:
                raise Http404("no such person")
            return visitor.pk


class Export(OnePerson):
    """`GET ?format=json` (the default) or `csv`: a download, never kept by a cache."""

    content_negotiation_class = AsAsked

    @described(
        "Export everything about a person",
        tag=shapes.PERSON_TAG,
        answers={200: shapes.EXPORTED},
        queries=(shapes.FORMAT,),
    )
    def get(self, request: Request, **path: str) -> FileResponse:
        wanted = request.query_params.get("format", "json")
        if wanted not in FORMATS:
            raise Refused("expected json or csv", field="format")
        try:
            file = export_person(
                tenant_id=self.caller.tenant_id,
                visitor_id=self.visitor_id(),
                by=self.caller.actor,
                format=wanted,
            )
        except NoSuchPerson:
            raise Http404("no such person") from None
        return download(file, wanted, request._request)


def download(file: IO[bytes], wanted: str, request: HttpRequest) -> FileResponse:
    """An export as the answer to whoever asked for it; closes the file."""
    name = f"memory-{datetime.now(UTC):%Y-%m-%d}.{ENDINGS[wanted]}"
    answer = FileResponse(file, as_attachment=True, filename=name, content_type=TYPES[wanted])
    if isinstance(request, ASGIRequest):  # else all of it would be read at once
        answer.streaming_content = _pieces(file)
    answer["Cache-Control"] = "no-store"
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    """The file in pieces, for the server's event loop; the response closes it."""
    read = sync_to_async(file.read, thread_sensitive=False)
    while piece := await read(PIECE):
        yield piece


class Everything(OnePerson):
    """`DELETE`: the person and all that names or quotes them; the answer is the receipt."""

    @described(
        "Erase a person: everything that names or quotes them",
        tag=shapes.PERSON_TAG,
        answers={200: "Receipt"},
        notes="It cannot be taken back. The receipt says what went.",
    )
    def delete(self, request: Request, **path: str) -> HttpResponse:
        try:
            receipt = erase_person(
                tenant_id=self.caller.tenant_id,
                visitor_id=self.visitor_id(),
                by=self.caller.actor,
            )
        except NoSuchPerson:
            raise Http404("no such person") from None
        return JsonResponse(receipt.as_json())


@extend_schema(exclude=True)
class Nobody(OrgView):
    """An address whose person is empty: refused in words, not taken as everybody (fault 8)."""

    content_negotiation_class = AsAsked

    def get(self, request: Request, **path: str) -> HttpResponse:
        raise Refused("expected a name that is not empty", field="user_id")

    delete = get
