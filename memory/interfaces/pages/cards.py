"""Everything a card shows, gathered for a whole page at once: the number of queries is constant."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F
from django.db.models.functions import Left
from django.utils import timezone

from agents.models import Message
from memory.interfaces.pages import diff, quotes, words
from memory.interfaces.pages.conflicts import Conflict, conflicts_of
from memory.interfaces.pages.follows import follows_from
from memory.interfaces.pages.related import Related, branch_of, related_to
from memory.models import Mutation
from memory.recall.standing import Effect
from tenants.caller import Caller

QUOTES = 3  # shown on a card, the latest; the card's own page shows them all
READ = 8_000  # characters of a message that are read
AROUND = 2  # messages shown before and after the quoted one


class Said(NamedTuple):
    """A stored message, its text cut to READ characters."""

    pk: int
    position: int
    role: str
    text: str
    at: datetime
    offset: int


@dataclass(frozen=True)
class Line:
    """One message of the conversation around a quote."""

    who: str
    role: str
    when: str
    text: str


@dataclass(frozen=True)
class Quote:
    who: str
    role: str
    when: str
    iso: str
    marked: quotes.Marked
    before: list[Line]
    after: list[Line]
    gone: bool  # the message is no longer kept; the quote was copied


@dataclass(frozen=True)
class Field:
    """A field other than the content that a modify changes."""

    name: str
    before: str
    after: str


@dataclass
class Card:
    """A mutation as a reviewer sees it. Texts are plain: the template escapes them."""

    mutation: Mutation
    key: str
    presence: str
    who: str  # the visitor's label, empty when for everyone
    before: list[diff.Piece]
    after: list[diff.Piece]
    description: str
    triggers: list[str]
    fields: list[Field]
    flags: list[str]
    said: str
    age: str
    may_decide: bool
    category: str = ""  # of a person's profile
    pinned: bool = False
    quotes: list[Quote] = field(default_factory=list)
    more_quotes: int = 0
    related: Related = field(default_factory=Related)
    refusal: str = ""
    conflict: Conflict | None = None  # among shared memories, instead of a change
    follows: Effect | None = None  # for always-shown memories: what it does to their budget

    @property
    def branch(self) -> str:
        """The first folder of the key: `/health` of `/health/allergies`."""
        return f"/{branch_of(self.key)}" if branch_of(self.key) else ""

    @property
    def is_pending(self) -> bool:
        return self.mutation.status == Mutation.Status.PENDING


def cards(
    mutations: Sequence[Mutation], caller: Caller, *, quotes_each: int = QUOTES
) -> list[Card]:
    """Cards of these mutations, in their order; inside `within`."""
    now = timezone.now()
    made = [_card(mutation, caller, now) for mutation in mutations]
    around = _around(mutations, quotes_each)
    related = related_to(mutations)
    follows = follows_from(mutations)
    conflicts = conflicts_of(mutations)
    for card in made:
        evidence = _latest(card.mutation, quotes_each)
        card.quotes = [_quote(item, card, around, now) for item in evidence]
        card.more_quotes = len(card.mutation.evidence) - len(evidence)
        card.related = related[card.mutation.pk]
        card.follows = follows.get(card.mutation.pk)
        card.conflict = conflicts.get(card.mutation.pk)
    return made


def rows(mutations: Sequence[Mutation], caller: Caller) -> list[Card]:
    """The same without what stands around a mutation: no query of their own."""
    now = timezone.now()
    return [_card(mutation, caller, now) for mutation in mutations]


def card(mutation: Mutation, caller: Caller) -> Card:
    """One card with all its quotes."""
    return cards([mutation], caller, quotes_each=50)[0]


def _card(mutation: Mutation, caller: Caller, now: datetime) -> Card:
    before, patch = mutation.before, mutation.draft
    after = {} if mutation.operation == Mutation.Operation.DELETE else {**before, **patch}
    pieces = diff.compare(before.get("content") or "", after.get("content") or "")
    shown = after or before
    return Card(
        mutation=mutation,
        key=mutation.path or shown.get("fact_key") or "",
        presence=shown.get("presence") or "",
        who=mutation.visitor.label if mutation.visitor is not None else "",
        before=diff.before_of(pieces),
        after=diff.after_of(pieces),
        description=shown.get("description") or "",
        category=shown.get("label") or "",
        pinned=bool(shown.get("pinned")),
        triggers=list(shown.get("trigger_patterns") or ()),
        fields=_changed(before, patch) if mutation.operation == "modify" else [],
        flags=[words.flag_in_words(flag) for flag in mutation.flags],
        said=words.said(mutation.said_count, mutation.last_said_at, now),
        age=words.ago(mutation.created_at, now),
        may_decide=caller.may_decide(mutation.approver),
    )


# A profile's fields in the words that the tools and its pages have for them.
WORDS = {"slug": "key", "label": "category", "pinned": "pinned"}


def _changed(before: dict[str, Any], patch: dict[str, Any]) -> list[Field]:
    names = ("key", "description", "presence", "trigger_patterns", *WORDS)
    return [
        Field(
            WORDS.get(name) or name.replace("_", " "), _plain(before.get(name)), _plain(patch[name])
        )
        for name in names
        if name in patch and _plain(patch[name]) != _plain(before.get(name))
    ]


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


# --- the conversation around each quote ------------------------------------------------------


def _latest(mutation: Mutation, limit: int) -> list[dict[str, Any]]:
    evidence = [item for item in mutation.evidence if isinstance(item, dict)]
    return sorted(evidence, key=lambda item: str(item.get("at", "")))[-limit:]


def _around(mutations: Iterable[Mutation], quotes_each: int) -> dict[int, list[Said]]:
    """By the quoted message's id: the messages around it and itself, in order. One query."""
    ids = {
        item["message"]
        for mutation in mutations
        for item in _latest(mutation, quotes_each)
        if isinstance(item.get("message"), int)
    }
    place = F("conversation__messages__position")
    rows = (
        Message.objects.filter(
            conversation__messages__pk__in=ids,
            position__gte=place - AROUND,
            position__lte=place + AROUND,
        )
        .annotate(quoted=F("conversation__messages__pk"), text=Left("content", READ))
        .order_by("quoted", "position")
    )
    found: dict[int, list[Said]] = defaultdict(list)
    columns = ("pk", "position", "role", "text", "occurred_at", "occurred_offset")
    for quoted, *said in rows.values_list("quoted", *columns):
        found[quoted].append(Said(*said))
    return found


