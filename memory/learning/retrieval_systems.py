"""The ways of searching that are compared: the product's own, and each leg of it alone."""

from collections.abc import Mapping
from dataclasses import replace

from memory.learning.retrieval_bench import DEEPEST, Asked, Told
from memory.models import Reader
from memory.recall.messages import search_messages
from memory.recall.names import Names
from memory.recall.query import Query, prepare
from memory.recall.search import search
from tenants.caller import Caller
from tenants.context import within

# "calibrated" is what recall uses, "participant" the same with the names of both sides known,
# "rrf" contract 4's order. A leg alone is asked without a floor.
MESSAGES = ("semantic", "keyword", "rrf", "calibrated", "participant")
MEMORIES = ("semantic", "keyword", "rrf", "calibrated", "participant")
_ALONE: Mapping[str, Mapping[str, float]] = {"semantic": {"d": 1.0}, "keyword": {"b": 1.0}}


class Searcher:
    """One way of searching `of` "messages" or "memories", from the question to the ids."""

    def __init__(self, caller: Caller, space: str, of: str, system: str) -> None:
        self.tenant_id = caller.tenant_id
        self.space = space
        self.of = of
        self.system = system

    def __call__(self, told: Told, asked: Asked) -> list[int]:
        query = self.asked(told.names, asked.text)
        with within(self.tenant_id):
            return self._messages(told, query) if self.of == "messages" else self._memories(
                told, query
            )  # fmt: skip

    def asked(self, names: Names, text: str) -> Query:
        """Names are taken out of what is embedded; who is named counts for one system only."""
        query = prepare(text, space=self.space, timeout=60, names=names)
        if self.system != "participant":
            query = replace(query, side=None, about=())
        if self.system == "semantic":
            return replace(query, terms=())
        if self.system == "keyword":
            return replace(query, vector=None)
        return query

    def _messages(self, told: Told, query: Query) -> list[int]:
        hits = search_messages(
            told.agent_id,
            told.visitor_id,
            query,
            limit=DEEPEST,
            fusion="rrf" if self.system == "rrf" else "calibrated",
            weights=_ALONE.get(self.system),
            floored=self.system not in _ALONE,
        )
        return [hit.id for hit in hits]

    def _memories(self, told: Told, query: Query) -> list[int]:
        reader = Reader.for_chat(told.agent_id, told.visitor_id)
        hits = search(
            reader,
            query,
            limit=DEEPEST,
            fusion="rrf" if self.system == "rrf" else "calibrated",
            floored=self.system not in _ALONE,
        )
        return [hit.id for hit in hits]
