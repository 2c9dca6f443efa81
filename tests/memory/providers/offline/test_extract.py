"""Facts by category for automatic agents: one place each, none invented, nothing taken back."""

import pytest

from memory.providers.offline import OfflineLanguage
from memory.providers.types import CategoryHint, Exchange
from tests.memory.providers.offline.helpers import transcript

USUAL = [
    CategoryHint("knowledge_gaps", "Knowledge Gaps", "Topics or concepts the user struggles with"),
    CategoryHint("learning_goals", "Learning Goals", "Goals the user wants to achieve"),
    CategoryHint("preferences", "Preferences", "Learning style, pace, content preferences"),
    CategoryHint("progress_milestones", "Progress Milestones", "Achievements and milestones"),
    CategoryHint("personal_context", "Personal Context", "Relevant personal information shared"),
]
SHOP = [
    CategoryHint("orders", "Orders", "What they ordered or returned, deliveries, refunds"),
    CategoryHint("dietary_needs", "Dietary needs", "Diet, allergies and food they avoid"),
    CategoryHint("travel_plans", "Travel plans", "Trips, flights and hotels"),
]


def extracted(
    text: str, *categories: CategoryHint, known: dict[str | None, list[str]] | None = None
) -> list[tuple[str, str | None]]:
    exchange = Exchange(transcript(("user", text)), list(categories), known or {})
    return [
        (fact.content, fact.category)
        for fact in OfflineLanguage().extract(exchange, timeout=5).facts
    ]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I struggle with recursion.", "knowledge_gaps"),
        ("I don't really understand pointers.", "knowledge_gaps"),
        ("I'm stuck on exercise 4.", "knowledge_gaps"),
        ("I find integrals hard.", "knowledge_gaps"),
        ("I can't figure out how loops work.", "knowledge_gaps"),
        ("I keep mixing up ser and estar.", "knowledge_gaps"),
        ("I want to learn Spanish.", "learning_goals"),
        ("My goal is to pass the B2 exam.", "learning_goals"),
        ("I'm preparing for my finals.", "learning_goals"),
        ("I hope to become a data scientist.", "learning_goals"),
        ("I'm learning to play the cello.", "learning_goals"),
        ("I prefer short examples.", "preferences"),
        ("I learn best with pictures.", "preferences"),
        ("I hate long videos.", "preferences"),
        ("I'd like shorter explanations.", "preferences"),
        ("I finished chapter three.", "progress_milestones"),
        ("I finally passed my driving test.", "progress_milestones"),
        ("I completed the course last week.", "progress_milestones"),
        ("I managed to solve all ten tasks.", "progress_milestones"),
        ("I usually go to bed late.", "personal_context"),
        ("I collect old maps.", "personal_context"),
        ("I live in Porto.", None),
        ("I work as a nurse.", None),
        ("I'm allergic to peanuts.", None),
        ("My daughter is called Mia.", None),
        ("My sister loves chess.", None),
    ],
)
def test_each_fact_has_one_place(text: str, category: str | None) -> None:
    assert [place for _, place in extracted(text, *USUAL)] == [category]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I ordered a red kettle.", "orders"),
        ("My order 1234 hasn't arrived yet.", "orders"),
        ("I'm vegetarian.", "dietary_needs"),
        ("I'm allergic to peanuts.", "dietary_needs"),
        ("I'm flying to Rome in May.", "travel_plans"),
        ("I booked a hotel in Oslo.", "travel_plans"),
        ("I work as a nurse.", None),
        ("I hate long videos.", "preferences"),
    ],
)
def test_a_custom_category_takes_what_its_words_name(text: str, category: str | None) -> None:
    assert [place for _, place in extracted(text, *SHOP, *USUAL)] == [category]


def test_a_category_that_the_agent_has_not_is_never_named() -> None:
    for text in ("I struggle with recursion.", "I want to learn Spanish.", "I hate long videos."):
        assert extracted(text) == []
        assert extracted(text, USUAL[4]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Please forget that I have cats.",
        "Forget everything about me.",
        "> I live in Rome",
        "If I lived in Rome I'd be happy.",
        "hi",
    ],
)
def test_what_takes_back_or_is_no_fact_is_not_kept(text: str) -> None:
    assert extracted(text, *USUAL) == []


def test_what_is_known_in_any_category_is_left_out() -> None:
    known: dict[str | None, list[str]] = {None: ["The user works as a nurse."]}
    assert extracted("I work as a nurse. I live in Porto.", *USUAL, known=known) == [
        ("The user lives in Porto.", None)
    ]
