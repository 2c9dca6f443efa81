"""Facts about the user by category, offline: the observer's findings, sorted by their words."""

import re
from collections.abc import Mapping, Sequence

from memory.providers.cleaning import normal
from memory.providers.offline import keys, observe, retractions
from memory.providers.offline import lexicon as lex
from memory.providers.offline.contradiction import compare
from memory.providers.offline.text import stem, words
from memory.providers.types import CategoryHint, Exchange, Fact

_LEARNING = (
    r"learn(?:ing)?|master(?:ing)?|understand(?:ing)?|study(?:ing)?|improv(?:e|ing)|practi[cs](?:e"
    r"|ing)"
    r"|get(?:ting)? better|read(?:ing)? up|prepar(?:e|ing)|pass(?:ing)?|becom(?:e|ing)"
)
# Words that tell the five usual categories apart, the surest first.
_USUAL: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (slug, re.compile(pattern, re.IGNORECASE))
    for slug, pattern in (
        (
            "progress_milestones",
            r"\b(?:finally |just |successfully |has |have )*(?:finished|completed|passed|graduated"
            r"|achieved|earned|reached|submitted|mastered|solved|managed to|won|published|scored"
            r"|got (?:my|their|his|her|an? (?:a|b|distinction|first)\b)(?: \w+)?"
            r"(?: degree| certificate| diploma| licen[cs]e)?|was (?:accepted|admitted)"
            r"|got (?:accepted|admitted|certified))\b(?! (?:from|up with))"
            r"|\b(?:now|finally) (?:understands?|gets|can|knows)\b",
        ),
        (
            "knowledge_gaps",
            r"\b(?:struggl\w+|confus\w+|stuck|trouble (?:with|understanding)|hard time|difficult\w*"
            r"|weak (?:at|in)|bad at|new to|beginner|unsure (?:about|how|what)|finds? [\w ]{2,40} "
            r"(?:hard|difficult|confusing|tricky)|keeps? (?:forgetting|mixing up|failing|getting)"
            r"|(?:do|does|did)(?: not|n't) (?:\w+ )?(?:understand|get|know (?:how|what|why|when"
            r"|much)"
            r"|see (?:why|how)|follow)|can(?:not|'t) (?:\w+ )?(?:figure|understand|follow|grasp"
            r"|remember how|solve|work out)|lost (?:on|with|in)|failed)\b",
        ),
        (
            "learning_goals",
            rf"\b(?:wants?|hopes?|aims?|plans?|needs?|tries|trying|would (?:like|love)|is going"
            rf"|decided"
            rf"|intends?|hoping|planning|looking) (?:to |on )?(?:\w+ )?(?:{_LEARNING})\b"
            r"|\b(?:is|are|am|has been|started|began) (?:\w+ )?(?:learning|studying|preparing"
            r"|practi[cs]ing"
            r"|training|taking (?:\w+ )*(?:course|class|lessons))\b|\b(?:goals?|aim|ambition|dream)"
            r"(?: \w+)? (?:is|are|of)\b|\b(?:deadline|exam|test) (?:is|on|in)\b",
        ),
        (
            "preferences",
            r"\b(?:prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rite|rather|fond of|fan of"
            r"|can(?:not|'t) (?:stand|bear)|learns? (?:best|better|faster)|works? best"
            r"|(?:wants?|would like|needs?) (?:\w+ ){0,3}(?:answers?|explanations?|examples?"
            r"|replies"
            r"|steps|summar\w+|exercises)|too (?:fast|slow|long|short)|more (?:slowly|examples"
            r"|detail))\b",
        ),
    )
)
_LIKES_HIS = re.compile(r"'s (?!favou?rite)[\w ]{2,30} (?:likes?|loves?|hates?|enjoys?|prefers?)\b")
# What any agent should know of a person: who they are, where they live and work, their people.
_STANDING = (
    "/identity", "/contact", "/home", "/work", "/family", "/pets", "/health", "/people",
    "/education",
)  # fmt: skip
_COMMON = frozenset(
    stem(word)
    for word in (
        "user users person people customer customers their they them have has with that this what "
        "which about anything things thing facts fact information details relevant related shared "
        "mentioned memory memories category extract store note notes record keep save remember any "
        "all such like including etc other etcetera want wants needs need"
    ).split()
)


def facts(exchange: Exchange) -> list[Fact]:
    """New facts only: what is known already, in whatever category, is left out."""
    known = [text for texts in exchange.known.values() for text in texts]
    return [
        Fact(finding.statement, category, finding.quote, finding.turn)
        for finding in observe.findings(exchange.transcript)
        if not _takes_back(finding.statement) and not _is_known(finding.statement, known)
        for category in _places(finding.statement, exchange.categories)
    ]


def _takes_back(statement: str) -> bool:
    """A wish to be forgotten is no fact, nor is a denial of what was said."""
    return retractions.wanted(statement) is not None


def _is_known(statement: str, known: Sequence[str]) -> bool:
    said = normal(statement)
    return any(
        said == normal(text) or compare(text, statement).kind == "restatement" for text in known
    )


def _places(statement: str, categories: Sequence[CategoryHint]) -> list[str | None]:
    """One place: a category the agent has, the global store, or none."""
    here: Mapping[str, CategoryHint] = {hint.slug: hint for hint in categories}
    custom = _by_words(statement, [h for h in categories if h.slug not in _NAMES])
    if custom is not None:
        return [custom]
    standing = keys.place(statement).key.startswith(_STANDING)
    for slug, pattern in _USUAL:
        if pattern.search(statement) and not (slug == "preferences" and _of_others(statement)):
            return [slug] if slug in here else [None] if standing else []
    if standing:
        return [None]
    return ["personal_context"] if "personal_context" in here else []


_NAMES = frozenset(slug for slug, _ in _USUAL) | {"personal_context"}


def _of_others(statement: str) -> bool:
    """What the user's sister likes is no preference of the user."""
    return bool(_LIKES_HIS.search(statement))


def _telling(text: str) -> frozenset[str]:
    found = (stem(w) for w in words(text) if w.casefold() not in lex.FUNCTION and len(w) > 2)
    return frozenset(found) - _COMMON


def _met(asked: frozenset[str], about: frozenset[str]) -> int:
    """How many of the words are met, also by a longer or shorter form: diet, dietary."""
    return sum(
        any(
            a == b or (min(len(a), len(b)) > 3 and (a.startswith(b) or b.startswith(a)))
            for b in about
        )
        for a in asked
    )


def _by_words(statement: str, categories: Sequence[CategoryHint]) -> str | None:
    """The custom category that shares the most words with the statement and its topic.

    A word of the category's name counts twice, so that one is enough; of its description and
    hint it takes two.
    """
    where = keys.place(statement)
    said = _telling(statement)
    about = said | _telling(re.sub(r"[/-]", " ", where.key) + " " + where.description)
    best, most = None, 1
    for hint in categories:
        name = _telling(re.sub(r"[_-]", " ", f"{hint.slug} {hint.name}"))
        more = _telling(f"{hint.description} {hint.prompt}") - name
        shared = 2 * _met(name, about) + _met(more, about)
        if shared > most:
            best, most = hint.slug, shared
    return best
