"""Teams that change while their agents write: no error to anybody, and no twins that stay."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.models import Memory, Scope, SharedAgent, Team
from memory.sharing.agents import agent_called, reader_of
from tenants.context import within
from tests.memory.sharing.test_write_races import at_once, writer
from tests.wires import Wire

pytestmark = pytest.mark.django_db(transaction=True)


def moves(wire: Wire, team: str, *agents: str) -> Callable[[], int]:
    def run() -> int:
        done = wire.call("PUT", f"teams/{team}/agents", {"agents": list(agents)})
        return int(done.status_code)

    return run


def test_agents_move_while_they_write() -> None:
    wire = Wire()
    tenant_id = wire.tenant.pk
    ids = [wire.call("POST", "teams", {"name": name}).json()["id"] for name in "xy"]
    acts: list[Callable[[], Any]] = []
    for n in range(10):
        acts += [
            moves(wire, ids[n % 2], "a", "b"),
            writer(tenant_id, f"The build {n % 3} is green.", "a", fact_key="build"),
            writer(tenant_id, f"The build {n % 3} is green.", "b"),
            writer(tenant_id, "The build is red.", "c", fact_key="build"),
        ]
    acts.append(lambda: wire.call("DELETE", f"teams/{ids[0]}").status_code)
    assert at_once(acts)[-1] == 204
    wire.call("PUT", f"teams/{ids[1]}/agents", {"agents": []})
    assert wire.call("DELETE", f"teams/{ids[1]}").status_code == 204
    with within(tenant_id):
        assert not Team.objects.exists()
        assert not SharedAgent.objects.exclude(team=None).exists()
        rows = Memory.objects.visible_to(reader_of(agent_called("z"))).filter(scope=Scope.TEAM)
        texts = [(memory.content, memory.fact_key) for memory in rows]
        assert len({fact for _, fact in texts if fact}) == len([1 for _, fact in texts if fact])
        assert len({text for text, _ in texts}) == len(texts)
