"""One cleaning for text at every door, and the one form in which two texts are compared.

Captured, imported, remembered, written through the API or answered by a model: all text passes
`clean` before it is stored, embedded, indexed, sent on or logged. What a person wrote stays as
they wrote it, joiners, directions and inner space included, but for four things:

- NUL goes (Postgres refuses it) and a lone surrogate becomes U+FFFD; a split pair is joined;
- letter and accent become the one letter that means the same (`e` + U+0301 is `é`). Marks are
  not reordered and forms not replaced, as full NFC would do to vocalised Arabic and Hebrew;
- a secret becomes `[secret removed]`, and the sentence around it stays.
"""

import hashlib
import hmac
import re
import unicodedata
from dataclasses import dataclass

from memory.providers.instructions import instruction_like
from memory.providers.secret_patterns import FORMS

__all__ = [
    "MASK",
    "Cleaned",
    "clean",
    "contains_secret",
    "content_hash",
    "instruction_like",
    "normal",
]

MASK = "[secret removed]"

_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGIT = re.compile(r"\d")
_WIDTH = re.compile("[\uff01-\uffee]+")
# Invisible and without meaning between letters: zero-width space, word joiner, byte order mark,
# soft hyphen. Joiners (U+200C, U+200D) and direction marks do mean something inside a text.
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\u00ad"))
_END = " \u200c\u200d\u200e\u200f\u061c"


@dataclass(frozen=True)
class Cleaned:
    """Text that may be stored. `masked` names the kinds of secret that were taken out."""

    text: str
    masked: tuple[str, ...] = ()
    changed: bool = False


def clean(text: str) -> Cleaned:
    """The text as it may be stored. Cleaning it again changes nothing."""
    fit = _composed(_storable(text))
    masked = _secrets(fit)
    if masked:
        parts, start = [], 0
        for begin, end, _ in masked:
            parts += [fit[start:begin], MASK]
            start = end
        fit = "".join((*parts, fit[start:]))
    kinds = tuple(dict.fromkeys(kind for _, _, kind in masked))
    return Cleaned(fit, kinds, fit != text)


def contains_secret(text: str) -> bool:
    """Whether `clean` would mask something: for the doors that refuse instead."""
    return bool(_secrets(_composed(_storable(text))))


def normal(text: str) -> str:
    """The form in which two texts are the same text; for comparing, never for showing.

    NFC; full- and half-width forms as their ordinary letters; every run of white space of any
    kind one space, none at the ends; case folded. Invisible marks go, joiners and direction
    marks stay, but not at the ends of the text.
    """
    folded = unicodedata.normalize("NFD", _storable(text).translate(_INVISIBLE)).casefold()
    folded = _WIDTH.sub(lambda run: unicodedata.normalize("NFKC", run.group()), folded)
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", folded).casefold())
    return " ".join(folded.split()).strip(_END)


def content_hash(text: str, secret: bytes) -> str:
    """What makes an exact duplicate: HMAC-SHA256 of the normal form under the tenant's secret.

    64 hexadecimal characters; without the secret a guess at the text cannot be tested.
    """
    return hmac.new(secret, normal(text).encode(), hashlib.sha256).hexdigest()


def _storable(text: str) -> str:
    if "\x00" in text:
        text = text.replace("\x00", "")
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _composed(text: str) -> str:
    """Letters and their marks as one character where there is one, all else untouched."""
    if unicodedata.is_normalized("NFC", text):
        return text
    parts, start = [], 0
    for place in range(1, len(text) + 1):
        if place < len(text) and _continues(text[place]):
            continue
        cluster = text[start:place]
        composed = unicodedata.normalize("NFC", cluster)
        parts.append(composed if len(composed) < len(cluster) else cluster)
        start = place
    return "".join(parts)


def _continues(char: str) -> bool:
    return (
        unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"
    )  # Hangul vowels, finals


def _secrets(text: str) -> list[tuple[int, int, str]]:
    """Where secrets stand, in order, without overlap."""
    lowered = text.casefold()
    found = [
        (begin, end, form.kind)
        for form in FORMS
        if (any(hint in lowered for hint in form.hints) if form.hints else _DIGIT.search(text))
        for begin, end in form.find(text)
        if not MASK.startswith(text[begin:end]) and MASK not in text[begin:end]
    ]
    merged: list[tuple[int, int, str]] = []
    for begin, end, kind in sorted(found):
        if merged and begin < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((begin, end, kind))
    return merged
