"""The decisions: each POST is one verb of `memory.review`, on the version that was shown.

A script gets the card back as it is now, a plain form returns to the queue. A refusal keeps its
status and stands on the card in words.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from memory import review
from memory.interfaces.pages import words
from memory.interfaces.pages.queue import show
from memory.models import Mutation, Presence
from tenants.context import within
from tenants.request import MemberRequest
from tenants.views import opens_its_own

Verb = Callable[[], review.Decided]


@opens_its_own
@require_POST
def approve(request: MemberRequest, mutation_id: int) -> HttpResponse:
    return _decided(
        request,
        mutation_id,
        lambda: review.approve(
            mutation_id=mutation_id, by=request.caller, version=_version(request)
        ),
    )


@opens_its_own
@require_POST
def reject(request: MemberRequest, mutation_id: int) -> HttpResponse:
    return _decided(
        request,
        mutation_id,
        lambda: review.reject(
            mutation_id=mutation_id,
            by=request.caller,
            reason=request.POST.get("reason") or request.POST.get("other", "").strip(),
            version=_version(request),
        ),
    )


@opens_its_own
@require_POST
def keep_both(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """Of a conflict: the write goes in beside what it contradicts."""
    return _decided(
        request,
        mutation_id,
        lambda: review.keep_both(
            mutation_id=mutation_id, by=request.caller, version=_version(request)
        ),
    )


@opens_its_own
@require_POST
def undo(request: MemberRequest, mutation_id: int) -> HttpResponse:
    return _decided(
        request, mutation_id, lambda: review.undo(mutation_id=mutation_id, by=request.caller)
    )


@require_safe
def edit_form(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """The card with its texts in fields."""
    mutation = _row(mutation_id)
    may = request.caller.may_decide(mutation.approver)
    if mutation.operation == Mutation.Operation.DELETE or not may:
        raise Http404("nothing to edit here")
    return show(request, mutation, editing=_fields(mutation))


@opens_its_own
@require_POST
def edit(request: MemberRequest, mutation_id: int) -> HttpResponse:
    """Approve with what the reviewer changed; with nothing changed it is a plain approval."""
    with within(request.tenant_id):
        mutation = _row(mutation_id)
    typed = _typed(request)
    shown = _fields(mutation)
    changes: dict[str, Any] = {n: v for n, v in typed.items() if v != shown[n]}
    if "triggers" in changes:
        changes["trigger_patterns"] = changes.pop("triggers").splitlines()
    if "slug" in changes:
        changes["slug"] = changes["slug"].strip() or None
    if not changes:
        return approve(request, mutation_id)
    return _decided(
        request,
        mutation_id,
        lambda: review.edit(
            mutation_id=mutation_id, by=request.caller, changes=changes, version=_version(request)
        ),
        editing=shown | typed,
    )


# --- one answer for all verbs ----------------------------------------------------------------


def _decided(
    request: MemberRequest,
    mutation_id: int,
    verb: Verb,
    editing: dict[str, Any] | None = None,
) -> HttpResponse:
    try:
        decided = verb()
    except review.NoSuchMutation as error:
        raise Http404("no such mutation") from error
    except review.ReviewRefused as error:
        with within(request.tenant_id):
            mutation = _row(mutation_id)
            still = editing if error.status == 400 else None
            said = refusal_in_words(error)
            return show(request, mutation, refusal=said, status=error.status, editing=still)
    now = decided.fresh or decided.mutation
    if request.htmx:
        with within(request.tenant_id):
            return show(request, _row(now.pk))
    messages.success(request, _done(decided))
    return HttpResponseRedirect(_next(request))


def refusal_in_words(error: review.ReviewRefused) -> str:
    """What the reviewer reads: who and when for a decided one, else the reason as it is."""
    if isinstance(error, review.AlreadyDecided):
        mutation = error.mutation
        who = mutation.resolved_by.get_username() if mutation.resolved_by else "the system"
        if mutation.resolved_at is not None:
            when = words.ago(mutation.resolved_at, timezone.now())
            return f"Already {mutation.resolution} by {who} {when}. Nothing was changed."
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def _done(decided: review.Decided) -> str:
    mutation = decided.mutation
    key = mutation.path
    if decided.fresh is not None:
        return f"Undone: {key} waits again."
    return f"{mutation.resolution.capitalize()}: {key}."


def _version(request: MemberRequest) -> int | None:
    """The version the page carried. Without one the card was never shown: refused as changed."""
    raw = request.POST.get("version", "")
    return int(raw) if raw.isascii() and raw.isdigit() and len(raw) < 10 else 0


def _row(mutation_id: int) -> Mutation:
    rows = Mutation.objects.defer("vector").select_related(
        "agent", "writer", "visitor", "resolved_by"
    )
    mutation = rows.filter(pk=mutation_id).first()
    if mutation is None:
        raise Http404("no such mutation")
    return mutation


def _typed(request: MemberRequest) -> dict[str, str]:
    """The fields of the form, each line of the triggers trimmed and the empty ones left out."""
    names = ("key", "description", "content", "presence", "triggers", "slug", "label")
    typed = {n: request.POST[n].replace("\r\n", "\n") for n in names if n in request.POST}
    if "triggers" in typed:
        lines = [line.strip() for line in typed["triggers"].splitlines()]
        typed["triggers"] = "\n".join(line for line in lines if line)
    return typed


def _fields(mutation: Mutation) -> dict[str, Any]:
    draft = {**mutation.before, **mutation.draft}
    return {
        "slug": draft.get("slug") or "",
        "label": draft.get("label") or "",
        "key": draft.get("key") or "",
        "description": draft.get("description") or "",
        "content": draft.get("content") or "",
        "presence": draft.get("presence") or "",
        "triggers": "\n".join(draft.get("trigger_patterns") or ()),
        "presences": list(Presence),
    }


def _next(request: MemberRequest) -> str:
    """Back to where the form stood, if that is a page of ours."""
    wanted = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return wanted
    return resolve_url("review:queue")
