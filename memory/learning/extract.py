"""Automatic agents: after a reply, what the user said becomes memories of the person at once.

Shares the mark and the claim with observe (D22), without its cooldown. One model call, one
embedding call. A worker may die at any point: the mark moves in the transaction that writes.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import IntegrityError
from django.db.models import Q

from agents.models import Mode
from memory import store
from memory.gate import GONE, gate
from memory.learning.window import Window, finish, take, unread
from memory.models import Category, Draft, Memory
from memory.people.duplicates import likeness, within_threshold
from memory.providers import language_for, space_of, try_embed
from memory.providers.cleaning import MASK, clean, instruction_like
from memory.providers.errors import ProviderError
from memory.providers.types import CategoryHint, Exchange, Fact, Vector
from memory.recall.echo import is_recalled_text
from memory.recall.terms import terms
from memory.stages import Tally, give_up
from memory.store import AtHand, New
from tenants.actor import SYSTEM
from tenants.context import within

log = logging.getLogger(__name__)

LANGUAGE_SECONDS = 45.0  # the task's soft limit is 60 s
EMBED_SECONDS = 10.0
LEASE = timedelta(seconds=120)
SUMMARY = 200  # memories of the person that the model and the layers against duplicates look at
LABEL = "general"  # of what every agent may know (contract 3's free label)


@dataclass(frozen=True)
class Known:
    """What stood when the model was asked."""

    categories: Mapping[str, Category]  # the active ones, by slug
    rows: Sequence[Memory]
    exchange: Exchange


def step(tenant_id: int, *, agent_id: int | None = None) -> Tally:
    """Extract one window of one conversation. `processed` counts memories written."""
    with within(tenant_id):
        window = take(unread(Mode.AUTOMATIC, agent_id), LEASE)
        known = _known(window) if window is not None and window.transcript.turns else None
    if window is None:
        return Tally()
    tally = Tally(taken=1)
    if known is None:
        return tally
    space = space_of(window.tenant)
    try:
        extracted = language_for(window.tenant).extract(known.exchange, timeout=LANGUAGE_SECONDS)
        facts = _worth(window, extracted.facts, known)
        contents = [fact.content for fact in facts]
        vectors = try_embed(contents, space, timeout=EMBED_SECONDS) or [None] * len(facts)
        with within(tenant_id):
            tally.processed = _write(window, facts, vectors, space, known)
    except Exception as error:
        tally.fail(error)
        if not isinstance(error, ProviderError | IntegrityError):
            log.exception("extract: conversation %s", window.conversation.pk)
        with within(tenant_id):
            give_up(window.conversation, error)
    return tally


def _known(window: Window) -> Known:
    """The active categories and the person's memories, this agent's and everyone's."""
    conversation = window.conversation
    categories = [c for c in Category.objects.of(conversation.agent_id) if c.is_active]
    rows = _rows_of(window)
    summary: dict[str | None, list[str]] = {}
    for row in rows:
        slug = row.category.slug if row.category is not None else None
        summary.setdefault(slug, []).append(row.content)
    hints = [CategoryHint(c.slug, c.name, c.description, c.extraction_prompt) for c in categories]
    return Known({c.slug: c for c in categories}, rows, Exchange(window.transcript, hints, summary))


def _rows_of(window: Window) -> list[Memory]:
    conversation = window.conversation
    if conversation.visitor_id is None:
        return []
    of_person = Memory.objects.as_of().filter(kind=Memory.Kind.PERSON)
    return list(
        of_person.filter(
            Q(agent=None) | Q(agent_id=conversation.agent_id), visitor_id=conversation.visitor_id
        )
        .select_related("category")
        .order_by("-id")[:SUMMARY]
    )


# --- what is worth keeping -------------------------------------------------------------------


def _worth(window: Window, facts: Sequence[Fact], known: Known) -> list[Fact]:
    """Facts of the user's own words, in a category there is, that are no order and no secret."""
    kept = []
    for fact in facts:
        content = clean(fact.content).text.strip()
        if (
            content
            and len(content) <= 2_000
            and MASK not in content
            and not instruction_like(content)
            and not instruction_like(fact.quote)
            and (fact.category is None or fact.category in known.categories)
            and _is_users_own(window, fact)
            and not is_recalled_text(fact.quote or content, window.recalled)
        ):
            kept.append(Fact(content, fact.category, fact.quote, fact.turn))
    return kept


