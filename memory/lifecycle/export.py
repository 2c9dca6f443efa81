"""Everything about a person, for the person: as JSON, or as CSV files in one archive (D41).

Sections and columns come from the registry, so an export shows what an erase would take. It is
written to a temporary file in one transaction and sent from there: memory stays bounded, the
person cannot be half erased in it, and no transaction waits for a slow reader.
"""

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, Literal

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q
from django.db.models.functions import Now

from agents.models import Agent, Visitor
from memory.gate import GONE, gate
from memory.lifecycle.erase import NoScope, NoSuchPerson
from memory.lifecycle.registry import PERSONS, Going, Place
from memory.models import Category
from tenants.actor import Actor
from tenants.audit import record
from tenants.context import within
from tenants.models import AuditEntry

Format = Literal["json", "csv"]
FORMATS: tuple[Format, ...] = ("json", "csv")
NAME = "keepsake-person/1"  # of the shape, for whoever reads it with a program
PAGE = 500  # rows read at once
IN_MEMORY = 4 * 1024 * 1024  # bytes; a larger export goes to disk
# Read first by a person who opens the file, then what it rests on.
ORDER = (
    "person", "memories", "memory_versions", "proposals", "observations", "conversations",
    "messages", "not_to_be_learned", "tokens", "scheduled_runs", "read_by_agents",
)  # fmt: skip
AUDIT = "seen_and_changed_by"
# A spreadsheet takes a cell that begins so for a formula, the wide forms included.
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@dataclass(frozen=True)
class Section:
    name: str
    columns: tuple[str, ...]
    rows: Iterator[dict[str, Any]]


def export_person(
    *, tenant_id: int, visitor_id: int | None, by: Actor, format: Format
) -> IO[bytes]:
    """A file from its beginning, to be closed by the caller. Opens its own block; audited.

    Raises NoScope and NoSuchPerson as an erase does.
    """
    if not visitor_id or isinstance(visitor_id, bool):
        raise NoScope("name the person to export")
    out: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    try:
        with within(tenant_id):
            if gate(agent_id=None, visitor_id=visitor_id) is GONE:  # and hold off an erase
                raise NoSuchPerson("no such person")
            write = _write_csv if format == "csv" else _write_json
            write(out, visitor_id)
            record(
                "person.exported", by=by, subject="visitor", subject_id=visitor_id, format=format
            )
    except BaseException:
        out.close()
        raise
    out.seek(0)
    return out


def sections(visitor_id: int) -> Iterator[Section]:
    """All there is about the person, inside `within`, row by row, in a total order."""
    slugs = {
        "agent_id": dict(Agent.objects.values_list("pk", "slug")),
        "category_id": dict(Category.objects.values_list("pk", "slug")),
    }
    places = {place.section: place for place in PERSONS if place.section}
    for name in ORDER:
        place = places[name]
        columns = tuple(_named(column) for column in place.shows)
        yield Section(name, columns, _rows(place, visitor_id, slugs))
    yield Section(AUDIT, ("at", "what", "actor"), _audit(visitor_id))


def _rows(
    place: Place, visitor_id: int, slugs: dict[str, dict[int, str]]
) -> Iterator[dict[str, Any]]:
    assert place.mine is not None
    manager: Any = place.model._default_manager
    own = Q(pk__in=())
    for condition in place.mine(Going(visitor_id)):
        own |= Q(pk__in=manager.filter(condition).values("pk"))
    last = 0
    while True:
        page = list(manager.filter(own, pk__gt=last).order_by("pk").values(*place.shows)[:PAGE])
        for row in page:
            yield {
                _named(column): slugs[column].get(value) if column in slugs else value
                for column, value in row.items()
            }
        if len(page) < PAGE:
            return
        last = page[-1]["id"]


def _named(column: str) -> str:
    """`agent_id` is shown as `agent`, by its slug; by other ids rows refer to each other."""
    return {"agent_id": "agent", "category_id": "category"}.get(column, column)


def _audit(visitor_id: int) -> Iterator[dict[str, Any]]:
    """Who saw or changed something of theirs: in which part, never who by name."""
    about = Q(subject="visitor", subject_id=visitor_id) | Q(detail__visitor=visitor_id)
    for entry in AuditEntry.objects.filter(about).order_by("pk").iterator(chunk_size=PAGE):
        yield {"at": entry.at, "what": entry.verb, "actor": entry.actor}


# --- JSON ------------------------------------------------------------------------------------


def _write_json(out: IO[bytes], visitor_id: int) -> None:
    """One object: each section a list, but the person, who is one."""
    head = {"format": NAME, "exported_at": _now(visitor_id)}
    out.write(_json(head)[:-1].encode())
    for section in sections(visitor_id):
        out.write(f",\n{_json(section.name)}: ".encode())
        if section.name == "person":
            out.write(_json(next(section.rows)).encode())
            continue
        out.write(b"[")
        for number, row in enumerate(section.rows):
            out.write((",\n" if number else "\n").encode() + _json(row).encode())
        out.write(b"]")
    out.write(b"}\n")


def _now(visitor_id: int) -> datetime:
    moment: datetime = Visitor.objects.values_list(Now(), flat=True).get(pk=visitor_id)
    return moment


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


# --- CSV -------------------------------------------------------------------------------------


def _write_csv(out: IO[bytes], visitor_id: int) -> None:
    """A zip with a file a section; the byte order mark tells spreadsheets that it is UTF-8."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for section in sections(visitor_id):
            with (
                archive.open(f"{section.name}.csv", "w", force_zip64=True) as raw,
                io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text,
            ):
                writer = csv.writer(text)
                writer.writerow(section.columns)
                for row in section.rows:
                    writer.writerow([cell(row[column]) for column in section.columns])


def cell(value: Any) -> str:
    """The value as one cell that no spreadsheet takes for a formula."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        text = _json(value)
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, datetime):
        text = value.isoformat()
    else:
        text = str(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text
