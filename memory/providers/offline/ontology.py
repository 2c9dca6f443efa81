"""What everyday statements are about: rules from wording to key and label, read from the top.

A rule looks at what is said of the user ("lives in Porto", "'s email is ..."). Its key is a topic
and the distinguishing thing; its label is a line of a table of contents. Both carry the words
people ask with ("home, city, address"), because keyword search reads them beside the content.
In a template `{x}` is the thing as key or phrase, `{X}` the phrase with a capital, `{one}` one of
it, with a capital. `{x?}` in a key is left out when there is no thing.
"""
# ruff: noqa: E501  a rule that is cut up cannot be read

import re
from dataclasses import dataclass

from memory.providers.offline import ontology_words as w

HOME = "Where they live (home, city, town, address)"
JOB = "Job (profession, occupation, work)"
PARTNER = "Partner (husband, wife, marriage)"
CHILDREN = "Children (kids, family)"
DIET = "Diet (what they eat)"
NAME = "Name (what to call them)"


@dataclass(frozen=True)
class Rule:
    pattern: re.Pattern[str]
    key: str
    label: str


def _rules(*rows: tuple[str, str, str]) -> list[Rule]:
    return [Rule(re.compile(pattern, re.IGNORECASE), key, label) for pattern, key, label in rows]


_N = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|several|many|some|twin|\d+|the|their)"
)
_UP_TO = r"(?:[\w'-]+ ){0,3}?"
_BE = r"(?:is|was|became|has been|gets|got)"
_NOT = r"(?:no longer|not|does not|doesn't|has no|has stopped|stopped|quit|gave up|never)"
_WANTS = (
    r"(?:is (?:going to|gonna|planning|hoping|thinking (?:of|about)|considering|about to|looking"
    r" forward|excited to|preparing|signing up|due to)|plans? (?:to|on)|wants? to|hopes? to"
    r"|intends? to|would (?:love|like) to|will|can't wait|signed up|booked|has booked|scheduled"
    r"|has scheduled|decided to|has to|needs to)"
)

