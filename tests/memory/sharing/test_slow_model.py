"""A model that compares slowly while others write: three tries, then written and told so (D30)."""

from collections.abc import Callable
from typing import Any

import pytest

from memory import store
from memory.models import ConflictPolicy, Draft, Event, Memory, Mutation, Scope
from memory.providers import using
from memory.providers.types import Compared, Comparison
from memory.providers.wordllama_space import SPACE
from memory.sharing import write as writing
from memory.sharing.agents import agent_called
from memory.sharing.write import Written, prepare
from tenants.actor import SYSTEM
from tenants.context import within
from tests.factories import make_tenant
from tests.fakes import ScriptedLanguage
from tests.memory.sharing.test_write_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)

NONE = '{"contradictions": []}'


class Slow(ScriptedLanguage):
    """Somebody else's `act` is done, on a connection of its own, before each answer."""

    def __init__(self, act: Callable[[int], Any]) -> None:
        super().__init__(*[NONE] * 9)
        self.act, self.asked = act, 0

    def contradictions(self, comparison: Comparison, *, timeout: float) -> Compared:
        self.asked += 1
        at_once([lambda: self.act(self.asked)], workers=1)
        return super().contradictions(comparison, timeout=timeout)


def put(tenant_id: int, text: str) -> None:
    """Past the policy, as if another process had."""
    with within(tenant_id):
        store.share(
            Draft(content=text, scope=Scope.GLOBAL), writer=agent_called("other"), by=SYSTEM
        )


@pytest.mark.parametrize("policy", ["planner_wins", "timestamp_wins", "human_in_loop"])
@pytest.mark.parametrize(
    ("busy", "tries", "unchecked"), [(0, 1, False), (2, 3, False), (9, 3, True)]
)
def test_it_is_compared_again_while_others_write(
    policy: str, busy: int, tries: int, unchecked: bool
) -> None:
    tenant_id = make_tenant().pk
    with within(tenant_id):
        ConflictPolicy.objects.create(policy=policy)
    put(tenant_id, "The build is green.")

    def act(number: int) -> None:
        if number <= busy:
            put(tenant_id, f"The build {number} is green.")

    language = Slow(act)
    draft = Draft(content="The build is fine.", scope=Scope.GLOBAL)
    with using(language=language):
        done = writing.write(prepare("a", draft, space=SPACE), tenant_id=tenant_id, by=SYSTEM)
    assert isinstance(done, Written)
    assert language.asked == tries
    with within(tenant_id):
        assert Memory.objects.get(uid=done.id).unchecked is unchecked
        assert Memory.objects.live().count() == Memory.objects.count() == 2 + min(busy, 3)
        assert Event.objects.filter(kind="memory.written").count() == Memory.objects.count()
        assert not Mutation.objects.exists()


@pytest.mark.parametrize("what", ["restored", "changed"])
def test_what_came_to_stand_again_meanwhile_is_noticed(what: str) -> None:
    """Not a new row: one that an undo restores, or that says something else now."""
    tenant_id = make_tenant().pk
    with within(tenant_id):
        ConflictPolicy.objects.create(policy="timestamp_wins")
    for text in ("The build is red.", "The build is green."):
        put(tenant_id, text)
    with within(tenant_id):
        old = Memory.objects.order_by("pk")[0]
        if what == "restored":
            store.close(old, because=Memory.Closed.DELETED, by=SYSTEM)

    def act(number: int) -> None:
        if number == 1:
            with within(tenant_id):
                there = Memory.objects.get(pk=old.pk)
                if what == "restored":
                    store.restore(there, to=there.as_draft, by=SYSTEM)
                else:
                    store.change(there, Draft(content="The build is blue."), by=SYSTEM)

    language = Slow(act)
    draft = Draft(content="The build is fine.", scope=Scope.GLOBAL)
    with using(language=language):
        writing.write(prepare("a", draft, space=SPACE), tenant_id=tenant_id, by=SYSTEM)
    assert language.asked == 2
