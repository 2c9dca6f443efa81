"""Where a fact belongs: a slash key, a short label and a presence, by topic and by wording."""

import re
from dataclasses import dataclass

from memory.models.draft import DESCRIPTION_LIMIT, KEY_LIMIT, Presence, normal_key
from memory.providers.offline import lexicon as lex
from memory.providers.offline.claims import read
from memory.providers.offline.text import stem, words


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


@dataclass(frozen=True)
class Place:
    key: str
    description: str
    presence: Presence


# Read from the top: the first whose words are found. (branch, label, words or pattern)
_PATTERNS: list[tuple[str, str, re.Pattern[str]]] = [
    (branch, label, re.compile(pattern, re.IGNORECASE))
    for branch, label, pattern in (
        ("health/allergies", "Allergy",
            r"\b(?:allerg(?:y|ies|ic)|intoleran(?:t|ce)|coeliac|celiac)\b"),
        ("identity/pronouns", "Pronouns", r"\bpronouns?\b"),
        ("identity/name", "Name",
            r"^(?:the user|\w+)(?:'s (?:full |first |last |nick)?name is| (?:is called"
            r"|goes by|wants to be called))\b"),
        ("identity/age", "Age", r"\b(?:birthday|born (?:in|on)|years old)\b"),
        ("preferences/answers", "How to answer",
            r"\b(?:answers?|replies|reply|responses?|explanations?) .*\b(?:short|brief"
            r"|detailed|long|bullet|simple|formal|language|english|german|french|spanish)"
            r"|\b(?:short|brief|detailed|concise|bulleted|simple|plain)\b.*\b(?:answers?"
            r"|replies|responses?|explanations?)\b"),
        ("contact", "Contact",
            r"\b(?:e-?mail|phone number|telephone|mobile number|address|reach (?:him|her"
            r"|them) at)\b|@\w"),
        ("preferences", "Preference",
            r"\b(?:likes?|loves?|enjoys?|prefers?|hates?|dislikes?|adores?|favou?rites?"
            r"|can't (?:stand|bear)|(?:is|are) (?:(?:really|very|so|a|big|huge) )*(?:fan"
            r"|keen|fond|into|passionate|obsessed))\b"),
        ("plans", "Plan",
            r"\b(?:is (?:going to|planning|hoping|thinking (?:of|about)|considering|about "
            r"to|looking forward|excited to)|plans? to|wants? to|hopes? to|intends? to"
            r"|would (?:love|like) to|will|can't wait|signed up|booked|scheduled)\b"),
        ("goals", "Goal", r"\b(?:goals?|dreams?|aims?|ambition|aspir\w+)\b"),
    )
]  # fmt: skip
_TOPICS: list[tuple[str, str, frozenset[str]]] = [
    (branch, label, _stems(text))
    for branch, label, text in (
        ("pets", "Pet",
            "dog cat puppy kitten pet hamster rabbit parrot turtle goldfish horse vet "
            "pup guinea bird"),
        ("family", "Family",
            "mom mum mother dad father parent sister brother sibling son daughter kid "
            "child children wife husband partner girlfriend boyfriend fiance fiancee "
            "cousin aunt uncle niece nephew grandma grandpa grandmother grandfather "
            "family wedding married marriage anniversary baby twins divorced engaged"),
        ("health", "Health",
            "health doctor hospital ankle injury injured broke surgery diagnosed "
            "diabetes asthma medication therapy therapist sick illness pregnant pain "
            "allergic blood vegan vegetarian diet disease sleep insomnia anxiety "
            "depression rehab fracture vaccine dentist"),
        ("work", "Work",
            "work job career boss colleague company office manager promotion promoted "
            "employed nurse teacher engineer developer designer business startup client "
            "project salary interview team employer banker freelance lawyer shift "
            "profession hired fired"),
        ("education", "Education",
            "school university college degree study class course exam teacher student "
            "graduate thesis phd master learn language homework diploma"),
        ("home", "Home",
            "live move house apartment flat home rent mortgage neighbour neighbor city "
            "town garden kitchen hometown born grew"),
        ("travel", "Travel",
            "travel trip flight holiday vacation visit abroad passport hotel tour "
            "camping roadtrip cruise train airport"),
        ("food", "Food",
            "food cook bake recipe restaurant eat coffee tea dinner lunch breakfast "
            "pizza meal dish cake wine beer dessert"),
        ("hobbies", "Hobby",
            "hobby play paint draw read book write music guitar piano violin sing dance "
            "run yoga swim hike climb game chess photography film movie pottery garden "
            "knit fish football basketball soccer tennis gym sport concert band bike "
            "cycle volunteer marathon workout collect"),
        ("relationships", "People", "friend neighbour roommate mentor group community club"),
        ("possessions", "Possession", "car bike laptop phone own bought camera console computer"),
        ("finance", "Money", "budget money save loan bank debt invest tax pension insurance price"),
    )
]  # fmt: skip
_VOCABULARY = {branch: vocabulary for branch, _, vocabulary in _TOPICS}
_PAST = re.compile(r"\b(?:in|on|around|of) (?:\w+ )?(?:\d{1,2} )?(?:\w+ )?(?:19|20)\d\d\b")
_ALWAYS = {"health/allergies", "identity/pronouns", "identity/name", "preferences/answers"}
_VAGUE = _stems(
    "thing stuff today time day week year way lot bit people good great feel make really new "
    "user said user's other others got take know think want love like enjoy prefer hate "
    "dislike live plan go going hope start year month january february march april may june "
    "july august september october november december monday tuesday wednesday thursday friday "
    "saturday sunday can't called named reached bear stand longer allergic works work lives "
    "one two three four five six seven eight nine ten mentioned can weekend around able "
    "finally recently currently wait excited happy"
)


