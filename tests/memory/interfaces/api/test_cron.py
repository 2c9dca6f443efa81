"""The stages by an outside clock: who may call, what is answered, what a failure looks like."""

from typing import Any

import pytest
from django.test import Client

from memory.interfaces import tasks
from memory.models import Observation, Run
from memory.providers.door import using
from memory.providers.errors import Unavailable
from tests.factories import World, make_conversation
from tests.fakes import ScriptedLanguage, StubEmbedder

pytestmark = pytest.mark.django_db
SECRET = "a secret of enough length"
OBSERVED = (
    '{"observations": [{"statement": "The user likes tea.", "quote": "I like tea", "turn": 1}]}'
)


@pytest.fixture(autouse=True)
def secret(settings: Any) -> None:
    settings.CRON_SECRET = SECRET


def call(stage: str, secret: str | None = SECRET, method: str = "post") -> Any:
    headers = {} if secret is None else {"x-cron-secret": secret}
    return getattr(Client(), method)(f"/api/cron/memory-{stage}", headers=headers)


@pytest.mark.parametrize("stage", ["observe", "reconcile", "embed", "graph", "deliver"])
def test_with_nothing_to_do_it_is_fine_and_zero(stage: str) -> None:
    answer = call(stage)
    zero: dict[str, Any] = {"ok": True, "processed": 0, "failed": 0}
    assert (answer.status_code, answer.json()) == (
        200,
        zero | ({"mutated": 0} if stage == "reconcile" else {}),
    )


@pytest.mark.parametrize("given", [None, "", "wrong", SECRET + "x", SECRET[:-1], "é\udc80"])
def test_a_missing_or_wrong_secret_is_401(given: str | None) -> None:
    answer = call("observe", given)
    assert (answer.status_code, set(answer.json())) == (401, {"error"})


@pytest.mark.parametrize("given", [None, "", "None"])
def test_without_a_secret_set_nobody_gets_in(settings: Any, given: str | None) -> None:
    settings.CRON_SECRET = None
    assert call("observe", given).status_code == 401


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch", "head"])
def test_anything_but_post_is_405(method: str) -> None:
    assert call("observe", method=method).status_code == 405


def test_observations_are_counted_and_the_run_is_recorded() -> None:
    world = World()
    with world.inside():
        make_conversation(world.agent, world.visitor, "user: I like tea")
    with using(language=ScriptedLanguage(OBSERVED), embedder=StubEmbedder()):
        assert call("observe").json() == {"ok": True, "processed": 1, "failed": 0}
    assert Run.objects.get(stage="observe").processed == 1


def test_a_failed_run_is_told_apart_from_an_idle_one() -> None:
    world = World()
    with world.inside():
        make_conversation(world.agent, world.visitor, "user: I like tea")
    with using(language=ScriptedLanguage(Unavailable("away")), embedder=StubEmbedder()):
        answer = call("observe")
    assert (answer.status_code, answer.json()["failed"]) == (200, 1)
    with world.inside():
        assert not Observation.objects.exists()
    assert "unavailable" in Run.objects.get(stage="observe").error


def test_an_unexpected_fault_is_json_500_without_words_of_anybody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("row holds: my private words")

    monkeypatch.setattr(tasks, "run", broken)
    answer = call("observe")
    assert (answer.status_code, set(answer.json())) == (500, {"error", "id"})
    assert answer.json()["id"] in caplog.text
    assert "private" not in caplog.text + answer.content.decode()
