"""The brief of a workflow: by the language model, or by the sentences themselves without one."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memory.models import Memory, Reader
from memory.providers import language_for
from memory.providers.errors import ProviderError
from memory.providers.types import Note, Notes
from memory.sealing import opened
from memory.sharing import workflows
from memory.sharing.brief import brief
from tenants.context import within

log = logging.getLogger(__name__)

NOTES = 2_000  # of a workflow, the newest; the brief says how many are left out
SHOWN = 60_000  # characters of notes that a model is shown, the newest
SUMMARY_SECONDS = 45.0
NOTHING = "There is nothing to summarize in this workflow yet."
OFFLINE = "offline"


@dataclass(frozen=True)
class Summary:
    """`fell_back` names the failure when a model was to answer and could not."""

    text: str
    by: str
    fell_back: str | None = None


class _Read(NamedTuple):
    notes: list[Note]
    all: int


def summarize(reader: Callable[[], Reader], *, tenant_id: int) -> Summary:
    """What the reader sees of its workflow, as a Markdown brief.

    Opens its own block, in which `reader` is called; no model is asked inside it. A model that
    fails in any way a provider can is replaced by the offline brief.
    """
    read = _read(reader, tenant_id)
    if not read.notes:
        return Summary(NOTHING, OFFLINE)
    try:
        language = language_for()
        if language.made.provider != OFFLINE:
            shown = _newest(read.notes)
            text = language.summary(Notes(shown), timeout=SUMMARY_SECONDS)
            return Summary(_whole(text, read.all - len(shown)), language.made.model)
        failure = None
    except ProviderError as error:
        log.warning("summary: the model gave no answer (%s), made offline", error.name)
        failure = error.name
    text = brief(read.notes) or NOTHING
    return Summary(_whole(text, read.all - len(read.notes)), OFFLINE, failure)


def _read(reader: Callable[[], Reader], tenant_id: int) -> _Read:
    with within(tenant_id):
        mine = reader()
        rows = workflows.newest(mine, NOTES)
        count = len(rows) if len(rows) < NOTES else workflows.memories(mine).count()
        pairs = opened(rows)
    return _Read([_note(memory, text) for memory, text in pairs if text is not None], count)


def _note(memory: Memory, text: str) -> Note:
    return Note(memory.writer.name if memory.writer is not None else "", memory.role, text)


def _newest(notes: Sequence[Note]) -> list[Note]:
    """As many of the newest as a model is shown; at least one, cut if it has to be."""
    kept: list[Note] = []
    left = SHOWN
    for note in reversed(notes):
        if len(note.text) > left:
            break
        kept.append(note)
        left -= len(note.text)
    if not kept:
        last = notes[-1]
        kept = [Note(last.writer, last.role, last.text[:SHOWN])]
    return kept[::-1]


def _whole(text: str, missing: int) -> str:
    if missing <= 0:
        return text
    return (
        f"{text}\n\n_{missing} older {'memory is' if missing == 1 else 'memories are'} left out._"
    )
