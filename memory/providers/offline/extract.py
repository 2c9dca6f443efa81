"""Facts about the user by category, offline: the observer's findings, sorted by their words."""

import re
from collections.abc import Mapping, Sequence

from memory.providers.cleaning import normal
from memory.providers.offline import observe
from memory.providers.offline.contradiction import compare
from memory.providers.types import CategoryHint, Exchange, Fact

# Words that tell the five usual categories apart, the surest first.
_USUAL: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "knowledge_gaps",
        re.compile(
            r"\b(struggl\w+|confus\w+|stuck|trouble (?:with|understanding)|hard time|"
            r"(?:do|does|did)(?: not|n't) (?:really )?(?:understand|get|know how)|"
            r"can(?:not|'t) (?:figure|understand|follow)|lost (?:on|with))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "learning_goals",
        re.compile(
            r"\b(wants? to (?:learn|master|understand|become|improve|study|get better)|"
            r"(?:is|am) (?:learning|studying|preparing)|goals? (?:is|are|of)|hopes? to|aims? to|"
            r"plans? to (?:learn|study|take))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "progress_milestones",
        re.compile(
            r"\b(finished|completed|passed|graduated|achieved|earned|reached|submitted|mastered|"
            r"managed to|got (?:my|their|his|her) (?:degree|certificate|diploma))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "preferences",
        re.compile(
            r"\b(prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rite|rather|fond of|"
            r"can(?:not|'t) (?:stand|bear))\b",
            re.IGNORECASE,
        ),
    ),
)
# What any agent should know of a person: who they are, where they live and work, their people.
_STANDING = re.compile(
    r"\b(works? (?:as|at|for|in)|is an? \w+|lives? in|moved to|(?:is|are) from|was born|"
    r"is (?:married|allergic|called|named)|name is|has (?:a|an|two|three|\d+) "
    r"(?:son|daughter|child|children|kids?|dog|cat|brother|sister|husband|wife)\w*)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}")


def facts(exchange: Exchange) -> list[Fact]:
    """New facts only: what is known already, in whatever category, is left out."""
    known = [text for texts in exchange.known.values() for text in texts]
    return [
        Fact(finding.statement, category, finding.quote, finding.turn)
        for finding in observe.findings(exchange.transcript)
        if not _is_known(finding.statement, known)
        for category in _places(finding.statement, exchange.categories)
    ]


def _is_known(statement: str, known: Sequence[str]) -> bool:
    said = normal(statement)
    return any(
        said == normal(text) or compare(text, statement).kind == "restatement" for text in known
    )


def _places(statement: str, categories: Sequence[CategoryHint]) -> list[str | None]:
    """One place: a category the agent has, the global store, or none."""
    here: Mapping[str, CategoryHint] = {hint.slug: hint for hint in categories}
    custom = _by_words(statement, [h for h in categories if h.slug not in dict(_USUAL)])
    if custom is not None:
        return [custom]
    for slug, words in _USUAL:
        if words.search(statement):
            return [slug] if slug in here else []
    if _STANDING.search(statement):
        return [None]
    return ["personal_context"] if "personal_context" in here else []


def _by_words(statement: str, categories: Sequence[CategoryHint]) -> str | None:
    """The custom category whose name, description and hint share the most words with it."""
    said = set(_WORD.findall(statement.casefold()))
    best, most = None, 1
    for hint in categories:
        if hint.slug == "personal_context":
            continue
        words = set(_WORD.findall(f"{hint.name} {hint.description} {hint.prompt}".casefold()))
        shared = len(said & (words - {"user", "users", "their", "have", "with", "that"}))
        if shared > most:
            best, most = hint.slug, shared
    return best
