"""The closed word lists with which notes are read: units, states, verbs and what they allow."""

import re

from memory.providers.offline import claim_words
from memory.providers.offline.text import stem


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


_ADJECTIVE = re.compile(r"(?:able|ible|al|ful|ive|ous|ic|less|ing|ed|ent|ant|y|er|est)$")
_ADJECTIVES = _set(
    "high low tight good bad big small great fine ok okay new old long short fair strange clear "
    "wrong right same different nice poor rich strong weak hard soft full close near far late fast "
    "slow safe sure real common complete simple complex done ready final unknown known"
)


def adjective(word: str) -> bool:
    """Whether a word in lower case is rather a quality than the name of something."""
    return word in _ADJECTIVES or bool(_ADJECTIVE.search(word))


# --- values ----------------------------------------------------------------------------------

MONTHS = (
    "jan-uary feb-ruary mar-ch apr-il may- jun-e jul-y aug-ust sep-tember oct-ober nov-ember "
    "dec-ember"
).split()
WEEKDAYS = "mon-day tue-sday wed-nesday thu-rsday fri-day sat-urday sun-day".split()
_SMALL = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen"
NUMBERS: dict[str, float] = {
    **{word: n for n, word in enumerate(_SMALL.split()) if word != "-"},
    "fifteen": 15,
    "sixteen": 16,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "dozen": 12,
    "hundred": 100,
}
SCALES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6,
    "b": 1e9, "bn": 1e9, "billion": 1e9,
}  # fmt: skip
CURRENCY = {
    "$": "$", "usd": "$", "dollar": "$", "dollars": "$", "bucks": "$",
    "€": "€", "eur": "€", "euro": "€", "euros": "€",
    "£": "£", "gbp": "£", "pound sterling": "£", "pounds": "£", "quid": "£",
    "¥": "¥", "yen": "¥", "jpy": "¥", "chf": "chf", "francs": "chf",
}  # fmt: skip
CURRENCIES = [word for word in CURRENCY if word.isalpha()]


def _units() -> dict[str, tuple[float, str]]:
    table = {
        "time": "ms millisecond milliseconds:0.001 s sec secs second seconds:1 min mins minute "
        "minutes:60 h hr hrs hour hours:3600 day days:86400 week weeks:604800 month months:2629800 "
        "year years:31557600",
        "mass": "mg:0.001 g gram grams:1 kg kilo kilos kilogram kilograms:1000 lb lbs:453.6 "
        "t tonne tonnes tons:1000000",
        "length": "mm:0.001 cm:0.01 m meter meters metre metres:1 km kilometers kilometres:1000 "
        "mile miles:1609.34 ft feet:0.3048 inch inches:0.0254",
        "volume": "ml:0.001 l liter liters litre litres:1",
        "memory": "kb:1e3 mb:1e6 gb:1e9 tb:1e12 pb:1e15 kib:1024 mib:1048576 gib:1073741824",
        "°c": "°c celsius:1",
        "°f": "°f fahrenheit:1",
        "°": "degrees °:1",
        "power": "w:1 kw:1e3 mw:1e6",
        "energy": "kwh:1 mwh:1e3",
        "frequency": "hz:1 khz:1e3 mhz:1e6 ghz:1e9",
        "area": "m² sqm:1 hectares hectare ha:1e4",
        "speed": "km/h kmh kph:1 mph:1.60934",
        "rate": "rps req/s qps:1",
        "bandwidth": "mbps:1 gbps:1e3",
    }
    units = {}
    for dimension, text in table.items():
        waiting: list[str] = []
        for word in text.split():
            name, _, factor = word.partition(":")
            waiting.append(name)
            if factor:
                units.update({each: (float(factor), dimension) for each in waiting})
                waiting = []
    return units


UNITS = _units()
EACH = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year",
        "hourly": "hour", "nightly": "night", "quarterly": "quarter"}  # fmt: skip
