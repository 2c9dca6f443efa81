"""The graph stage: finds what shared memories name, in the background after each write (D34).

A provider names things as they are written; here names are made one by their form, and what is
not in the text is not believed. A memory that was sealed, erased or changed meanwhile is left
alone.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models.functions import Now

from memory.models import Memory, Unextracted
from memory.providers import language_for
from memory.providers.cleaning import MASK, clean
from memory.providers.errors import ProviderError
from memory.providers.named import Named
from memory.providers.types import Language
from memory.sharing.graph.names import NAME_LIMIT, folded, normal_name
from memory.stages import Tally, claim, give_up
from memory.store.named import Graph, name_all
from tenants.context import within
from tenants.models import Tenant

log = logging.getLogger(__name__)

BATCH = 50  # memories claimed at a time
CALL_TEXTS, CALL_LENGTH = 10, 12_000  # memories and characters that one call looks at
PIECE = 6_000  # characters of a long text that are looked at together
SECONDS = 60.0  # for one call
BUDGET = 240.0  # for all calls of a batch; what is left then is given back
LEASE = timedelta(seconds=420)  # longer than the budget and the call under way when it ends
PAUSE = timedelta(seconds=10)  # until a row that was given back is taken again
NAMES_LIMIT, LINKS_LIMIT, VERB_LIMIT = 200, 200, 100  # of one memory


@dataclass(frozen=True)
class Wanted:
    """A claimed row and the text it is about, as it was then."""

    row: Unextracted
    text: str
    hash: str


def step(tenant_id: int) -> Tally:
    """One batch of one tenant: claim, close, ask, open, re-check, write."""
    with within(tenant_id):
        language = language_for(Tenant.objects.get(pk=tenant_id))
        rows = claim(
            Unextracted.objects.order_by("id").select_related("memory"), limit=BATCH, lease=LEASE
        )
        wanted = [Wanted(row, row.memory.content, row.memory.hash) for row in rows]
    tally = Tally(taken=len(wanted))
    until = time.monotonic() + BUDGET
    for pack in _packs(wanted):
        _do(tenant_id, language, pack, tally, until)
    return tally


def _do(
    tenant_id: int, language: Language, pack: Sequence[Wanted], tally: Tally, until: float
) -> None:
    """Ask about a pack and write it; where one is at fault, each goes by itself."""
    if tally.stop or time.monotonic() > until:
        with within(tenant_id):
            _give_back([each.row for each in pack])
        return
    try:
        graphs = _asked(language, pack, until)
        with within(tenant_id):
            tally.processed += _write(pack, graphs)
    except Exception as error:
        if not isinstance(error, ProviderError):
            log.exception("graph: %s memories of tenant %s", len(pack), tenant_id)
        if len(pack) > 1 and (not isinstance(error, ProviderError) or error.counts):
            for each in pack:
                _do(tenant_id, language, [each], tally, until)
            return
        tally.fail(error)
        with within(tenant_id):
            for each in pack:
                give_up(each.row, error)


def _asked(language: Language, pack: Sequence[Wanted], until: float) -> list[Graph]:
    """What each memory names. Of a long text that takes too long, what its beginning names."""
    if len(pack) > 1:
        named = language.entities([each.text for each in pack], timeout=SECONDS).texts
        return [graph_of([(each.text, one)]) for each, one in zip(pack, named, strict=True)]
    found: list[tuple[str, Named]] = []
    for piece in _pieces(pack[0].text):
        if found and time.monotonic() > until:
            break
        found.append((piece, language.entities([piece], timeout=SECONDS).texts[0]))
    return [graph_of(found)]


def graph_of(found: Iterable[tuple[str, Named]]) -> Graph:
    """One memory's names and links, each once by its form; those whose words the text has."""
    names: dict[str, str] = {}
    links: dict[tuple[str, str, str], None] = {}
    for text, named in found:
        said = folded(text)

        def kept(written: str, said: str = said) -> str:
            """The name's form if the text says it and there is room, else ""."""
            name = normal_name(written)
            if not name or MASK in written or not _is_said(name, said):
                return ""
            if name not in names and len(names) < NAMES_LIMIT:
                names[name] = " ".join(written.split())[:NAME_LIMIT]
            return name if name in names else ""

        for written in named.names:
            kept(written)
        for link in named.links:
            one, other = kept(link.subject), kept(link.object)
            verb = " ".join(clean(link.verb).text.split())[:VERB_LIMIT]
            if one and other and one != other and len(links) < LINKS_LIMIT:
                links[(one, verb, other)] = None
    return Graph(names, tuple(links))


def _is_said(name: str, text: str) -> bool:
    return name in text or all(word in text for word in name.split())


def _write(pack: Sequence[Wanted], graphs: Sequence[Graph]) -> int:
    """Under the locks of the notes: what is still ours, there, in the clear, and says the same.

    The note first, as everywhere; a memory that somebody holds is not waited for.
    """
    tokens = {each.row.pk: each.row.lease_token for each in pack}
    notes = Unextracted.objects.filter(pk__in=tokens).order_by("pk").select_for_update(of=("self",))
    mine = {note.memory_id: note for note in notes if tokens[note.pk] == note.lease_token}
    rows = Memory.objects.filter(pk__in=mine).order_by("pk")
    held = {
        memory.pk: memory
        for memory in rows.select_for_update(of=("self",), no_key=True, skip_locked=True)
    }
    fit: dict[int, Graph] = {}
    for each, graph in zip(pack, graphs, strict=True):
        memory = held.get(each.row.memory_id)
        if memory is not None and memory.sealed is None and memory.hash == each.hash:
            fit[memory.pk] = graph
    if fit:
        name_all(fit)
    sealed = [pk for pk, memory in held.items() if memory.sealed is not None]
    Unextracted.objects.filter(memory__in=sealed).delete()
    _give_back([note for pk, note in mine.items() if pk not in fit and pk not in sealed])
    return len(fit)


def _give_back(rows: Sequence[Unextracted]) -> None:
    """Free again, as if they had not been taken. Inside `within`."""
    tokens = {row.lease_token for row in rows}
    Unextracted.objects.filter(pk__in=[row.pk for row in rows], lease_token__in=tokens).update(
        lease_until=None,
        lease_token=None,
        not_before=Now() + PAUSE,
    )


def _packs(wanted: Sequence[Wanted]) -> Iterator[list[Wanted]]:
    """Short texts together, a long one by itself."""
    pack: list[Wanted] = []
    length = 0
    for each in wanted:
        if pack and (len(pack) >= CALL_TEXTS or length + len(each.text) > CALL_LENGTH):
            yield pack
            pack, length = [], 0
        pack.append(each)
        length += len(each.text)
    if pack:
        yield pack


def _pieces(text: str) -> Iterator[str]:
    """A long text, cut at line ends, sentences or spaces."""
    start = 0
    while len(text) - start > PIECE:
        half = start + PIECE // 2
        end = max(text.rfind("\n", half, start + PIECE), text.rfind(". ", half, start + PIECE))
        if end < half:
            end = text.rfind(" ", half, start + PIECE)
        end = start + PIECE if end < half else end + 1
        yield text[start:end]
        start = end
    yield text[start:]
