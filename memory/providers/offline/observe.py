"""Which messages of a transcript hold something to remember, and the findings in them."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise

from memory.providers.offline import core, dates, replies, salience, weights
from memory.providers.offline.statements import Told, tell
from memory.providers.types import Finding, Transcript, Turn

FEW_MESSAGES = 4  # of the user: too few to compare with each other, so the sentence decides
PER_MESSAGE = 5
LONG_MESSAGE = 4_000  # characters; only its statements are looked at, not its shape
LONG_LIMIT = 12  # findings of one pasted text
DIRECT = 1.2  # least weight of a sentence beside the best of its message
AWAY = timedelta(hours=3)  # a longer silence begins another sitting
LONGEST_SITTING, SITTING = 40, 24  # turns; a longer one is cut into parts of about 24


def sittings(turns: Sequence[Turn]) -> list[Sequence[Turn]]:
    """The turns cut where people went away, and into equal parts where they went on for long.

    What stands out is judged within a sitting, so that a long transcript is read no more
    strictly than a short one.
    """
    cuts = [i for i in range(1, len(turns)) if turns[i].at - turns[i - 1].at > AWAY]
    parts: list[Sequence[Turn]] = []
    for start, end in pairwise([0, *cuts, len(turns)]):
        length = end - start
        pieces = 1 if length <= LONGEST_SITTING else round(length / SITTING)
        for k in range(pieces):
            left = start + length * k // pieces
            right = start + length * (k + 1) // pieces
            parts.append(turns[left:right])
    return parts


def scores(turns: Sequence[Turn]) -> list[float]:
    """For each turn how likely it holds something lasting about its writer; above 0 is kept."""
    return [score for part in sittings(turns) for score in _scores(part)]


def _scores(turns: Sequence[Turn]) -> list[float]:
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
    best = max([t for t in told if t.direct] or told, key=lambda t: t.weight)
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
    for before, turn, score in zip([None, *turns], turns, scores(turns), strict=False):
        if turn.role != "user" or turn.context:
            continue
        if before is not None and before.role == "assistant":
            asked = before.text[-LONG_MESSAGE:]
            reply = replies.denied(asked, turn.text, name) or replies.worded(asked, turn.text, name)
            if reply and reply[0] not in said:
                said.add(reply[0])
                found.append(Finding(*reply, turn.number))
                continue
        told = tell(turn.text, name, transcript.assistant_name or "")
        limit = LONG_LIMIT if len(turn.text) > LONG_MESSAGE else PER_MESSAGE
        chosen = {id(t) for t in _kept(told, score, few)[:limit]}
        for t in told:
            if id(t) in chosen:
                resolved = dates.resolve(t.statement, turn.at)
                statement = resolved[:1].upper() + resolved[1:]
                if statement not in said:
                    said.add(statement)
                    found.append(Finding(statement, t.quote, turn.number))
    return found
