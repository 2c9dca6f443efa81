"""The embed stage: gives a vector to every text that was written without one (D16).

While a tenant moves to another embedding space, a memory or a message gets one in both (D44).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import Q

from memory import sealing
from memory.learning.reembed import settle
from memory.models import MemoryVector, Observation, Unembedded
from memory.models.mutation import Mutation
from memory.providers import embedder_for, space_of
from memory.providers.errors import ProviderError
from memory.providers.pieces import pieces
from memory.providers.types import Embedder, Vector
from memory.stages import Tally, claim, give_up
from tenants.context import within
from tenants.models import Tenant

log = logging.getLogger(__name__)

BATCH = 200
SECONDS = 60.0  # for one call
LEASE = timedelta(seconds=180)


# By space, for each text of a row, the vectors of its pieces.
InSpaces = dict[str, list[list[Vector]]]


@dataclass(frozen=True)
class Wanted:
    """A claimed row with the texts to embed for it (an observation has two), and where to."""

    row: Unembedded
    texts: tuple[str, ...]
    spaces: tuple[str, ...]


def step(tenant_id: int) -> Tally:
    """One batch of one tenant: claim, close, embed, open, re-check, write."""
    with within(tenant_id):
        tenant = Tenant.objects.get(pk=tenant_id)
        space = space_of(tenant)
        rows = claim(
            Unembedded.objects.order_by("id").select_related(
                "memory", "chunk__message", "observation", "mutation"
            ),
            limit=BATCH,
            lease=LEASE,
        )
        clear = _opened(rows)
        lacking = _lacking(rows, space, tenant.space_wanted)
        wanted = [
            Wanted(row, texts, lacking[row.pk])
            for row in rows
            if (texts := _texts(row, clear)) is not None
        ]
        shut = {row.pk for row in rows} - {each.row.pk for each in wanted}
        if shut:
            Unembedded.objects.filter(pk__in=shut).delete()
    tally = Tally(taken=len(rows))
    if not rows and tenant.space_wanted:
        settle(tenant_id)
    if not wanted:
        return tally
    try:
        found = _vectors(wanted)
    except ProviderError as error:
        if len(wanted) == 1 or not error.counts:
            return _failed(tenant_id, wanted, error, tally)
        found = None  # one of them is at fault: each by itself, so that the others go on
    for group in [wanted] if found is not None else [[each] for each in wanted]:
        try:
            per_text = found if found is not None else _vectors(group)
        except ProviderError as error:
            _failed(tenant_id, group, error, tally)
            continue
        pairs = list(zip(group, per_text, strict=True))
        try:
            tally.processed += _write_all(tenant_id, pairs, space)
        except Exception:
            log.exception("embed: %s rows of tenant %s", len(pairs), tenant_id)
            for pair in pairs:
                _write_alone(tenant_id, pair, space, tally)
    return tally


def _lacking(rows: Sequence[Unembedded], space: str, moving_to: str) -> dict[int, tuple[str, ...]]:
    """In which spaces each row is still to be embedded. What a person reviews follows later."""
    both = (space, *((moving_to,) if moving_to and moving_to != space else ()))
    there = set(
        MemoryVector.objects.filter(space__in=both)
        .filter(
            Q(memory__in=[row.memory_id for row in rows if row.memory_id])
            | Q(chunk__in=[row.chunk_id for row in rows if row.chunk_id])
        )
        .values_list("memory_id", "chunk_id", "space")
    )
    return {
        row.pk: tuple(each for each in both if (row.memory_id, row.chunk_id, each) not in there)
        if row.memory_id or row.chunk_id
        else (space,)
        for row in rows
    }


def _write_all(tenant_id: int, pairs: Sequence[tuple[Wanted, InSpaces]], space: str) -> int:
    with within(tenant_id):
        return sum(_write(each.row, found, space) for each, found in pairs)


def _write_alone(tenant_id: int, pair: tuple[Wanted, InSpaces], space: str, tally: Tally) -> None:
    """One of a batch cannot be written: it fails by itself, and the others go on."""
    try:
        tally.processed += _write_all(tenant_id, [pair], space)
    except Exception as error:
        _failed(tenant_id, [pair[0]], error, tally)


def _vectors(wanted: Sequence[Wanted]) -> list[InSpaces]:
    """For each row and each space it lacks: one series of calls a space."""
    found: list[InSpaces] = [{} for _ in wanted]
    for space in dict.fromkeys(space for each in wanted for space in each.spaces):
        places = [place for place, each in enumerate(wanted) if space in each.spaces]
        vectors = _in_space(embedder_for(space), [wanted[place].texts for place in places])
        for place, of_texts in zip(places, vectors, strict=True):
            found[place][space] = of_texts
    return found


def _in_space(embedder: Embedder, every: Sequence[tuple[str, ...]]) -> list[list[list[Vector]]]:
    """For each row, for each of its texts, the vectors of its pieces."""
    cut = [[pieces(text, embedder.token_limit) for text in texts] for texts in every]
    flat = [part for texts in cut for parts in texts for part in parts]
    found: list[Vector] = []
    for start in range(0, len(flat), embedder.batch_limit):
        found += list(embedder.embed(flat[start : start + embedder.batch_limit], timeout=SECONDS))
    vectors = iter(found)
    return [[[next(vectors) for _ in parts] for parts in texts] for texts in cut]


def _failed(tenant_id: int, wanted: Sequence[Wanted], error: Exception, tally: Tally) -> Tally:
    tally.fail(error)
    with within(tenant_id):
        for each in wanted:
            give_up(each.row, error)
    return tally


def _opened(rows: Sequence[Unembedded]) -> dict[int, str | None]:
    """The texts that are sealed (D35), by the row's id; None where no key opens them any more."""
    memories = {row.memory: row.pk for row in rows if row.memory is not None and row.memory.sealed}
    mutations = {
        row.mutation: row.pk for row in rows if row.mutation is not None and row.mutation.sealed
    }
    found = {memories[memory]: text for memory, text in sealing.opened(memories)}
    for mutation, draft in sealing.proposals_opened(mutations):
        found[mutations[mutation]] = draft.content
    return found


