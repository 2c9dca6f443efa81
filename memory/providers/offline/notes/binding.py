"""Read tokens with their neighbours: what a number counts, bounds, what a number is the name of."""

import re
from dataclasses import replace
from math import inf

from memory.providers.offline.notes import states, units
from memory.providers.offline.notes import words as vocabulary
from memory.providers.offline.notes.scanning import Token, cut
from memory.providers.offline.notes.values import ROUGH, Clock, Date, Numbered, Quantity

_UNCOUNTED = vocabulary.BREAKS | vocabulary.DETERMINERS
_CODE = re.compile(r"[A-Z]-?\d+|\d+[A-Za-z]")
_YEAR = re.compile(r"(?:19|20)\d\d")


def scan(sentence: str) -> list[Token]:
    """The tokens of a sentence in order; numbers have their units, or what they count, drawn in."""
    tokens = cut(sentence)
    return _bound(_counted(_joined([_one(tokens, place) for place in range(len(tokens))])))


def _one(tokens: list[Token], place: int) -> Token:
    """ "one" counts before a noun only: not in "one of", "the one", "no one"."""
    token = tokens[place]
    if token.low != "one" or (
        place + 1 < len(tokens)
        and tokens[place + 1].low not in vocabulary.BREAKS | {"day"}
        and not (place and tokens[place - 1].low in {"the", "no", "this", "that", "every", "any"})
    ):
        return token
    return replace(token, value=None)


def _joined(tokens: list[Token]) -> list[Token]:
    """Years after a month or a preposition, hours after "at", numbers behind a name."""
    out: list[Token] = []
    for place, token in enumerate(tokens):
        value, before = token.value, out[-1] if out else None
        if before is not None and isinstance(before.value, Clock) and token.low in units.ZONES:
            shown = f"{before.value.shown} {token.text}"
            zoned = replace(before.value, zone=units.ZONES[token.low], shown=shown)
            out[-1] = replace(before, value=zoned)
            continue
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        bare = isinstance(value, Quantity) and not value.unit
        if bare and before is not None:
            ends = after is None or after.is_stop or after.low in vocabulary.BREAKS
            acts = after is not None and after.low in states.STATE_VERBS
            if _YEAR.fullmatch(token.low) and isinstance(before.value, Date):
                dated = replace(
                    before.value, year=int(token.low), shown=f"{before.low} {token.low}"
                )
                out[-1] = replace(before, text=dated.shown, low=dated.shown, value=dated)
                continue
            if _YEAR.fullmatch(token.low) and before.low in vocabulary.DATING and _dates(after):
                value = Date(year=int(token.low), shown=token.low)
            elif before.low in {"at", "until", "till", "since", "opens", "closes"} and ends:
                number = int(value.low) if isinstance(value, Quantity) else 0
                if 0 < number <= 24:
                    value = Clock(number * 60, half=number <= 12, shown=token.low)
            elif (ends or acts) and before.value is None and _names(before):
                shown, text = f"{before.low} {token.low}", f"{before.text} {token.text}"
                parts = tuple(re.split(r"[.]", token.low))
                head = "version" if before.low in {"version", "release"} else before.stem
                out[-1] = Token(text, shown, shown, Numbered(head, parts, shown), True)
                continue
        elif before is not None and before.value is None and _lettered(before, token):
            shown = f"{before.low} {token.low}"
            out[-1] = Token(shown, shown, shown, Numbered(before.stem, (token.low,), shown), True)
            continue
        out.append(token if value is token.value else replace(token, value=value))
    return out


def _dates(after: Token | None) -> bool:
    """Whether four digits before this are a year: "in 2023 the team", not "in 2000 rows"."""
    return after is None or after.is_stop or after.proper or after.low in vocabulary.FUNCTION


def _lettered(before: Token, token: Token) -> bool:
    """ "option B", "gate C4"."""
    if before.low in units.LETTERED and len(token.text) == 1 and token.capital:
        return True
    return before.low in units.NUMBERABLE and bool(_CODE.fullmatch(token.text))


def _names(token: Token) -> bool:
    """Whether a number behind this word is its name: Python 3.11, room 204; not "is 5"."""
    if token.is_stop or token.low in vocabulary.FUNCTION or token.low in vocabulary.ALL_VERBS:
        return False
    return token.proper or token.text[:1].isupper() or token.low in units.NUMBERABLE


def _counted(tokens: list[Token]) -> list[Token]:
    """What a bare number counts is its unit: "14 open tickets", "100 requests per minute"."""
    out: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        place += 1
        value = token.value
        if isinstance(value, Quantity):
            unit, shown = [value.unit] if value.unit else [], [token.low]
            while not value.unit and place < len(tokens) and len(unit) < 3:
                following = tokens[place]
                low = following.low
                if following.value or following.is_stop or low in _UNCOUNTED:
                    break
                if unit and low in states.STATE_VERBS and _ends(tokens, place + 1):
                    break  # "two tests fail"
                if low not in vocabulary.FUNCTION:
                    unit.append(following.stem)
                shown.append(low)
                place += 1
            if place + 1 < len(tokens) and tokens[place].low in {"per", "a", "an", "each", "every"}:
                shown += [tokens[place].low, tokens[place + 1].low]
                unit.append("/" + tokens[place + 1].stem)
                place += 2
            elif place < len(tokens) and tokens[place].low in units.EACH:
                shown.append(tokens[place].low)
                unit.append("/" + units.EACH[tokens[place].low])
                place += 1
            said = " ".join(shown)
            counted = replace(value, unit=" ".join(unit), shown=said)
            out.append(replace(token, text=said, low=said, stem=said, value=counted))
        else:
            out.append(token)
    return out


def _ends(tokens: list[Token], place: int) -> bool:
    if place >= len(tokens):
        return True
    token = tokens[place]
    return token.is_stop or token.value is not None or token.low in vocabulary.BREAKS


def _bound(tokens: list[Token]) -> list[Token]:
    """ "about 2 kg", "at most 5": a number as a range."""
    out: list[Token] = []
    for token in tokens:
        value = token.value
        if isinstance(value, Quantity) and out:
            two = " ".join(t.low for t in out[-2:])
            number = value.low
            wide: tuple[float, float] | None = None
            if out[-1].low in units.ROUGHLY:
                room = abs(number) * ROUGH
                wide, drop = (number - room, number + room), 1
            elif two in units.AT_LEAST or out[-1].low in units.AT_LEAST:
                wide, drop = (number, inf), 2 if two in units.AT_LEAST else 1
            elif two in units.AT_MOST or out[-1].low in units.AT_MOST:
                wide, drop = (-inf, number), 2 if two in units.AT_MOST else 1
            if wide:
                said = " ".join([*(t.low for t in out[-drop:]), value.shown])
                del out[-drop:]
                token = replace(token, value=replace(value, low=wide[0], high=wide[1], shown=said))
        out.append(token)
    return out
