"""What narrows the memories of people that an agent has: a person, days, a category."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict

from agents.models import Visitor
from memory.interfaces.api import filters
from memory.interfaces.pages.people.finding import persons_like, words_of
from tenants.answers import Refused

MOST = 1_000  # persons that are named by their ids
DAYS = {"from": "start_date", "to": "end_date"}  # of the address, as contract 2 names them


@dataclass(frozen=True)
class Narrowing:
    """`category` is a slug. `refused`: days that cannot be read, and why; they narrow nothing."""

    person: str = ""
    first: str = ""
    last: str = ""
    category: str = ""
    refused: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, query: QueryDict) -> "Narrowing":
        days = {name: words_of(query.get(name, "")) for name in DAYS}
        refused = {}
        for name, text in days.items():
            try:
                filters.day_in({name: text}, name) if text else None
            except Refused as problem:
                refused[name] = problem.error
        return cls(
            person=words_of(query.get("person", "")),
            first=days["from"],
            last=days["to"],
            category=query.get("category", "")[:60],
            refused=refused,
        )

    @property
    def narrows(self) -> bool:
        return bool(self.person or self.first or self.last)

    def over(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """All of it but the category, which the tabs count by."""
        given = {"from": self.first, "to": self.last}
        asked = {
            DAYS[name]: text for name, text in given.items() if text and name not in self.refused
        }
        rows = filters.made_between(rows, asked)
        if not self.person:
            return rows
        return rows.filter(visitor__in=self._persons())

    def _persons(self) -> Any:
        """Their ids, looked up once, so that the lists about them start from an index whatever
        the planner believes; a question for half of everybody stays a subquery."""
        persons = Visitor.objects.filter(persons_like(self.person))
        found = list(persons.values_list("pk", flat=True)[: MOST + 1])
        return found if len(found) <= MOST else persons

    def query(self, category: str) -> str:
        """The query string of a tab: the same persons and days, the first page."""
        query = QueryDict(mutable=True)
        given = {
            "person": self.person, "from": self.first, "to": self.last, "category": category,
        }  # fmt: skip
        query.update({name: text for name, text in given.items() if text})
        return query.urlencode()
