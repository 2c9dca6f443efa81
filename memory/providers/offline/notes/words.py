"""The closed word lists with which notes are read: function words, verbs and what they allow."""

import re

from memory.providers.offline import claim_words
from memory.providers.offline.notes import states
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


# --- grammar ---------------------------------------------------------------------------------

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
SOFT = _stems(
    "status state team project server service system app current our overall application company"
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
    "placed submitted filed registered issued announced born founded established "
    "incorporated launched released published signed hired married "
    "graduated promoted created built completed adopted elected"
)
FREQUENT = _stems("daily nightly weekly monthly yearly hourly quarterly")
UNIQUE = {
    ("is", "with"),
    ("report", "to"),
    ("belong", "to"),
    ("work", "at"),
    ("live", "at"),
    ("studi", "at"),
}
# of these there may be many values beside each other
MANY = _stems(
    "support work speak sell hire depend review attend invite visit include cover fix add take "
    "offer like love enjoy hate have play read meet buy order access allergic know learn study "
    "write visited bought ordered attended invited met took added wrote went ate ran paid read "
    "use collect watch eat drink teach test contact ask tell call email see serve accept provide "
    "help mention want need plan recommend suggest import export send"
)
UNIQUE_PLACE = _stems("is live host store locate base keep hold run sit stand stay park deploy")
LOOSE_PLACE = _stems("run keep hold deploy")  # in two places at once, maybe
PUT = _stems(
    "upload deploy install pin send write build base route mount connect store host locate train"
)
TOTALS = _stems("got received reached scored totalled totaled raised took lasted cost earned")
ATTRIBUTES = claim_words.ATTRIBUTE_STEMS | _stems(
    "broker format license licence vendor colour color branch supplier reviewer broker option "
    "tool library engine backend frontend template font logo slogan region "
    "audience cause tone category segment industry sector methodology "
    "approach algorithm architecture timezone browser shell editor device hostname endpoint url "
    "schema dialect severity mascot "
    "gateway registry bucket codec protocol encoding timezone provider contact client partner "
    "speaker author editor host approver sponsor cause reason winner choice"
)
VERBS = (claim_words.VERBS - {"not"}) | _set(
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
ALL_VERBS = VERBS | states.STATE_VERBS | AUXILIARIES

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
    "afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan "
    "bahrain bangladesh belarus belgium bolivia bosnia botswana brazil bulgaria cambodia cameroon "
    "canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt estonia "
    "ethiopia finland france georgia germany ghana greece guatemala hungary iceland india "
    "indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya korea kosovo "
    "kuwait latvia lebanon libya lithuania luxembourg malaysia malta mexico moldova mongolia "
    "montenegro morocco mozambique namibia nepal netherlands nicaragua nigeria norway oman "
    "pakistan panama paraguay peru philippines poland portugal qatar romania russia rwanda senegal "
    "serbia singapore slovakia slovenia somalia spain sudan sweden switzerland syria taiwan "
    "tanzania thailand tunisia turkey uganda ukraine uruguay usa uzbekistan venezuela vietnam "
    "yemen zambia zimbabwe england scotland wales uk britain us america europe asia africa eu "
    "bavaria california texas florida ohio catalonia emea apac scandinavia"
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
