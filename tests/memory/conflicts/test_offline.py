"""Laws of the offline check: what holds for every text, and for every kind of labelled pair."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.conflicts import Candidate, Severity, check_offline
from tests.benchmarks.bench_conflicts import HALVES, pairs

LABELLED = [pair for half in HALVES for pair in pairs(half)]
TEXTS = sorted({text for _, _, a, b in LABELLED for text in (a, b)})
FOREIGN = [
    "Срок сдачи — пятница.",
    "截止日期是星期五。",
    "Die Frist endet am Freitag, den 3. März.",
    "الموعد النهائي يوم الجمعة",
    "締め切りは金曜日です。予算は4万ドル。",
    "🚀🚀 v2.0 → v3.0 👍🏽",
]


def severities(text: str, *others: str) -> list[Severity]:
    found = check_offline(text, [Candidate(n, other) for n, other in enumerate(others)])
    return [contradiction.severity for contradiction in found]


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_compared_and_the_alarm_is_symmetric(a: str, b: str) -> None:
    assert severities(a, b) == severities(b, a)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(TEXTS + FOREIGN), min_size=1, max_size=4), st.data())
def test_pieces_of_notes_in_any_order_are_compared(some: list[str], data: st.DataObject) -> None:
    words = " ".join(some).split()
    a = " ".join(data.draw(st.permutations(words)))
    severities(a, *some)
    assert severities(a, a) == []


@pytest.mark.parametrize("text", TEXTS + FOREIGN)
def test_no_text_contradicts_itself(text: str) -> None:
    assert severities(text, text, f" {text}\n", f"{text}\n{text}") == []


@pytest.mark.parametrize(("a", "b"), [(a, b) for _, _, a, b in LABELLED])
def test_labelled_pairs_are_judged_alike_both_ways(a: str, b: str) -> None:
    assert severities(a, b) == severities(b, a)


VARIATIONS = {
    "white space": lambda text: "  " + text.replace(" ", "  ") + " \n",
    "no full stop": lambda text: text.rstrip("."),
    "an exclamation mark": lambda text: text.rstrip(".") + "!",
    "a small first letter": lambda text: (
        text[:1].lower() + text[1:] if text.partition(" ")[0] in {"The", "We", "Our"} else text
    ),
    "typographic apostrophes": lambda text: text.replace("'", "’"),
}


@pytest.mark.parametrize("name", VARIATIONS)
def test_the_verdict_does_not_hang_on_dress(name: str) -> None:
    changed = []
    for _, _, a, b in LABELLED:
        if a.endswith("?") or b.endswith("?"):
            continue
        if severities(a, b) != severities(VARIATIONS[name](a), VARIATIONS[name](b)):
            changed.append((a, b))
    assert changed == []


@pytest.mark.parametrize("half", HALVES)
def test_precision_and_recall_where_high_counts(half: str) -> None:
    raised = [(label, Severity.HIGH in severities(a, b)) for label, _, a, b in pairs(half)]
    hits = sum(label and high for label, high in raised)
    assert hits / sum(high for _, high in raised) >= 0.95
    assert hits / sum(label for label, _ in raised) >= 0.80