RULES = _rules(
    # identity
    (rf"^(?:wants to be|{_BE}|prefers to be) (?:called|named|known as)\b|^goes by\b"
     r"|^'s (?:[\w-]+ )?(?:nick|sur)?name is\b", "identity/name", NAME),
    (r"\bpronouns?\b", "identity/pronouns", "Pronouns"),
    (r"^'s birthday\b|^has their birthday|^'s (?:date of birth|birth date)"
     r"|^was born (?:on|in) (?:\d|(?:early |late )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
     r"|dec))", "identity/birthday", "Birthday (date of birth, how old)"),
    (r"^(?:is|turned|just turned|will turn|will be|turns) \d{1,3}(?: years? old| now| today)?"
     r"(?:,? on .*)?$|^'s age is", "identity/age", "Age (how old they are)"),
    (r"^was born (?:and raised )?in (?P<x>.+)", "identity/birthplace",
     "Birthplace (where they were born)"),
    (r"^(?:grew up|was raised)\b", "identity/childhood", "Where they grew up (childhood)"),
    (r"^(?:is|comes|hails) (?:originally )?from (?P<x>.+)", "identity/origin",
     "Where they come from (city, country)"),
    (r"^'s (?:hometown|home country|home town)", "identity/origin",
     "Where they come from (city, country)"),
    (rf"^is (?:an? |half )?{w.NATIONALITY}(?: citizen| national)?$", "identity/nationality",
     "Nationality (country)"),
    (r"^(?:speaks|is (?:fluent|bilingual) in|knows) (?P<x>" + w.LANGUAGES + r"\b.*)",
     "identity/languages/{x}", "Languages they speak"),
    (r"^(?:does not|doesn't|can't) speak (?P<x>.+)", "identity/languages/{x}",
     "Languages they do not speak"),
    (r"^'s (?:native|first|mother) (?:language|tongue)", "identity/languages/native",
     "Native language (languages they speak)"),
    (rf"^{_BE} (?:an? )?(?:practi[cs]ing |devout )?(?:christian|muslim|jewish|hindu|buddhist"
     r"|catholic|atheist|protestant|sikh)\b", "identity/religion", "Religion"),
    (r"^is (?:left|right)-handed", "identity/handedness", "Left- or right-handed"),
    (r"^is [\d.,' ]+(?:cm|m|metres|meters|feet|ft|foot)\b|^'s height\b|^is \w+ feet", "identity/height",
     "Height (how tall)"),
    (r"\b(?:shoe|clothes|clothing|shirt|dress|ring|jacket|t-shirt|trouser) size\b"
     r"|\bwears? (?:a )?(?:size|small|medium|large|\w+ in (?:clothes|shirts))\b", "identity/size",
     "Clothes and shoe size"),
    # contact
    (r"\be-?mail (?:address )?(?:is|at)\b|\S@\w[\w-]*\.\w|^'s e-?mail", "contact/email",
     "Email address (contact)"),
    (r"\b(?:phone|mobile|telephone|cell|whatsapp)(?: phone)?(?: number)? is \+?[\d(]"
     r"|(?:phone|mobile|telephone|cell) number\b|reached (?:at|on|under) \+?[\d(]",
     "contact/phone", "Phone number (contact)"),
    (r"^can be reached\b|prefers to be (?:contacted|reached)", "contact/reach",
     "How to reach them (contact)"),
    (r"\btime ?zone\b", "contact/timezone", "Time zone"),
    (r"^'s (?:[\w-]+ )?(?:address|postcode|zip code)\b", "home/address",
     "Home address (where they live)"),
    # home
    (rf"^{_NOT} (?:lives?|living) (?P<x>.+)", "home/city", "Where they no longer live (home)"),
    (rf"^{_WANTS} (?:mov(?:e|ing)|relocat(?:e|ing)) (?:back )?(?:to|out|into|in) (?P<x>.+)"
     r"|^is (?:moving|relocating) (?:back )?(?:to|in with) (?P<y>.+)"
     r"|^is moving (?:house|home|out)(?P<z>.*)", "plans/move-{x?}", "Plan to move house (home)"),
    (r"^(?:lives|is living|has lived) (?:alone|by themselves|together )?(?:with (?P<x>.+))?$",
     "home/household", "Who they live with (home)"),
    (r"^(?:lives|is living|has lived|moved) in(?:to)? (?:an?|the|their) (?:[\w-]+ ){0,3}(?:flat|house"
     r"|apartment|studio|van|cottage|dorm|bungalow|loft|farmhouse|place|home|village|countryside"
     r"|suburbs)\b|^(?:rents|owns|bought|has|is renting|sold|is buying) (?:an?|the|their) "
     r"(?:[\w-]+ ){0,3}(?:house|flat|apartment|home|condo|cottage|studio flat|cabin|bungalow)\b",
     "home/housing", "Kind of home (house, flat)"),
    (r"^(?:lives|resides|is living|is based|is located|has lived|has been living|lived here)\b"
     r"|^(?:has )?(?:moved|relocated|settled|emigrated|immigrated)(?: back| here| house| home)? ?"
     r"(?:to|in|from|here|down|up|with|on|around|$)", "home/city", HOME),
    (r"^(?:lived|used to live) (?P<x>.+)", "home/past/{x}", "Where they lived before (home)"),
    (r"^'s (?:new |old |own )?(?P<x>house|flat|apartment|home|garden|kitchen|landlord|landlady|rent"
     r"|mortgage|roof|balcony|basement|bathroom|street)\b", "home/{x}", "Their {x} (home)"),
    (rf"^has {_N} (?:[\w-]+ )?(?P<x>garden|balcony|terrace|allotment|yard|pool|greenhouse)\b",
     "home/{x}", "{X} (home)"),
    # support: what a person wants of the one they write to
    (r"^(?:'s |says the )(?:[\w-]+ )?(?P<k>order|parcel|package|delivery|shipment|invoice"
     r"|subscription|booking|reservation|ticket|account|refund|return|payment|complaint|warranty"
     r"|claim|contract)\b(?: (?:number|no\.?|id|#))?(?: is)? ?#?(?P<x>[A-Z]{0,4}-?\d[\w-]*)?",
     "support/{k}/{x?}", "{K} {x?} (support request)"),
    (r"^(?:needs|wants|would like|asked for|requested|requests|is asking for"
     r"|is (?:still )?waiting for|has not received|never received) (?:an? |the |their )?(?:full "
     r"|partial |quick )?(?P<x>refund|replacement|return|exchange|repair|invoice|receipt|discount"
     r"|delivery|technician|callback|cancellation|upgrade|voucher|parcel|package)\b",
     "support/{x}", "{X} (support request)"),
    (r"^(?:cancelled|canceled|upgraded|downgraded|wants to (?:cancel|return|upgrade|exchange)) "
     r"(?P<x>.+)", "support/{x}", "{X} (support request)"),
    (r"^(?:is|uses) (?:on |a user of )?the (?P<x>[\w-]+) (?:plan|tier|subscription)\b",
     "support/plan", "Plan they pay for (subscription)"),
    # work
    (rf"^(?:runs|owns|manages|founded|started|opened|co-?founded|has|set up|is opening|launched"
     rf"|is running|is starting|sold|closed|has opened) {_N} (?:own )?(?:[\w'-]+ ){{0,3}}?"
     rf"(?P<x>{w.BUSINESS})\b(?! (?:car|phone|laptop|trip|card))", "work/business/{x}",
     "Business they run (work)"),
    (rf"^'s (?:own |small |family )*(?P<x>{w.BUSINESS})\b", "work/business/{x}",
     "Business they run (work)"),
    (r"^(?:works|is working|has been working|is employed|started working|started|got hired"
     r"|was hired|is training|trained) (?:full-time |part-time )?as (?P<x>.+)"
     r"|^'s (?:job|profession|occupation|job title) is (?P<y>.+)", "work/job", JOB),
    (r"^(?:worked|used to work|has worked) as (?P<x>.+)|^(?:was|used to be) (?:an? )"
     rf"(?P<y>(?:[\w-]+ ){{0,2}}{w.PROFESSION})\b", "work/past/{x}", "Earlier job (work)"),
    (rf"^(?:is|became|has been) (?:an? |the )(?P<x>{_UP_TO}{w.PROFESSION})(?! of the)\b(?!-)"
     r"(?! student)", "work/job", JOB),
    (rf"^(?:{_NOT} )?(?:works?|working|interns|is working|has worked|is employed|started working) (?:for|at)"
     r" (?P<x>.+)|^'s employer\b", "work/employer", "Employer (company they work for)"),
    (r"^works (?:from home|remotely|from)|^(?:is|has) (?:a )?(?:fully )?remote\b", "work/place",
     "Where they work from (remote)"),
    (r"^works (?:nights?|days|part-time|full-time|shifts?|weekends?|on \w+days?|\w+ (?:days|hours)"
     r"|late|early|the night)|^'s (?:shift|working hours)", "work/hours", "Working hours"),
    (r"^(?:works|is working) on (?P<x>.+)", "work/projects/{x}", "Project they work on"),
    (r"^works in (?P<x>.+)", "work/field", "Field of work (job, industry)"),
    (r"^(?:is|became) (?:now )?(?:retired|unemployed|self-employed|freelancing|between jobs"
     r"|on (?:parental|maternity|paternity|sick) leave)", "work/status", "Work status (job)"),
    (r"^(?:retired|got promoted|was promoted|was fired|got fired|was laid off|got laid off)\b"
     r"|\b(?:new|dream|first|second|their|a|the|day|better) (?:job|internship|promotion|position)\b"
     r"|\b(?:got|had|has|for) an? (?:\w+ )?interview\b", "work/career",
     "Career news (job, work)"),
    (rf"^'s (?:new |old )?(?P<x>{w.WORKMATES})\b", "work/{x}", "Their {x} (work)"),
    (rf"^(?:leads|manages|has) {_N} (?:[\w-]+ ){{0,3}}(?P<x>team|employees|clients|colleagues)\b",
     "work/{x}", "Their {x} (work)"),
    # education
    (rf"^(?:is|became) (?:an? )?(?P<x>{_UP_TO})(?:student|undergraduate|pupil)\b|"
     r"^(?:studies|is studying|studied|is majoring in|majors in|majored in|is doing (?:an? |their )"
     r"(?:[\w']+ )?(?:degree|phd|master's|masters|bachelor's) in) (?!(?:on|in|with|late|hard|every|for) )(?P<y>.+)", "education/studies",
     "What they study (school, university)"),
    (r"^(?:graduated|has (?:an?|their) (?:[\w']+ ){0,3}(?:degree|phd|diploma|master's|masters"
     r"|bachelor's|doctorate))\b|^finished (?:high school|university|college|school)\b",
     "education/degree", "Degree (education, graduation)"),
    (r"^(?:goes to|attends|went to|is at|attended) (?:the )?(?:[\w'-]+ ){0,4}(?:school|university|college|academy)\b",
     "education/school", "School or university they attend"),
    (r"^(?P<v>passed|failed|has|took|is taking|is preparing for|has to take) (?:an?|the|their|for) "
     r"(?P<x>(?:[\w'-]+ ){0,3}(?:exams?|driving test|test|finals))\b", "education/exams/{x}",
     "{X} (test, education)"),
    (r"^'s (?:\w+ )?(?P<x>exams?|thesis|course|class|homework|teacher|professor|tutor|degree|school"
     r"|university|dissertation)\b", "education/{x}", "Their {x} (education)"),
    # health
    (r"^(?:(?:is|was) (?:not|no longer)|isn't) (?:\w+ )?allergic to (?P<x>.+)",
     "health/allergies/{x}", "No {single} allergy"),
    (r"\b(?:allergic|intolerant|allergy|allergies) to (?P<x>.+)", "health/allergies/{x}",
     "{one} allergy"),
    (r"\bhas (?:an? )?(?:severe |bad |mild |serious |strong )?(?P<x>[\w-]+(?: [\w-]+)?) "
     r"(?:allerg(?:y|ies)|intolerance)\b", "health/allergies/{x}", "{one} allergy"),
    (r"^(?:is |has )?(?P<x>lactose|gluten|histamine|fructose)[ -]intoleran(?:t|ce)\b", "health/allergies/{x}",
     "{one} intolerance (allergy, food)"),
    (r"\b(?:c(?:o|)eliac)\b", "health/allergies/gluten", "Coeliac disease (gluten, food)"),
    (r"\ballerg(?:y|ies|ic)\b", "health/allergies", "Allergies"),
    (rf"^(?:is|became|has been|went|follows|eats|keeps|turned) (?:an? )?(?:\w+ )?{w.DIET}\b"
     r"|^(?:does not|doesn't|can't|cannot|never|no longer) eats? .+"
     r"|\bon a (?:[\w-]+ )?diet\b|^'s diet", "health/diet", DIET),
    (rf"^(?:has|suffers from|was diagnosed with|lives with|got|is recovering from|developed) (?:an? )?"
     rf"(?:type \w+ |mild |severe |chronic )*(?P<x>{w.CONDITION})(?!\w)", "health/conditions/{x}",
     "{X} (health, illness)"),
    (rf"^is (?:\w+ )?(?P<x>{w.STATE})(?! (?:to|of|date))\b", "health/conditions/{x}",
     "{X} (health, illness)"),
    (r"^is (?:\w+ )?(?:pregnant|expecting)\b", "health/pregnancy", "Pregnancy (expecting a baby)"),
    (rf"^(?:has )?(?:broke|broken|sprained|injured|hurt|tore|twisted|fractured|dislocated|strained"
     rf"|pulled) (?:their |an? )?(?:[\w-]+ )?(?P<x>{w.BODY})\b|^'s (?:\w+ )?(?P<y>{w.BODY}) "
     r"(?:is|was|hurts|still|has been)", "health/injuries/{x}", "{one} injury (health)"),
    (r"^(?:takes|is taking|is on|uses|needs|takes) (?P<x>(?:[\w-]+ )?(?:insulin|antibiotics"
     r"|antidepressants|ibuprofen|aspirin|paracetamol|metformin|statins|painkillers|vitamins?"
     r"(?: \w)?|(?:blood )?(?:pressure )?(?:medication|medicine|pills|tablets|thinners)"
     r"|an inhaler))\b|^takes (?P<y>[\w-]+) for (?:their|an?)\b|\d+ ?mg of (?P<z>\w+)",
     "health/medication/{x}", "Medication they take ({x})"),
    (r"(?:has|have|had|needs|is having|scheduled for|recovering from) (?:an? |their )?(?P<x>"
     r"(?:[\w-]+ )?(?:surgery|operation))\b", "health/surgery", "Surgery (health, operation)"),
    (r"\b(?P<x>doctor|dentist|hospital|physio|therapy|vaccine|vaccination|vet|eye)(?:'s)? "
     r"(?:appointment|visit|check-?up|session)\b", "plans/{x}-appointment{date}",
     "{X} appointment"),
    (r"^'s (?:\w+ )?(?P<x>doctor|dentist|therapist|gp|physio|physiotherapist|psychologist)\b"
     r"|^(?:sees|is seeing|visits) (?:an? |the |their )(?P<y>therapist|psychologist|physio"
     r"|doctor)\b",
     "health/{x}", "Their {x} (health)"),
    (r"^(?:(?:does not|doesn't|no longer|never|quit|stopped|gave up|used to) )?smok(?:es?|ing)\b",
     "health/smoking", "Smoking"),
    (r"^(?:does not|doesn't|no longer|never|quit|stopped|gave up) drink(?:s|ing)?"
     r"(?: alcohol| any more| anymore)?$|\bdoes not drink alcohol\b|^is sober", "health/alcohol",
     "Alcohol (what they drink)"),
    (r"\bwears? (?:\w+ )?(?P<x>glasses|contact lenses|contacts|hearing aids?|braces)\b", "health/{x}",
     "{X} (health)"),
    (r"\b(?:trouble|problems?|difficulty) sleeping\b|^(?:sleeps|can't sleep|barely sleeps)\b|^'s sleep",
     "health/sleep", "Sleep (health)"),
    (r"\bblood (?:type|group)\b", "health/blood-type", "Blood type"),
    (r"^(?:weighs|lost|gained|wants to lose|is trying to lose|is losing) (?:[\w.]+ )?(?:kg|kilos?|pounds|lbs|weight)\b"
     r"|^weighs|^'s weight", "health/weight", "Weight (health)"),
    (r"^(?:is|feels|has been|has been feeling|is feeling) (?:\w+ )?(?:stressed|anxious|depressed"
     r"|burnt out|burned out|lonely|overwhelmed|exhausted|homesick|grieving)", "health/mood",
     "How they feel (mood)"),
    # family and pets
    (r"^(?:is|got|was|has been|has gotten) (?:\w+ )?(?:married|engaged|divorced|single|widowed|separated)\b"
     r"|^is (?:an? )?(?:widow(?:er)?)\b|^(?:is dating|married|proposed to|broke up)\b"
     r"|\bwedding anniversary\b", "family/partner", PARTNER),
    (r"^(?:is|became) (?:an? |the )?(?:\w+ )?(?:mother|father|mom|mum|dad|parent)\b(?: of (?P<x>.+))?"
     rf"|^has (?:an? )?(?:{_N} )?(?:[\w-]+ ){{0,2}}(?:kids|children|daughters|sons|twins|boys|girls"
     rf"|toddlers)\b"
     r"|^does not have (?:any )?(?:kids|children)|^has no (?:kids|children)", "family/children",
     CHILDREN),
    (rf"^(?:has|had|is expecting) {_N} (?:[\w-]+ ){{0,2}}?(?P<x>daughter|son|baby|kid|child)\b",
     "family/{x}", "Their {x} (child, family)"),
    (rf"^(?:has|had|lost) {_N} (?:[\w-]+ ){{0,2}}?(?P<x>{w.KIN})\b", "family/{x}",
     "Their {x} (family)"),
    (rf"^(?:has|owns|adopted|got|rescued|keeps|bought|is adopting|has adopted|had|lost|just got|no longer has|does not have|fosters) "
     rf"(?:{_N} |any |no )?(?:[\w-]+ ){{0,3}}?(?P<x>{w.PETS})\b(?! (?:allergy|cafe|shop"
     rf"|food))", "pets/{x}",
     "{X} (pets)"),
    # preferences: answers, units, favourites
    (r"(?:wants?|prefers?|likes?|needs?|would like|asks? for|should|be) .*\b(?:short|brief|long|detailed|concise"
     r"|to the point|shorter|longer|one paragraph|thorough)\b.*\b(?:answers?|repl(?:y|ies)"
     r"|responses?"
     r"|explanations?|summar(?:y|ies)|messages?)\b|\b(?:answers?|replies|responses?"
     r"|explanations?) .*\b"
     r"(?:short|brief|long|detailed|concise|shorter|longer)\b",
     "preferences/answers/length", "How long answers should be"),
    (r"\b(?:answers?|replies|responses?|explanations?|answered|spoken to|written to)\b.*\bin "
     rf"{w.LANGUAGES}\b", "preferences/answers/language", "Language of answers"),
    (r"(?:bullet\w*|lists?|tables?|markdown|emojis?|headings|numbered|code blocks?)\b.*\b(?:answers?"
     r"|replies|responses?|explanations?)\b|\b(?:answers?|replies|responses?"
     r"|explanations?) .*\b(?:bullet\w*"
     r"|lists?|tables?|markdown|emojis?|numbered)\b|\bno emojis\b", "preferences/answers/format",
     "Format of answers"),
    (r"\b(?:formal|informal|friendly|polite|casual|funny|humou?rous|direct|blunt)\b.*\b(?:answers?|tone|replies"
     r"|responses?)\b|\btone\b", "preferences/answers/tone", "Tone of answers"),
    (r"(?:prefers?|wants?|likes?|would like|needs?) .*\b(?:answers?|replies|responses?|explanations?)\b",
     "preferences/answers/style", "How to answer"),
    (r"^(?:prefers|uses|thinks in|wants) (?:the )?(?:metric|imperial|celsius|fahrenheit|kilomet|24-hour|12-hour)",
     "preferences/units", "Units of measure"),
    (r"^'s (?:(?:all-time|absolute|very) )*favou?rite (?P<x>[\w' -]+?) (?:is|are|was|has)\b",
     "preferences/favourites/{x}", "Favourite {x}"),
    # plans, goals
    (r"^'s (?:\w+ )?(?:goal|dream|ambition|aim|resolution)s?(?: \w+)? (?:is|are) (?:to )?(?P<x>.+)"
     r"|^is training for (?P<y>.+)", "goals/{x}", "Goal: {x}"),
    (r"^(?:wants|hopes|plans|would like|would love|is trying|is hoping|is planning|decided|is learning|aims|intends)"
     r"(?: to)? (?:learn(?:ing)?|master|study|understand|get better at|improve) (?:more about "
     r"|how to |to )?(?P<x>.+)"
     r"|^is learning (?:how to |to |about )?(?P<y>.+)|^(?:is taking|takes|started"
     r"|has) (?P<z>[\w-]+(?: [\w-]+)?) (?:lessons|classes)\b",
     "goals/learning/{x}", "What they are learning: {x}"),
    (r"(?:is (?:planning|going on|taking|booking|looking forward to)|plans|planned|booked|has booked|has|will take|wants|would like|would love)"
     r" (?:to (?:book|take|go on) )?(?:an? |the |their )?(?:[\w-]+ ){0,2}?(?:trip|flight|holiday"
     r"|vacation|cruise|journey|hotel|honeymoon)s?"
     r"(?: (?:to|in|around|through) (?P<x>.+))?",
     "plans/{x?}-trip{date}", "Trip to {x?} (travel plan)"),
    (r"^(?:is (?:flying|travel?ling|driving|heading)|flies|leaves for|will (?:fly|travel|go|visit)"
     r"|is going(?= to (?-i:[A-Z]))|(?:is going|wants|hopes|plans|would love|would like|is planning"
     r"|is hoping) to (?:visit|travel to|fly to|go to|see))"
     r" (?:to |for |back to )?(?P<x>(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)*)",
     "plans/{x}-trip{date}", "Trip to {x} (travel plan)"),
    (r"^(?:(?:says )?(?:the|their) |'s |has (?:an? |the )|has (?:\w+ )?(?:an? ))(?:next |first |weekly |team |job )*(?P<k>meeting|appointment|interview|party|wedding|flight"
     r"|deadline|presentation|call|move|lesson|session|concert|conference|delivery|exam|trip"
     r"|project|launch|release)\b"
     r"(?: (?P<p>with|for|at|about|of) (?P<x>(?:the |their "
     r"|an? )?[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?))?",
     "plans/{k}-{x?}{date}", "{K} {p} {x?} (plan, appointment)"),
    (rf"^{_WANTS} (?P<x>.+)", "plans/{x}{date}", "Plan: {x}"),
)  # fmt: skip

