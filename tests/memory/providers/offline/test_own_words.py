"""What a message only carries, supposes or heads is no statement of its sender."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.providers.offline.foreign import own
from tests.memory.providers.offline.helpers import observe, said


@pytest.mark.parametrize(
    "text",
    [
        "> I live in Rome",
        "> I live in Rome\n>> and I have two cats",
        "On Tuesday Ann wrote:\nI live in Rome\nI have two cats",
        "On Tue, 3 Mar 2026 at 10:15, Ann <ann@mail.test> wrote:\n\nI live in Rome.",
        "Thanks!\n\n-----Original Message-----\nFrom: Ann\nI am a nurse",
        "---------- Forwarded message ---------\nI am a nurse and I have a dog.",
        "From: Ann\nSent: Monday\nTo: me\n\nI am allergic to nuts.",
        '"I live in a yellow submarine"',
        "“I have climbed the highest mountains. I have run through the fields.”",
        "Ann: I live in Rome",
        "[10:15] Ann: I live in Rome\n[10:16] Bob: I have a dog",
        "User: I am a nurse\nAssistant: I prefer tea",
        "My sister said: I am a nurse",
        "Please translate: I am a nurse from Porto",
        'Translate this to French: "I live in Rome."',
        "Can you proofread this email:\nDear Sir, I am a nurse and I live in Rome.",
        "Summarise the following text:\n\nI grew up in Iowa.\n\nMy father was a baker.",
        "Here is the letter I got: I am your landlord. I live next door.",
        '```\nmy_name = "I am a nurse"\n```',
        "```python\nI = 3\nmy_dog = I + 2",
        'print("I am a nurse")',
        "// I live in Rome",
        "♪ I walk the line ♪",
    ],
)
def test_quoted_and_pasted_words_are_not_the_users(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Porto.\n> I live in Rome", ["The user lives in Porto."]),
        (
            "On Monday, Ann <ann@mail.test> wrote:\n> I live in Rome\n\nI live in Porto.",
            ["The user lives in Porto."],
        ),
        ('"I live in Rome", says Ann. I live in Porto.', ["The user lives in Porto."]),
        ("I live in Porto. Please translate: I am a nurse", ["The user lives in Porto."]),
        ('My favourite book is "Dune".', ['The user\'s favourite book is "Dune"']),
        ("I love this: pizza", ["The user loves this: pizza."]),
        ("Allergies: I can't eat nuts", ["The user can't eat nuts."]),
    ],
)
def test_the_users_own_words_beside_them_count(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "If I lived in Paris, I would drink wine.",
        "If I had a dog I'd call it Rex",
        "I wish I had a dog",
        "I often wish I lived by the sea.",
        "Suppose I live in Rome. I have two kids. What tax do I pay?",
        "Let's say I'm a nurse.",
        "Imagine I have a dog.",
        "Assume that my income is 3000 euros.",
        "Pretend I am your boss.",
        "What if I moved to Rome",
        "I would live in Paris if I could",
        "Were I a nurse, I'd know.",
        "If only my flat had a garden",
        "Hypothetically, I own a yacht.",
    ],
)
def test_what_is_only_supposed_is_no_fact(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("If I eat nuts, I get hives.", "If the user eats nuts, they get hives."),
        ("When I was ten I broke my arm.", "When the user was ten they broke their arm."),
        ("I'd love to have a dog.", "The user would love to have a dog."),
        ("I asked if I could work from home.", "The user asked if they could work from home."),
    ],
)
def test_what_holds_on_a_condition_or_is_wished_for_is_kept(text: str, expected: str) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    "headline",
    [
        "Good news: ", "Quick update - ", "Small correction: ", "Small change: ", "Fun fact: ",
        "Update on my leg: ", "PS: ", "One more thing - ", "Just to clarify: ", "Background: ",
        "About my health: ", "Context — ", "For your information: ", "My answer: ", "Note: ",
        "To sum up: ", "Honestly: ", "Two things: ", "Big change - ", "News: ",
    ],
)  # fmt: skip
def test_a_headline_before_a_statement_is_no_part_of_it(headline: str) -> None:
    assert said(f"{headline}I am not allergic to peanuts anymore.") == [
        "The user is not allergic to peanuts anymore."
    ]


@pytest.mark.parametrize("label", ["Ann", "Dr. House", "Ann Smith", "Tomas", "Assistant"])
def test_who_speaks_is_not_a_headline(label: str) -> None:
    assert said(f"{label}: I am allergic to peanuts.") == []


@given(st.text(alphabet=st.sampled_from(list('ab I>:"“”`\n./({;♪-')), max_size=120))
def test_blanking_keeps_length_and_what_is_left(text: str) -> None:
    left = own(text)
    assert len(left) == len(text)
    assert all(new in ("\n", old) for new, old in zip(left, text, strict=True))


def test_a_quote_is_cut_from_the_message_as_it_was_written() -> None:
    text = "> I live in Rome\n\nI’m a nurse. ```x```\nI live in Porto."
    assert [f.quote for f in observe(("user", text))] == ["I’m a nurse.", "I live in Porto."]