ROUGHLY = {
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    "~",
    "nearly",
    "almost",
    "circa",
}
AT_LEAST = {
    "at least",
    "more than",
    "no less",
    "minimum of",
    "over",
    "above",
    "from",
    "starting at",
}
AT_MOST = {"at most", "less than", "up to", "maximum of", "under", "below", "within", "fewer than"}
LETTERED = _set("option plan team group node variant room hall gate zone phase terminal block")
NUMBERABLE = _set(
    "version release room gate platform floor port ticket invoice order issue step phase option "
    "line bay lane terminal flight track chapter level node unit pr build sprint rev revision"
)

# --- grammar ---------------------------------------------------------------------------------

TEMPORAL = _set("on at by until till since before after during in from")
PREPOSITIONS = _set(
    "in on at by for from to into onto with without of over under about until till since before "
    "after during between through via within near behind across per as against below above than"
)
DATING = _set("in since until till by of from before after year during")
AUXILIARIES = _set("do does did has have had will can must shall should is are was were be been")
BE = _set("is are was were be been being am")
FUNCTION = _set(
    "a an the our my your his her their its this that these those of to in on at by for from with "
    "and or but not no is are was were be been being am do does did has have had will can must "
    "shall should it there so too also just still very really quite already yet currently now all "
    "both only what"
)
BREAKS = PREPOSITIONS | BE | _set("and or but has have had will can must that which who when if")
DETERMINERS = _set("the our my your his her their its this these those")
INDEFINITE = _set("a an some another one")
FILLER = (FUNCTION - _set("not no of in on at by for from to with")) | _set(
    "we i us you they he she him them currently now today right actually exactly always usually "
    "agreed every next upcoming please week's team's total overall as new_ such own then than user"
)
NEGATIONS = _set("not no never none nobody nothing neither nor without")
SOFT = _stems("team project server service system app current our overall application company")

# --- states ----------------------------------------------------------------------------------

_AXES = """
    green passing passed passes pass succeeded successful success | red failing failed \
      failure fails fail broken | yellow
    up online available live reachable running operational working healthy | down offline \
      unavailable unreachable broken crashed dead out-of-service
    open reopened unresolved | closed shut resolved merged fixed
    draft | merged
    paid settled | unpaid outstanding overdue pending due
    approved accepted granted passed | rejected declined denied refused vetoed | pending
    pending todo planned queued unstarted | ongoing in-progress underway | paused blocked \
      suspended halted | done finished completed complete closed | cancelled canceled \
      abandoned scrapped dropped
    enabled on activated | disabled off deactivated
    active | inactive suspended archived retired deprecated discontinued expired cancelled \
      canceled closed
    delivered received arrived | in-transit undelivered pending lost | cancelled canceled
    shipped dispatched sent in-transit | cancelled canceled unshipped pending
    signed | unsigned
    on-track on-time punctual ahead | delayed behind late overdue | cancelled
    stable recovering healthy well | critical unstable ill sick | dead deceased
    increased rising rose grew growing up higher improved | decreased falling fell dropped \
      declined shrank down lower worsened | flat unchanged
    public | private internal confidential
    confirmed | cancelled canceled unconfirmed tentative
    full | empty
    hired | fired
    mandatory required compulsory | optional voluntary
    allowed permitted | forbidden prohibited banned disallowed
    manual | automatic automated
    full-time | part-time
    won | lost
    sold | unsold
    busy occupied taken | free vacant available
    locked | unlocked
    cheap | expensive
    encrypted | unencrypted plaintext
    started | stopped
    synchronous sync | asynchronous async
    indoors indoor inside | outdoors outdoor outside
    married | single divorced widowed
    alive | dead deceased
    free | paid
    vegan vegetarian | omnivore carnivore
    remote | onsite
    internal | external
    permanent | temporary
    valid | invalid expired
    true | false
    high | low | medium
    easy | hard difficult
    hot | cold | warm
    wet | dry
    early | late
    tabs | spaces
    read-only | writable read-write
    gold | silver | bronze | platinum
    daily nightly | weekly | monthly | quarterly | yearly | hourly
""".strip()
AXES: list[dict[str, int]] = [
    {stem(word): pole for pole, part in enumerate(line.split("|")) for word in part.split()}
    for line in _AXES.splitlines()
]
STATES: dict[str, list[tuple[int, int]]] = {}
for _number, _axis in enumerate(AXES):
    for _word, _pole in _axis.items():
        STATES.setdefault(_word, []).append((_number, _pole))
