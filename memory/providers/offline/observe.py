"""Which messages of a transcript hold something to remember, and the findings in them."""

from collections.abc import Sequence

from memory.providers.offline import core, dates, salience, weights
from memory.providers.offline.statements import Told, tell
from memory.providers.types import Finding, Transcript, Turn

FEW_MESSAGES = 4  # of the user: too few to compare with each other, so the sentence decides
PER_MESSAGE = 5
LONG_MESSAGE = 4_000  # characters; only its statements are looked at, not its shape
LONG_LIMIT = 12  # findings of one pasted text
DIRECT, REPORTED = 1.2, 1.2  # least weight of a sentence


def scores(turns: Sequence[Turn]) -> list[float]:
    """For each turn how likely it holds something lasting about its writer; above 0 is kept."""
    shapes = [salience.shape(turn.text[:LONG_MESSAGE]) for turn in turns]
    roles = [turn.role for turn in turns]
    first = [
        salience.linear(row, weights.MESSAGE, weights.MESSAGE_BIAS)
        for row in salience.features(shapes, roles)
    ]
    return [
        salience.linear(row, weights.STANDING, weights.STANDING_BIAS)
        for row in salience.standing(first, roles)
    ]


def _kept(told: list[Told], score: float, few: bool) -> list[Told]:
    """The sentences of one message that become findings."""
    if not told:
        return []
    best = max(told, key=lambda t: t.weight)
    kept = [t for t in told if core.is_core(t)]
    if few:
        kept += [t for t in told if t.direct and t not in kept]
    elif score > 0:
        kept += [
            t for t in told if ((t.direct and t.weight >= DIRECT) or t is best) and t not in kept
        ]
    kept.sort(key=lambda t: -t.weight)
    return kept


def findings(transcript: Transcript) -> list[Finding]:
    """What the user said about themselves, in the order it was said."""
    turns = [turn for turn in transcript.turns if turn.role in ("user", "assistant")]
    name = (transcript.user_name or "").strip() or "The user"
    few = sum(turn.role == "user" for turn in turns) <= FEW_MESSAGES
    found: list[Finding] = []
    said: set[str] = set()
    for turn, score in zip(turns, scores(turns), strict=True):
        if turn.role != "user" or turn.context:
            continue
        told = tell(turn.text, name)
        limit = LONG_LIMIT if len(turn.text) > LONG_MESSAGE else PER_MESSAGE
        chosen = {id(t) for t in _kept(told, score, few)[:limit]}
        for t in told:
            if id(t) in chosen:
                statement = dates.resolve(t.statement, turn.at)
                if statement not in said:
                    said.add(statement)
                    found.append(Finding(statement, t.quote, turn.number))
    return found
