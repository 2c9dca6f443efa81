"""Read a short statement as a claim: who it is about, what is said of them, yes or no, which values.

No parser: the verb is found from closed lists, and values are told by their kind (weekday, month,
number, colour, state ...). Good enough for statements in the third person and plain notes.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from memory.providers.offline.lexicon import IRREGULAR_PAST
from memory.providers.offline.text import plain, stem


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS: dict[str, frozenset[str]] = {
    "weekday": _set("monday tuesday wednesday thursday friday saturday sunday"),
    "month": _set(
        "january february march april may june july august september october november december"
    ),
    "colour": _set(
        "red green blue yellow orange purple pink black white grey gray brown amber teal violet"
    ),
    "daypart": _set("morning afternoon evening night midday noon midnight"),
    "marital": _set("single married divorced widowed engaged"),
    "season": _set("spring summer autumn fall winter"),
    "frequency": _set("daily weekly fortnightly biweekly monthly quarterly yearly annually hourly"),
    "meal": _set("breakfast lunch dinner"),
}
_KIND_OF = {word: kind for kind, words in KINDS.items() for word in words}

_ANTONYMS = [
    "open/closed",
    "on/off",
    "enabled/disabled",
    "online/offline",
    "active/inactive",
    "early/late",
    "hot/cold",
    "warm/cold",
    "full-time/part-time",
    "fulltime/parttime",
    "remote/onsite",
    "remote/office",
    "pass/fail",
    "passed/failed",
    "approved/rejected",
    "accepted/rejected",
    "accepted/declined",
    "available/unavailable",
    "always/never",
    "increase/decrease",
    "increased/decreased",
    "rising/falling",
    "up/down",
    "left/right",
    "window/aisle",
    "sunny/rainy",
    "public/private",
    "allowed/forbidden",
    "allowed/prohibited",
    "permitted/forbidden",
    "mandatory/optional",
    "required/optional",
    "finished/unfinished",
    "complete/incomplete",
    "done/pending",
    "done/open",
    "alive/dead",
    "awake/asleep",
    "rich/poor",
    "happy/unhappy",
    "happy/sad",
    "light/dark",
    "fast/slow",
    "quick/slow",
    "cheap/expensive",
    "high/low",
    "big/small",
    "large/small",
    "short/long",
    "tall/short",
    "old/new",
    "easy/hard",
    "easy/difficult",
    "safe/dangerous",
    "true/false",
    "valid/invalid",
    "paid/unpaid",
    "paid/free",
    "free/busy",
    "employed/unemployed",
    "healthy/sick",
    "healthy/ill",
    "quiet/loud",
    "quiet/noisy",
    "strong/weak",
    "won/lost",
    "sweet/savoury",
    "sweet/savory",
    "sweet/salty",
    "spicy/mild",
    "vegan/meat",
    "vegetarian/meat",
    "vegan/carnivore",
    "vegetarian/carnivore",
    "vegan/omnivore",
    "vegetarian/omnivore",
    "introvert/extrovert",
    "introverted/extroverted",
    "indoors/outdoors",
    "indoor/outdoor",
    "single/married",
    "bought/sold",
    "started/stopped",
    "hired/fired",
    "working/broken",
    "broken/fixed",
    "full/empty",
    "clean/dirty",
    "formal/informal",
    "formal/casual",
    "brief/detailed",
    "short/detailed",
    "concise/detailed",
    "cash/card",
    "permanent/temporary",
    "internal/external",
    "first/last",
    "minimum/maximum",
    "above/below",
    "before/after",
    "urban/rural",
    "city/countryside",
    "rent/own",
    "rents/owns",
    "renter/owner",
    "smoker/non-smoker",
    "success/failure",
    "succeeded/failed",
    "locked/unlocked",
    "encrypted/unencrypted",
    "signed/unsigned",
    "confirmed/cancelled",
    "confirmed/canceled",
    "stable/unstable",
    "certain/uncertain",
    "possible/impossible",
    "legal/illegal",
    "literate/illiterate",
    "hidden/visible",
    "present/absent",
    "arrives/leaves",
    "mornings/evenings",
    "cats/dogs",
    "upstairs/downstairs",
    "north/south",
    "east/west",
    "male/female",
    "upgrade/downgrade",
    "manual/automatic",
    "metric/imperial",
]
_OPPOSITE: dict[str, set[str]] = {}
for _pair in _ANTONYMS:
    _one, _other = _pair.split("/")
    for _a, _b in ((_one, _other), (_other, _one)):
        _OPPOSITE.setdefault(stem(_a), set()).add(stem(_b))

_LIKE = _set(
    "like likes liked love loves loved enjoy enjoys enjoyed adore adores adored fancy fancies "
    "fond fan keen appreciates passionate"
)
_DISLIKE = _set(
    "hate hates hated dislike dislikes disliked loathe loathes detest detests despise despises"
)
_PHRASES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\b(?:can't|cannot|can not|couldn't|could not|can no longer) (?:really )?(?:bear|stand|abide|take|tolerate|eat up)\b", "dislikes"),
        (r"\b(?:is|was|are|am|'m|i'm) (?:not|no longer) (?:a (?:big |huge )?fan of|keen on|fond of|into|crazy about)\b", "dislikes"),
        (r"\b(?:isn't|aren't|wasn't) (?:a (?:big |huge )?fan of|keen on|fond of|into|crazy about)\b", "dislikes"),
        (r"\b(?:is|are|am|'m|i'm) (?:(?:really|very|so|a|big|huge|totally|super) )*(?:fan of|keen on|fond of|into|crazy about|mad about|passionate about|obsessed with)\b", "likes"),
        (r"\bhas (?:always )?(?:had )?(?:a )?(?:love|passion) (?:for|of)\b", "likes"),
        (r"\b(?:is|are) (?:tired|sick|bored) of\b|\bhas gone off\b|\bwent off\b|\bis fed up with\b", "dislikes"),
        (r"\b(?:no longer|not anymore|not any more|never|neither|nor|hardly ever|stopped|quit|gave up|given up|ceased|without)\b", " not "),
        (r"\b(?:any ?more|any longer|these days|nowadays|to be honest|at the moment|right now|at all|currently|now)\b", " "),
        (r"\bhas no\b|\bhave no\b|\bhas zero\b", "has not"),
        (r"\b(?:got rid of|gave away|sold|lost)\b", "has not"),
        (r"\b(?:has got|owns|possesses|own|have|had)\b", "has"),
        (r"\b(?:resides|is based|is living|lived|live|living|home is|stays|settled)\b", "lives"),
        (r"\b(?:has |have )?(?:just )?(?:moved|relocated|moving|emigrated)(?: back| over| out| away)?(?: from [\w' ]+?)? (?:to|into)\b", "lives in"),
        (r"\b(?:is employed|working|work|worked|has a job)\b", "works"),
        (r"\b(?:is|are|was) (?:called|named)\b|\bgoes by(?: the name)?(?: of)?\b|\bname is\b", "named"),
        (r"\bn't\b", " not"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(\w+)n't\b", r"\1 not"),
        (r"\bfavou?rite\b", "favourite"),
        (r"\bo'clock\b", ""),
    )
]  # fmt: skip
_NUMBER = {
    word: str(value)
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_FILLER = _set(
    "a an the of to in on at for with by from and or but that this these those it its is are was "
    "were be been being am has have had do does did will would can could should may might must "
    "very really quite so too also just still always often usually his her their my your our they "
    "he she them him i me we us you who which what when where as about into over than then there "
    "some any all both each more most much many lot lots such own user users user's said not "
    "recently lately actually currently definitely totally truly absolutely certainly strongly "
    "especially particularly pretty bit kind sort thing things one's themselves new goes going get"
)
_VERBS = _set(
    "happen happens occur occurs "
    "is are was were am be has likes dislikes named lives works prefers wants needs plans studies speaks "
    "plays drinks eats drives runs uses teaches owns costs starts begins ends takes meets closes "
    "opens opened closed started finished will can could should may must would does do did not goes went "
    "comes leaves arrives weighs measures contains supports requires expects hopes knows thinks "
    "believes feels manages leads reports pays earns spends collects grows keeps visits visited "
    "travels reads writes watches listens practises practices trains trained cooks bakes sings "
    "dances paints builds built made makes got gets bought adopted broke met joined became moved "
    "graduated won passed failed approved rejected accepted married born allergic smokes volunteers "
    "wears sleeps wakes commutes rents sells shipped ships runs increased decreased said says "
    "loves hates enjoys sets follows happens falls changed uses sits stands remains belongs"
)
_ONCE = _set("born died graduated married founded launched released established")
_TIME = re.compile(r"^\d{1,2}(?::\d{2})?(?:am|pm)$|^\d{1,2}:\d{2}$")
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)*(?:am|pm|%|k|m|kg|km|gb|h)?\b|[^\W\d_]+(?:['-][^\W\d_]+)*", re.IGNORECASE
)
_HEDGES = re.compile(
    r"^(?:(?:to be honest|honestly|actually|in fact|well|now|today|currently|these days|the user (?:said|says|thinks|mentioned)(?: that)?)[,:]? )+"
)


@dataclass(frozen=True)
class Claim:
    """A statement taken apart. `topic` holds stems without filler, values and the like-words."""

    text: str
    subject: frozenset[str]
    relation: str  # "likes", "lives", "works as", "named", "is", "has", or the verb's stem
    positive: bool
    topic: frozenset[str]
    ordered: tuple[str, ...]
    values: dict[str, frozenset[str]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    past: bool = False
    once: bool = False
    attribute: bool = False


def opposite(one: str, other: str) -> bool:
    """Whether two stems are each other's contrary, by list or by prefix (stable, unstable)."""
    if other in _OPPOSITE.get(one, ()):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long in {
        p + short for p in ("un", "in", "im", "dis", "non", "ir", "il")
    }