def _is_users_own(window: Window, fact: Fact) -> bool:
    """Do the user's new words carry the fact? By the quote, or, without one, by its words.

    Without a quote a word of the fact that only the assistant used gives it away.
    """
    if fact.quote.strip():
        return window.witness(fact.quote, fact.turn) is not None
    users = terms(" ".join(m.content for m in window.fresh))
    others = terms(" ".join(m.content for m in window.messages if m not in window.fresh))
    told = terms(fact.content)
    return bool(told.keys() & users.keys()) and not told.keys() & (others.keys() - users.keys())


# --- write -----------------------------------------------------------------------------------


def _write(
    window: Window,
    facts: Sequence[Fact],
    vectors: Sequence[Vector | None],
    space: str,
    known: Known,
) -> int:
    """Store what is new and move the mark, if claim, mark and switches still allow it."""
    conversation = window.conversation
    shut = gate(agent_id=conversation.agent_id, visitor_id=conversation.visitor_id)
    hashes = [store.hash_of(fact.content, window.tenant.pk) for fact in facts]
    buried = None if shut is GONE else finish(window, shut, hashes)
    if buried is None:
        log.info("extract: conversation %s: result dropped, claim lost", conversation.pk)
        return 0
    if shut is not None or conversation.visitor_id is None:
        return 0
    news: list[New] = []
    written = 0
    near = within_threshold(known.rows, vectors, space)
    taken: set[tuple[bool, str]] = set()
    for fact, vector, close, text_hash in zip(facts, vectors, near, hashes, strict=True):
        everyones = fact.category is None
        if text_hash in buried or (everyones, text_hash) in taken:
            continue
        taken.add((everyones, text_hash))
        rows = [row for row in known.rows if (row.agent_id is None) == everyones]
        like = likeness(fact.content, text_hash, rows, close)
        at_hand = AtHand(space, vector) if vector is not None else None
        if like.contradicted and _correct(like.contradicted, fact, at_hand):
            written += 1
        elif like.repeated is None:
            news.append(_new(window, fact, at_hand, known))
    if news:
        store.add_many(news, tenant_id=window.tenant.pk, by=SYSTEM)
    return written + len(news)


def _new(window: Window, fact: Fact, vector: AtHand | None, known: Known) -> New:
    conversation = window.conversation
    message = window.witness(fact.quote, fact.turn)
    every = fact.category is None
    return New(
        Memory.Kind.PERSON,
        Draft(content=fact.content, label=LABEL)
        if every
        else Draft(content=fact.content, category=fact.category),
        agent_id=None if every else conversation.agent_id,
        visitor_id=conversation.visitor_id,
        vector=vector,
        category=None if fact.category is None else known.categories[fact.category],
        source={
            "origin": "extraction",
            "conversation": conversation.external_id or str(conversation.uid),
            "message": None if message is None else message.pk,
        },
        is_auto_generated=True,
    )


def _correct(opposites: Sequence[Memory], fact: Fact, vector: AtHand | None) -> bool:
    """A contradiction is no duplicate: what a machine wrote is brought up to date.

    One row is changed in place, other rows that say the opposite are closed, so that one
    statement is live. What a person wrote by hand is not touched; False when that is all there
    is, and the fact is kept beside it.
    """
    seen = {row.pk: row.version for row in opposites if row.is_auto_generated}
    locked = [
        row
        for row in Memory.objects.live()
        .select_for_update(of=("self",), no_key=True)
        .filter(pk__in=seen)
        .order_by("id")
        if row.version == seen[row.pk]
    ]
    if not locked:
        return False
    first, *others = locked
    store.change(first, Draft(content=fact.content), by=SYSTEM, vector=vector)
    for row in others:
        store.close(row, because=Memory.Closed.CORRECTED, by=SYSTEM)
    return True
