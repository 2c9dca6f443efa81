"""Stage 2: what an observation leads to, once, in its scope, and never past a grave."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Value
from django.db.models.functions import Now

from memory import review, stages
from memory.learning import reconcile
from memory.models import Draft, Memory, Mutation, MutationSource, Observation
from memory.providers import using
from memory.providers.errors import RateLimited
from memory.stages import Tally
from tests.factories import (
    World,
    make_draft,
    make_memory,
    make_mutation,
    make_observation,
    make_visitor,
)
from tests.fakes import Meanwhile, ScriptedLanguage, StubEmbedder, decided

pytestmark = pytest.mark.django_db
TEA = {
    "operation": "add", "key": "/drinks", "description": "drinks", "content": "The user likes tea.",
    "presence": "on-demand",
}  # fmt: skip


@pytest.fixture
def world() -> World:
    return World()


def run(world: World, *replies: object) -> tuple[Tally, ScriptedLanguage]:
    language = ScriptedLanguage(*replies)  # type: ignore[arg-type]
    with using(language=language, embedder=StubEmbedder()):
        return reconcile.step(world.tenant.pk), language


def observation(world: World, statement: str = "The user drinks tea.", **kw: object) -> Observation:
    with world.inside():
        return make_observation(world.agent, world.visitor, statement, **kw)


def test_mutate_saves_pending_with_evidence_and_consolidates(world: World) -> None:
    seen = observation(world)
    tally, _ = run(world, decided("mutate", TEA, reasoning="A drink they like."))
    assert (tally.taken, tally.processed, tally.mutated) == (1, 1, 1)
    with world.inside():
        mutation = Mutation.objects.get()
        assert mutation.status == "pending"
        assert (mutation.operation, mutation.approver) == ("add", "member")
        assert mutation.draft["key"] == "/drinks"
        assert mutation.evidence == seen.evidence
        assert mutation.reasoning == "A drink they like."
        assert mutation.vector is not None
        assert mutation.made_by["model"] == "scripted"
        seen.refresh_from_db()
        assert seen.status == "consolidated"
        assert MutationSource.objects.get().observation == seen
        assert not Memory.objects.exists()


def test_what_has_no_visitor_is_for_an_admin(world: World) -> None:
    with world.inside():
        make_observation(world.agent, None, "The user drinks tea.")
    run(world, decided("mutate", TEA))
    with world.inside():
        mutation = Mutation.objects.get()
        assert (mutation.visitor_id, mutation.approver) == (None, "org-admin")


def test_the_third_defer_discards_and_each_waits_for_the_next_period(world: World) -> None:
    seen = observation(world)
    for defers, status in [(1, "deferred"), (2, "deferred"), (3, "discarded")]:
        assert run(world, decided("defer"))[0].processed == 1
        assert run(world)[0].taken == 0, "the same run takes a row once"
        with world.inside():
            seen.refresh_from_db()
            assert (seen.defers, seen.status) == (defers, status)
            Observation.objects.update(not_before=None)


def test_an_unparseable_reply_counts_as_a_defer(world: World) -> None:
    seen = observation(world)
    tally, _ = run(world, "Let me think about that.")
    assert tally.errors == {"unparseable reply": 1}
    with world.inside():
        seen.refresh_from_db()
        assert (seen.defers, seen.status) == (1, "deferred")


@pytest.mark.parametrize("reply", [{"content": ""}, {"content": None, "refusal": "No."}])
def test_empty_and_refused_replies_are_failures_and_no_defers(world: World, reply: object) -> None:
    seen = observation(world)
    run(world, reply)
    with world.inside():
        seen.refresh_from_db()
        assert (seen.defers, seen.status) == (0, "new")
        assert seen.failed_because in ("empty reply", "refused")
        assert not Mutation.objects.exists()


def test_a_bad_row_does_not_block_the_queue(world: World) -> None:
    bad = observation(world, "The user is bad.")
    good = observation(world)
    run(world, {"content": None, "refusal": "No."})
    run(world, decided("mutate", TEA))
    with world.inside():
        bad.refresh_from_db()
        good.refresh_from_db()
        assert bad.parked_at is not None
        assert good.status == "consolidated"


def test_a_modify_and_a_delete_find_their_target_by_the_shown_number(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.", key="/drinks")
    observation(world, "The user likes mate now.")
    run(
        world,
        decided("mutate", {"operation": "modify", "target": 1, "content": "The user likes mate."}),
    )
    with world.inside():
        mutation = Mutation.objects.get()
        assert (mutation.target, mutation.target_version) == (memory, 1)
        assert mutation.draft == {"content": "The user likes mate."}
        assert mutation.before["content"] == "The user likes tea."


@pytest.mark.parametrize("target", [0, 7, None])
@pytest.mark.parametrize("operation", ["modify", "delete"])
def test_a_number_that_was_not_shown_changes_nothing(
    world: World, target: int | None, operation: str
) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "The user likes tea.", key="/drinks")
        make_memory(world.agent, make_visitor(), "Somebody else's.", key="/secret")
    observation(world, "The user likes mate now.")
    run(world, decided("mutate", {"operation": operation, "target": target, "content": "Changed."}))
    with world.inside():
        assert not Mutation.objects.exists()


def test_an_add_of_a_taken_key_becomes_a_modify(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes mate.", key="/drinks")
    observation(world)
    run(world, decided("mutate", TEA))
    with world.inside():
        mutation = Mutation.objects.get()
        assert (mutation.operation, mutation.target) == ("modify", memory)


def test_a_target_that_changed_during_the_call_is_asked_about_again(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.", key="/drinks")
        change = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="The user likes rooibos."),
        )  # fmt: skip
    seen = observation(world, "The user likes mate now.")

    def meanwhile() -> None:
        review.approve(mutation_id=change.pk, by=world.admin)

    reply = decided(
        "mutate", {"operation": "modify", "target": 1, "content": "The user likes mate."}
    )
    with using(language=Meanwhile(meanwhile, reply), embedder=StubEmbedder()):
        reconcile.step(world.tenant.pk)
    with world.inside():
        seen.refresh_from_db()
        assert (seen.status, seen.lease_token) == ("new", None)
        assert not Mutation.objects.pending().exists()
    run(world, reply)
    with world.inside():
        assert Mutation.objects.pending().get().target_version == 2


# --- repeats and graves (field's fault 6, E8, E10) ----------------------------------------------


def test_an_exact_repeat_of_a_memory_confirms_it_without_a_model(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, "The user likes tea.")
    seen = observation(world, "the user  LIKES tea.")
    _, language = run(world)
    assert language.transport.requests == []
    with world.inside():
        memory.refresh_from_db()
        seen.refresh_from_db()
        assert (memory.confirmed, memory.version) == (1, 1)
        assert seen.status == "consolidated"
        assert not Mutation.objects.exists()


def test_a_repeat_of_a_pending_proposal_is_more_evidence_for_it(world: World) -> None:
    with world.inside():
        mutation = make_mutation(
            world.agent, world.visitor, draft=make_draft("The user likes tea.")
        )
    observation(world, "The user likes tea.")
    observation(world, "The user is fond of tea.")
    run(world)
    run(world, decided("repeat", about=1))
    with world.inside():
        mutation.refresh_from_db()
        assert Mutation.objects.count() == 1
        assert (mutation.said_count, len(mutation.evidence), mutation.version) == (3, 3, 3)


def test_what_is_said_without_end_keeps_the_first_quote_and_the_latest(world: World) -> None:
    with world.inside():
        first = make_mutation(world.agent, world.visitor, draft=make_draft("The user likes tea."))
        quote = first.evidence[0]["quote"]
    for number in range(15):
        seen = observation(world, "The user likes tea.")
        with world.inside():
            Observation.objects.filter(pk=seen.pk).update(
                evidence=[seen.evidence[0] | {"quote": f"said {number}"}]
            )
        run(world)
    with world.inside():
        first.refresh_from_db()
        assert first.said_count == MutationSource.objects.count() == 16
        kept = [item["quote"] for item in first.evidence]
    assert kept == [quote, *(f"said {number}" for number in range(6, 15))]


@pytest.mark.parametrize("how", ["exact", "model", "content"])
def test_what_was_rejected_is_not_proposed_again(world: World, how: str) -> None:
    with world.inside():
        mutation = make_mutation(
            world.agent, world.visitor, draft=make_draft("The user likes tea.")
        )
    review.reject(mutation_id=mutation.pk, by=world.admin)
    seen = observation(
        world, "The user likes tea." if how == "exact" else "The user is fond of tea."
    )
    replies = {
        "exact": [],
        "model": [decided("repeat", about=1)],
        "content": [decided("mutate", TEA)],
    }
    run(world, *replies[how])
    with world.inside():
        seen.refresh_from_db()
        assert seen.status == "discarded"
        assert not Mutation.objects.pending().exists()


def test_a_rejection_is_no_grave_for_another_person(world: World) -> None:
    with world.inside():
        mutation = make_mutation(
            world.agent, make_visitor(), draft=make_draft("The user likes tea.")
        )
    review.reject(mutation_id=mutation.pk, by=world.admin)
    observation(world, "The user is fond of tea.")
    run(world, decided("mutate", TEA))
    with world.inside():
        assert Mutation.objects.pending().count() == 1


def test_a_stale_proposal_is_linked_from_its_successor(world: World) -> None:
    observation(world)
    run(world, decided("mutate", TEA))
    with world.inside():
        first = Mutation.objects.get()
        make_memory(world.agent, world.visitor, "The user likes mate.", key="/drinks")
    with pytest.raises(review.Stale):
        review.approve(mutation_id=first.pk, by=world.admin)
    run(world, decided("mutate", TEA))
    with world.inside():
        second = Mutation.objects.pending().get()
        assert (second.earlier_id, second.operation) == (first.pk, "modify")


# --- claims, death, limits -----------------------------------------------------------------------


def test_one_scope_is_decided_by_one_worker_and_others_go_on(world: World) -> None:
    observation(world, "The user drinks tea.")
    observation(world, "The user drinks mate.")
    with world.inside():
        other = make_observation(world.agent, make_visitor(), "The user drinks milk.")

    def meanwhile() -> None:
        tally, language = run(world, decided("discard"))
        assert tally.processed == 1
        assert "drinks milk" in language.transport.requests[0].text

    with using(language=Meanwhile(meanwhile, decided("discard")), embedder=StubEmbedder()):
        assert reconcile.step(world.tenant.pk).processed == 1
    with world.inside():
        other.refresh_from_db()
        assert other.status == "discarded"
        assert Observation.objects.waiting().count() == 1


def test_a_worker_that_dies_with_the_claim_leaves_work_that_is_done_once(world: World) -> None:
    observation(world)

    class Killed(BaseException):
        pass

    with pytest.raises(Killed):
        run(world, Killed())
    assert run(world)[0].taken == 0, "the lease still stands"
    with world.inside():
        Observation.objects.update(lease_until=Now() - timedelta(seconds=1))
    run(world, decided("mutate", TEA))
    assert run(world)[0].taken == 0
    with world.inside():
        assert Mutation.objects.count() == 1


def test_a_late_result_is_dropped(world: World) -> None:
    observation(world)

    def meanwhile() -> None:
        with world.inside():
            Observation.objects.update(lease_until=Now() - timedelta(seconds=1))
        run(world, decided("discard"))

    with using(language=Meanwhile(meanwhile, decided("mutate", TEA)), embedder=StubEmbedder()):
        assert reconcile.step(world.tenant.pk).processed == 0
    with world.inside():
        assert not Mutation.objects.exists()


def test_limits_are_waited_out_and_are_no_defer(world: World) -> None:
    seen = observation(world)
    tally, _ = run(world, RateLimited("slow down", 7.0))
    assert tally.stop
    with world.inside():
        seen.refresh_from_db()
        assert (seen.attempts, seen.defers, seen.status) == (0, 0, "new")
        assert seen.not_before is not None
    assert stages.ATTEMPTS > 1


def test_an_observation_that_cannot_be_written_fails_by_itself(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = observation(world), observation(world, "The user drinks mate.")
    real = reconcile._write

    def write(case: reconcile.Case, *rest: Any) -> int | None:
        if case.observation.pk == bad.pk:
            raise ValueError("not to be written")
        return real(case, *rest)

    monkeypatch.setattr(reconcile, "_write", write)
    with using(language=ScriptedLanguage(*[decided("discard")] * 2), embedder=StubEmbedder()):
        tally = stages.run("reconcile", reconcile.step, tenants=[world.tenant.pk])
    assert (tally.processed, tally.errors) == (1, {"ValueError": 1})
    with world.inside():
        bad.refresh_from_db()
        good.refresh_from_db()
        assert (bad.status, bad.attempts, bad.failed_because) == ("new", 1, "ValueError")
        assert good.status == "discarded"


def test_a_busy_scope_with_a_long_queue_holds_up_no_other(world: World) -> None:
    """A worker that was killed leaves a lease; the others need not wait for it to run out."""
    first = observation(world)
    for number in range(reconcile.LOOKAHEAD):
        observation(world, f"The user has {number} cats.")
    with world.inside():
        held = Now() + Value(timedelta(minutes=4))
        Observation.objects.filter(pk=first.pk).update(lease_until=held)
        make_observation(world.agent, make_visitor(), "The user drinks mate.")
        make_observation(world.agent, None, "The shop closes at six.")
    for _ in range(2):
        tally, _ = run(world, decided("discard"))
        assert (tally.taken, tally.processed) == (1, 1)
    tally, _ = run(world)
    assert tally.taken == 0


def test_what_a_model_proposes_can_be_stored_whatever_signs_it_has(world: World) -> None:
    observation(world)
    dirty = {
        "operation": "add", "key": "/dr\0inks", "description": "dri\0nks",
        "content": "Likes\0 tea.",
        "presence": "pattern", "trigger_patterns": ["te\0a", "\0"],
    }  # fmt: skip
    tally, _ = run(world, decided("mutate", dirty, reasoning="so\0"))
    assert (tally.mutated, tally.failed) == (1, 0)
    with world.inside():
        draft = Mutation.objects.get().draft
        assert (draft["content"], draft["description"]) == ("Likes tea.", "drinks")
        assert draft["trigger_patterns"] == ["tea"]
