"""Repeats confirm, contradictions modify once, new facts are added, nothing is lost."""

import pytest

from memory.models.draft import Presence
from tests.memory.providers.offline.helpers import known, reconcile, said

JAZZ = known(1, "Loves live jazz", key="/preferences/music/jazz")


@pytest.mark.parametrize(
    ("statement", "content"),
    [
        ("The user loves live jazz.", "Loves live jazz"),
        ("The user really enjoys live jazz.", "The user loves live jazz."),
        ("The user is allergic to nuts.", "The user is allergic to nuts."),
        ("The user works as a nurse.", "Works as a nurse"),
        ("The user lives in Porto.", "The user lives in Porto with two cats."),
    ],
)
@pytest.mark.parametrize("state", ["memory", "pending", "rejected"])
def test_a_repeat_is_about_what_it_restates(statement: str, content: str, state: str) -> None:
    decision = reconcile(statement, known(4, "The user has a dog."), known(7, content, state))
    assert (decision.action, decision.about, decision.proposals) == ("repeat", 7, ())


@pytest.mark.parametrize(
    ("statement", "content"),
    [
        (said("To be honest I can't bear jazz these days.")[0], "Loves live jazz"),
        ("The user is not allergic to peanuts.", "The user is allergic to peanuts."),
        ("The user moved to Lisbon.", "The user lives in Porto."),
        ("The user's deadline is Monday.", "The user's deadline is Friday."),
        ("The user hates tea.", "The user likes tea."),
    ],
)
def test_a_contradiction_is_one_modify_of_the_memory(statement: str, content: str) -> None:
    decision = reconcile(statement, known(3, "The user plays chess."), known(5, content))
    assert decision.action == "mutate"
    (proposal,) = decision.proposals
    assert (proposal.operation, proposal.target) == ("modify", 5)
    assert proposal.draft.content == statement
    assert "key" not in proposal.draft.given()  # the memory keeps its place


def test_a_near_vector_does_not_hide_a_contradiction() -> None:
    near = known(1, "The user is allergic to peanuts.")
    twin = type(near)(**{**near.__dict__, "similarity": 0.98})
    decision = reconcile("The user is not allergic to peanuts.", twin)
    assert [p.operation for p in decision.proposals] == ["modify"]


@pytest.mark.parametrize(
    ("statement", "branch", "presence"),
    [
        ("The user likes tea.", "/preferences", Presence.ON_DEMAND),
        ("The user is allergic to peanuts.", "/health/allergies", Presence.OMNIPRESENT),
        ("The user's name is Ana.", "/identity/name", Presence.OMNIPRESENT),
        ("The user prefers short, bulleted answers.", "/preferences/answers", Presence.OMNIPRESENT),
        ("The user lives in Porto.", "/home", Presence.ON_DEMAND),
        ("The user works as a nurse.", "/work", Presence.ON_DEMAND),
        ("The user's cat is called Pixel.", "/pets", Presence.ON_DEMAND),
        ("The user's sister had a baby.", "/family", Presence.ON_DEMAND),
        ("The user broke their ankle on 2 March 2026.", "/health", Presence.ON_DEMAND),
        ("The user is planning a trip to Japan.", "/plans", Presence.ON_DEMAND),
    ],
)
def test_a_new_fact_is_added_in_its_place(statement: str, branch: str, presence: Presence) -> None:
    decision = reconcile(statement, JAZZ)
    (proposal,) = decision.proposals
    draft = proposal.draft
    assert (proposal.operation, draft.content, draft.presence) == ("add", statement, presence)
    assert draft.key is not None
    assert draft.key.startswith(branch)
    assert draft.description
    assert len(draft.description) < 60


def test_keys_are_stable_and_never_clash_with_another_fact() -> None:
    first = reconcile("The user likes green tea.").proposals[0].draft.key
    assert first == reconcile("The user likes green tea.").proposals[0].draft.key
    assert first is not None
    taken = known(1, "The user drinks a rare oolong on Sundays.", key=first)
    second = reconcile("The user likes green tea.", taken).proposals[0].draft.key
    assert second not in {None, first}


@pytest.mark.parametrize("statement", ["The user is fine.", "The user is very tired.", "  "])
def test_what_says_nothing_is_discarded(statement: str) -> None:
    assert reconcile(statement).action == "discard"


def test_a_request_to_forget_is_a_delete_of_what_it_names_and_nothing_else() -> None:
    memories = (known(1, "The user has a dog called Rex."), known(2, "The user likes tea."))
    decision = reconcile("The user wants you to forget that they have a dog called Rex.", *memories)
    assert [(p.operation, p.target) for p in decision.proposals] == [("delete", 1)]
    assert reconcile("The user wants you to forget about the yacht.", *memories).action == "discard"


@pytest.mark.parametrize("state", ["pending", "rejected"])
def test_only_memories_are_modified(state: str) -> None:
    decision = reconcile("The user hates tea.", known(2, "The user likes tea.", state))
    assert [p.operation for p in decision.proposals] == ["add"]


