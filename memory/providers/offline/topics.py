"""Topics of daily life by their vocabulary: for what no rule of `ontology` knows."""

import re

from memory.providers.offline import ontology_words as w
from memory.providers.offline.text import stem, words


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(part) for word in text.split() for part in word.split("_"))


# (area, what it is called): what people like and dislike is filed by area.
AREAS: tuple[tuple[str, str, frozenset[str]], ...] = tuple(
    (area, label, _stems(text))
    for area, label, text in (
        ("drinks", "Drinks", w.DRINKS + " drink"),
        ("food", "Food", w.FOOD),
        ("music", "Music", w.MUSIC),
        ("films", "Films and series", w.FILMS),
        ("books", "Books", w.BOOKS),
        ("games", "Games", w.GAMES),
        ("sports", "Sports", w.SPORT),
        (
            "travel",
            "Travel",
            "travel trip flight holiday vacation hotel abroad airport train seat fly",
        ),
        ("outdoors", "Outdoors", w.NATURE + " hike garden sun snow rain weather winter summer"),
        ("animals", "Animals", w.PET_WORDS + " animal insect spider"),
        ("colours", "Colours", "colour color red blue green yellow purple orange pink black white"),
        ("work", "Work", "job work boss office meeting commute colleague remote"),
        ("people", "People", "people friend family kid child crowd party"),
    )
)

# Read from the top: the first whose words are found. (branch, label)
TOPICS: tuple[tuple[str, str, frozenset[str]], ...] = tuple(
    (branch, label, _stems(text))
    for branch, label, text in (
        ("health", "Health",
            "health doctor hospital injury injured surgery diagnosed medication therapy therapist "
            "sick illness pregnant pain disease insomnia anxiety depression rehab vaccine dentist "
            "headache fever cold flu covid hearing eyesight"),
        ("pets", "Pets", w.PET_WORDS + " vet"),
        ("family", "Family", w.KIN_WORDS + " wedding married marriage divorced engaged"),
        ("education", "Education",
            "school university college degree study class course exam student graduate thesis phd "
            "learn homework diploma lecture seminar"),
        ("work", "Work",
            "work job career boss colleague company office manager promotion employed business "
            "startup client project salary interview employer freelance shift profession hired "
            "fired customer deadline " + " ".join(w.WORKMATE_WORDS.split())),
        ("hobbies", "Leisure",
            "hobby paint draw write sing dance photography pottery garden knit fish volunteer "
            "collect bike sewing woodwork carpentry welding " + w.SPORT + " " + w.GAMES + " "
            + w.MUSIC),
        ("food", "Food", w.FOOD + " " + w.DRINKS),
        ("travel", "Travel",
            "travel trip flight holiday vacation visit abroad passport hotel tour camping "
            "roadtrip cruise airport"),
        ("home", "Home",
            "house apartment flat home rent mortgage garden kitchen hometown neighbourhood "
            "furniture sofa roof fence shed"),
        ("culture", "Culture", w.FILMS + " " + w.BOOKS),
        ("people", "People", w.PEOPLE_WORDS + " group community club mentor"),
        ("possessions", "Possession", "car bike laptop phone own bought camera console computer"),
        ("finance", "Money", "money save loan bank debt invest tax pension insurance price cost"),
        ("technology", "Technology",
            "software app code website server database browser internet wifi online program"),
    )
)  # fmt: skip
_DATED = re.compile(r"\b(?:in|on|around|of) (?:\w+ )?(?:\d{1,2} )?(?:\w+ )?(?:19|20)\d\d\b")


def area_of(text: str) -> tuple[str, str] | None:
    """What field of taste a thing belongs to: ("music", "Music")."""
    stems = {stem(word) for word in words(text)}
    return next(((area, label) for area, label, known in AREAS if stems & known), None)


def topic_of(text: str) -> tuple[str, str]:
    """The topic of a statement that no rule knows; what happened once is an event."""
    stems = {stem(word) for word in words(text)}
    for branch, label, known in TOPICS:
        if stems & known:
            return branch, label
    return ("events", "Event") if _DATED.search(text) else ("notes", "Note")
