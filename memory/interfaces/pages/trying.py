"""The button "what would recall say?" of a card: both blocks for a message, and nothing kept."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from memory import review
from memory.interfaces.pages.decide import refusal_in_words
from memory.preview import preview
from memory.providers.cleaning import clean
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own

MESSAGE_LIMIT = 2_000


@opens_its_own
@require_POST
def attempt(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """`/review/<id>/try/`: the answer as a fragment for htmx, else as a page."""
    message = clean(request.POST.get("message", "").replace("\0", "")[:MESSAGE_LIMIT]).text
    if not message.strip():
        return _shown(request, mutation_id, 400, refusal="Type a message to try it with.")
    try:
        tried = preview(
            mutation_id=mutation_id, by=request.caller, message=message, version=_version(request)
        )
    except review.NoSuchMutation as error:
        raise Http404("no such mutation") from error
    except review.ReviewRefused as error:
        with within(request.tenant_id):
            said = refusal_in_words(error)
        return _shown(request, mutation_id, error.status, refusal=said)
    is_same = tried.before.block == tried.after.block
    return _shown(request, mutation_id, 200, tried=tried, is_same=is_same, message=message)


def _shown(request: MemberRequest, mutation_id: int, status: int, **found: Any) -> HttpResponse:
    context = {"section": "review", "mutation_id": mutation_id, **found}
    page = "memory/_tried.html" if request.htmx else "memory/tried.html"
    with within(request.tenant_id):
        return render(request, page, context, status=status)


def _version(request: MemberRequest) -> int | None:
    raw = request.POST.get("version", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 0
