"""`observe`, `reconcile`, `embed` by hand: what they do, and what they say."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.db.models.functions import Now

from memory.management import stage_command
from memory.models import MemoryVector, Mutation, Observation, Run, Unembedded
from memory.providers.door import using
from memory.providers.errors import Refused, Unavailable
from memory.sealing import opened
from tests.factories import World, make_agent, make_conversation, make_memory
from tests.fakes import ScriptedLanguage, StubEmbedder
from tests.hooked import Hooked
from tests.receivers import receiving
from tests.sealed import make_shared, put_key

pytestmark = pytest.mark.django_db

LINES = ("user: I am allergic to peanuts.", "assistant: Noted, no peanuts.")


@pytest.fixture(autouse=True)
def embedder() -> Iterator[StubEmbedder]:
    stub = StubEmbedder()
    with using(embedder=stub):
        yield stub


def say(command: str, *words: str) -> str:
    out = StringIO()
    call_command(command, *words, stdout=out)
    return out.getvalue()


def pending(world: World) -> int:
    with world.inside():
        return Mutation.objects.pending().count()


def test_by_hand_from_conversation_to_proposal() -> None:
    world = World("acme")
    with world.inside():
        make_conversation(world.agent, world.visitor, *LINES)
    assert say("observe") == "acme: 1 observation from 1 stretch of conversation\n"
    assert say("reconcile") == "acme: 1 observation decided, 1 mutation to review\n"
    assert pending(world) == 1
    assert say("reconcile") == "nothing to reconcile now\n"
    assert Run.objects.get(stage="observe").processed == 1


def test_a_cooldown_is_waited_out_or_ignored() -> None:
    world = World("acme")
    with world.inside():
        make_conversation(world.agent, world.visitor, *LINES, idle=False)
    assert "--ignore-cooldown" in say("observe")
    assert "1 observation " in say("observe", "--ignore-cooldown")


def test_one_tenant_or_one_agent_only() -> None:
    worlds = [World("one"), World("two")]
    for world in worlds:
        with world.inside():
            for slug in ("ava", "ben"):
                make_conversation(make_agent(slug), world.visitor, *LINES)
    with pytest.raises(CommandError, match=r"ambiguous.*: one, two"):
        say("observe", "--agent", "ava")
    assert say("observe", "--agent", "ava", "--tenant", "two").startswith("two: 1 observation ")
    with worlds[0].inside():
        assert not Observation.objects.exists()
    with worlds[1].inside():
        assert Observation.objects.get().agent.slug == "ava"
    assert say("observe", "--tenant", "one").startswith("one: 2 observations ")


def test_an_agent_by_its_uuid_needs_no_tenant() -> None:
    world = World("acme")
    with world.inside():
        make_conversation(world.agent, world.visitor, *LINES)
    assert "1 observation " in say("observe", "--agent", str(world.agent.uid))


@pytest.mark.parametrize(
    "words",
    [
        ["--tenant", "nobody"],
        ["--agent", "nobody"],
        ["--agent", "nobody", "--tenant", "acme"],
        ["--agent", "00000000-0000-4000-8000-000000000000"],
    ],
)
def test_whom_nobody_knows_is_an_error(words: list[str]) -> None:
    World("acme")
    with pytest.raises(CommandError, match=r"no (tenant|agent)|has an agent"):
        say("observe", *words)


def test_all_failed_is_an_error_and_names_the_failure() -> None:
    world = World("acme")
    with world.inside():
        make_conversation(world.agent, world.visitor, *LINES)
    with (
        using(language=ScriptedLanguage(Refused("no"))),
        pytest.raises(CommandError, match="refused × 1"),
    ):
        say("observe")


def test_a_failure_beside_work_that_was_done_is_said_and_no_error() -> None:
    world = World("acme")
    with world.inside():
        for _ in range(2):
            make_conversation(world.agent, world.visitor, *LINES)
    with using(language=ScriptedLanguage(Refused("no"), '{"observations": []}')):
        assert "1 failed: refused × 1" in say("observe")


def test_embed_fills_in_what_an_embedder_in_trouble_left(embedder: StubEmbedder) -> None:
    world = World("acme")
    with world.inside():
        make_memory(world.agent)
    embedder.fail = Unavailable("away")
    with pytest.raises(CommandError, match="unavailable × 1"):
        say("embed", "--tenant", "acme")
    embedder.fail = None
    with world.inside():
        Unembedded.objects.update(not_before=None)
    assert say("embed") == "acme: 1 text embedded\n"
    with world.inside():
        assert MemoryVector.objects.count() == 1


def test_a_database_that_is_away_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(stage: str) -> list[int]:
        raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(stage_command, "tenants_with_work", away)
    with pytest.raises(CommandError, match=r"^the database does not answer: connection refused$"):
        say("observe")


def test_nothing_to_take_says_what_holds_it_back() -> None:
    world = World("acme")
    hour = timedelta(hours=1)
    with world.inside():
        make_conversation(world.agent, world.visitor, *LINES, lease_until=Now() + hour)
        make_conversation(world.agent, world.visitor, *LINES, not_before=Now() + hour)
        for _ in range(2):
            make_conversation(world.agent, world.visitor, *LINES, parked_at=Now())
    assert say("observe", "--tenant", "acme") == (
        "nothing to observe now: 1 held by another run, or until its lease ends, "
        "1 waiting after a failure or a delay, 2 parked after failures, for somebody to look at\n"
    )


def test_deliver_tells_who_listens_and_says_how_many_did(settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        hooked = Hooked(receiver)
        hooked.write()
        assert say("deliver") == f"{hooked.tenant.slug}: 1 delivery taken by receivers\n"
        assert say("deliver") == "nothing to deliver now\n"
        receiver.answers = [500]
        hooked.write("Once more.")
        with pytest.raises(CommandError, match="HTTP 500 × 1"):
            say("deliver")
        assert "waiting after a failure" in say("deliver", "--tenant", hooked.tenant.slug)


def test_expired_memories_are_swept_by_hand() -> None:
    world = World("acme")
    with world.inside():
        memory = make_shared("The harbour is closed.")
        type(memory).objects.filter(pk=memory.pk).update(expires_at=Now() - timedelta(seconds=1))
    assert say("sweep") == "acme: 1 row ended\n"
    assert say("sweep") == "nothing to sweep now\n"
    assert Run.objects.get(stage="sweep").processed == 1


def test_earlier_memories_come_under_the_customers_key_by_hand() -> None:
    world = World("acme")
    with world.inside():
        memories = [make_shared("The harbour is closed."), make_shared("The ferry runs.")]
    assert say("encrypt") == "nothing to encrypt now\n"
    with world.inside():
        put_key(world.tenant)
    assert say("encrypt", "--tenant", "acme") == "acme: 2 texts sealed\n"
    assert say("encrypt") == "nothing to encrypt now\n"
    with world.inside():
        texts = [text for _, text in opened(type(memories[0]).objects.order_by("pk"))]
    assert texts == ["The harbour is closed.", "The ferry runs."]


def test_names_are_looked_for_by_hand() -> None:
    world = World("acme")
    with world.inside():
        make_shared("Ana works at Acme.")
    assert say("graph") == "acme: 1 memory read for names\n"
    assert say("graph") == "nothing to graph now\n"
