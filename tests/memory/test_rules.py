"""Never propose this kind: made by editors, kept by reconcile, lifted again."""

import pytest

from memory import rules
from memory.learning import reconcile
from memory.models import Mutation, Observation, Rule
from memory.providers import using
from tenants.models import AuditEntry
from tests.factories import World, make_agent, make_member, make_observation
from tests.fakes import ScriptedLanguage, StubEmbedder, decided
from tests.race import at_once


def proposed(world: World, key: str) -> int:
    """How many proposals an observation leads to when the model wants it under this key."""
    with world.inside():
        Mutation.objects.all().delete()
        make_observation(world.agent, world.visitor, f"The user said {key}.")
    add = {"operation": "add", "key": key, "content": f"About {key}", "presence": "on-demand"}
    with using(language=ScriptedLanguage(decided("mutate", add)), embedder=StubEmbedder()):
        reconcile.step(world.tenant.pk)
    with world.inside():
        return Mutation.objects.pending().count()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("prefix", "key", "is_covered"),
    [
        ("/health", "/health/allergies/peanuts", True),
        ("/health", "/health", True),
        ("health/allergies", "/health/allergies", True),
        ("/health", "/healthcare/plan", False),
        ("/health/allergies", "/health/diet", False),
        ("/he", "/health", False),
        ("/health_%", "/health1/x", False),
    ],
)
def test_a_rule_covers_a_folder_and_nothing_beside_it(
    prefix: str, key: str, is_covered: bool
) -> None:
    world = World()
    rules.forbid(agent_id=world.agent.pk, key=prefix, by=world.admin)
    assert proposed(world, key) == (0 if is_covered else 1)
    if is_covered:
        with world.inside():
            assert Observation.objects.get().status == "discarded"


@pytest.mark.django_db
def test_a_lifted_rule_and_another_agents_rule_hold_nothing_up() -> None:
    world = World()
    with world.inside():
        other = make_agent()
    rules.forbid(agent_id=other.pk, key="/health", by=world.admin)
    assert proposed(world, "/health/x") == 1
    rule = rules.forbid(agent_id=world.agent.pk, key="/health", by=world.admin)
    assert proposed(world, "/health/y") == 0
    assert rules.lift(rule_id=rule.pk, by=world.admin)
    assert not rules.lift(rule_id=rule.pk, by=world.admin)
    assert proposed(world, "/health/z") == 1
    with world.inside():
        verbs = AuditEntry.objects.filter(verb__startswith="rule.").values_list("verb", flat=True)
        assert sorted(verbs) == ["rule.lifted", "rule.made", "rule.made"]


@pytest.mark.django_db
@pytest.mark.parametrize(("role", "may"), [("viewer", False), ("editor", True), ("owner", True)])
def test_who_may_make_a_rule(role: str, may: bool) -> None:
    world = World()
    with world.inside():
        member = make_member(role)
    if may:
        rules.forbid(agent_id=world.agent.pk, key="/health", by=member)
        return
    with pytest.raises(rules.MayNotRule):
        rules.forbid(agent_id=world.agent.pk, key="/health", by=member)


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "/", "///", "x" * 300])
def test_something_that_is_no_key_makes_no_rule(key: str) -> None:
    world = World()
    with pytest.raises(ValueError, match="key"):
        rules.forbid(agent_id=world.agent.pk, key=key, by=world.admin)


@pytest.mark.django_db(transaction=True)
def test_two_colleagues_make_one_rule() -> None:
    world = World()
    found = at_once(
        *[lambda: rules.forbid(agent_id=world.agent.pk, key="/health", by=world.admin)] * 2
    )
    assert found[0] == found[1]
    with world.inside():
        assert Rule.objects.count() == 1
