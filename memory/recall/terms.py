"""Text to index terms: what is stored under, and what a question looks for.

Words are folded (case, compatibility forms, Latin accents) and stemmed where a stemmer for their
script exists. Scripts that put no space between words become pairs of characters, and so does
Korean, whose endings no stemmer here knows; a stored text also has their single characters, for
questions of one character. Emoji and other symbols are terms of their own. Never fails, and gives
nothing for text without any term.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import regex
import snowballstemmer

TERM_LIMIT = 64  # characters, the column's width
TERMS_LIMIT = 4_000  # distinct terms kept of one text

_PAIRED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = rf"(?:(?![{_PAIRED}])[\p{{L}}\p{{M}}\p{{N}}])"
_TOKEN = regex.compile(
    rf"[{_PAIRED}][{_PAIRED}\p{{M}}]*"
    r"|(?<![\p{L}\p{N}])[a-z](?:\+\+|#)"  # C++ and C# are not C
    rf"|{_WORD}+(?:'{_WORD}+)*"
    r"|\p{Extended_Pictographic}"
)
_IS_PAIRED = regex.compile(rf"[{_PAIRED}]")
_LATIN = regex.compile(r"\p{Latin}")
_SCRIPTS = (
    (_LATIN, snowballstemmer.stemmer("english")),
    (regex.compile(r"\p{Arabic}"), snowballstemmer.stemmer("arabic")),
    (regex.compile(r"\p{Cyrillic}"), snowballstemmer.stemmer("russian")),
)
_CONTRACTED = regex.compile(r"n't$|'(?:s|m|re|ve|ll|d)$")
STOP_WORDS = frozenset(
    """
    a about all also am an and any are as at be been but by can could did do does for from had has
    have he her him his how i if in into is it its just like me my no not of on or our out she so
    some than that the their them then there these they this to too up us very was we were what
    when where which who why will with would you your
    """.split()
)
# A message of nothing else is a greeting or a thank-you: it asks for nothing.
PLEASANTRIES = frozenset(
    """
    bye cheers cool evening fine good goodbye great hello hey hi lol mind morning never nice night
    nope now ok okay please right sorry sure thank thanks thx welcome yeah yep yes
    danke bitte hallo hola gracias merci bonjour salut ciao grazie obrigado
    """.split()
)


def fold(text: str) -> str:
    """One form for comparing: compatibility forms, case and accents that combine are folded."""
    return unicodedata.normalize("NFKC", text).casefold()


def terms(text: str) -> Counter[str]:
    """Term → how often, of a text to be stored. Stop words are dropped."""
    found: Counter[str] = Counter()
    for token in _tokens(text):
        if _IS_PAIRED.match(token):
            found.update(_pairs(token))
            if len(token) > 1:
                found.update(token)
        elif word := _term(token):
            found[word] += 1
    if len(found) > TERMS_LIMIT:
        return Counter(dict(found.most_common(TERMS_LIMIT)))
    return found


def asked(text: str) -> list[str]:
    """The distinct terms a question looks for, in their order."""
    found: dict[str, None] = {}
    for token in _tokens(text):
        if _IS_PAIRED.match(token):
            found.update(dict.fromkeys(_pairs(token)))
        elif word := _term(token):
            found[word] = None
    return list(found)[:TERMS_LIMIT]


def is_pleasantry(text: str) -> bool:
    """Nothing but greetings, thanks and stop words: no memory is relevant to it."""
    words = {_base(token) for token in _tokens(text)}
    return bool(words & PLEASANTRIES) and words <= PLEASANTRIES | STOP_WORDS


def _tokens(text: str) -> Iterator[str]:
    return (match.group() for match in _TOKEN.finditer(fold(text).replace("’", "'")))


def _pairs(token: str) -> list[str]:
    return [token[i : i + 2] for i in range(len(token) - 1)] or [token]


def _base(token: str) -> str:
    """The word without what is contracted to it: `don't` is `do`, `Zoë's` is `Zoë`."""
    return _CONTRACTED.sub("", token)


def _term(token: str) -> str | None:
    word = _base(token)
    if word in STOP_WORDS or (word != token and token.endswith("n't")):
        return None
    return stem(word)[:TERM_LIMIT]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a folded word, or the word where its script has no stemmer."""
    for script, stemmer in _SCRIPTS:
        if script.search(word):
            return str(stemmer.stemWord(_plain(word) if script is _LATIN else word))
    return word


def _plain(word: str) -> str:
    """A Latin word without its accents: they are left out as often as typed."""
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFD", word)
    return "".join(char for char in apart if not unicodedata.combining(char))
