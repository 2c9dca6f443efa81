"""Is a quote something that memory itself had put into the conversation? Then it proves nothing.

What was recalled stands in the prompt, may be repeated by the model and pasted back by a person
(design rule 7). Saying the same thing in one's own words is not an echo: that confirms it.
"""

from collections.abc import Iterable, Sequence

import regex

from memory.recall.formats import HEADING
from memory.recall.terms import fold, stem

_ENTRY = regex.compile(r"(?m)^\s*(?:[>*-]\s*)?\[/[\w./-]*\]\s+\S")  # a line of a recalled block
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_ARTICLES = {"a", "an", "the"}
_LEAST = 4  # words: fewer are in many a text by chance


def is_recalled_text(quote: str, memories: Iterable[str]) -> bool:
    """Is `quote` a line of a recalled block, or nearly word for word one of these memories?

    Case, punctuation, endings and articles do not count, and a run of at least four words that
    makes up the whole quote or holds the whole memory is enough. One other word makes it a
    different statement: "on Fridays" corrects "on Thursdays".
    """
    if HEADING.casefold() in quote.casefold() or _ENTRY.search(quote):
        return True
    said = _words(quote)
    return bool(said) and any(_same(said, _words(memory)) for memory in memories)


def _same(said: Sequence[str], known: Sequence[str]) -> bool:
    if not known:
        return False
    return said == known or _within(said, known) or _within(known, said)


def _within(short: Sequence[str], long: Sequence[str]) -> bool:
    """Do the words stand in the longer text one after the other?"""
    size = len(short)
    if not _LEAST <= size <= len(long):
        return False
    return any(long[start : start + size] == short for start in range(len(long) - size + 1))


def _words(text: str) -> list[str]:
    """Stems; a character each where words are not spaced."""
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if _UNSPACED.search(word):
            found.extend(word)
        elif word not in _ARTICLES:
            found.append(stem(word))
    return found