def _texts(row: Unembedded, clear: dict[int, str | None]) -> tuple[str, ...] | None:
    """What to embed; None when it is shut for good."""
    if row.pk in clear:
        text = clear[row.pk]
        return None if text is None else (text,)
    if row.memory is not None:
        return (row.memory.content,)
    if row.chunk is not None:
        return (row.chunk.message.content[row.chunk.start : row.chunk.end],)
    if row.observation is not None:
        return (row.observation.statement, quotes(row.observation.evidence))
    assert row.mutation is not None
    return (row.mutation.proposal.content or "",)


def quotes(evidence: list[dict[str, Any]]) -> str:
    """The words an observation rests on, as one text."""
    return " ".join(str(item.get("quote", "")) for item in evidence).strip()


def _write(row: Unembedded, found: InSpaces, space: str) -> bool:
    """Under the row's lock: the row goes, the vectors come. False when the claim was lost."""
    mine = (
        Unembedded.objects.select_for_update(of=("self",))
        .filter(pk=row.pk, lease_token=row.lease_token)
        .first()
    )
    if mine is None:
        return False
    mine.delete()
    if row.memory_id is not None or row.chunk_id is not None:
        MemoryVector.objects.bulk_create(
            (
                MemoryVector(
                    memory_id=row.memory_id,
                    chunk_id=row.chunk_id,
                    piece=number,
                    space=each,
                    vector=vector,
                )
                for each, of_texts in found.items()
                for number, vector in enumerate(of_texts[0])
                if vector.any()
            ),
            ignore_conflicts=True,
        )
        return True
    first = [cut[0] if cut and cut[0].any() else None for cut in found[space]]
    if row.observation_id is not None:
        Observation.objects.filter(pk=row.observation_id).update(
            space=space, statement_vector=first[0], evidence_vector=first[1]
        )
    elif first[0] is not None and row.mutation is not None:
        # Only while it says what was embedded: an edit does not wait for this stage.
        same = Q(("pk", row.mutation_id), ("sealed", row.mutation.sealed))
        if row.mutation.sealed is None:
            same = Q(("pk", row.mutation_id), ("draft__content", row.mutation.proposal.content))
        Mutation.objects.filter(same).update(space=space, vector=first[0])
    return True
