"""The admin's front page: real figures, few statements, and a way to try again."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from agents.models import Conversation
from memory import review
from memory.interfaces.admin.charts import HEIGHT, WIDTH, bars
from memory.interfaces.admin.health import health
from memory.models import Mutation, Observation, RecallTrace, Run
from tenants.models import AuditEntry
from tests.factories import make_conversation, make_memory, make_mutation, make_observation
from tests.memory.interfaces.pages.conftest import Pages

pytestmark = pytest.mark.django_db


def test_the_figures_are_those_of_the_rows(world: Pages) -> None:
    with world.inside():
        made = [make_mutation(world.agent, world.visitor) for _ in range(4)]
        Mutation.objects.filter(pk=made[3].pk).update(
            flags=["no-evidence"], created_at=Now() - timedelta(days=2)
        )
        for took, failed in [(10.0, ""), (20.0, ""), (90.0, "timeout")]:
            RecallTrace.objects.create(agent=world.agent, took_ms=took, failed=failed)
        make_conversation(world.agent, world.visitor, "user: hello")
        make_observation(world.agent, world.visitor)
    review.approve(mutation_id=made[0].pk, by=world.admin)
    review.reject(mutation_id=made[1].pk, by=world.admin)
    with world.inside():
        found = health()
    assert (found.queue.waiting, found.queue.flagged) == (2, 1)
    assert found.queue.oldest is not None
    assert datetime.now(UTC) - found.queue.oldest > timedelta(days=1)
    assert [(r.approved, r.rejected, r.percent) for r in found.rates] == [(1, 1, 50)]
    assert (found.recalls.count, found.recalls.failed, found.recalls.median) == (3, 1, 20.0)
    assert found.backlog["reconcile"] == 1
    assert found.backlog["observe"] >= 1
    assert found.decisions.rows[-1][1] == (1, 1)
    assert len(found.decisions.rows) == 24
    assert len(found.latency.marks) == 1


@pytest.mark.parametrize("size", [1, 12])
def test_statements_do_not_grow_with_the_rows(world: Pages, size: int) -> None:
    with world.inside():
        for _ in range(size):
            make_mutation(world.agent, world.visitor)
            make_memory(world.agent, world.visitor)
            make_conversation(world.agent, world.visitor, "user: x", parked_at=datetime.now(UTC))
        for number in range(size):
            Run.objects.create(stage="observe", period=datetime(2026, 1, 1, number, tzinfo=UTC))
        with CaptureQueriesContext(connection) as asked:
            health()
    assert len(asked) == 12


def test_the_page_shows_them_and_offers_a_retry_to_editors(world: Pages) -> None:
    with world.inside():
        conversation = make_conversation(
            world.agent, world.visitor, "user: hello", parked_at=datetime.now(UTC),
            failed_because="refused", attempts=5,
        )  # fmt: skip
    page = world.client("viewer").get(world.at("admin/")).content.decode()
    assert "waiting for a decision" in page
    assert "refused" in page
    assert "Try again" not in page
    editor = world.client("editor")
    assert "Try again" in editor.get(world.at("admin/")).content.decode()
    answer = editor.post(world.at(f"review/retry/conversation/{conversation.pk}/"))
    assert answer.status_code == 302
    with world.inside():
        conversation.refresh_from_db()
        assert (conversation.parked_at, conversation.attempts) == (None, 0)
        assert AuditEntry.objects.filter(verb="conversation.retried").count() == 1


@pytest.mark.parametrize(
    ("role", "kind", "status"),
    [("viewer", "conversation", 403), ("editor", "memory", 404), ("editor", "observation", 404)],
)
def test_a_retry_is_refused(world: Pages, role: str, kind: str, status: int) -> None:
    with world.inside():
        row = make_conversation(world.agent, world.visitor, "user: x", parked_at=datetime.now(UTC))
    answer = world.client(role).post(world.at(f"review/retry/{kind}/{row.pk}/"))
    assert answer.status_code == status
    with world.inside():
        assert Conversation.objects.get(pk=row.pk).parked_at is not None
        assert not Observation.objects.exists()


def test_another_tenants_row_is_not_retried(world: Pages) -> None:
    other = Pages()
    with other.inside():
        row = make_conversation(other.agent, other.visitor, "user: x", parked_at=datetime.now(UTC))
    path = world.at(f"review/retry/conversation/{row.pk}/")
    assert world.client("admin").post(path).status_code == 404
    with other.inside():
        assert Conversation.objects.get(pk=row.pk).parked_at is not None


def test_bars_stack_from_the_bottom_and_fill_the_height() -> None:
    chart = bars([("00", (1, 1)), ("01", (0, 0)), ("02", (4, 0))], names=("a", "b"), unit="x")
    assert chart.top == 4
    first, second, third = chart.bars
    assert first.y + first.height == HEIGHT
    assert second.y + second.height == first.y
    assert third.height == HEIGHT
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH for bar in chart.bars)
    assert bars([], names=("a",), unit="x").is_empty


def test_every_stage_that_has_run_is_listed_after_those_of_the_flow(world: Pages) -> None:
    for stage in ("sweep", "observe"):
        Run.objects.create(stage=stage, period=datetime(2026, 1, 1, tzinfo=UTC), processed=7)
    with world.inside():
        found = health()
    assert found.stages[0][0] == "observe"
    name, waiting, run = found.stages[-1]
    assert (name, waiting, run and run.processed) == ("sweep", None, 7)
    page = world.client().get(world.at("admin/")).content.decode()
    assert ">sweep</th><td></td>" in page
