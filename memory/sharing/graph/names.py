"""When two names are one entity, and which names a question may hold."""

import unicodedata
from collections.abc import Iterator

import regex

NAME_LIMIT = 200  # characters, as Entity.name holds
GRAMS = 600  # names looked up for one question, at most
_WORDS, _WORD_GRAM, _CHARACTER_GRAM = 80, 6, 8

# Brackets, quotes and marks; what a name may end or begin with (#, @, +, $, /) is not among them.
_EDGE = r"""[\s\p{Pi}\p{Pf}\p{Ps}\p{Pe}"'`*_.,;:!?¿¡…。、，；：！？·|~<>=—–-]+"""
_ENDS = regex.compile(f"^{_EDGE}|{_EDGE}$")
_POSSESSIVE = regex.compile(r"'s$|(?<=s)'$")
_ARTICLE = regex.compile(r"^(?:the|an|a)\s+(?=\S)")
_APOSTROPHES = dict.fromkeys(map(ord, "’‘ʼ＇"), "'")
_INVISIBLE = regex.compile(r"[\p{Cf}\p{Cc}]+")
# Words of letters and digits, the first of them no article: there is nothing to take off.
_PLAIN = regex.compile(r"(?!(?:the|an|a) )[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*")
# Written without spaces between words.
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2,}"
)


def normal_name(text: str) -> str:
    """The form in which equal names are equal; "" for what is no name. Idempotent.

    NFKC, case folded, white space one space, no punctuation at the ends, no possessive, no
    leading article. Marks inside stay: C++, node.js and o'neill are names.
    """
    return _bare(folded(text[: 4 * NAME_LIMIT]))


def _bare(name: str) -> str:
    """A folded text without what stands around a name."""
    if _PLAIN.fullmatch(name) and len(name) <= NAME_LIMIT:  # most are, and this is the hot path
        return name
    for _ in range(8):  # "the 'the x's'" has several layers; each round takes one off
        before = name
        name = _ENDS.sub("", name)
        name = _ARTICLE.sub("", _POSSESSIVE.sub("", name))
        name = _ENDS.sub("", name[:NAME_LIMIT])
        if name == before:
            return name if regex.search(r"[\p{L}\p{N}]", name) else ""
    return ""


def folded(text: str) -> str:
    """A whole text in the form that names have, in which a name may be looked for."""
    text = unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    for _ in range(2):  # folding may leave marks to compose, and composing letters to fold
        text = unicodedata.normalize("NFKC", text.casefold())
    return " ".join(_INVISIBLE.sub(lambda run: " " if run.group().isspace() else "", text).split())


def names_in(question: str) -> list[str]:
    """Every normalised name that may stand in a question: its runs of up to six words.

    The longest first, `GRAMS` of them. Of unspaced writing runs of up to eight characters.
    """
    found: dict[str, None] = {}
    for gram in _grams(folded(question)):
        name = _bare(gram[: 4 * NAME_LIMIT])
        if name:
            found.setdefault(name)
        if len(found) >= GRAMS:
            break
    return list(found)


def _grams(question: str) -> Iterator[str]:
    words = question.split(None, _WORDS)[:_WORDS]
    for size in range(min(_WORD_GRAM, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])
    for run in _UNSPACED.findall(question[:2_000]):
        for size in range(min(_CHARACTER_GRAM, len(run)), 1, -1):
            for start in range(len(run) - size + 1):
                yield run[start : start + size]
