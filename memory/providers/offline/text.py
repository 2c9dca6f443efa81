"""Cut a message into sentences and words, remembering where each stood in the original.

Everything here is linear in the length of the text and keeps offsets, so that a quote can be cut
out of the message exactly as it was written.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

SENTENCE_LIMIT = 600  # characters; what is longer is not one statement (pasted text, no full stops)

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"'})
_BREAK = re.compile(
    r"(?:(?<=[.!?…])|(?<=[.!?…][\"'”)\]]))[\"'”)\]]*\s+"  # end mark, then space
    r"|[\r\n]+"
    r"|(?<=[。！？．])"  # full-width marks need no space
    r"|(?<=\S)\s+(?=[-–—•*]\s+[A-Z])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|jr|sr|no|approx|dept|inc|ltd|co)\.|\b[A-Z]\.)$",
    re.IGNORECASE,
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*'?|\d+(?:[.,:]\d+)*")
_stemmer = snowballstemmer.stemmer("english")


@dataclass(frozen=True)
class Sentence:
    """A stretch of a message: `raw` is the exact text, `text` the same with plain apostrophes."""

    raw: str
    text: str
    start: int

    @property
    def asks(self) -> bool:
        return self.raw.rstrip(" \"')]*_").endswith(("?", "？"))


def plain(text: str) -> str:
    """Typographic apostrophes and quotes made plain. Keeps the length of the text."""
    return text.translate(_APOSTROPHES)


def _pieces(text: str) -> list[tuple[int, int]]:
    """Offsets of the sentences, abbreviations joined again."""
    cuts: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if "\n" not in match.group() and _ABBREVIATION.search(
            text, max(start, match.start() - 8), match.start()
        ):
            continue
        cuts.append((start, match.start()))
        start = match.end()
    cuts.append((start, len(text)))
    return cuts


def sentences(message: str) -> list[Sentence]:
    """The sentences of a message in order. Runs of unspaced script separate sentences too."""
    found: list[Sentence] = []
    text = plain(message)
    for start, end in _pieces(text):
        at = start
        spans = [*(m.span() for m in _UNSPACED.finditer(text, start, end)), (end, end)]
        for left, right in spans:
            raw = message[at:left]
            stripped = raw.strip()
            if stripped and len(stripped) <= SENTENCE_LIMIT:
                offset = at + raw.index(stripped)
                found.append(Sentence(stripped, plain(stripped), offset))
            at = right
    return found


def words(text: str) -> list[str]:
    """Words and numbers as written, apostrophes inside kept."""
    return _WORD.findall(text)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The word's stem, lower case; a possessive ending is dropped."""
    return str(_stemmer.stemWord(word.casefold().removesuffix("'s").strip("'")))