def _quote(item: dict[str, Any], card: Card, around: dict[int, list[Said]], now: datetime) -> Quote:
    number = item.get("message")
    lines = around.get(number, []) if isinstance(number, int) else []
    own = next((line for line in lines if line.pk == number), None)
    at = _instant(item.get("at"), now)
    role = str(item.get("role", "user"))
    text = str(item.get("quote") or "")
    return Quote(
        who=_who(role, card),
        role=role,
        when=words.local(at, int(item.get("offset") or 0)) if at is not None else "",
        iso=at.isoformat() if at is not None else "",
        marked=quotes.mark(own.text if own is not None else None, text),
        before=[_line(line, card) for line in lines if own and line.position < own.position],
        after=[_line(line, card) for line in lines if own and line.position > own.position],
        gone=own is None,
    )


def _line(message: Said, card: Card) -> Line:
    return Line(
        who=_who(message.role, card),
        role=message.role,
        when=words.local(message.at, message.offset),
        text=quotes.shortened(message.text),
    )


def _who(role: str, card: Card) -> str:
    if role == Message.Role.ASSISTANT and card.mutation.agent is not None:
        return str(card.mutation.agent.name)
    return card.who or "Visitor"


def _instant(value: Any, now: datetime) -> datetime | None:
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=now.tzinfo)
