"""What takes something back: "forget that ...", "no longer ...", "that is not true any more".

Each names one thing that is stored. If it is stored, it is deleted, or changed where the statement
says what holds instead; if it is not, there is nothing to do.
"""

import re
from collections.abc import Sequence

from memory.models.draft import Draft
from memory.providers.offline import keys
from memory.providers.offline.claims import read
from memory.providers.offline.contradiction import compare
from memory.providers.offline.text import stem
from memory.providers.types import Known, Proposal

ENOUGH = 0.6  # share of the telling words that a memory must have
_WHO = r"^(?:The user|[\w-]+)"
_FORGET = re.compile(
    _WHO + r"(?: wants| asked| asks| would like)?(?: the assistant| you)? to forget "
    r"(?:that |about )?(?P<what>.+?)\.?$",
    re.IGNORECASE,
)
_ALL = re.compile(r"^everything\b.*\b(?:them|the user)$", re.IGNORECASE)
_UNTRUE = re.compile(r"^It is (?:no longer|not) true that (?P<what>.+?)\.?$")
_ENDED = re.compile(
    _WHO
    + r"(?:'s household| and others)? (?:no longer \w|(?:has )?(?:stopped|quit|gave up|given up"
    r"|got rid of)\b|(?:does not|doesn't|do not|don't|is not|isn't|has no|are not)\b.*\bany ?more\b"
    r"|has no .* any ?more\b|used to )",
)
_INSTEAD = re.compile(
    r"\b(?:now|instead|but|moved|switched|changed to|any ?more[,;] \w+)\b", re.IGNORECASE
)
_USED_TO = re.compile(r"\bused to (?P<verb>\w+)")
# Of these the denial itself is worth knowing: nobody should cook with peanuts for want of a row.
_TELLING_BRANCHES = ("/health", "/preferences", "/identity")


def _stems(known: Known) -> frozenset[str]:
    where = re.split(r"[/ (),-]+", f"{known.key} {known.description}".casefold())
    claim = read(known.content)
    values = {value for found in claim.values.values() for value in found}
    return claim.topic | claim.subject | values | frozenset(stem(word) for word in where if word)


def wanted(statement: str) -> str | None:
    """What a request to forget, or a denial of what was said, is about; None for neither."""
    match = _FORGET.match(statement) or _UNTRUE.match(statement)
    return match["what"] if match else None


def forget(what: str, known: Sequence[Known]) -> list[Proposal]:
    """Deletes of what is named: the nearest memory, or all for "everything about them"."""
    memories = [each for each in known if each.state == "memory"]
    if _ALL.match(what):
        return [Proposal("delete", target=each.number) for each in memories]
    clear = re.sub(r"^(?:that )?(?:they|their|the user's?)\b", "", what, flags=re.IGNORECASE)
    claim = read(f"The user {clear.strip()}")
    named = (claim.topic | claim.subject) or frozenset(
        stem(word) for word in keys.topic_words(clear)
    )
    best: tuple[float, float, Known] | None = None
    for each in memories:
        share = len(named & _stems(each)) / len(named) if named else 0.0
        if claim.relation == "lives" and "/home/" in each.key:
            share = max(share, float(not named))
        rank = (share, each.similarity or 0.0)
        if share >= ENOUGH and (best is None or rank > best[:2]):
            best = (*rank, each)
    return [] if best is None else [Proposal("delete", target=best[2].number)]


def ends(statement: str) -> bool:
    """Whether it only says that something is over: "no longer has a dog"."""
    return bool(_ENDED.match(statement)) and not _INSTEAD.search(statement)


def ended(statement: str, known: Sequence[Known]) -> Known | None:
    """The memory that is over by this statement."""
    held = _USED_TO.sub(lambda m: f"no longer {m['verb']}s", statement)
    for each in known:
        if each.state == "memory" and any(
            compare(each.content, text).contradicts for text in (statement, held)
        ):
            return each
    return None


def tells(statement: str) -> bool:
    """Whether the denial is itself worth keeping: about health, taste and identity."""
    return keys.place(statement).key.startswith(_TELLING_BRANCHES)


def deletion(known: Known) -> Proposal:
    return Proposal("delete", Draft(), known.number)
