"""Where a fact belongs: a slash key, a line for the table of contents, and a presence."""

import re
from dataclasses import dataclass

from memory.models.draft import DESCRIPTION_LIMIT, KEY_LIMIT, Presence, normal_key
from memory.providers.offline import lexicon as lex
from memory.providers.offline import ontology_words as w
from memory.providers.offline.grammar import third
from memory.providers.offline.ontology import LATER, RULES, Rule
from memory.providers.offline.text import stem, words
from memory.providers.offline.topics import area_of, topic_of

LABEL_WORDS = 8
_SLUG_WORDS = 2  # of the distinguishing thing in a key


@dataclass(frozen=True)
class Place:
    key: str
    description: str
    presence: Presence


_ALWAYS = ("health/allergies", "identity/pronouns", "identity/name", "preferences/answers")
_VAGUE = frozenset(
    stem(word)
    for word in (
        "thing stuff today time day week year way lot bit great feel make really new user "
        "said other others take know think want love like enjoy prefer hate dislike live plan go "
        "hope start month can't called named bear stand longer works work around able finally "
        "recently currently wait excited happy mentioned says one two three four five six seven "
        "eight nine ten first last next late early morning evening afternoon night weekend "
        "anymore little ago since until usually always never every please am pm old"
    ).split()
) | {stem(m) for m in lex.MONTHS | lex.WEEKDAYS}  # fmt: skip

_WHO = re.compile(
    r"^(?:The user|[A-Z][\w-]*(?: [A-Z][\w-]*)?)(?:(?P<own>'s)| and others| says?(?: that)?)? "
    r"(?P<rest>.+)$"
)
_REPORTED = re.compile(r'^(?:The user|\w+) (?:said|says):? "(?P<rest>.+?)\.?"$')
_WITHIN = re.compile(r"\bthe user(?P<own>'s)? (?:and others )?(?P<rest>.+)$")
_ADVERB = re.compile(
    r"\b(?:really|also|just|still|currently|now|actually|recently|finally|mostly|absolutely"
    r"|totally|truly|simply|already|definitely|only|even|very|has to say that) "
)
_LATELY = re.compile(r",? (?:any ?more|these days|at the moment|right now|lately|too|as well)$")
_SAID_ON = re.compile(r"\s*\(said on [^)]*\)")
_DAY = re.compile(
    r"\b(?:(?P<day>\d{1,2}) )?(?P<month>" + "|".join(m for m in sorted(lex.MONTHS) if len(m) > 3)
    + r"|may) (?P<year>(?:19|20)\d\d)\b", re.IGNORECASE,
)  # fmt: skip
_MONTH = {
    name: number
    for number, name in enumerate(
        "january february march april may june july august september october november "
        "december".split(), start=1
    )
}  # fmt: skip
_DOING = re.compile(
    r"^(?:(?:to |go )?(?:buy|get|play|run|make|do|be|have|start|become|book|try) )?"
    r"(?:(?:an?|the|their|some|more) )?(?=\S)",
    re.IGNORECASE,
)
_OWNER = re.compile(
    rf"^(?:(?:[\w-]+ ){{0,2}}?)(?P<who>{w.KIN}|{w.PETS}|{w.PEOPLE})"
    r"(?P<name>(?: [A-Z][\w-]*)*)(?P<own>'s)?(?: and the user)?,? (?P<rest>\S.*)$"
)
_NO_OWNER = re.compile(r"^(?:favou?rite|job|house|home|birthday)\b")
_BRANCH_OF = (("pets", re.compile(w.PETS)), ("people", re.compile(w.PEOPLE)))
_LIKES = re.compile(
    r"^(?:would |does |has )?(?:always )?(?P<verb>likes?|loves?|enjoys?|adores?|prefers?|hates?"
    r"|dislikes?|detests?|loathes?|can't (?:stand|bear)|cannot (?:stand|bear)"
    r"|(?:does not|doesn't|no longer) (?:\w+ )?(?:like|love|enjoy|care for)s?"
    r"|(?:is|are) (?:(?:so|not|a|an|big|huge|no longer|great) )*(?:fan of|keen on|fond of|into"
    r"|passionate about|obsessed with|crazy about|afraid of|scared of|interested in|good with"
    r"|allergic to|tired of))(?: to)? (?P<x>.+)$"
)
_NEGATIVE = re.compile(
    r"\b(?:hate|dislike|detest|loathe|can't|cannot|not|doesn't|afraid|scared|no longer|tired)"
)


