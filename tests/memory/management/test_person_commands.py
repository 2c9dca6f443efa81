"""`erase_person` and `export_person`: whom they find, and what they refuse."""

import io
import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.models import Visitor
from memory.models import Erasure, Memory
from tenants.models import AuditEntry
from tests.factories import World, make_memory, make_visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    world = World()
    with world.inside():
        make_memory(world.agent, world.visitor, "The user likes tea.")
    return world


def run(command: str, world: World, person: str, *more: str) -> str:
    out = io.StringIO()
    call_command(command, person, "--tenant", world.tenant.slug, *more, stdout=out)
    return out.getvalue()


def test_a_person_is_erased_by_the_hosts_id(world: World) -> None:
    told = json.loads(run("erase_person", world, world.visitor.host_id or "", "--yes"))
    assert told["rows"]["memory_memory"] == told["rows"]["agents_visitor"] == 1
    assert told["oldest_backup"] is None
    with world.inside():
        assert not Memory.objects.exists()
        assert str(Erasure.objects.get().uid) == told["receipt"]
        assert AuditEntry.objects.get(verb="person.erased").actor == "command"
    again = run("erase_person", world, world.visitor.host_id or "", "--yes")
    assert again == "nobody is known by that name: nothing to erase\n"


def test_without_yes_nothing_happens(world: World) -> None:
    with pytest.raises(CommandError, match="--yes"):
        run("erase_person", world, world.visitor.host_id or "")
    with world.inside():
        assert Memory.objects.exists()


@pytest.mark.parametrize("nobody", ["", " ", "a\0b"])
@pytest.mark.parametrize("command", ["erase_person", "export_person"])
def test_an_empty_name_is_refused(world: World, command: str, nobody: str) -> None:
    with pytest.raises(CommandError, match="name the person"):
        run(command, world, nobody, *(["--yes"] if command == "erase_person" else []))


def test_a_visitor_of_a_cookie_is_named_by_number(world: World) -> None:
    with world.inside():
        stranger = make_visitor(None)
        lookalike = make_visitor(f"#{stranger.pk}")
    assert json.loads(run("erase_person", world, f"#{stranger.pk}", "--yes"))["total"] == 1
    with world.inside():
        assert not Visitor.objects.filter(pk=lookalike.pk).exists()  # a host's id goes first
    run("erase_person", world, f"#{stranger.pk}", "--yes")
    with world.inside():
        assert not Visitor.objects.filter(pk=stranger.pk).exists()


def test_another_tenants_person_is_unknown(world: World) -> None:
    there = World()
    for name in (there.visitor.host_id or "", f"#{there.visitor.pk}"):
        assert "nothing to erase" in run("erase_person", world, name, "--yes")
        with pytest.raises(CommandError, match="no person"):
            run("export_person", world, name)
    with there.inside():
        assert Visitor.objects.filter(pk=there.visitor.pk).exists()


def test_an_export_is_printed(world: World, capfdbinary: Any) -> None:
    call_command("export_person", world.visitor.host_id, "--tenant", world.tenant.slug)
    told = json.loads(capfdbinary.readouterr().out)
    assert told["memories"][0]["content"] == "The user likes tea."


def test_an_export_is_written_to_a_new_file_of_ones_own(world: World, tmp_path: Path) -> None:
    place = tmp_path / "mine.zip"
    options = ("--format", "csv", "--output", str(place))
    run("export_person", world, world.visitor.host_id or "", *options)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert "memories.csv" in zipfile.ZipFile(place).namelist()
    with pytest.raises(CommandError, match="cannot write"):
        run("export_person", world, world.visitor.host_id or "", *options)
