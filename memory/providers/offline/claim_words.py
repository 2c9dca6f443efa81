"""The word lists with which statements are read as claims: kinds of value, contraries, verbs."""

import re

from memory.providers.offline.text import stem


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
    "frequency": _set(
        "nightly daily weekly fortnightly biweekly monthly quarterly yearly annually hourly"
    ),
    "language": _set(
        "english german french spanish portuguese italian dutch polish russian ukrainian chinese "
        "japanese korean arabic hebrew turkish greek swedish norwegian danish finnish czech hindi"
    ),
    "meal": _set("breakfast lunch dinner"),
}
KIND_OF = {word: kind for kind, words in KINDS.items() for word in words}

_ANTONYMS = """
    open/closed on/off enabled/disabled online/offline active/inactive early/late hot/cold
    warm/cold full-time/part-time fulltime/parttime remote/onsite remote/office pass/fail
    passed/failed approved/rejected accepted/rejected accepted/declined available/unavailable
    always/never increase/decrease increased/decreased rising/falling up/down left/right
    window/aisle sunny/rainy public/private allowed/forbidden allowed/prohibited
    permitted/forbidden mandatory/optional required/optional finished/unfinished
    complete/incomplete done/pending done/open alive/dead awake/asleep rich/poor happy/unhappy
    happy/sad light/dark fast/slow quick/slow cheap/expensive high/low big/small large/small
    short/long tall/short old/new easy/hard easy/difficult safe/dangerous true/false
    valid/invalid paid/unpaid paid/free free/busy employed/unemployed healthy/sick healthy/ill
    quiet/loud quiet/noisy strong/weak won/lost sweet/savoury sweet/savory sweet/salty
    spicy/mild vegan/meat vegetarian/meat vegan/carnivore vegetarian/carnivore vegan/omnivore
    vegetarian/omnivore introvert/extrovert introverted/extroverted indoors/outdoors
    indoor/outdoor single/married bought/sold started/stopped hired/fired working/broken
    broken/fixed full/empty clean/dirty formal/informal formal/casual brief/detailed
    short/detailed concise/detailed cash/card permanent/temporary internal/external first/last
    minimum/maximum above/below before/after urban/rural city/countryside rent/own rents/owns
    renter/owner smoker/non-smoker success/failure succeeded/failed locked/unlocked
    encrypted/unencrypted signed/unsigned confirmed/cancelled confirmed/canceled stable/unstable
    certain/uncertain possible/impossible legal/illegal literate/illiterate hidden/visible
    present/absent arrives/leaves punctual/delayed well/poorly good/bad better/worse best/worst
    boring/exciting heavy/light works/broken dark/light
    upstairs/downstairs north/south east/west male/female
    upgrade/downgrade manual/automatic metric/imperial
""".split()
OPPOSITE: dict[str, set[str]] = {}
for _pair in _ANTONYMS:
    _one, _other = _pair.split("/")
    for _a, _b in ((_one, _other), (_other, _one)):
        OPPOSITE.setdefault(stem(_a), set()).add(stem(_b))

_GOING = _set("activ ongo open live run onlin up avail work")  # states of a thing, as stems
_ENDED = _set(
    "suspend block expir resolv solv fix done complet cancel close finish end "
    "dead abandon archiv paus "
    "stop offlin down retir discontinu"
)
for _a in _GOING:
    for _b in _ENDED:
        OPPOSITE.setdefault(_a, set()).add(_b)
        OPPOSITE.setdefault(_b, set()).add(_a)

