"""Relations in a text without a model: `X is/has/works at/owns/uses/depends on/located in Y`.

Clause by clause: the first verb of a closed list parts it into what is spoken of and what is said
of it. It reads English; names (`naming`) are found in any language. What it takes for a thing is a
short phrase without its articles, and each name inside that phrase for itself.
"""

from collections.abc import Iterator

import regex

from memory.providers.cleaning import MASK
from memory.providers.named import Link, Named
from memory.providers.offline import naming
from memory.providers.offline.text import sentences

NAMES_LIMIT, LINKS_LIMIT = 200, 200  # of one text
_LETTERS = 80  # of a phrase that is a thing
_WORDS = 6
_ENDS = 4  # things on one side of a verb

_PREPOSITIONS = "in|on|at|with|for|by|to|from|of|under|behind|as|into|over|about|through|via"
_VERB = regex.compile(
    rf"""(?<![\p{{L}}\p{{N}}'-])
    (?: (?:is|are|was|were|will\ be|has\ been|have\ been)
        (?:\ (?:not|never|also|now|still|currently|mostly|mainly|already))?
        (?:\ (?:\p{{L}}{{2,20}}(?:ed|en|ing)|part|head|lead|owner|author|maintainer|member|manager
              |responsible|built|run|led|held|kept|made|written|due|based|short)
           (?=\ (?:{_PREPOSITIONS})\b))?
      | (?:has|have|had|owns|own|owned|uses|use|used|needs|need|requires|require|required|contains
        |contain|includes|include|manages|manage|managed|leads|lead|led|maintains|maintain
        |maintained|supports|support|prefers|prefer|hosts|host|stores|store|handles|handle|calls
        |call|called|creates|create|created|builds|build|built|wrote|writes|founded|acquired|bought
        |replaces|replace|replaced|provides|provide|implements|implement|extends|blocks|block
        |blocked|triggers|trigger|produces|consumes|consume|sends|reads|publishes|joined|visits
        |visited|likes|loves|knows|speaks|teaches|studies|studied|reviews|reviewed|approves
        |approved|supervises|deploys|serves|serve|owes|sells|makes|exposes|runs|run|chairs|plays)
      | (?:works?|worked|depends?|depended|relies|rely|relied|belongs?|reports?|reported|lives?
        |lived|moved|moves|migrated|migrates|runs?|connects?|talks?|listens?|points?|maps?|leads?
        |integrates?|sits|resides|stands|lies|consists|refers|switched|upgraded|comes|came|goes
        |deploys?|writes?|subscribes?|applies|graduated|born|speaks?|collaborates?)
        (?=\ (?:{_PREPOSITIONS})\b)
    )
    (?:\ (?:{_PREPOSITIONS})(?=\ ))?
    (?![\p{{L}}\p{{N}}'-])""",
    regex.VERBOSE,
)
_CLAUSE = regex.compile(
    r"[,;:()\[\]{}!?|]+(?=\s|$)|\s[–—-]+\s"
    r"|\s(?:and|but|or|because|which|who|that|while|whereas|although|when|since|so|if|until|unless"
    r"|before|after)\s"
)
_INNER = regex.compile(rf"\s(?:{_PREPOSITIONS}|since|during|every|per|not|instead)\s")
_AUXILIARY = regex.compile(
    r"(?:\s+(?:(?:do|does|did|can|could|will|would|should|must|may|might)(?:n['’]t)?|cannot|can['’]t|won['’]t"
    r"|not|never|also|now|still|currently|only|mainly|mostly|often|usually|always|already))*\s*$"
)
_DENIES = regex.compile(r"n['’]t\b|\b(?:not|never|cannot)\b")
_DETERMINERS = frozenset(
    "the a an this that these those my our your his her its their all some any each every both "
    "another other one only new current currently also then now there today".split()
)
_QUOTES = "\"'“”‘’«»„「」『』`* "


def named(text: str) -> Named:
    """Names and links of a text, each once, in the order they are found. Never raises."""
    text = text.replace(MASK, " ; ")
    names: dict[str, None] = {}
    for span in naming.names(text):
        names.setdefault(span.text.strip())
        if len(names) >= NAMES_LIMIT:
            break
    links: dict[Link, None] = {}
    for link in _links(text):
        links.setdefault(link)
        if len(links) >= LINKS_LIMIT:
            break
    return Named(tuple(names), tuple(links))


def _links(text: str) -> Iterator[Link]:
    for sentence in sentences(text):
        start = 0
        for cut in [*_CLAUSE.finditer(sentence.raw), None]:
            end = len(sentence.raw) if cut is None else cut.start()
            yield from _of_clause(sentence.raw[start:end].strip())
            start = end if cut is None else cut.end()


def _of_clause(clause: str) -> Iterator[Link]:
    """The links of its first verb with something before it. What is denied links nothing."""
    for verb in _VERB.finditer(clause):
        before = _AUXILIARY.search(clause[: verb.start()])
        assert before is not None
        if _DENIES.search(before.group() + verb.group()):
            return
        subjects = _things(clause[: before.start()])
        if not subjects:
            continue  # "Use of X is …": the next verb may have something before it
        is_state = verb.group().split()[-1] in ("is", "are", "was", "were", "now", "still", "not")
        objects = _things(_first_part(clause[verb.end() :]), bare=not is_state)
        said = " ".join(verb.group().split())
        for one in subjects:
            for other in objects:
                if one != other:
                    yield Link(one, said, other)
        return


def _first_part(phrase: str) -> str:
    """Up to the preposition that says when, how or for whom; names keep theirs."""
    for cut in _INNER.finditer(phrase, 1):
        if cut.group().strip() != "of":
            return phrase[: cut.start()]
    return phrase


def _things(phrase: str, *, bare: bool = True) -> list[str]:
    """The phrase as one thing, and each name in it. `bare`: a single plain word is a thing too."""
    found: dict[str, None] = {}
    words = phrase.strip(_QUOTES + ".…").split()
    while words and words[0].casefold() in _DETERMINERS:
        words = words[1:]
    whole = " ".join(words).strip(_QUOTES)
    plain = len(words) == 1 and whole.islower()
    if (
        1 <= len(words) <= _WORDS
        and len(whole) <= _LETTERS
        and not all(naming.is_common(word) for word in words)
        and any(char.isalpha() for char in whole)
        and (bare or not plain)
    ):
        found.setdefault(whole)
    for span in naming.names(phrase):
        if len(found) >= _ENDS:
            break
        if not span.within or " " in span.text:  # who works at the Bank of America is not at both
            found.setdefault(span.text.strip())
    return list(found)
