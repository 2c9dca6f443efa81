"""Names and relations by form: what is a name in which writing, what relates, and any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.providers.cleaning import MASK
from memory.providers.offline.linking import LINKS_LIMIT, NAMES_LIMIT, named


def names(text: str) -> set[str]:
    return set(named(text).names)


def links(text: str) -> set[tuple[str, str, str]]:
    return {(link.subject, link.verb, link.object) for link in named(text).links}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ana Lima met Bob.", {"Ana Lima", "Bob"}),
        ("We moved to New York.", {"New York"}),
        ("the Bank of America said so", {"Bank of America", "America"}),
        ("see Frau von der Leyen today", {"Frau von der Leyen"}),
        ("we run Postgres 16 and C++", {"Postgres 16", "C++"}),
        ("it is Acme's turn, said O'Neill & Sons", {"Acme", "O'Neill & Sons"}),
        ("we sell in the US", {"US"}),
        ("code name “blue bird”, or «oiseau bleu», or 'x'", {"blue bird", "oiseau bleu"}),
        ("プロジェクト「青い鳥」はシンガポールで", {"プロジェクト", "青い鳥", "シンガポール"}),
        ("Жанна живёт в Санкт-Петербурге", {"Жанна", "Санкт-Петербурге"}),
        ("mail ana@acme.example, see https://acme.example/a/b.", {
            "ana@acme.example", "https://acme.example/a/b",
        }),
        ("`make_key()` in tests/orgs.py calls userService and base_url", {
            "make_key", "tests/orgs.py", "userService", "base_url",
        }),
        ("ask @ana in #general about ABC-123 on v1.2.3", {
            "@ana", "#general", "ABC-123", "v1.2.3",
        }),
    ],
)  # fmt: skip
def test_what_is_a_name(text: str, wanted: set[str]) -> None:
    assert names(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the deadline is friday",
        "It is raining. There is nothing. We know.",
        "Deploy it now. Please remember this. However, nobody did.",
        "3.5 and 12, e.g. 7",
        f"the key is {MASK} and the other {MASK}",
        "مرحبا بالعالم",
        "你好世界",
    ],
)
def test_what_names_nothing(text: str) -> None:
    assert names(text) == set()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ana works at Acme.", {("Ana", "works at", "Acme")}),
        ("Ana works at the Bank of America.", {("Ana", "works at", "Bank of America")}),
        ("The billing service depends on the auth service, for now.", {
            ("billing service", "depends on", "auth service"),
        }),
        ("our staging server is located in Frankfurt", {
            ("staging server", "is located in", "Frankfurt"),
        }),
        ("Checkout is owned by the payments team since May.", {
            ("Checkout", "is owned by", "payments team"),
        }),
        ("userService calls billing_service, which stores invoices.", {
            ("userService", "calls", "billing_service"),
        }),
        ("Acme will also use Postgres 16 in production and Bob owns Globex", {
            ("Acme", "use", "Postgres 16"), ("Bob", "owns", "Globex"),
        }),
        ("Ana's manager is Bob.", {("Ana's manager", "is", "Bob"), ("Ana", "is", "Bob")}),
        ("In 2023, Acme acquired Globex.", {("Acme", "acquired", "Globex")}),
    ],
)  # fmt: skip
def test_what_relates(text: str, wanted: set[tuple[str, str, str]]) -> None:
    assert links(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "The API does not use Redis.",
        "Acme can't host Globex. Bob never works at Acme. Ana is not at Globex.",
        "She works at Acme. It uses Redis.",
        "The build is green.",
        f"The key is {MASK}.",
        "Use Redis for caching.",
    ],
)
def test_what_is_denied_or_has_no_name_relates_nothing(text: str) -> None:
    assert links(text) == set()


WORDS = (
    "Ana Bob of the is works at owns is not can't “ ” \" ' ` @ # / . , ; ( ) _ - — ア 青 İ ß 1 v1.2"
)
PARTS = st.sampled_from(
    [*WORDS.split(" "), "\n", " ", "http://", "x@y.z", MASK, "A" * 70, "a_b", "fooBar", "\u200b"]
)


@given(
    st.text(max_size=300)
    | st.lists(PARTS, max_size=60).map(" ".join)
    | st.lists(PARTS).map("".join)
)
def test_any_text_is_read_and_what_is_found_stands_in_it(text: str) -> None:
    found = named(text)
    assert len(found.names) <= NAMES_LIMIT
    assert len(found.links) <= LINKS_LIMIT
    squeezed = "".join(text.split())
    for name in (*found.names, *(end for li in found.links for end in (li.subject, li.object))):
        assert "".join(name.split()) in squeezed, name
        assert MASK not in name
    assert found == named(text)


@pytest.mark.parametrize(
    "part",
    ["Ana works at Acme. ", "A", "A ", "is ", "a_", "a.", "/a", "“", '"', "x@", "A-", "Ab", "A'",
     "the of ", "ア・", "http://", "1 ", "Aa of ", "works on ", "not ", "\n"],
)  # fmt: skip
def test_the_longest_text_of_anything_is_read_within_its_limits(part: str) -> None:
    found = named(part * (65_536 // len(part)))
    assert len(found.names) <= NAMES_LIMIT
