"""Cut a sentence into words and typed values: money, amounts, dates, times, versions."""

import re
from dataclasses import dataclass

from memory.providers.offline.notes import units
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.values import (
    Clock,
    Date,
    Numbered,
    Quantity,
    Value,
)
from memory.providers.offline.text import stem

_NUM = r"[-−]?\d+(?:[,.\u202f]\d{3})*(?:\.\d+)?(?!\d)"
_MONTH = "|".join(f"{m}(?:{m2})?" for m, m2 in (m.split("-") for m in units.MONTHS))
_DAY = "|".join(f"{d}(?:{d2})?" for d, d2 in (d.split("-") for d in units.WEEKDAYS))
_UNIT = "|".join(sorted(map(re.escape, units.UNITS), key=len, reverse=True))
_CURRENCY = "|".join(sorted(units.CURRENCIES, key=len, reverse=True))
_SCALE = r"(?:\s?(?:k|m|mn|mio|bn|b)\b|\s(?:thousand|million|billion)\b)"
_TOKEN = re.compile(
    rf"""
    (?P<code>https?://\S+ | (?<!\w)/[\w.~-]+(?:/[\w.~-]+)+ | \b[A-Z]{{2,}}-\d+\b
      | \b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b | \b\d+(?:\.\d+){{3,}}\b | \b\d{{3}}-\d{{4}}\b)
  | (?P<iso>\b(?P<iy>\d{{4}})-(?P<im>\d{{1,2}})(?:-(?P<id>\d{{1,2}}))?\b)
  | (?P<money>(?P<sign>[$€£¥])\s?(?P<mn>{_NUM})(?P<ms>{_SCALE})?
      | \b(?P<mn2>{_NUM})(?P<ms2>{_SCALE})?\s?(?P<cur>[€£]|(?:{_CURRENCY})\b))
  | (?P<percent>(?P<pn>{_NUM})\s?(?:%|percent\b|per\ cent\b))
  | (?P<dmy>\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m1>{_MONTH})\b\.?
      (?:,?\s(?P<y1>\d{{4}}))?)
  | (?P<mdy>\b(?P<m2>{_MONTH})\b\.?\s(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)
      (?:,?\s(?P<y2>\d{{4}}))?)
  | (?P<quarter>\bQ(?P<qn>[1-4])\b(?:\s(?P<qy>\d{{4}}))?)
  | (?P<clock>\b(?P<ch>\d{{1,2}}):(?P<cm>\d{{2}})(?:\s?(?P<ca>[ap])\.?m\b\.?)?
      | \b(?P<ch2>\d{{1,2}})\s?(?P<ca2>[ap])\.?m\b\.?)
  | (?P<version>\bv\.?(?P<vn>\d+(?:\.\d+)*)\b | \b(?P<vn2>\d+\.\d+\.\d+)\b)
  | (?P<nth>\b(?P<nd>\d{{1,2}})(?:st|nd|rd|th)\b)
  | (?P<unit>(?<![\w.])(?P<un>{_NUM})\s?-?(?!(?-i:M\b))(?P<uu>{_UNIT})(?![\w]))
  | (?P<number>(?<![\w.])(?P<nn>{_NUM})(?P<ns>(?:k|(?-i:M|B)
      |\sthousand|\smillion|\sbillion)\b)?(?!\w))
  | (?P<word>[^\W\d_][\w.]*(?:['/+#-]+\w+)*[+#]*|\w+)
  | (?P<stop>[,;:()—–])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MONTH_NAMES = [m.split("-")[0] for m in units.MONTHS]
_DAY_NAMES = [d.split("-")[0] for d in units.WEEKDAYS]
_ONLY_MONTH = re.compile(rf"(?:{_MONTH})\.?", re.IGNORECASE)
_ONLY_DAY = re.compile(rf"(?:{_DAY})s?\.?", re.IGNORECASE)


@dataclass(frozen=True)
class Token:
    """A word by its stem, or a value. `proper`: a name, a code, a path."""

    text: str  # as written
    low: str
    stem: str
    value: Value | None = None
    proper: bool = False

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()

    @property
    def is_stop(self) -> bool:
        return self.low in {",", ";", ":", "(", ")", "—", "–"}


def cut(sentence: str) -> list[Token]:
    """The tokens in order, each read by itself."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(sentence):
        tokens.append(_token(match, first=not tokens))
    return tokens


def _token(match: re.Match[str], *, first: bool) -> Token:
    text = match.group().strip()
    low = text.casefold()
    value = _value(match, low)
    if value is not None:
        return Token(text, low, low, value)
    if match["word"]:
        low = low.rstrip(".")
        low = low.removesuffix("'s").removesuffix("s'") if "'" in low else low
        capital = text[:1].isupper() and not first and text != "I"
        inner = any(c.isupper() for c in text[1:]) or any(c in "_/0123456789" for c in text)
        return Token(text.rstrip("."), low, _canonical(low), None, capital or inner)
    return Token(text, low, low, None, match["code"] is not None)


def _canonical(low: str) -> str:
    return vocabulary.SAME.get(low) or vocabulary.SAME.get(stem(low)) or stem(low)


def _value(match: re.Match[str], low: str) -> Value | None:
    """The value of one match, None for words (months and weekdays by themselves are values)."""
    g = match.groupdict()
    if g["iso"]:
        month = int(g["im"])
        if not 1 <= month <= 12:
            return None
        return _date(g["iy"], month, g["id"], low)
    if g["money"]:
        number = _float(g["mn"] or g["mn2"], g["ms"] or g["ms2"])
        unit = units.CURRENCY[(g["sign"] or g["cur"]).casefold()]
        return Quantity(number, number, unit, low)
    if g["percent"]:
        return _exact(_float(g["pn"]), "%", low)
    if g["dmy"]:
        return _date(g["y1"], _month_number(g["m1"]), g["d1"], low)
    if g["mdy"]:
        return _date(g["y2"], _month_number(g["m2"]), g["d2"], low)
    if g["quarter"]:
        year = int(g["qy"]) if g["qy"] else None
        return Date(year=year, quarter=int(g["qn"]), shown=low)
    if g["clock"]:
        return _clock(g, low)
    if g["version"]:
        return Numbered("version", tuple((g["vn"] or g["vn2"]).split(".")), low)
    if g["nth"]:
        return Date(day=int(g["nd"]), shown=low)
    if g["unit"]:
        factor, dimension = units.UNITS[g["uu"].casefold()]
        return _exact(_float(g["un"]) * factor, dimension, low)
    if g["number"]:
        return _exact(_float(g["nn"], g["ns"]), "", low)
    if g["word"]:
        return _word_value(match.group())
    return None


def _word_value(text: str) -> Value | None:
    low = text.casefold().rstrip(".")
    if low in units.NUMBERS:
        return _exact(units.NUMBERS[low], "", low)
    if low in {"noon", "midday"}:
        return Clock(12 * 60, shown=low)
    if low == "midnight":
        return Clock(0, shown=low)
    capital = text[:1].isupper()  # "may", "march", "sat" and "sun" are other words too
    if (capital or low.endswith(("day", "days"))) and _ONLY_DAY.fullmatch(low):
        return Date(weekday=_DAY_NAMES.index(low[:3]), shown=low)
    if capital and _ONLY_MONTH.fullmatch(low):
        return Date(month=_month_number(low), quarter=(_month_number(low) + 2) // 3, shown=low)
    return None


def _date(year: str | None, month: int, day: str | None, shown: str) -> Date:
    return Date(
        year=int(year) if year else None,
        quarter=(month + 2) // 3,
        month=month,
        day=int(day) if day else None,
        shown=shown,
    )


def _month_number(name: str) -> int:
    return _MONTH_NAMES.index(name.casefold()[:3]) + 1


def _clock(g: dict[str, str | None], low: str) -> Clock | None:
    hours, half = int(g["ch"] or g["ch2"] or 0), (g["ca"] or g["ca2"] or "").casefold()
    minutes = int(g["cm"] or 0)
    if hours > 24 or minutes > 59:
        return None
    if half:
        hours = hours % 12 + (12 if half == "p" else 0)
    return Clock(hours * 60 + minutes, shown=low)


def _float(number: str | None, scale: str | None = None) -> float:
    clear = re.sub(r"[,\u202f](?=\d{3})", "", number or "0").replace("−", "-").replace(",", ".")
    if clear.count(".") > 1:
        clear = clear.replace(".", "")
    factor = units.SCALES.get((scale or "").strip().casefold(), 1)
    return float(clear) * factor


def _exact(number: float, unit: str, shown: str) -> Quantity:
    return Quantity(number, number, unit, shown)
