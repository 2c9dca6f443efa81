"""Text to index terms: the same for what is stored and for what is asked.

Words are folded and stemmed where a stemmer for their script exists; scripts that put no space
between words become bigrams; emoji and other symbols are terms of their own. Never fails, and
gives nothing for text without any term.
"""

import unicodedata
from collections import Counter
from functools import lru_cache

import regex
import snowballstemmer

TERM_LIMIT = 64  # characters, the column's width
TERMS_LIMIT = 4_000  # distinct terms kept of one text

_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
    r"|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*"
    r"|\p{Extended_Pictographic}"
)
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_SCRIPTS = (
    (regex.compile(r"\p{Arabic}"), snowballstemmer.stemmer("arabic")),
    (regex.compile(r"\p{Cyrillic}"), snowballstemmer.stemmer("russian")),
    (regex.compile(r"\p{Latin}"), snowballstemmer.stemmer("english")),
)
STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "is",
        "it",
        "its",
        "me",
        "my",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def fold(text: str) -> str:
    """One form for comparing: compatibility forms, case and accents that combine are folded."""
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    for script, stemmer in _SCRIPTS:
        if script.search(word):
            return str(stemmer.stemWord(word))
    return word


def terms(text: str) -> Counter[str]:
    """Term → how often. Stop words are dropped."""
    found: Counter[str] = Counter()
    for token in _TOKEN.findall(fold(text)):
        if _UNSPACED.match(token):
            pairs = [token[i : i + 2] for i in range(len(token) - 1)] or [token]
            found.update(pairs)
            continue
        word = token.replace("’", "'").removesuffix("'s")
        if word in STOP_WORDS:
            continue
        found[_stem(word)[:TERM_LIMIT]] += 1
    if len(found) > TERMS_LIMIT:
        return Counter(dict(found.most_common(TERMS_LIMIT)))
    return found