COLOURS = _stems("red green blue yellow orange purple pink black white grey gray brown teal violet")
# participles and verbs that say a state by themselves: "the deploy failed", "sales increased"
STATE_VERBS = _set(
    "passed failed succeeded crashed increased decreased rose fell grew dropped declined improved "
    "worsened closed opened resolved merged fixed approved rejected accepted shipped delivered "
    "cancelled canceled paused finished completed started stopped expired enabled disabled won "
    "lost fails passes reopened arrived"
)

# --- relations -------------------------------------------------------------------------------

HOLDERS = {  # verb or participle of one who holds something -> the role
    **dict.fromkeys("owns own owned assigned responsible accountable handles handled owner "
                    "assignee allocated delegated".split(), "owner"),
    **dict.fromkeys("leads led heads headed lead leader head".split(), "lead"),
    **dict.fromkeys("manages managed manager".split(), "manager"),
    **dict.fromkeys("supervises supervised supervisor".split(), "supervisor"),
    **dict.fromkeys("chairs chaired chair".split(), "chair"),
    **dict.fromkeys("maintains maintained maintainer".split(), "maintainer"),
    **dict.fromkeys("coordinates coordinated coordinator".split(), "coordinator"),
}  # fmt: skip
ROLES = frozenset(HOLDERS.values()) | {"reviewer"}
# one time at a time: what they say of a definite thing on a date or at an hour is a value
SCHEDULED = _stems(
    "is start begin end close open expire depart leave arrive due ship launch release run meet "
    "happen occur fall land move finish go renew lapse"
)
# happens once to a thing, so that its date and place are values
ONCE = _stems(
    "born founded established incorporated launched released published signed hired married "
    "graduated promoted created built completed adopted elected"
)
FREQUENT = _stems("daily nightly weekly monthly yearly hourly quarterly")
UNIQUE = {("report", "to"), ("belong", "to"), ("work", "at"), ("live", "at"), ("studi", "at")}
# of these there may be many values beside each other
MANY = _stems(
    "support work speak sell hire depend review attend invite visit include cover fix add take "
    "offer like love enjoy hate have play read meet buy order access allergic know learn study "
    "write visited bought ordered attended invited met took added wrote went ate ran paid read "
    "use collect watch eat drink teach test contact ask tell call email see serve accept provide "
    "help mention want need plan recommend suggest import export send"
)
UNIQUE_PLACE = _stems(
    "is live host store locate base keep hold run sit stand stay move park deploy"
)
ATTRIBUTES = claim_words.ATTRIBUTE_STEMS | _stems(
    "broker format license licence vendor colour color branch supplier reviewer broker option "
    "tool library engine backend frontend template font logo slogan topic focus goal region "
    "gateway registry bucket codec protocol encoding timezone provider contact client partner "
    "speaker author editor host approver sponsor cause reason winner choice decision strategy"
)
VERBS = claim_words.VERBS | _set(
    "is are was were has have had own owns lead leads hold holds seat seats allow allows return "
    "returns support supports include includes require requires depend depends accept accepts "
    "reject rejects respond responds responded review reviews reviewed reviewed sell sells hire "
    "hires hired offer offers offered use uses used run runs ship ships deploy deploys cost costs "
    "take takes last lasts weigh weighs need needs begin begins begin depart departs attend "
    "attends attended invite invites invited visit visits cover covers store stores contain "
    "contains process processes target targets reach reaches drop want wants prefer prefers "
    "speak speaks mean means serve serves provide provides charge charges deliver delivers open "
    "opens close closes start starts end ends expire expires send sends sent email emails bought "
    "ordered recommended chose decided picked selected order delete deletes expect expected "
    "write wrote measure measures fit fits handle handles manage manages own live lives work "
    "works keep keeps stay stays sit sits come comes attend go goes went like likes love loves "
    "hate hates play plays drive drives drink drinks eat eats smoke smokes know knows teach "
    "teaches study studies sleep sleeps read reads access accesses trigger triggers consume "
    "consumes produce produces accept expose exposes listen listens connect connects rely relies "
    "lack lacks exceed exceeds average averages total totals amount amounts equal equals pay pays "
    "earn earns rent rents believe believes trust trusts see sees sing sings wear wears grow grows "
    "cancel attends enrol enrolled enroll supports block blocks replaced replaces reports report "
    "see say says show shows exist exists happen happens lives resides stands validates validate "
    "sends logs log caches cache retries retry signs sign renews renew covers ships exports export "
    "imports import bills bill uses allows permits permit prohibits prohibit bans ban"
)
IMPERATIVES = _set(
    "use send store bake email run keep deploy always never add put set call write check ask "
    "avoid prefer include exclude ship test review log notify contact invite reject accept take "
    "give make do allow deny enable disable open close start stop pay order buy cook serve"
)
ALL_VERBS = VERBS | STATE_VERBS | AUXILIARIES