# Read after liking and disliking, which `keys` files by area.
LATER = _rules(
    (r"^(?:(?:is|has been|was) )?(?:struggl\w+|confused|stuck)(?: with| by| about| on| to)* (?P<x>.+)"
     r"|^has (?:trouble|difficulty|problems|a hard time) (?:with |understanding )*(?P<y>.+)"
     r"|^(?:does not|doesn't|can't|cannot) (?:really )?(?:understand|follow|figure out) (?P<z>.+)",
     "learning/gaps/{x}", "What they find hard: {x}"),
    (r"^(?:passed|completed|finished|achieved|reached|won|earned|submitted|mastered) (?P<x>.+)",
     "milestones/{x}", "Milestone: {x}"),
    (r"^(?:volunteers|is volunteering|volunteered) (?:at |for |in |with )?(?P<x>.+)", "hobbies/volunteering",
     "Volunteering (hobby)"),
    (r"^(?:earns|makes) [\d$€£]|\bsalary\b|\bincome\b", "finance/salary",
     "Salary (income, money)"),
    (r"\b(?P<x>budget|mortgage|loan|savings?|debts?|pension|insurance|taxe?s|bank|investments?)\b",
     "finance/{x}", "{X} (money)"),
    (rf"^(?:has|owns|drives|bought|got|leases|sold) {_N} (?:[\w-]+ ){{0,3}}?{w.CAR_MAKE}\b", "possessions/car",
     "Their car (what they drive)"),
    (rf"^(?:has|owns|drives|bought|got|rides|sold|leases|is buying|no longer has) {_N} (?:[\w-]+ ){{0,3}}?(?P<x>{w.VEHICLE})\b"
     rf"|^'s (?:[\w-]+ )?(?P<y>{w.VEHICLE})\b", "possessions/{x}", "Their {x} (what they drive)"),
    (rf"^(?:has|owns|uses|bought|got|broke|lost) (?:{_N} )?(?:[\w-]+ ){{0,3}}?(?P<x>{w.DEVICE})\b|^'s (?:[\w-]+ )?(?P<y>{w.DEVICE})\b",
     "possessions/{x}", "Their {x} (device)"),
    (rf"^(?:uses|codes in|programs in|writes|works with|switched to|prefers|runs|develops in) (?:[\w-]+ )?(?P<x>{w.SOFTWARE})\b",
     "technology/{x}", "Software and tools they use"),
    (r"^(?P<v>can|can't|cannot|could not|couldn't|does not know how to|doesn't know how to|knows how to|is able to|is good at|is bad at)"
     r" (?P<x>(?:swim|drive|ride|cook|read|sing|dance|ski|type|juggle|play|sew|fly|skate)\w*.*)",
     "skills/{x}", "Skill: {x}"),
    (r"^(?:plays|has played|has been playing|played|used to play|teaches|practises|practices|is playing) (?:the |in an? )?(?P<x>.+)",
     "hobbies/{x}", "Hobby: {x}"),
    (r"^(?:goes|does|is into|collects|took up|started|enjoys) (?P<x>\w+ing|yoga|pilates|karate|judo|stamps|coins|vinyl.*|records|crossfit)\b",
     "hobbies/{x}", "Hobby: {x}"),
    (r"^(?P<x>runs|swims|hikes|paints|climbs|dances|knits|cycles|surfs|skis|gardens|draws|sings|sails|bakes|jogs|fishes|rows|writes)\b(?! (?:an?|the|their) )",
     "hobbies/{x}", "Hobby: {x}"),
    (r"^(?:reads|watches|listens to|is reading|is watching|follows|read) (?:a lot of |the |an? )?(?P<x>.+)", "culture/{x}",
     "What they read, watch and hear"),
    (r"^(?:went|travel?led|flew|drove|got back|came back|returned|has been|visited|has visited|just got back) (?:on |to |from |in )?"
     r"(?P<x>(?:an? )?(?:(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)*|trip|holiday|vacation"
     r"|camping))\b.*",
     "travel/{x}{date}", "Travel: {x}"),
    (r"^(?:bought|ordered|purchased|received|returned) (?P<x>.+)", "purchases/{x}",
     "Purchase: {x} (order)"),
    (r"^(?:usually|always|often|never|normally)? ?(?P<x>wakes up|gets up|goes to bed|commutes|has breakfast|has lunch|has dinner|exercises|works out|walks|meditates)\b",
     "routine/{x}", "Daily routine: {x}"),
    (r"^(?:thinks|believes|feels that|is convinced|is against|is in favour|supports) (?:that )?(?P<x>.+)", "views/{x}",
     "Opinion: {x}"),
)  # fmt: skip
