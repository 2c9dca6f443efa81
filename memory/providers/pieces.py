"""Long text in pieces that an embedder takes: counted safely, cut where the text allows it.

Tokens are counted without a tokenizer, on the safe side: a byte-level tokenizer never makes more
tokens than bytes, so each byte outside ASCII counts as one (three for a Chinese character, two
for a Cyrillic letter); three ASCII letters of a word count as one, and so does each other ASCII
character. A piece that fits by this count fits a real model, whatever the script.
"""

import re
import unicodedata

# Where a piece may end, best first: after a paragraph, a line, a sentence, a clause, a space.
_BORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n\s*\n\s*",
        r"\n",
        r"[.!?…]+[\"'”’)\]]*\s+|[。！？｡؟۔।॥։។၊။]+[」』”’）]*\s*",
        r"[,;:，、；：،؛]\s*",
        r"\s+",
    )
)
_WORD = re.compile(r" ?[A-Za-z]+")
_LONGEST_WORD = 24  # a longer run of letters is code, not a word: each letter may be a token
_PROGRESS = 0.5  # a border in the first half of the room makes pieces too small to mean much
_JOINS = "\u200c\u200d\ufe0e\ufe0f"


def tokens(text: str) -> int:
    """An upper estimate of the text's tokens, for any script."""
    count = len(text.encode(errors="replace"))
    for match in _WORD.finditer(text):
        length = match.end() - match.start()
        if length <= _LONGEST_WORD:
            count -= length - -(-length // 3)
    return count


def pieces(text: str, limit_tokens: int | None) -> list[str]:
    """The text in order, in pieces of at most `limit_tokens`; joined they are the text again.

    One piece when it fits or there is no limit; none for a blank text. Cut after a paragraph, a
    sentence, a clause or a word where one ends in the second half of the room, else between
    characters, never between a character and its marks or joiners.
    """
    if not text.strip():
        return []
    if limit_tokens is None or tokens(text) <= limit_tokens:
        return [text]
    if limit_tokens < 8:
        raise ValueError(f"limit_tokens: {limit_tokens}, at least 8 expected")
    result = []
    start = 0
    while start < len(text):
        end = _room(text, start, limit_tokens)
        if end < len(text):
            end = _border(text, start, end)
        result.append(text[start:end])
        start = end
    return result


def _room(text: str, start: int, limit: int) -> int:
    """The furthest end such that text[start:end] stays within the limit."""
    low, high = start + 1, min(len(text), start + 3 * limit)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def _border(text: str, start: int, end: int) -> int:
    window = text[start:end]
    least = int(len(window) * _PROGRESS)
    for border in _BORDERS:
        last = max((match.end() for match in border.finditer(window, least)), default=0)
        if last:
            return start + last
    cut = end
    while cut > start + least and _inseparable(text[cut - 1], text[cut]):
        cut -= 1
    return cut if cut > start + least else end


def _inseparable(before: str, after: str) -> bool:
    return (
        before == "\u200d"
        or after in _JOINS
        or unicodedata.category(after)[0] == "M"
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
    )
