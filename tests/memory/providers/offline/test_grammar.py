"""The first person turned into the third, verbs agreeing."""

import pytest

from memory.providers.offline.grammar import third, turn


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("I like tea", "The user likes tea"),
        ("I'm a nurse", "The user is a nurse"),
        ("I’m a nurse".replace("’", "'"), "The user is a nurse"),
        ("I've got a dog", "The user has got a dog"),
        ("I'd love to go", "The user would love to go"),
        ("I'd been there", "The user had been there"),
        ("I don't eat meat", "The user does not eat meat"),
        ("I can't swim", "The user can't swim"),
        ("I was ill", "The user was ill"),
        ("I went home", "The user went home"),
        ("I really enjoy chess", "The user really enjoys chess"),
        ("I study law", "The user studies law"),
        ("I watch birds", "The user watches birds"),
        ("I need glasses", "The user needs glasses"),
        ("I wanna be a vet", "The user wants to be a vet"),
        ("I'm gonna move", "The user is going to move"),
        ("I try my best", "The user tries their best"),
        ("I live in Porto and work as a nurse", "The user lives in Porto and works as a nurse"),
        ("I like to swim and run", "The user likes to swim and run"),
        ("I was born in Iowa and I'm 30", "The user was born in Iowa and they are 30"),
        ("my cat is called Pixel", "The user's cat is called Pixel"),
        ("My cousin Tomas can't stand sailing", "The user's cousin Tomas can't stand sailing"),
        ("My friend says I'm lazy", "The user's friend says the user is lazy"),
        ("My wife and I have two kids", "The user's wife and the user have two kids"),
        ("We went camping", "The user and others went camping"),
        ("It made me feel calm", "It made the user feel calm"),
        ('My boss said "I like it"', 'The user\'s boss said "I like it"'),
    ],
)
def test_turned(said: str, expected: str) -> None:
    assert turn(said, "The user") == expected


def test_a_name_stands_for_the_speaker() -> None:
    assert turn("I love my dog and it loves me", "Ana") == "Ana loves their dog and it loves them"


@pytest.mark.parametrize(
    ("base", "form"),
    [("go", "goes"), ("have", "has"), ("fly", "flies"), ("play", "plays"), ("fix", "fixes"),
     ("painted", "painted"), ("feed", "feeds"), ("must", "must"), ("am", "is")],
)  # fmt: skip
def test_third_person(base: str, form: str) -> None:
    assert third(base) == form