_ATTRIBUTES = _set(
    "deadline budget price cost address name colour color status owner manager limit version "
    "language database timezone currency capital birthday favourite theme priority mode plan size "
    "phone email location room host port region diet job role username title boss leader "
    "destination winner brand model password meeting appointment salary height weight age rate "
    "framework provider vendor supplier contact captain dentist doctor school university employer "
    "hometown nationality religion team bank car platform standard default"
)


def _subject(tokens: list[str]) -> tuple[list[str], list[str]]:
    """Tokens before the verb, and the verb with what follows."""
    if tokens[:2] == ["the", "user"] and (len(tokens) < 3 or tokens[2] != "and"):
        return [], tokens[2:]
    if tokens[:1] in (["user"], ["i"], ["she"], ["he"], ["they"], ["i'm"], ["i've"]):
        return [], tokens[1:]
    for index, token in enumerate(tokens):
        if token in _VERBS:
            return tokens[:index], tokens[index:]
    return [], tokens


@lru_cache(maxsize=4_096)
def read(text: str) -> Claim:
    """The claim of one statement. Never raises; an empty text is an empty claim."""
    clear = plain(text).strip()
    low = clear.casefold().rstrip(" .!")
    low = re.sub(r"\b(he|she|it|that|they|i|there|who|what|where)'s\b", r"\1 is", low)
    low = re.sub(r"\bi'm\b", "i am", low)
    low = re.sub(r"\bi've\b", "i have", low)
    low = _HEDGES.sub("", low)
    names = frozenset(
        stem(w) for w in re.findall(r"(?<=[^.!?\s] )[A-Z][\w-]*", clear) if w not in {"I", "The"}
    )
    for pattern, new in _PHRASES:
        low = pattern.sub(new, low)
    tokens = [_NUMBER.get(t, t) for t in _TOKEN.findall(low)]
    tokens = ["likes" if t in _LIKE else "dislikes" if t in _DISLIKE else t for t in tokens]
    subject, rest = _subject(tokens)
    negatives = sum(1 for t in rest if t in {"not", "no", "none", "nobody", "nothing"})
    positive = negatives % 2 == 0
    relation = ""
    words = [t for t in rest if t not in {"not", "no", "does", "do", "did", "will", "can", "has"}]
    if "dislikes" in rest:
        relation, positive = "likes", not positive
    elif "likes" in rest:
        relation = "likes"
    elif "named" in rest:
        relation = "named"
    elif "lives" in rest:
        relation = "lives"
    elif "works" in rest:
        after = rest[rest.index("works") + 1 :]
        relation = (
            f"works {after[0]}"
            if after and after[0] in {"as", "at", "for", "in", "from"}
            else "works"
        )
        relation = "works at" if relation == "works for" else relation
    elif "prefers" in rest or "prefer" in rest:
        relation = "prefers"
    elif words and words[0] in {"is", "are", "was", "were", "am"}:
        relation = "is"
    elif "has" in rest[:3]:
        relation = "has"
    elif words:
        relation = stem(words[0])
    values: dict[str, set[str]] = {}
    topic: list[str] = []
    for token in rest:
        if token in {"likes", "dislikes", "lives", "works", "named", "prefers", "prefer"}:
            continue
        if _TIME.match(token):
            values.setdefault("time", set()).add(token)
        elif token[0].isdigit():
            kind = "year" if re.fullmatch(r"(?:19|20)\d\d", token) else "number"
            values.setdefault(kind, set()).add(token)
        elif token in _KIND_OF and not (token == "may" and "May" not in clear) and token != "fall":
            values.setdefault(_KIND_OF[token], set()).add(token)
        elif token not in _FILLER:
            topic.append(stem(token))
    subject_stems = frozenset(stem(t) for t in subject if t not in _FILLER and t not in _KIND_OF)
    past = any(
        (
            t in IRREGULAR_PAST
            and t not in {"read", "set", "put", "cut", "let", "cost", "was", "were"}
        )
        or (
            t.endswith("ed")
            and t
            not in {"named", "need", "allergic", "married", "used", "scheduled", "moved", "planned"}
        )
        for t in rest[:3]
    )
    return Claim(
        text=clear,
        subject=subject_stems,
        relation=relation,
        positive=positive,
        topic=frozenset(topic),
        ordered=tuple(topic),
        values={kind: frozenset(found) for kind, found in values.items()},
        names=names,
        past=past,
        once=bool(set(rest) & _ONCE),
        attribute=bool({stem(a) for a in _ATTRIBUTES} & set(subject_stems))
        or "favourite" in subject,
    )