def test_two_contrary_proposals_share_a_key_so_that_only_one_can_be_added() -> None:
    waiting = known(2, "The user likes tea.", "pending", "/preferences/food/tea")
    (proposal,) = reconcile("The user hates tea.", waiting).proposals
    assert (proposal.operation, proposal.draft.key) == ("add", "/preferences/food/tea")


@pytest.mark.parametrize(
    ("statement", "branch"),
    [
        ("The user's cousin Tomas can't stand sailing.", "/family"),
        ("The user's dog is allergic to fleas.", "/pets"),
        ("The user's roommate works as a nurse.", "/people"),
        ("The user's sister lives in Oslo.", "/family"),
    ],
)
def test_what_is_said_of_others_stands_under_them(statement: str, branch: str) -> None:
    draft = reconcile(statement).proposals[0].draft
    assert draft.key is not None
    assert draft.key.startswith(branch)
    assert draft.presence is Presence.ON_DEMAND


def test_a_change_says_what_it_now_is_about() -> None:
    (proposal,) = reconcile("The user can't bear jazz.", JAZZ).proposals
    assert proposal.draft.description == "Music they dislike"


def test_a_plan_to_move_is_not_yet_a_new_home() -> None:
    home = known(1, "The user lives in Porto.")
    plan = reconcile("The user is moving to Lisbon in April 2026.", home)
    assert [p.operation for p in plan.proposals] == ["add"]


HOME = known(1, "The user lives in Porto.", key="/home/city")
DOG = known(2, "The user has a dog.", key="/pets/dog")
CATS = known(3, "The user's household has two cats.", key="/pets/cats")
JOB = known(4, "The user works at Siemens.", key="/work/employer")
CHESS = known(5, "The user plays chess.", key="/hobbies/chess")
NUTS = known(6, "The user is allergic to nuts.", key="/health/allergies/nuts")
ALL = (HOME, DOG, CATS, JOB, CHESS, NUTS)


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        ("The user no longer has a dog.", 2),
        ("The user's household no longer has cats.", 3),
        ("The user no longer works at Siemens.", 4),
        ("The user does not live in Porto anymore.", 1),
        ("The user stopped playing chess.", 5),
        ("The user used to live in Porto.", 1),
        ("The user asks to forget that they have cats.", 3),
        ("The user asks to forget their employer.", 4),
        ("The user asks to forget that they are allergic to nuts.", 6),
        ("The user asks to forget where they live.", 1),
        ("It is no longer true that the user has a dog.", 2),
        ("It is no longer true that the user lives in Porto.", 1),
    ],
)
def test_what_is_over_or_to_be_forgotten_is_a_delete(statement: str, target: int) -> None:
    decision = reconcile(statement, *ALL)
    assert [(p.operation, p.target) for p in decision.proposals] == [("delete", target)]


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        ("The user no longer lives in Porto, they moved to Lisbon.", 1),
        ("The user moved to Lisbon.", 1),
        ("The user is not allergic to nuts anymore.", 6),
        ("The user no longer has two cats but three cats.", 3),
    ],
)
def test_what_has_something_in_its_place_is_a_change(statement: str, target: int) -> None:
    decision = reconcile(statement, *ALL)
    assert [(p.operation, p.target) for p in decision.proposals] == [("modify", target)]
    assert decision.proposals[0].draft.content == statement


@pytest.mark.parametrize(
    "statement",
    [
        "The user no longer has a parrot.",
        "The user's household no longer has a boat.",
        "The user does not live in Rome anymore.",
        "The user asks to forget their shoe size.",
        "The user asks to forget that they have a boat.",
        "It is no longer true that the user has a parrot.",
    ],
)
def test_what_takes_back_nothing_that_is_stored_is_discarded(statement: str) -> None:
    assert reconcile(statement, *ALL).action == "discard"


def test_a_denial_worth_knowing_is_kept_even_alone() -> None:
    for statement in ("The user is not allergic to eggs anymore.", "The user no longer eats meat."):
        assert [p.operation for p in reconcile(statement, DOG).proposals] == ["add"]


def test_everything_about_a_person_is_a_delete_of_each_memory_and_of_no_proposal() -> None:
    waiting = known(7, "The user likes tea.", "pending")
    decision = reconcile("The user asks to forget everything about them.", HOME, waiting, DOG)
    assert [(p.operation, p.target) for p in decision.proposals] == [("delete", 1), ("delete", 2)]


@pytest.mark.parametrize(
    ("content", "statement"),
    [
        ("The user has two cats.", "The user's household has two cats."),
        ("The user's household lives in Porto.", "The user lives in Porto."),
        ("The user and others have two cats.", "The user has two cats."),
        ("The user went camping.", "The user and others went camping."),
    ],
)
def test_what_the_household_has_the_user_has(content: str, statement: str) -> None:
    assert reconcile(statement, known(1, content)).action == "repeat"