def topic_words(statement: str, limit: int = 3) -> list[str]:
    """The telling words of a statement, as written but lower case, in order, no repeats."""
    return [word.casefold() for word in _telling(statement, limit)]


def _telling(statement: str, limit: int) -> list[str]:
    """The telling words as they were written, names with their capitals."""
    clear = _SAID_ON.sub("", statement).removeprefix("The user")
    found: dict[str, str] = {}
    for word in words(clear):
        own = word.removesuffix("'s")
        low = own.casefold()
        if low in lex.FUNCTION or stem(low) in _VAGUE or len(low) < 3 or low[0].isdigit():
            continue
        found.setdefault(low, own)
    return list(found.values())[:limit]


def _slug(text: str) -> str:
    return "-".join(topic_words(text, _SLUG_WORDS))


def _one(word: str) -> str:
    """One of it: peanuts, berries, cats."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    if word.endswith(("shes", "ches", "xes", "sses", "oes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def _phrase(text: str) -> str:
    """A short name of a thing: its telling words, joined as they were where it is a list."""
    part = re.split(r"[,.;:(]| (?:because|so|but|when|since|with|which|who|that|on|from) ", text)[0]
    telling = _telling(part, 3) or _telling(text, 2)
    listed = len(telling) == 2 and re.search(
        rf"\b{re.escape(telling[0])}(?:,| and| or) {re.escape(telling[1])}\b", text, re.IGNORECASE
    )
    return " and ".join(telling) if listed else " ".join(telling)


def _date(text: str) -> str:
    match = _DAY.search(text)
    if match is None:
        return ""
    return f"-{match['year']}-{_MONTH[match['month'].casefold()]:02d}"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _fill(rule: Rule, match: re.Match[str], rest: str) -> tuple[str, str] | None:
    """Key and label of a rule that fits, or None if the thing it needs has no telling word."""
    groups = match.groupdict()
    found = next((groups[g] for g in ("x", "y", "z") if groups.get(g)), "")
    own = _DOING.sub("", found).strip()
    short = len(words(own)) <= 2
    slug = normal_key(own).strip("/") if short and own and not topic_words(own) else _slug(own)
    phrase = own if short and own else _phrase(own)
    needs = "{x}" in rule.key or "{x}" in rule.label or "{one}" in rule.label
    if needs and not slug:
        return None
    kind = groups.get("k") or ""
    key = (
        rule.key.replace("{k}", kind.casefold())
        .replace("{x?}", slug)
        .replace("{x}", slug)
        .replace("{y}", slug)
        .replace("{date}", _date(rest))
    )
    key = re.sub(r"-+(?=/|$)|(?<=/)-+", "", re.sub(r"--+", "-", key)).strip("/")
    label = (
        rule.label.replace("{K}", _upper(kind))
        .replace("{x?}", phrase if own else "")
        .replace("{p}", groups.get("p") or "")
        .replace("{X}", _upper(phrase))
        .replace("{single}", " ".join(_one(word) for word in phrase.split(" ")))
        .replace("{one}", _upper(" ".join(_one(word) for word in phrase.split(" "))))
        .replace("{x}", phrase)
        .replace("{y}", phrase)
    )
    if key.startswith("health/allergies/") and "(" not in label and _is_food(own):
        label += " (food)"
    return key, label


def _is_food(text: str) -> bool:
    area = area_of(text)
    return area is not None and area[0] in {"food", "drinks"}


def _liking(rest: str) -> tuple[str, str] | None:
    match = _LIKES.match(rest)
    if match is None or not topic_words(match["x"]):
        return None
    no = bool(_NEGATIVE.search(match["verb"]))
    area = area_of(match["x"])
    slug = _slug(match["x"])
    prefers = match["verb"].startswith("prefer")
    if area is None:
        label = "What they prefer" if prefers else "What they dislike" if no else "What they like"
        return f"preferences/{'dislikes' if no else 'likes'}/{slug}", label
    branch, name = area
    verb = "prefer" if prefers else "dislike" if no else "like"
    return f"preferences/{branch}/{slug}", f"{name} they {verb}"


def _rule(rest: str) -> tuple[str, str] | None:
    for rules in (RULES, None, LATER):
        if rules is None:
            found = _liking(rest)
            if found:
                return found
            continue
        for rule in rules:
            match = rule.pattern.search(rest)
            if match and (found := _fill(rule, match, rest)):
                return found
    return None


def _of_another(rest: str) -> tuple[str, str] | None:
    """What is said of a relative, a pet or a friend stands under them."""
    match = None if _NO_OWNER.match(rest) else _OWNER.match(rest)
    if match is None:
        return None
    who = match["who"]
    branch = next((b for b, pattern in _BRANCH_OF if pattern.fullmatch(who)), "family")
    one = _one(who)
    about = match["rest"].removesuffix(".")
    if re.match(r"(?:is|are|was|were) (?:called|named)\b|goes by\b", about):
        return f"{branch}/{one}/name", f"{_upper(one)}'s name ({branch})"
    inner = _rule(("'s " if match["own"] else "") + about)
    name = match["name"].strip()
    if inner is None:
        slug = _slug(about)
        return f"{branch}/{one}/{slug}".rstrip(
            "/"
        ), f"Their {one}{f' {name}' * bool(name)} ({branch})"
    key, label = inner
    last = key.split("/")[-1] if len(key.split("/")) > 1 else key
    brief = label.partition(" (")[0]
    return f"{branch}/{one}/{last}", f"Their {one} ({branch}): {brief[:1].lower()}{brief[1:]}"


def about_user(statement: str) -> str:
    """What is said of the user, without them: "lives in Porto", "'s cat is called Pixel"."""
    clear = _SAID_ON.sub("", statement.strip()).rstrip(".")
    reported = _REPORTED.match(clear)
    if reported:
        return reported["rest"]
    match = _WHO.match(clear)
    if match is None or (not clear.startswith("The user") and "the user" in clear):
        match = _WITHIN.search(clear) or match
    if match is None:
        return clear
    rest = match["rest"]
    own = bool(match["own"])
    if own and rest.startswith("household "):
        own, rest = False, rest.removeprefix("household ")
    elif not own and " and others " in match[0]:
        verb, _, after = rest.partition(" ")
        rest = f"{third(verb)} {after}"
    return ("'s " if own else "") + _LATELY.sub("", _ADVERB.sub("", rest + " ").strip())


def _where(statement: str) -> tuple[str, str]:
    rest = about_user(statement)
    if rest.startswith("'s "):
        found = _of_another(rest.removeprefix("'s "))
        if found:
            return found
    found = _rule(rest)
    if found:
        return found
    branch, label = topic_of(rest)
    telling = topic_words(rest, 6)
    telling = [word for word in telling if stem(word) != stem(branch)] or telling
    key = "/".join(filter(None, [branch, "-".join(telling[:_SLUG_WORDS])]))
    return key, f"{label}: {' '.join(_telling(rest, 3))}" if telling else label


def _short(label: str) -> str:
    """At most eight words, cut at one, with what was opened closed or dropped."""
    parts = " ".join(label.replace("()", "").split()).split(" ")
    while parts and (len(parts) > LABEL_WORDS):
        whole = " ".join(parts)
        if "(" in whole and not whole.startswith("("):
            shorter = re.sub(r" \([^)]*\)", "", whole, count=1).split(" ")
            if len(shorter) < len(parts):
                parts = shorter
                continue
        parts = parts[:LABEL_WORDS]
    return " ".join(parts).strip(" :,")[:DESCRIPTION_LIMIT]


def place(statement: str, taken: frozenset[str] = frozenset()) -> Place:
    """Key, label and presence of a new fact. A taken key gets further segments, never a clash."""
    path, label = _where(statement)
    presence = Presence.OMNIPRESENT if path.startswith(_ALWAYS) else Presence.ON_DEMAND
    key = normal_key(path)[:KEY_LIMIT]
    used = {stem(part) for part in re.split(r"[/-]", key)}
    telling = [word for word in topic_words(statement, 8) if stem(word) not in used]
    further = ["-".join(telling[:2]), "-".join(telling[2:4])]
    for extra in [*further, *map(str, range(2, len(taken) + 3))]:
        if key not in taken:
            break
        if extra:
            key = normal_key(f"{key[: KEY_LIMIT - 60]}/{extra[:50]}")
    return Place(key, _short(label), presence)
