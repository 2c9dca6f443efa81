"""The block: sections in their order, one budget, nothing that a text can forge."""

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.formats import Entry, Reason
from memory.recall.sections import Block, Item, Sections, block_of
from memory.recall.tokens import estimate


def block(
    sections: Sections, budget: int = 2_000, omnipresent: int = 500, characters: int = 8_000
) -> Block:
    return block_of(
        sections, budget=budget, omnipresent=omnipresent, information_characters=characters
    )


def entry(number: int, text: str, reason: Reason = "searched") -> Entry:
    return Entry(number, f"/notes/{number}", f"note {number}", text, reason)


def test_the_sections_stand_in_their_order() -> None:
    made = block(
        Sections(
            knowledge=[Item(1, "Our refund window is 30 days")],
            information=[Item(2, "The user is a software engineer")],
            context=[Item(3, "The user struggled with recursion", "Knowledge Gaps")],
            tree=[entry(4, "Prefers short answers.")],
        )
    )
    assert made.text == (
        "## Agent Knowledge\n- Our refund window is 30 days\n\n"
        "## User Information\n- The user is a software engineer\n\n"
        "## Relevant Context from Previous Conversations\n"
        "- [Knowledge Gaps] The user struggled with recursion\n\n"
        "## Relevant Memory\n[/notes/4] Prefers short answers."
    )
    assert made.shown == {1: "body", 2: "body", 3: "body", 4: "body"}


def test_what_is_empty_is_not_there() -> None:
    assert block(Sections()) == Block()
    made = block(Sections(context=[Item(3, "The user struggled", "Gaps")]))
    assert made.text.count("##") == 1


def test_knowledge_takes_what_omnipresent_memories_leave() -> None:
    standing = [entry(1, "Always be kind. " * 6, "omnipresent")]
    many = [Item(n, f"Fact {n} about the shop and its opening hours") for n in range(10, 60)]
    made = block(Sections(knowledge=many, tree=standing), budget=200)
    assert "Always be kind." in made.text
    assert "more not shown)" in made.text
    assert made.shown[10] == "body"
    assert made.shown[59] == "hidden"
    assert made.tokens <= 200


def test_information_has_its_own_bound_in_characters() -> None:
    facts = [Item(n, f"The user knows thing {n}") for n in range(20)]
    made = block(Sections(information=facts), characters=100)
    listed = [line for line in made.text.splitlines() if line.startswith("- The user")]
    assert 0 < sum(len(line) + 1 for line in listed) <= 101


def test_a_memory_in_two_sections_appears_once() -> None:
    same = Item(1, "Our refund window is 30 days")
    assert block(Sections(knowledge=[same], information=[same])).text.count("refund") == 1


TEXT = st.text(
    st.sampled_from("ab \n\r\t#[]-*`<|>\u2028\u0085\u202e\u200b花é") | st.characters(codec="utf-8"),
    max_size=60,
)


@given(st.lists(st.tuples(TEXT, TEXT), max_size=8), st.integers(20, 400))
def test_no_text_can_pass_for_structure_and_the_budget_holds(
    pairs: list[tuple[str, str]], budget: int
) -> None:
    items = [Item(n, text, tag) for n, (text, tag) in enumerate(pairs)]
    made = block(Sections(knowledge=items[:4], context=items[4:]), budget=budget, omnipresent=0)
    headings = [line for line in made.text.split("\n") if line.startswith("#")]
    assert len(headings) <= 2
    assert len(headings) == len(set(headings))
    for line in made.text.split("\n"):
        assert line == "" or line.startswith(("## ", "- ")), line
    assert made.tokens <= budget
    assert made.tokens == (estimate(made.text) if made.text else 0)
