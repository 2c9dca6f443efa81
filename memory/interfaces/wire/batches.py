"""`/v1/memory/batch/…`: up to 100 writes or searches in one request, each for itself (D31).

The texts are embedded together before. Then each item is done in order, in transactions of its
own: one that is refused, or fails, says so in its place and changes nothing for the others.
"""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from django.http import HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.wire import fields
from memory.interfaces.wire import shapes_memory as shapes
from memory.interfaces.wire.base import MemoryView
from memory.interfaces.wire.operations import EMBED_SECONDS, Wanted, found, status_of, written
from memory.interfaces.wire.shapes_setting import told
from memory.interfaces.wire.woken import wake_after
from memory.models import Draft
from memory.recall.query import prepare_many as prepare_queries
from memory.sharing import write as writing
from tenants import answers
from tenants.answers import Refused

LIMIT = 100  # items of one batch

Result = dict[str, Any]
T = TypeVar("T")


class BatchWrite(MemoryView):
    @told(
        "Write several memories; each answers for itself",
        tag=shapes.MEMORY_TAG,
        takes="BatchWrite",
        answers={200: "BatchWritten"},
    )
    def post(self, request: Request) -> HttpResponse:
        tenant_id, by = self.caller.tenant_id, self.caller.actor
        items = _items(self.body(), "writes")
        wanted = [_each(self._draft, item) for item in items]
        good = [each for each in wanted if not isinstance(each, dict)]
        prepared = writing.prepare_many(good, space=self.space()) if good else []
        waiting = iter(prepared)

        def write() -> Result:
            done = writing.write(next(waiting), tenant_id=tenant_id, by=by)
            return {"status": status_of(done), **written(done, scope=self.caller.scope)}

        results = [each if isinstance(each, dict) else _each(write) for each in wanted]
        if good:
            wake_after(tenant_id, is_embedded=all(each.vector is not None for each in prepared))
        return JsonResponse({"results": results})

    def _draft(self, item: Any) -> tuple[str, Draft]:
        agent, draft = self.memory.draft_in(_object(item))
        try:
            return agent, writing.cleaned(draft)
        except ValueError:
            raise Refused("expected a text that is not empty", field="content") from None


class BatchSearch(MemoryView):
    @told(
        "Make several searches; each answers for itself",
        tag=shapes.MEMORY_TAG,
        takes="BatchSearch",
        answers={200: "BatchFound"},
    )
    def post(self, request: Request) -> HttpResponse:
        tenant_id = self.caller.tenant_id
        items = _items(self.body(), "searches")
        wanted = [_each(self._wanted, item) for item in items]
        texts = [each.text for each in wanted if isinstance(each, Wanted)]
        queries = iter(
            prepare_queries(texts, space=self.space(), timeout=EMBED_SECONDS) if texts else ()
        )

        def search(each: Wanted) -> Result:
            return {"status": 200, "hits": found(each, next(queries), tenant_id=tenant_id)}

        results = [each if isinstance(each, dict) else _each(search, each) for each in wanted]
        return JsonResponse({"results": results})

    def _wanted(self, item: Any) -> Wanted:
        return self.memory.wanted_in(_object(item))


def _items(body: fields.Body, field: str) -> list[Any]:
    given = body.get(field)
    if not isinstance(given, list) or len(given) > LIMIT:
        raise Refused(f"expected a list of at most {LIMIT}", field=field)
    return given


def _object(item: Any) -> fields.Body:
    if not isinstance(item, dict):
        raise Refused("expected a JSON object")
    return item


def _each(act: Callable[..., T], *args: Any) -> T | Result:
    """What an item answers, or the error that it would have answered alone."""
    try:
        return act(*args)
    except Exception as problem:
        answer = answers.of(problem)
        return {"status": answer.status_code, **json.loads(answer.content)}
