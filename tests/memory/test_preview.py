"""Approve, recall, take back: both blocks are right, and no row of any table is another."""

from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.db import connection

from memory import providers, review
from memory.models import Draft, Memory, Mutation, Presence
from memory.preview import preview
from tests.factories import World, make_draft, make_member, make_memory, make_mutation
from tests.fakes import StubEmbedder

pytestmark = pytest.mark.django_db(transaction=True)


def everything(world: World) -> dict[str, list[Any]]:
    """Every row of every table of ours, as the database has it."""
    rows = {}
    with world.inside(), connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            table = model._meta.db_table
            cursor.execute(f'SELECT * FROM "{table}"')
            rows[table] = sorted(map(repr, cursor.fetchall()))
    return rows


@pytest.fixture
def world() -> Any:
    with providers.using(embedder=StubEmbedder()):
        yield World()


def proposals(world: World) -> dict[str, Mutation]:
    with world.inside():
        held = make_memory(world.agent, world.visitor, "Eats sushi on Friday.", key="/food")
        other = make_memory(world.agent, world.visitor, "Rides a red bicycle.", key="/bicycle")
        add = make_draft("Plays the cello.", key="/cello")
        return {
            "add": make_mutation(world.agent, world.visitor, draft=add),
            "modify": make_mutation(
                world.agent, world.visitor, operation="modify", target=held,
                draft=Draft(content="Eats sushi on Monday."),
            ),
            "delete": make_mutation(
                world.agent, world.visitor, operation="delete", target=other
            ),
        }  # fmt: skip


@pytest.mark.parametrize(
    ("which", "message", "before", "after"),
    [
        ("add", "cello", "", "[/cello] Plays the cello."),
        ("modify", "sushi", "Eats sushi on Friday.", "Eats sushi on Monday."),
        ("delete", "bicycle", "Rides a red bicycle.", ""),
    ],
)
def test_both_blocks_and_not_a_row_of_difference(
    world: World, which: str, message: str, before: str, after: str
) -> None:
    mutation = proposals(world)[which]
    rows = everything(world)
    found = preview(mutation_id=mutation.pk, by=world.admin, message=message, version=1)
    assert before in found.before.block
    assert after in found.after.block
    assert bool(found.before.block) == bool(before)
    assert bool(found.after.block) == bool(after)
    assert everything(world) == rows
    review.approve(mutation_id=mutation.pk, by=world.admin, version=1)  # and it still can be
    assert everything(world) != rows


def test_a_proposal_without_a_vector_says_so(world: World) -> None:
    plain = proposals(world)["add"]
    embedder = StubEmbedder()
    with world.inside():
        vector = embedder.embed(["Plays chess."], timeout=1)[0]
        with_vector = make_mutation(
            world.agent, world.visitor, draft=make_draft("Plays chess."),
            space=embedder.space, vector=np.asarray(vector).tolist(),
        )  # fmt: skip
    space = embedder.space
    with world.inside():
        world.tenant.__class__.objects.filter(pk=world.tenant.pk).update(space=space)
    assert preview(mutation_id=plain.pk, by=world.admin, message="cello").by_words_alone
    found = preview(mutation_id=with_vector.pk, by=world.admin, message="chess")
    assert not found.by_words_alone
    assert found.after.memories[0].leg == "semantic+keyword"


def _stale(world: World, mutation: Mutation) -> None:
    make_memory(world.agent, world.visitor, "Another.", key="/cello")


def _off(world: World, mutation: Mutation) -> None:
    type(world.visitor).objects.update(auto_capture_enabled=False)


def _shown(world: World, mutation: Mutation) -> None:
    Mutation.objects.filter(pk=mutation.pk).update(version=2)


@pytest.mark.parametrize(
    ("spoil", "refusal"),
    [
        (_stale, review.Stale),
        (_off, review.SwitchedOff),
        (_shown, review.ChangedSinceShown),
    ],
)
def test_a_refusal_is_raised_and_not_recorded(world: World, spoil: Any, refusal: Any) -> None:
    mutation = proposals(world)["add"]
    with world.inside():
        spoil(world, mutation)
    rows = everything(world)
    with pytest.raises(refusal):
        preview(mutation_id=mutation.pk, by=world.admin, message="cello", version=1)
    assert everything(world) == rows


def test_only_who_may_decide_may_try(world: World) -> None:
    mutation = proposals(world)["add"]
    with world.inside():
        everyone = make_mutation(world.agent)
        viewer, editor = make_member("viewer"), make_member("editor")
    rows = everything(world)
    for pk, by in ((mutation.pk, viewer), (everyone.pk, editor)):
        with pytest.raises(review.MayNotDecide):
            preview(mutation_id=pk, by=by, message="cello")
    assert everything(world) == rows
    assert preview(mutation_id=mutation.pk, by=editor, message="cello").after.block
    foreign = World()
    with pytest.raises(review.NoSuchMutation):
        preview(mutation_id=mutation.pk, by=foreign.admin, message="cello")


def test_what_is_for_everyone_is_tried_as_nobody_known(world: World) -> None:
    with world.inside():
        make_memory(world.agent, world.visitor, "Private cello lessons.")
        draft = make_draft("Be kind.", key="/tone", presence=Presence.OMNIPRESENT)
        mutation = make_mutation(world.agent, draft=draft)
    found = preview(mutation_id=mutation.pk, by=world.admin, message="cello")
    assert (found.before.block, found.after.block) == ("", "## Relevant Memory\n[/tone] Be kind.")
    with world.inside():
        assert Memory.objects.filter(key="/tone").count() == 0
