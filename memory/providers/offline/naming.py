"""Names in a text without a model: capitalised runs, quoted terms, addresses and identifiers.

It looks at forms, so it works in any language whose writing shows names (capitals, quotes,
katakana), and finds nothing where none does. Linear in the length of the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from memory.providers.offline.notes import words as vocabulary

# Words that begin a sentence, or stand capitalised in a heading, and name nothing.
COMMON = frozenset(
    """
    a an the this that these those some any all each every both either neither no none another
    such other others same much many more most few less least several own
    i me my mine we us our ours you your yours he him his she her hers it its they them their
    theirs one ones someone somebody anyone anybody everyone everybody nobody nothing something
    anything everything who whom whose which what when where why how whether
    and or but nor so yet for of to in on at by with from into onto over under about after before
    between during since until till through against without within along across behind beyond
    near off up down out as than if then else because while although though unless however
    therefore thus hence also too only just even still already again ever never always often
    sometimes usually rarely maybe perhaps please yes no not now today tomorrow yesterday tonight
    here there soon later once twice first second third last next finally meanwhile otherwise
    instead additionally moreover furthermore overall currently recently
    is are was were be been being am do does did done doing have has had having can could may
    might must shall should will would let lets ok okay hi hello hey thanks thank sorry dear note
    notes todo fixme warning error info fyi update updates reminder remember important example
    examples e.g i.e etc re vs via per true false null
    der die das den dem ein eine einen einem einer und oder aber nicht ist sind war wir ihr sie er
    es ich du mit von zu im am bei nach vor wenn weil dass
    le la les un une des du et ou mais ne pas est sont nous vous ils elles il elle je tu avec pour
    dans sur el los las una unos unas y o pero es son nosotros ellos ellas con por para en que si
    """.split()
) | frozenset(vocabulary.IMPERATIVES)
# These begin names (New York, Old Trafford) but are none.
_QUALITIES = frozenset(
    "new old good bad big small long short high low great main full open".split()
)
_CLITICS = frozenset("s m re ve ll d t".split())

_TERMS = regex.compile(
    r"""
      (?P<mail>[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5})
    | (?P<address>(?:https?://|www\.)[^\s<>"'`«»“”（）「」]{1,300})
    | `(?P<code>[^`\n]{1,80})`
    | (?<![\p{L}\p{N}_/@.-])(?P<term>
          (?:[\p{L}\p{N}_.-]{1,60}/){1,8}[\p{L}\p{N}_-]{1,60}\.\p{L}{1,5}
        | [@\#]\p{L}[\p{L}\p{N}_-]{1,38}
        | \p{Lu}{2,10}-\p{N}{1,6}
        | \p{L}[\p{L}\p{N}]{0,39}(?:_[\p{L}\p{N}]{1,40}){1,8}
        | \p{Ll}{1,20}\p{Lu}[\p{L}\p{N}]{0,40}
        | \p{Lu}\p{Ll}{1,20}(?:\p{Lu}\p{Ll}{1,20}){1,5}
        | \p{L}[\p{L}\p{N}-]{1,40}(?:\.\p{Ll}[\p{Ll}\p{N}-]{1,40}){1,6}
        | [vV]\p{N}{1,4}(?:\.\p{N}{1,6}){1,3}
        | (?:~?/[\p{L}\p{N}_.-]{1,60}){2,12}
      )(?![\p{L}\p{N}_])
    """,
    regex.VERBOSE,
)
_QUOTED = regex.compile(
    r"""“([^“”\n]{2,80})”|«([^«»\n]{2,80})»|„([^„“”\n]{2,80})[“”]|「([^「」\n]{1,60})」"""
    r"""|『([^『』\n]{1,60})』|《([^《》\n]{1,60})》|(?<![\p{L}\p{N}])"([^"\n]{2,80})"(?![\p{L}\p{N}])"""
)
_QUOTED_WORDS = 8

# One word of a name: a capital first, joined parts, a number behind ("Postgres 16", "O'Neill").
_PART = r"[\p{L}\p{M}\p{N}]"
_WORD = rf"\p{{Lu}}{_PART}{{0,40}}(?:[-&.](?=[\p{{L}}\p{{N}}]){_PART}{{1,40}}|['’](?!s\b)\p{{L}}{{1,40}}){{0,4}}\+{{0,2}}"  # fmt: skip  # noqa: E501
_JOINS = (
    r"(?:of(?:[ ]the)?|de(?:[ ]l[ao]s?)?|del|della|di|da|do|dos|du|des"
    r"|van(?:[ ]de[rn]?)?|von(?:[ ]der)?|y|&)"
)
_NUMBER = r"\p{N}{1,6}(?:\.\p{N}{1,4}){0,2}(?![\p{L}\p{N}])"
_RUN = regex.compile(
    rf"(?<![\p{{L}}\p{{N}}_@#/.-]){_WORD}"
    rf"(?:[ ]{_WORD}|[ ]{_JOINS}[ ]{_WORD}|[ ]{_NUMBER}){{0,12}}"
)
_KATAKANA = regex.compile(r"[\p{Katakana}ー]{3,}(?:・[\p{Katakana}ー]{2,})*")
_RUN_WORDS = 6


@dataclass(frozen=True)
class Span:
    """A name as it is written, and where it starts. `within`: the end of a longer name."""

    text: str
    start: int
    within: bool = False


def names(text: str) -> Iterator[Span]:
    """The names in a text, roughly in order of how sure each sort is. May repeat itself."""
    for found in _TERMS.finditer(text):
        sort = found.lastgroup or ""
        end = "()" if sort == "code" else ".,;:!?)]}/"
        yield Span(found.group(sort).rstrip(end), found.start(sort))
    for found in _QUOTED.finditer(text):
        inner = next(part for part in found.groups() if part is not None)
        if len(inner.split()) <= _QUOTED_WORDS:
            yield Span(inner, found.start())
    for found in _RUN.finditer(text):
        yield from _named(found.group(), found.start(), _begins_sentence(text, found.start()))
    for found in _KATAKANA.finditer(text):
        yield Span(found.group(), found.start())


def is_common(word: str, *, shouted: bool = False) -> bool:
    """A word that names nothing by itself. In capitals among others it is a name: US, IT, WHO."""
    bare, _, rest = word.replace("’", "'").partition("'")
    if rest and rest.casefold() not in _CLITICS:
        return False
    return bare.casefold() in COMMON and (shouted or len(bare) == 1 or not bare.isupper())


def _named(run: str, start: int, begins: bool) -> Iterator[Span]:
    """The names in a run of capitalised words: common words part them."""
    part: list[str] = []
    at = place = start
    shouted = " " in run and run.isupper()
    for number, word in enumerate(run.split(" ")):
        joins = word[:1].islower() or word == "&"
        if is_common(word, shouted=shouted) and not (joins and part):
            yield from _whole(part, at)
            part = []
        elif begins and number == 0 and _is_a_verb(word):
            pass  # "Deploys run nightly": what begins a sentence is capitalised whatever it is
        elif part or not (joins or word[:1].isdigit()):
            if not part:
                at = place
            part.append(word)
        place += len(word) + 1
    yield from _whole(part, at)


def _whole(part: list[str], at: int) -> Iterator[Span]:
    while part and (part[-1][:1].islower() or part[-1] == "&"):
        part = part[:-1]
    if len(part) == 1 and (len(part[0]) < 2 or part[0].casefold() in _QUALITIES):
        return
    if 0 < len(part) <= _RUN_WORDS:
        yield Span(" ".join(part), at)
        if "of" in part:  # "Owner of Project Phoenix": the project too
            tail = " ".join(part[part.index("of") + 1 :])
            yield Span(tail, at + len(" ".join(part)) - len(tail), within=True)


def _is_a_verb(word: str) -> bool:
    low = word.casefold()
    return low in vocabulary.ALL_VERBS or low.endswith(("ly", "ing"))


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 6) : start].rstrip(" \"'“‘«(*_-•–—")
    return not before or before[-1] in ".!?…:\n\r。！？"
