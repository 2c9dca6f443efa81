"""Which memories a message calls up by a trigger word: plain text, case-insensitive, any script.

A pattern matches where it appears in the message, in one folded form of both: case, compatibility
forms (full-width letters, composed accents) and white space make no difference, and nothing in a
pattern is an operator. It has to begin where a word begins, so that `art` is not found in
`start`, and may go on with an ending (`deploy` in `deployment`); a pattern of up to three letters
has to be the whole word, a plural `s` aside. Scripts that put no space between words, and those
that write prefixes onto a word (Arabic, Hebrew), have no such borders: there it may stand anywhere.
"""

from collections.abc import Iterable
from functools import lru_cache

import regex

from memory.recall.terms import fold

_BORDERLESS = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Arabic}\p{Hebrew}]"
)
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]")
_SHORT = 3


def triggered(patterns: Iterable[str], message: str) -> bool:
    """Does any of the patterns appear in the message? See the module for what "appears" means."""
    return any_in(patterns, folded(message))


def any_in(patterns: Iterable[str], text: str) -> bool:
    """The same for a message that is `folded` already."""
    return any(_appears(_folded_pattern(pattern), text) for pattern in patterns)


def folded(text: str) -> str:
    return " ".join(fold(text).split())


# The patterns of an agent are the same at every message.
_folded_pattern = lru_cache(maxsize=20_000)(folded)


def _appears(pattern: str, text: str) -> bool:
    if not pattern:
        return False
    start = text.find(pattern)
    while start >= 0:
        if _begins(pattern, text, start) and _ends(pattern, text, start + len(pattern)):
            return True
        start = text.find(pattern, start + 1)
    return False


def _begins(pattern: str, text: str, start: int) -> bool:
    return start == 0 or not (_is_word(pattern[0]) and _is_word(text[start - 1]))


def _ends(pattern: str, text: str, end: int) -> bool:
    if end == len(text) or not (_is_word(pattern[-1]) and _is_word(text[end])):
        return True
    if len(pattern) > _SHORT:
        return True
    return text[end] == "s" and (end + 1 == len(text) or not _is_word(text[end + 1]))


def _is_word(char: str) -> bool:
    """A letter, mark or digit of a script whose words have borders."""
    return bool(_WORD.match(char)) and not _BORDERLESS.match(char)
