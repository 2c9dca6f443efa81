"""`demo`: the loop is played to its end, a broken step ends it with an error, nothing is left."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.demo import play
from config.demo.scratch import Scratch
from config.management.commands import demo
from memory.models import Run
from memory.stages import Tally
from tests.factories import World

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def scratch(monkeypatch: pytest.MonkeyPatch) -> World:
    """The test's own transaction takes the scratch tenant back; its removal has its own test."""
    world = World("scratch")

    @contextmanager
    def given() -> Iterator[Any]:
        world.agent.tenant = world.tenant
        yield Scratch(world.tenant.pk, world.agent, world.admin)

    monkeypatch.setattr(demo, "scratch_tenant", given)
    return world


def say() -> str:
    out = StringIO()
    call_command("demo", stdout=out)
    return out.getvalue()


def test_every_step_does_its_part_and_shows_its_rows() -> None:
    said = say()
    for title in ("Captured", "Observations", "Pending", "Memories"):
        assert title in said
    assert "(nothing)" in said
    assert "## Relevant Memory" in said
    assert "Every step did its part" in said
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("observe.step", "nothing was observed"),
        ("reconcile.step", "nothing was proposed"),
    ],
)
def test_a_stage_that_does_nothing_breaks_it(
    monkeypatch: pytest.MonkeyPatch, part: str, fault: str
) -> None:
    monkeypatch.setattr(f"config.demo.play.{part}", lambda *a, **k: Tally())
    with pytest.raises(CommandError, match=fault):
        say()


def test_a_memory_that_no_prompt_carries_breaks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "_block", lambda model: "")
    with pytest.raises(CommandError, match="does not carry 'Lisbon'"):
        say()


def test_a_stage_without_an_end_breaks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "STAGE_SECONDS", 0)
    monkeypatch.setattr("config.demo.play.observe.step", lambda *a, **k: Tally(taken=1))
    with pytest.raises(CommandError, match="does not come to an end"):
        say()