LIKE = _set(
    "like likes liked love loves loved enjoy enjoys enjoyed adore adores adored fancy fancies "
    "fond fan keen appreciates passionate"
)
DISLIKE = _set(
    "hate hates hated dislike dislikes disliked loathe loathes detest detests despise despises"
)
PHRASES: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern), new)
    for pattern, new in (
        (
            r"\b(?:can't|cannot|can not|couldn't|could not|can no longer) (?:really "
            r")?(?:bear|stand|abide|take|tolerate|eat up)\b", "dislikes"),
        (
            r"\b(?:is|was|are|am|'m|i'm) (?:not|no longer) (?:a (?:big |huge )?fan of"
            r"|keen on|fond of|into|crazy about)\b", "dislikes"),
        (
            r"\b(?:isn't|aren't|wasn't) (?:a (?:big |huge )?fan of|keen on|fond of|into"
            r"|crazy about)\b", "dislikes"),
        (
            r"\b(?:is|are|am|'m|i'm) (?:(?:really|very|so|a|big|huge|totally|super) "
            r")*(?:fan of|keen on|fond of|into|crazy about|mad about|passionate about"
            r"|obsessed with)\b", "likes"),
        (r"\bhas (?:always )?(?:had )?(?:a )?(?:love|passion) (?:for|of)\b", "likes"),
        (
            r"\b(?:is|are) (?:tired|sick|bored) of\b|\bhas gone off\b|\bwent off\b|\bis "
            r"fed up with\b", "dislikes"),
        (
            r"\b(?:no longer|not anymore|not any more|never|neither|nor|hardly ever"
            r"|stopped|quit|gave up|given up|ceased|without)\b", " not "),
        (
            r"\b(?:any ?more|any longer|these days|nowadays|to be honest|at the moment"
            r"|right now|at all|currently|now)\b", " "),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"(\w+)n't\b", r"\1 not"),
        (r"\b(has|have|had) not got\b", "has not"),
        (
            r"\b(?:in |since |during |for )?(?:the )?(?:last|next|this|past) "
            r"(?:year|week|month|spring|summer|autumn|winter|weekend)\b",
            " ",
        ),
        (r"\bhas no\b|\bhave no\b|\bhas zero\b", "has not"),
        (r"\b(?:got rid of|gave away|sold|lost)\b", "has not"),
        (r"\b(?:has got|owns|owned|possesses|own|have|had)\b", "has"),
        (r"\b(?:resides|is based|is living|lived|live|living|home is|stays|settled)\b", "lives"),
        (
            r"\b(?:has |have )?(?:just )?(?:moved|relocated|emigrated)(?: back| "
            r"over| out| away)?(?: from [\w' ]+?)? (?:to|into)\b", "lives in"),
        (r"\b(?:is employed|working|work|worked|has a job)\b", "works"),
        (
            r"\b(?:is|are|was) (?:called|named)\b|\bgoes by(?: the name)?(?: of)?\b"
            r"|\bname is\b", "named"),
        (r"\bis (?:unemployed|jobless|out of work|between jobs)\b", "not works"),
        (r"\b(?:is|are) (?:on (?:track|schedule|time)|ahead of schedule)\b", "is punctual"),
        (r"\b(?:is|are) (?:behind schedule|overdue|running late|late)\b", "is delayed"),
        (r"\b(?:died|has died|passed away|has passed away)\b", "is dead"),
        (r"\b(?:in|from|at) (?:the|an) office\b|\bon[- ]?site\b", "onsite"),
        (r"\b(?:remotely|from home)\b", "remote"),
        (r"\bout of (?:order|service)\b", "broken"),
        (r"\bbadly\b", "poorly"),
        (r"\b(?:turned down|declined|refused)\b", "rejected"),
        (r"\b(?:must|should|will|has to|have to|needs to) be\b", "is"),
        (
            r"\b(?:has|have|had) been "
            r"(?=(?:a|an|the|in|on|at|\w+ed|single|vegan|vegetarian)\b)",
            "is ",
        ),
        (r"\bevery (day|night|week|month|year)\b", r"\1ly"),
        (r"\bdayly\b", "daily"),
        (
            r"\bfinds? (.+?) (?:boring|awful|terrible|annoying|disgusting|dull|horrible|tedious)\b",
            r"dislikes \1",
        ),
        (r"\bfinds? (.+?) (?:fun|great|delightful|enjoyable|fascinating|wonderful)\b", r"likes \1"),
        (r"\bfavou?rite\b", "favourite"),
        (r"\bo'clock\b", ""),
    )
]  # fmt: skip
_ORDINALS = "second third fourth fifth sixth seventh eighth ninth tenth".split()
NUMBER = {word: str(value) for value, word in enumerate(_ORDINALS, start=2)} | {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
FILLER = _set(
    "a an the of no none nobody nothing to in on at for with by from and or but that this "
    "these those it its is are was "
    "were be been being am has have had do does did will would can could should may might must "
    "very really quite so too also just still always often usually his her their my your our they "
    "he she them him i me we us you who which what when where as about into over than then there "
    "some any all both each more most much many lot lots such own user users user's said not "
    "recently lately actually currently definitely totally truly absolutely certainly strongly "
    "especially particularly pretty bit kind sort thing things one's themselves goes "
    "going get yet already ever "
    "known"
)
VERBS = _set(
    "happen happens occur occurs "
    "is are was were am be has likes dislikes named lives works prefers wants needs "
    "plans studies speaks "
    "plays drinks eats drives runs uses teaches owns costs starts begins ends takes meets closes "
    "opens opened closed started finished will can could should may must would does "
    "do did not goes went "
    "comes leaves arrives weighs measures contains supports requires expects hopes knows thinks "
    "believes feels manages leads reports pays earns spends collects grows keeps visits visited "
    "travels reads writes watches listens practises practices trains trained cooks bakes sings "
    "dances paints builds built made makes got gets bought adopted broke met joined became moved "
    "graduated won passed failed approved rejected accepted married born allergic "
    "smokes volunteers "
    "wears sleeps wakes commutes rents sells shipped ships runs increased decreased said says "
    "loves hates enjoys sets follows happens falls changed uses sits stands remains belongs"
)
ONCE = _set("born dead graduated married founded launched released established")
_ATTRIBUTES = _set(
    "level tier grade type format venue genre state stage phase currency target source origin "
    "result outcome score rating rank domain branch path folder code number expiry date "
    "deadline budget price cost address name colour color status owner manager limit version "
    "language database timezone currency capital birthday favourite theme priority mode plan size "
    "phone email location room host port region diet job role username title boss leader "
    "destination winner brand model password meeting appointment salary height weight age rate "
    "framework provider vendor supplier contact captain dentist doctor school university employer "
    "hometown nationality religion team bank car platform standard default"
)
ATTRIBUTE_STEMS = frozenset(stem(word) for word in _ATTRIBUTES)

# the general word under which a particular one falls: "no siblings" denies "two sisters"
GENERAL: dict[str, str] = {
    stem(word): stem(general)
    for general, particular in {
        "siblings": "sister brother",
        "children": "son daughter kid child children baby",
        "pets": "dog cat hamster rabbit parrot puppy kitten horse turtle",
        "partner": "girlfriend boyfriend wife husband fiance fiancee spouse",
        "allergies": "allergy allergic",
        "meat": "meat chicken beef pork steak bacon ham lamb turkey sausage burger fish salmon",
        "dairy": "dairy cheese milk butter yoghurt yogurt cream",
        "alcohol": "wine beer whisky whiskey vodka gin rum cocktail",
        "instrument": "piano guitar violin drums flute cello saxophone",
    }.items()
    for word in particular.split()
}

# what else is said when this is said; each is compared as well
IMPLIED: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"\b(?:is (?:an? )?(?:\w+ )?|went |became )(?:vegetarian|vegan)\b.*"),
     "does not eat meat"),
    (re.compile(r"\b(?:is (?:an? )?(?:\w+ )?|went |became )vegan\b.*"), "does not eat dairy"),
    (re.compile(r"\bis single\b.*"), "does not have a partner"),
    (re.compile(r"\b(?:is|got) (?:married|engaged)\b.*"), "has a partner"),
    (re.compile(r"\bis (?:a )?(?:teetotal(?:l?er)?|sober)\b.*"), "does not drink alcohol"),
    (re.compile(r"\bis an only child\b.*"), "has no siblings"),
    (re.compile(r"\b(?:is|are) fluent in (.+)"), r"speaks \1"),
    (re.compile(r"\b(?:left|resigned from|was fired from|quit) (?:(?:his|her|their) job at )?(.+)"),
     r"does not work at \1"),
    (re.compile(r"\b(?:moved away from|moved out of|left) (.+)"), r"does not live in \1"),
    (re.compile(r"\b(?:is|are) (?:the )?owner of (.+)"), r"has \1"),
]  # fmt: skip
