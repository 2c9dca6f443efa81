"""One answer for every form: the verb's result in words, or the page again with the refusal."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from memory.interfaces.tasks import wake
from memory.people.by_hand import Written
from tenants.answers import Refused
from tenants.caller import Caller
from tenants.context import within


@dataclass(frozen=True)
class Problem:
    """`form` names the refused form on its page; `typed` is what stood in it."""

    form: str
    field: str
    error: str
    status: int
    typed: dict[str, str] = dataclasses.field(default_factory=dict)


Draw = Callable[[Problem], HttpResponse]


def answer(
    request: HttpRequest,
    *,
    by: Caller,
    form: str,
    verb: Callable[[], str],
    draw: Draw,
    to: str,
    main_field: str = "content",
) -> HttpResponse:
    """Run `verb`, which says what it did, and go back to `to` as it was narrowed.

    Outside any block. `draw` runs inside one. A refusal that names no field stands at
    `main_field`.
    """
    try:
        said = verb()
    except Refused as refused:
        typed = {name: str(value) for name, value in request.POST.items()}
        where = refused.field or main_field
        problem = Problem(form, where, sentence(refused.error), refused.status, typed)
        with within(by.tenant_id):
            response = draw(problem)
        response["HX-Push-Url"] = "false"  # the address of a form is no page
        return response
    messages.success(request, said)
    query = request.GET.urlencode()
    return HttpResponseRedirect(f"{to}?{query}" if query else to)


def stored(written: Written, by: Caller) -> Written:
    """Let the embed stage know, if the provider was away."""
    if written.needs_vector:
        with within(by.tenant_id):
            wake("embed", by.tenant_id)
    return written


def typed(request: HttpRequest, name: str) -> str:
    """A field as it was typed: browsers send the ends of lines in another form."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def at(problem: Problem | None) -> dict[str, Any]:
    """What every page of ours gives its template about a refused form."""
    return {"problem": problem}


def status_of(problem: Problem | None) -> int:
    return 200 if problem is None else problem.status
