"""Add, modify, delete, repeat, defer or discard: by likeness and the contradiction check.

The contradiction check goes first, so that what denies a memory is never taken for its repeat.
A repeat never deletes, a contradiction never adds a second live statement.
"""

import re

from memory.models.draft import CONTENT_LIMIT, Draft
from memory.providers.offline import keys, retractions
from memory.providers.offline.claims import read
from memory.providers.offline.contradiction import Relation, compare
from memory.providers.types import Decision, Known, Made, Proposal, Question

NEAR = 0.86  # cosine over which two statements of one wording are taken for one, if not contrary
NEAR_OVERLAP = 0.5  # and this share of their telling words in common
LEAST_WORDS = 1

_VAGUE = re.compile(
    r"^(?:the user|\w+) (?:is|was|has been|feels?) (?:\w+ )?(?:good|fine|ok|okay"
    r"|great|well|busy|tired|bored|back|here|there|ready|sure|excited|happy|glad)\.?$",
    re.IGNORECASE,
)


def _telling(text: str) -> frozenset[str]:
    claim = read(text)
    values = {v for found in claim.values.values() for v in found}
    return claim.topic | claim.subject | values


def _overlap(a: str, b: str) -> float:
    one, other = _telling(a), _telling(b)
    return len(one & other) / len(one | other) if one | other else 0.0


def _ranked(question: Question) -> list[tuple[Known, Relation, float]]:
    """What is known with how the statement stands to it, the likest first."""
    rows = [
        (
            known,
            compare(known.content, question.statement),
            _overlap(known.content, question.statement),
        )
        for known in question.known
    ]
    order = {"memory": 0, "pending": 1, "rejected": 2}
    rows.sort(key=lambda r: (-(r[2] + (r[0].similarity or 0.0)), order[r[0].state], r[0].number))
    return rows


def _repeats(known: Known, relation: Relation, overlap: float, statement: str) -> bool:
    if relation.kind == "restatement":
        return True
    if relation.contradicts:
        return False
    if relation.kind == "refinement" and _telling(statement) <= _telling(known.content):
        return True  # the memory already says more
    near = known.similarity is not None and known.similarity >= NEAR
    return (
        near
        and overlap >= NEAR_OVERLAP
        and relation.kind != "refinement"
        and _same_values(known.content, statement)
    )


def _same_values(a: str, b: str) -> bool:
    return read(a).values == read(b).values and read(a).positive == read(b).positive


def decide(question: Question, made: Made) -> Decision:
    """One decision about one observation. Deterministic, no clock, no network."""
    statement = question.statement.strip()
    if not statement:
        return Decision("discard", "The observation is empty.", made)
    asked = retractions.wanted(statement)
    if asked:
        return _retract(asked, question, made)
    over = _over(question, statement, made)
    if over:
        return over
    rows = _ranked(question)
    for known, relation, overlap in rows:
        if _repeats(known, relation, overlap, statement):
            what = {
                "memory": "a memory",
                "pending": "a pending proposal",
                "rejected": "a rejected proposal",
            }
            return Decision(
                "repeat", f"Restates {what[known.state]}: {known.key}.", made, about=known.number
            )
    contrary = [r for r in rows if r[0].state == "memory" and r[1].contradicts]
    if contrary:
        known, relation, _ = contrary[0]
        return _modify(known, statement, f"Contradicts what is stored ({relation.because}).", made)
    if _says_nothing(statement):
        return Decision("discard", "Says too little to be worth keeping.", made)
    for known, relation, overlap in rows:
        if known.state == "memory" and relation.kind == "refinement" and overlap >= 0.5:
            return _modify(known, statement, "Says more than the stored memory.", made)
    return _add(question, statement, rows, made)


def _content(statement: str) -> str:
    return statement if len(statement) <= CONTENT_LIMIT else statement[: CONTENT_LIMIT - 1] + "…"


def _modify(known: Known, statement: str, reason: str, made: Made) -> Decision:
    where = keys.place(statement)
    patch = Draft(content=_content(statement), description=where.description)
    return Decision("mutate", reason, made, [Proposal("modify", patch, known.number)])


def _add(
    question: Question, statement: str, rows: list[tuple[Known, Relation, float]], made: Made
) -> Decision:
    taken = frozenset(known.key for known in question.known if known.state != "rejected")
    where = keys.place(statement, taken)
    pending = [k for k, relation, _ in rows if k.state == "pending" and relation.contradicts]
    draft = Draft(
        # under one key only one of two contrary proposals can be added; the other, if approved
        # as well, is stale by then and comes back as a change (never two live statements)
        key=pending[0].key if pending else where.key,
        description=where.description,
        content=_content(statement),
        presence=where.presence,
    )
    reason = "Nothing that is known says this yet."
    if pending:
        reason = f"Contradicts a proposal that is still pending ({pending[0].key}): decide on both."
    return Decision("mutate", reason, made, [Proposal("add", draft)])


def _says_nothing(statement: str) -> bool:
    return bool(_VAGUE.match(statement)) or (
        len(keys.topic_words(statement, 6)) < LEAST_WORDS
        and not (read(statement).values or read(statement).topic)
    )


def _retract(what: str, question: Question, made: Made) -> Decision:
    """The person wants something forgotten, or denies it: a delete of what it names, or nothing."""
    proposals = retractions.forget(what, question.known)
    if not proposals:
        return Decision("discard", "Takes back something that is not stored.", made)
    return Decision("mutate", "The person asked to forget this.", made, proposals)


def _over(question: Question, statement: str, made: Made) -> Decision | None:
    """Something is over. A memory of it goes; without one there is nothing to say, unless the
    denial is worth knowing by itself, as of an allergy."""
    if not retractions.ends(statement) or retractions.tells(statement):
        return None
    known = retractions.ended(statement, question.known)
    if known is not None:
        because = f"No longer true: {known.key}."
        return Decision("mutate", because, made, [retractions.deletion(known)])
    if statement.find(" used to ") >= 0:
        return None  # the past is worth telling where nothing speaks against it
    return Decision("discard", "Says that something is over that is not stored.", made)
