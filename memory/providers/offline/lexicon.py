"""Closed word lists of general English that the other modules read. No topic, no names."""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS_I = _set("i i'm i've i'd i'll im ive")
PRONOUNS_MY = _set("my mine myself me")
PRONOUNS_WE = _set("we we're we've we'd we'll us our ours ourselves")
FIRST_PERSON = PRONOUNS_I | PRONOUNS_MY | PRONOUNS_WE
SECOND_PERSON = _set("you you're you've you'd you'll your yours yourself yourselves u ur ya y'all")

FUNCTION = (
    _set(
        "a an the this that these those there here it its it's that's there's he she "
        "him her his hers "
        "they them their theirs they're who whom whose which what when where why how "
        "and or but nor so "
        "yet if because 'cause cause cuz as than then though although while until "
        "unless since of in "
        "on at by for from with without about into onto over under up down out off "
        "through to during "
        "before after between among around against toward towards within along across behind near "
        "be am is are was were been being isn't aren't wasn't weren't do does did done doing don't "
        "doesn't didn't have has had having haven't hasn't hadn't will would won't "
        "wouldn't can could "
        "can't cannot couldn't shall should shouldn't may might must ought gonna "
        "gotta wanna let let's "
        "not no yes yeah yep yup nope ok okay oh ah hey hi hello well just also too "
        "even still very "
        "really so such quite pretty super totally definitely absolutely actually "
        "basically literally "
        "maybe perhaps probably always never ever often sometimes usually again "
        "already soon now today "
        "only more most less least much many few some any all both each every other "
        "another own same "
        "one ones thing things something anything everything nothing someone anyone "
        "everyone lot lots "
        "bit kind kinda sort sorta way like get gets got getting gotten go goes "
        "going went gone come "
        "comes came coming make makes made making take takes took taking see sees "
        "saw seen seeing know "
        "knows knew known think thinks thought say says said tell tells told look "
        "looks looked give "
        "gives gave keep keeps kept keeping put puts back good great nice well new btw lol haha"
    )
    | FIRST_PERSON
    | SECOND_PERSON
)

GREETINGS = _set("hey hi hello hiya yo howdy greetings morning evening bye goodbye cya cheers")
REACTIONS = _set(
    "wow whoa woah woo yay aw aww awww ooh oh ah haha ha lol omg congrats congratulations cool "
    "awesome amazing great nice sweet lovely wonderful fantastic incredible impressive perfect "
    "sounds looks glad yikes ouch oof sorry agreed agree totally absolutely definitely exactly "
    "sure yeah yep yup yes no true right ok okay gotcha indeed interesting"
)
PRAISE = _set(
    "amazing awesome great incredible fantastic impressive wonderful beautiful stunning gorgeous "
    "cool lovely fabulous brilliant terrific adorable cute perfect nice sweet inspiring talented "
    "neat rad epic yum yummy delicious"
)
CHEER = _set(
    "support supporting supportive supported encouragement encouraging encourage believe cheer "
    "cheering rooting proud courage strength strong dreams dream goals goal journey success "
    "succeed positive positivity motivated motivation motivating determined determination hard "
    "dedication commitment inspire inspires inspiring inspired possibilities hope together luck"
)
THANKS = _set("thanks thank thx ty thankful grateful appreciate appreciated")
LIKES = _set(
    "love loves loved loving like likes liked enjoy enjoys enjoyed enjoying prefer prefers "
    "preferred favorite favourite fave fav adore adores hate hates hated dislike dislikes fan "
    "passionate passion obsessed keen into interested hooked allergic addicted crave miss misses"
)
PLANS = _set(
    "gonna going plan plans planning planned hope hoping want wanna wants wanted thinking "
    "considering intend aim aiming goal goals someday tomorrow upcoming next soon ready excited "
    "forward preparing signed sign booked scheduled decided"
)
HABIT = _set("always usually often never every sometimes daily weekly regularly weekends mornings")
CHANGE = _set(
    "started start starting began begun finished finish finishing quit stopped joined moved moving "
    "became become bought got adopted found lost won broke launched opened closed graduated "
    "married engaged divorced hired fired promoted applied accepted rejected visited attended "
    "met made created built wrote writing painted learned learnt learning took tried trying "
    "passed died born"
)
KIN = _set(
    "mom mum mother dad father parents sister brother siblings son daughter kid kids child "
    "children wife husband partner girlfriend boyfriend fiance fiancee cousin aunt uncle niece "
    "nephew grandma grandpa grandmother grandfather grandparents family friend friends colleague "
    "colleagues boss coworker neighbor neighbour roommate mentor teacher coach team teammates "
    "class dog cat puppy kitten pet pets baby twins"
)
TIME = _set(
    "yesterday today tonight tomorrow ago last next week weeks weekend month months year years "
    "day days monday tuesday wednesday thursday friday saturday sunday fri sat sun mon tue wed "
    "thu january february march april may june july august september october november december "
    "summer winter spring fall autumn recently lately since morning evening night afternoon once "
    "childhood college school"
)
MONTHS = _set(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
WEEKDAYS = _set("monday tuesday wednesday thursday friday saturday sunday")
NUMBERS = _set(
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty "
    "fifty hundred thousand million dozen couple several first second third half twice"
)
FEELING = _set(
    "feel feels felt feeling happy sad nervous scared anxious stressed tired overwhelmed excited "
    "thrilled stoked pumped nervous worried proud lonely relaxed calm peaceful joy fear upset"
)
CAUSE = _set("because 'cause cause cuz since so helps help helped remind reminds reminded means")

IRREGULAR_PAST = _set(
    "was were had did went got made took saw came knew thought said told found gave kept left felt "
    "became began brought bought built caught chose drew drank drove ate fell fought flew forgot "
    "grew heard held hit hurt led learnt lent lost meant met paid put ran read rode rose sang sat "
    "sold sent shot slept spoke spent stood stole swam taught threw understood woke wore won wrote "
    "broke cut let quit set shut spread"
)