# one of a kind at a time where one is decided on
_KINDS = {
    "database": "postgres postgresql mysql mariadb sqlite mongodb oracle cockroachdb dynamodb "
    "cassandra firestore snowflake bigquery redshift",
    "broker": "rabbitmq kafka nats sqs activemq pulsar",
    "cache": "redis memcached valkey hazelcast",
    "framework": "react vue angular svelte solid ember django flask fastapi rails laravel spring "
    "express nestjs",
    "code": "python rust go golang java kotlin scala ruby php typescript javascript c++ c# elixir "
    "swift perl haskell",
    "cloud": "aws azure gcp hetzner digitalocean linode ovh heroku",
    "chat": "slack teams discord mattermost zulip",
    "hosting": "github gitlab bitbucket gitea",
    "licence": "mit gpl apache bsd mpl agpl lgpl",
    "os": "ubuntu debian fedora centos windows macos alpine rhel",
    "tracker": "jira linear trello asana notion",
    "auth": "keycloak auth0 okta cognito",
    "document": "pdf word docx markdown html latex csv excel xlsx",
    "wire": "json xml yaml protobuf toml",
    "style": "tabs spaces",
    "carrier": "dhl ups fedex usps dpd hermes",
    "payment": "stripe paypal adyen braintree klarna",
    "orchestrator": "kubernetes nomad swarm",
}
SORT = {stem(word): kind for kind, text in _KINDS.items() for word in text.split()}
SORT |= {
    stem(w): kind
    for kind, ws in claim_words.KINDS.items()
    if kind in {"language", "colour"}
    for w in ws
}
COUNTRIES = _stems(
    "germany france spain portugal italy denmark sweden norway finland poland austria switzerland "
    "netherlands belgium ireland england scotland wales uk britain usa us america canada mexico "
    "brazil argentina chile peru china japan korea india australia egypt turkey greece czechia "
    "hungary romania ukraine russia israel kenya nigeria morocco europe asia africa bavaria "
    "california texas ohio florida catalonia emea apac scandinavia"
)

SAME = {
    stem(word): stem(one)
    for one, others in {
        "colour": "color",
        "organisation": "organization",
        "favourite": "favorite",
        "picture": "image photo",
        "database": "db",
        "repository": "repo",
        "production": "prod",
        "developer": "dev",
        "environment": "env",
        "location": "venue",
        "cancelled": "canceled",
        "start": "begin begins starts",
        "end": "finish ends finishes",
        "depart": "leave leaves departs",
        "meeting": "meets meet",
    }.items()
    for word in others.split()
}
