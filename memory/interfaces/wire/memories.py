"""`/v1/memory/…`: write, search, one memory, its history, and a check that writes nothing."""

from django.http import Http404, HttpResponse, JsonResponse
from rest_framework.request import Request

from memory.interfaces.api.lookup import as_uuid
from memory.interfaces.wire import shapes_memory as shapes
from memory.interfaces.wire.base import MemoryView
from memory.interfaces.wire.operations import status_of, written
from memory.interfaces.wire.shapes_setting import told


class Write(MemoryView):
    @told(
        "Write a memory",
        tag=shapes.MEMORY_TAG,
        takes="SharedWrite",
        answers={200: "Written", 201: "Written", 409: "Blocked"},
    )
    def post(self, request: Request) -> HttpResponse:
        done = self.memory.write(self.body())
        return JsonResponse(written(done, scope=self.caller.scope), status=status_of(done))


class Search(MemoryView):
    @told(
        "Search what the agent may see",
        tag=shapes.MEMORY_TAG,
        takes="SharedSearch",
        answers={200: shapes.HITS},
    )
    def post(self, request: Request) -> HttpResponse:
        return JsonResponse(self.memory.search(self.body()), safe=False)


class One(MemoryView):
    """`DELETE` answers 204 whatever there was."""

    @told(
        "Read a memory",
        tag=shapes.MEMORY_TAG,
        answers={200: "SharedMemory", 404: "NotThere"},
        usual=(400, 401, 403),
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        uid = as_uuid(number)
        found = self.memory.get(uid)
        if found is not None:
            return JsonResponse(found)
        status = self.memory.became(uid)
        if status is None:
            raise Http404("no such memory")
        return JsonResponse({"error": "not found", "status": status}, status=404)

    @told("Delete a memory, if it is there", tag=shapes.MEMORY_TAG, answers={204: None})
    def delete(self, request: Request, number: str) -> HttpResponse:
        self.memory.delete(as_uuid(number))
        return HttpResponse(status=204)


class History(MemoryView):
    @told(
        "Read what a memory replaced, and what replaced it",
        tag=shapes.MEMORY_TAG,
        answers={200: "SharedHistory"},
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        found = self.memory.history(as_uuid(number))
        if found is None:
            raise Http404("no such memory")
        return JsonResponse(found)


class Conflicts(MemoryView):
    @told(
        "Say what a text would contradict; writes nothing",
        tag=shapes.MEMORY_TAG,
        takes="ConflictCheck",
        answers={200: "Conflicts"},
    )
    def post(self, request: Request) -> HttpResponse:
        return JsonResponse(self.memory.conflicts(self.body()))
