"""Text by hand: how long it may be, its vector, and what a second one of the same is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from memory import store
from memory.models import Memory
from memory.models.draft import CONTENT_LIMIT
from memory.models.memory import MemoryQuerySet
from memory.providers.cleaning import clean
from memory.store import AtHand
from tenants.answers import Refused
from tenants.caller import Caller

AT_LEAST = 10  # characters, by hand (E14); tools take 1
EMBED_SECONDS = 2.0  # whoever waits at a page does not wait longer for a provider (D16)


class AlreadyThere(Refused):
    """The same text stands in the same store; `memory_id` says which memory it is."""

    def __init__(self, memory_id: int | None = None) -> None:
        super().__init__("Memory already exists", status=409)
        self.memory_id = memory_id


def checked(content: Any, *, at_least: int = AT_LEAST) -> str:
    """The text as it is stored, or Refused naming `content`. Characters are code points."""
    if not isinstance(content, str):
        raise Refused("expected a string", field="content")
    text = clean(content).text.strip()
    if len(text) < at_least:
        raise Refused(f"expected at least {at_least} characters, got {len(text)}", field="content")
    if len(text) > CONTENT_LIMIT:
        raise Refused(f"{len(text)} characters, at most {CONTENT_LIMIT} are taken", field="content")
    return text


def embed(text: str, space: str) -> AtHand | None:
    """Outside any block. None when the provider fails: the embed stage fills it in."""
    return AtHand.of(text, space, timeout=EMBED_SECONDS)


@contextmanager
def once(rows: MemoryQuerySet, text: str, *, by: Caller) -> Iterator[None]:
    """Around the write of `text` into the store that `rows` are, inside `within`.

    Another that says the same makes it `AlreadyThere`, whoever was first. One that has run out
    and was not swept yet still holds its text's place: it is closed.
    """
    same = rows.filter(hash=store.hash_of(text, by.tenant_id))
    over = Q(expires_at__lte=Now()) | Q(valid_to__lte=Now())
    for twin in same.filter(over).select_for_update(of=("self",)):
        store.close(twin, because=Memory.Closed.EXPIRED, by=by.actor)
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        refuse_twin(rows, text, by=by)
        raise error


def refuse_twin(rows: MemoryQuerySet, text: str, *, by: Caller, but: int | None = None) -> None:
    """`AlreadyThere` if the store says this already; `but` is the memory that is being changed."""
    twin = rows.as_of().filter(hash=store.hash_of(text, by.tenant_id)).first()
    if twin is not None and twin.pk != but:
        raise AlreadyThere(twin.pk)
