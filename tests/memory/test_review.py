"""A decision is locked, checked, recorded, final."""

from typing import Any

import pytest

from memory import review
from memory.models import Draft, Event, Memory, MemoryVersion, Mutation, Observation, Tombstone
from tenants.models import AuditEntry, Role
from tests.factories import (
    World,
    make_agent,
    make_draft,
    make_member,
    make_memory,
    make_mutation,
    make_visitor,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World()


def audited(verb: str) -> int:
    return AuditEntry.objects.filter(verb=verb).count()


def test_approving_an_add_makes_one_memory_with_version_event_and_audit(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft(key="/a/b"))
    decided = review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        memory = Memory.objects.get()
        assert decided.memory == memory
        assert (memory.key, memory.agent_id, memory.visitor_id, memory.version) == (
            "/a/b", world.agent.pk, world.visitor.pk, 1,
        )  # fmt: skip
        assert decided.mutation.status == "approved"
        assert decided.mutation.resolved_by_id == world.admin.user_id
        assert MemoryVersion.objects.get().mutation_id == mutation.pk
        assert Event.objects.get().kind == "memory.created"
        assert audited("mutation.approved") == 1


def test_a_second_decision_is_told_who_and_when(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    review.approve(mutation_id=mutation.pk, by=world.admin)
    for verb in (review.approve, review.reject):
        with pytest.raises(review.AlreadyDecided, match=r"already approved by user-\d+ at 20"):
            verb(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        assert Memory.objects.count() == 1
        assert Event.objects.count() == 1


def test_modify_patches_keeps_birth_and_source_and_counts_a_version(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor, source={"import": "crm"})
        born = memory.created_at
        mutation = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="The user prefers coffee."),
        )  # fmt: skip
    review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        memory.refresh_from_db()
        assert memory.content == "The user prefers coffee."
        assert (memory.version, memory.created_at, memory.source) == (2, born, {"import": "crm"})
        kept = MemoryVersion.objects.get(memory=memory, version=1)
        assert kept.draft["content"] == "The user likes tea."


def test_delete_closes_and_undo_brings_it_back(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        mutation = make_mutation(world.agent, world.visitor, operation="delete", target=memory)
    review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        assert not Memory.objects.live().exists()
    undone = review.undo(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        memory = Memory.objects.live().get()
        assert memory.content == "The user likes tea."
        assert undone.fresh is not None
        assert undone.fresh.target_version == memory.version
        assert Mutation.objects.pending().get() == undone.fresh
        assert [e.kind for e in Event.objects.order_by("id")] == [
            "memory.created", "memory.deleted", "memory.created",
        ]  # fmt: skip


def test_a_target_that_changed_makes_it_stale_and_sends_the_observation_back(world: World) -> None:
    with world.inside():
        memory = make_memory(world.agent, world.visitor)
        first, second = (
            make_mutation(
                world.agent, world.visitor, operation="modify", target=memory,
                draft=Draft(content=text),
            )
            for text in ("The user likes rooibos.", "The user likes mate.")
        )  # fmt: skip
    review.approve(mutation_id=first.pk, by=world.admin)
    with pytest.raises(review.Stale):
        review.approve(mutation_id=second.pk, by=world.admin)
    with world.inside():
        second.refresh_from_db()
        assert (second.status, second.resolution) == ("rejected", "stale")
        source = Observation.objects.get(mutations__mutation=second)
        assert (source.status, source.stale_returns) == ("new", 1)
        memory.refresh_from_db()
        assert memory.content == "The user likes rooibos."
        assert audited("mutation.stale") == 1


def test_an_add_whose_key_is_taken_by_now_is_stale(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft(key="/drinks"))
        make_memory(world.agent, world.visitor, "The user likes mate.", key="/drinks")
    with pytest.raises(review.Stale, match="key is taken"):
        review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        assert Memory.objects.get().content == "The user likes mate."


@pytest.mark.parametrize("elsewhere", ["visitor", "agent", "everyone"])
@pytest.mark.parametrize("operation", ["modify", "delete"])
def test_a_target_outside_the_scope_is_refused_and_rejected(
    world: World, elsewhere: str, operation: str
) -> None:
    with world.inside():
        agent = make_agent() if elsewhere == "agent" else world.agent
        visitor = {"visitor": make_visitor(), "agent": world.visitor, "everyone": None}[elsewhere]
        memory = make_memory(agent, visitor)
        draft = Draft(content="Hijacked.") if operation == "modify" else Draft()
        mutation = make_mutation(
            world.agent, world.visitor, operation=operation, target=memory, draft=draft
        )
    with pytest.raises(review.OutOfScope):
        review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        mutation.refresh_from_db()
        memory.refresh_from_db()
        assert mutation.status == "rejected"
        assert (memory.content, memory.version, memory.deleted_at) == (
            "The user likes tea.",
            1,
            None,
        )


def test_a_rejection_leaves_a_tombstone_and_its_undo_lifts_it(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    review.reject(mutation_id=mutation.pk, by=world.admin, reason="not true")
    with world.inside():
        stone = Tombstone.objects.standing().get()
        assert (stone.agent_id, stone.visitor_id) == (world.agent.pk, world.visitor.pk)
        assert not Memory.objects.exists()
    undone = review.undo(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        assert not Tombstone.objects.standing().exists()
        assert undone.fresh is not None
        assert undone.fresh.earlier_id == mutation.pk
        assert Mutation.objects.pending().count() == 1


def test_undoing_an_add_is_refused_once_the_memory_moved_on(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    memory = review.approve(mutation_id=mutation.pk, by=world.admin).memory
    assert memory is not None
    with world.inside():
        later = make_mutation(
            world.agent, world.visitor, operation="modify", target=memory,
            draft=Draft(content="The user prefers coffee."),
        )  # fmt: skip
    review.approve(mutation_id=later.pk, by=world.admin)
    with pytest.raises(review.CannotUndo, match="changed since"):
        review.undo(mutation_id=mutation.pk, by=world.admin)
    review.undo(mutation_id=later.pk, by=world.admin)
    with world.inside():
        assert Memory.objects.live().get().content == "The user likes tea."


def test_nothing_is_undone_twice(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    review.approve(mutation_id=mutation.pk, by=world.admin)
    review.undo(mutation_id=mutation.pk, by=world.admin)
    with pytest.raises(review.CannotUndo, match="already undone"):
        review.undo(mutation_id=mutation.pk, by=world.admin)


def test_an_edit_is_what_is_stored_and_says_it_was_edited(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor, draft=make_draft(key="/drinks"))
    decided = review.edit(
        mutation_id=mutation.pk, by=world.admin, changes={"content": "The user loves green tea."}
    )
    with world.inside():
        memory = Memory.objects.get()
        assert (memory.key, memory.content) == ("/drinks", "The user loves green tea.")
        assert decided.mutation.resolution == "edited"
        assert decided.mutation.draft["content"] == memory.content


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"content": ""}, "content"),
        ({"content": "x" * 2_001}, "content"),
        ({"presence": "sometimes"}, "presence"),
        ({"key": "///"}, "key"),
        ({"tenant_id": 7}, "tenant_id"),
        ({"presence": "pattern", "trigger_patterns": []}, "trigger_patterns"),
    ],
)
def test_an_edit_that_cannot_be_stored_names_its_field(
    world: World, changes: dict[str, object], named: str
) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    with pytest.raises(review.InvalidEdit, match=named):
        review.edit(mutation_id=mutation.pk, by=world.admin, changes=changes)
    with world.inside():
        mutation.refresh_from_db()
        assert mutation.status == "pending"


@pytest.mark.parametrize(
    ("role", "wide", "may"),
    [
        (Role.VIEWER, False, False),
        (Role.VIEWER, True, False),
        (Role.EDITOR, False, True),
        (Role.EDITOR, True, False),
        (Role.ADMIN, False, True),
        (Role.ADMIN, True, True),
        (Role.OWNER, False, True),
        (Role.OWNER, True, True),
    ],
)
@pytest.mark.parametrize("verb", ["approve", "reject", "edit", "undo"])
def test_who_may_decide_what(world: World, role: Role, wide: bool, may: bool, verb: str) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, None if wide else world.visitor)
        member = make_member(role)
    if verb == "undo":
        review.reject(mutation_id=mutation.pk, by=world.admin)
    arguments = {"changes": {"content": "The user likes green tea."}} if verb == "edit" else {}
    act = getattr(review, verb)
    if may:
        act(mutation_id=mutation.pk, by=member, **arguments)
        return
    with pytest.raises(review.MayNotDecide):
        act(mutation_id=mutation.pk, by=member, **arguments)
    with world.inside():
        mutation.refresh_from_db()
        assert mutation.status == ("rejected" if verb == "undo" else "pending")


def test_what_changed_since_it_was_shown_is_not_decided(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
        Mutation.objects.filter(pk=mutation.pk).update(version=2)
    with pytest.raises(review.ChangedSinceShown):
        review.approve(mutation_id=mutation.pk, by=world.admin, version=1)
    review.approve(mutation_id=mutation.pk, by=world.admin, version=2)


def test_a_person_who_switched_off_keeps_it_pending(world: World) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
        world.visitor.auto_capture_enabled = False
        world.visitor.save()
    with pytest.raises(review.SwitchedOff):
        review.approve(mutation_id=mutation.pk, by=world.admin)
    with world.inside():
        mutation.refresh_from_db()
        assert mutation.status == "pending"


def test_another_tenants_mutation_is_unknown(world: World) -> None:
    other = World()
    with other.inside():
        mutation = make_mutation(other.agent, other.visitor)
    for number in (mutation.pk, 10**12):
        with pytest.raises(review.NoSuchMutation):
            review.approve(mutation_id=number, by=world.admin)


@pytest.mark.parametrize("name", ["description", "content"])
def test_an_edited_text_is_cleaned_like_any_other(world: World, name: str) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    changes = {name: "te\0a \ud800", "trigger_patterns": ["dri\0nk"]}
    memory = review.edit(mutation_id=mutation.pk, by=world.admin, changes=changes).memory
    assert memory is not None
    assert getattr(memory, name) == "tea \ufffd"
    assert memory.trigger_patterns == ["drink"]


@pytest.mark.parametrize(
    "changes", [{"label": "x"}, {"slug": "x"}, {"category": "x"}, {"pinned": True}, {"nonsense": 1}]
)
def test_an_edit_names_the_field_that_is_none_of_a_learned_memory(
    world: World, changes: dict[str, Any]
) -> None:
    with world.inside():
        mutation = make_mutation(world.agent, world.visitor)
    with pytest.raises(review.InvalidEdit, match=next(iter(changes))):
        review.edit(mutation_id=mutation.pk, by=world.admin, changes=changes)


# --- many at once ------------------------------------------------------------------------------


def test_each_of_many_ends_by_itself(world: World) -> None:
    with world.inside():
        first, decided, changed, last = (
            make_mutation(world.agent, make_visitor(), draft=make_draft(text))
            for text in ("One.", "Two.", "Three.", "Four.")
        )
    review.reject(mutation_id=decided.pk, by=world.admin)
    items = [
        (first.pk, first.version), (decided.pk, None), (changed.pk, changed.version + 1),
        (first.pk, None), (2**40, 1), (last.pk, last.version),
    ]  # fmt: skip
    ended = [
        (number, refusal.code if refusal is not None else "")
        for number, refusal in review.approve_each(items=items, by=world.admin)
    ]
    assert ended == [
        (first.pk, ""), (decided.pk, "decided"), (changed.pk, "changed"), (first.pk, "decided"),
        (2**40, "not-found"), (last.pk, ""),
    ]  # fmt: skip
    with world.inside():
        assert sorted(Memory.objects.values_list("content", flat=True)) == ["Four.", "One."]


def test_what_is_decided_is_the_row_that_is_kept(world: World) -> None:
    """The answer carries what the database holds, though the row is not read again."""
    with world.inside():
        mutations = [make_mutation(world.agent, make_visitor()) for _ in range(3)]
    answers = [
        review.approve(mutation_id=mutations[0].pk, by=world.admin),
        review.reject(mutation_id=mutations[1].pk, by=world.admin, reason="not true"),
        review.edit(mutation_id=mutations[2].pk, by=world.admin, changes={"content": "Else."}),
    ]
    for answer in answers:
        with world.inside():
            kept = Mutation.objects.get(pk=answer.mutation.pk)
        for field in Mutation._meta.concrete_fields:
            if field.name == "vector":
                continue
            assert getattr(kept, field.attname) == getattr(answer.mutation, field.attname), field