def topic_words(statement: str, limit: int = 3) -> list[str]:
    """The telling words of a statement, as written but lower case, in order, no repeats."""
    clear = statement.removeprefix("The user")
    found: list[str] = []
    for word in words(clear):
        low = word.casefold().removesuffix("'s")
        if low in lex.FUNCTION or stem(low) in _VAGUE or len(low) < 3 or low[0].isdigit():
            continue
        if low not in found:
            found.append(low)
    return found[:limit]


_OWNER = re.compile(r"^(?:The user|[A-Z]\w+)'s (\w+)")


def _theirs(statement: str) -> tuple[str, str] | None:
    """The branch of whoever a statement about a relative, friend or pet is about."""
    match = _OWNER.match(statement)
    noun = stem(match[1]) if match else ""
    for branch, label, vocabulary in _TOPICS:
        if branch in {"pets", "family", "relationships"} and noun in vocabulary:
            return branch, label
    return None


def _branch(statement: str) -> tuple[str, str]:
    stems = {stem(word) for word in words(statement)}
    theirs = _theirs(statement)
    if theirs:
        return theirs
    for branch, label, pattern in _PATTERNS:
        if pattern.search(statement):
            if branch != "preferences":
                return branch, label
            for topic, sub in (("food", "food"), ("hobbies", "leisure"), ("travel", "travel")):
                if stems & _VOCABULARY[topic]:
                    return f"{branch}/{sub}", label
            return branch, label
    for branch, label, vocabulary in _TOPICS:
        if stems & vocabulary:
            return branch, label
    return ("events", "Event") if _PAST.search(statement) else ("notes", "Note")


_SETTLED = {  # relations that have one place whatever else the statement says
    "lives": ("home/residence", "Where they live"),
    "works as": ("work/occupation", "Occupation"),
    "works at": ("work/employer", "Employer"),
}


def place(statement: str, taken: frozenset[str] = frozenset()) -> Place:
    """Key, label and presence of a new fact. A taken key gets further segments, never a clash."""
    branch, label = _branch(statement)
    claim = read(statement)
    telling = topic_words(statement, 6)
    settled = _SETTLED.get(claim.relation) if not _OWNER.match(statement) else None
    segments: list[str] = []
    if settled:
        branch, label = settled
    elif branch not in {"identity/pronouns", "identity/name", "identity/age"}:
        heads = [w for w in telling if stem(w) not in {stem(p) for p in branch.split("/")}]
        segments = ["-".join(heads[:2])] if heads else []
    if branch.startswith("preferences") and claim.relation == "likes":
        label = "Likes" if claim.positive else "Dislikes"
    key = normal_key("/".join([branch, *segments]))[:KEY_LIMIT]
    further = ["-".join(telling[2:4]), "-".join(telling[4:6])]
    for extra in [*further, *map(str, range(2, len(taken) + 3))]:
        if key not in taken:
            break
        if extra:
            key = normal_key(f"{key[: KEY_LIMIT - 60]}/{extra[:50]}")
    about = ", ".join(telling[:3])
    description = f"{label}: {about}" if about and (segments or settled) else label
    presence = Presence.OMNIPRESENT if branch in _ALWAYS else Presence.ON_DEMAND
    return Place(key, description[:DESCRIPTION_LIMIT], presence)
