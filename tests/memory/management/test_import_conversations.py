"""`import_conversations`: what a file holds becomes messages, once, and what it says of it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.models import Conversation, Message, Visitor
from memory.management.commands import import_conversations
from memory.models import MemoryVector, Observation
from memory.providers.door import using
from tests.factories import World, make_agent, make_visitor
from tests.fakes import StubEmbedder

pytestmark = pytest.mark.django_db

SAID = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "I am allergic to peanuts.", "time": "2026-03-03T23:30:00+02:00"},
    {"role": "assistant", "content": "Noted."},
]


@pytest.fixture(autouse=True)
def embedder() -> Iterator[None]:
    with using(embedder=StubEmbedder()):
        yield


@pytest.fixture
def world() -> World:
    world = World("acme")
    with world.inside():
        make_agent("ava")
    return world


def run(path: Path, *words: str, told: list[str] | None = None) -> list[str]:
    """The lines it wrote; also in `told`, which a failure does not take away."""
    out = StringIO()
    whose = words if "--visitor-from" in words else ("--visitor", "ana", *words)
    told = [] if told is None else told
    try:
        call_command(
            "import_conversations", str(path), "--tenant", "acme", "--agent", "ava", *whose,
            stdout=out,
        )  # fmt: skip
    finally:
        told += out.getvalue().splitlines()
    return told


def file(folder: Path, *values: Any) -> Path:
    path = folder / "said.jsonl"
    path.write_text("\n".join(v if isinstance(v, str) else json.dumps(v) for v in values))
    return path


def test_what_was_said_is_captured_with_vectors_times_and_whose(
    world: World, tmp_path: Path
) -> None:
    said = run(file(tmp_path, {"id": "c1", "title": "Food", "messages": SAID}))
    assert said[0] == (
        "Food (c1): 2 messages taken, 1 refused "
        "(role: 'system' is not captured, expected user or assistant × 1), "
        "1 without a time and zone of their own"
    )
    assert said[1].startswith("2 messages taken from 1 conversation, 0 there already, 1 refused")
    assert said[2].endswith("observe --ignore-cooldown --tenant acme --agent ava")
    with world.inside():
        conversation = Conversation.objects.get()
        assert (conversation.external_id, conversation.channel) == ("c1", "import")
        assert conversation.visitor is not None
        assert conversation.visitor.host_id == "ana"
        first, second = Message.objects.order_by("position")
        assert first.occurred_at == datetime(2026, 3, 3, 21, 30, tzinfo=UTC)
        assert (first.occurred_offset, second.occurred_offset) == (120, 120)
        assert MemoryVector.objects.count() == 2


def test_again_takes_nothing_and_more_takes_what_is_new(world: World, tmp_path: Path) -> None:
    run(file(tmp_path, *SAID))
    assert run(file(tmp_path, *SAID))[1].startswith("0 messages taken from 1 conversation, 2 there")
    more = [*SAID, {"role": "user", "content": "And I live in Porto."}]
    assert run(file(tmp_path, *more))[1].startswith("1 message taken from 1 conversation, 2 there")
    with world.inside():
        assert list(Message.objects.order_by("id").values_list("position", flat=True)) == [1, 2, 3]


def test_killed_midway_and_run_again_it_completes_in_order(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"number {n}" for n in range(7)]
    path = file(tmp_path, [{"role": "user", "content": text} for text in texts], [SAID[1]])
    monkeypatch.setattr(import_conversations, "BATCH", 2)
    real, calls = import_conversations.capture, iter(range(100))

    def killed(*args: Any) -> Any:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(import_conversations, "capture", killed)
    with pytest.raises(KeyboardInterrupt):
        run(path)
    monkeypatch.setattr(import_conversations, "capture", real)
    assert run(path)[2].startswith("4 messages taken from 2 conversations, 4 there already")
    with world.inside():
        whole = Conversation.objects.order_by("id")[0]
        held = whole.messages.order_by("position").values_list("content", flat=True)
        assert list(held) == texts


def test_broken_lines_are_listed_and_the_rest_is_taken(world: World, tmp_path: Path) -> None:
    path = file(tmp_path, SAID[1], '{"role": "user", "content', '{"no": 1}', SAID[2])
    said: list[str] = []
    with pytest.raises(
        CommandError, match=r"2 lines could not be read .* the rest was taken"
    ) as no:
        run(path, told=said)
    assert no.value.returncode == 1
    assert said[0].endswith("2 messages taken, 1 without a time and zone of their own")
    assert said[1].startswith("line 2 was not read: no JSON")
    assert said[2].startswith("line 3 was not read: expected a message")
    assert "2 lines not read" in said[3]


def test_each_conversation_may_name_its_visitor(world: World, tmp_path: Path) -> None:
    path = file(
        tmp_path,
        {"user_id": "ana", "messages": SAID},
        {"user_id": 7, "messages": SAID},
        {"messages": SAID},
    )
    said: list[str] = []
    with pytest.raises(CommandError, match="1 line could not be read"):
        run(path, "--visitor-from", "user_id", told=said)
    assert said[2] == "line 3 was not read: no 'user_id': whose conversation it is"
    with world.inside():
        who = Conversation.objects.order_by("id").values_list("visitor__host_id", flat=True)
        assert list(who) == ["ana", "7"]


def test_imported_conversations_are_observed(world: World, tmp_path: Path) -> None:
    run(file(tmp_path, SAID))
    call_command("observe", "--ignore-cooldown", stdout=StringIO())
    with world.inside():
        observation = Observation.objects.get()
    assert "peanuts" in observation.statement
    assert observation.evidence[0]["quote"] == "I am allergic to peanuts."


def test_a_person_who_switched_memory_off_is_left_out(world: World, tmp_path: Path) -> None:
    with world.inside():
        make_visitor("ana", auto_capture_enabled=False)
    assert "0 messages taken, the rest left: the person" in run(file(tmp_path, SAID))[0]
    with world.inside():
        assert not Message.objects.exists()


def test_memory_off_is_said_before_anything_is_read(world: World, tmp_path: Path) -> None:
    with world.inside():
        world.agent.__class__.objects.update(memory_enabled=False)
    with pytest.raises(CommandError, match="memory is off for ava"):
        run(tmp_path / "missing")
    with world.inside():
        assert not Visitor.objects.filter(host_id="ana").exists()


@pytest.mark.parametrize(
    ("content", "fault"),
    [("", "no conversation"), ("hello there\n", "no conversation"), ("[]", "no conversation")],
)
def test_a_file_that_is_no_transcript_is_an_error(
    world: World, tmp_path: Path, content: str, fault: str
) -> None:
    with pytest.raises(CommandError, match=fault):
        run(file(tmp_path, content))


def test_a_file_that_cannot_be_read_is_an_error(world: World, tmp_path: Path) -> None:
    for path, fault in ((tmp_path / "no.json", "No such file"), (tmp_path, "directory")):
        with pytest.raises(CommandError, match=fault):
            run(path)


@pytest.mark.parametrize("visitor", ["", "x" * 201, "a\0b"])
def test_a_visitor_who_cannot_be_kept_is_an_error(
    world: World, tmp_path: Path, visitor: str
) -> None:
    with pytest.raises(CommandError, match="--visitor: expected"):
        call_command(
            *("import_conversations", str(file(tmp_path, SAID)), "--tenant", "acme"),
            *("--agent", "ava", "--visitor", visitor),
        )
