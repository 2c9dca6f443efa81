"""The budget of always-shown memories: what a change does to the others."""

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.formats import Entry, body_cost
from memory.recall.standing import effect


def entry(pk: int, words: int, key: str = "") -> Entry:
    return Entry(pk, key or f"/m{pk}", f"label {pk}", "word " * words, "omnipresent")


def test_it_takes_what_is_left() -> None:
    held = [entry(1, 10)]
    new = entry(0, 20, "/new")
    found = effect(held, [*held, new], own=0, budget=2000, omnipresent=500)
    assert (found.before, found.budget, found.fits) == (body_cost(held[0]), 500, True)
    assert found.after == body_cost(held[0]) + body_cost(new)
    assert (found.pushed_out, found.let_in) == ((), ())


def test_a_longer_text_pushes_out_what_comes_after() -> None:
    held = [entry(1, 10), entry(2, 60), entry(3, 10)]
    longer = [entry(1, 40), *held[1:]]
    room = sum(map(body_cost, held)) + 10
    found = effect(held, longer, own=1, budget=2000, omnipresent=room)
    assert found.pushed_out == ("/m2",)
    back = effect(longer, held, own=1, budget=2000, omnipresent=room)
    assert (back.pushed_out, back.let_in) == ((), ("/m2",))


def test_the_newest_has_no_room_itself() -> None:
    held = [entry(1, 50)]
    found = effect(
        held, [*held, entry(0, 50)], own=0, budget=2000, omnipresent=body_cost(held[0]) + 5
    )
    assert (found.fits, found.pushed_out, found.after) == (False, (), found.before)


def test_a_delete_is_no_lack_of_room() -> None:
    held = [entry(1, 50), entry(2, 50)]
    found = effect(held, held[1:], own=1, budget=2000, omnipresent=body_cost(held[0]) + 5)
    assert (found.fits, found.let_in) == (True, ("/m2",))


@given(st.lists(st.integers(0, 60), max_size=8), st.integers(0, 60), st.integers(0, 300))
def test_never_over_budget_and_never_both(words: list[int], own: int, room: int) -> None:
    now = [entry(pk, count) for pk, count in enumerate(words, start=1)]
    then = [*now, entry(0, own)]
    found = effect(now, then, own=0, budget=2000, omnipresent=room)
    assert found.before <= room
    assert found.after <= room
    assert not set(found.pushed_out) & set(found.let_in)
    assert effect(now, now, own=0, budget=2000, omnipresent=room).pushed_out == ()
