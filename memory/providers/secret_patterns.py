"""What a secret looks like in chat text: keys by their issuer's form, passwords by their label,
card numbers by brand and checksum.

Our own list rather than `detect-secrets`: its last release is of 2024, its OpenAI and Slack forms
are older than the keys now issued, it scans lines of source code (labels such as `password =`)
and not sentences ("my password is ..."), and it knows no cards. Its entropy plugins would mask
order numbers and ids. Each form here costs one substring test for a text that does not hold it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Span = tuple[int, int]

_NOT_IN_WORD = r"(?<![A-Za-z0-9_])"  # not \b: a CJK letter before a key is a word character


@dataclass(frozen=True)
class Form:
    """One kind of secret. `hints`: lower-case substrings, one of which every match contains."""

    kind: str
    hints: tuple[str, ...]
    find: Callable[[str], Iterator[Span]]


def _regex(pattern: str, flags: int = 0) -> Callable[[str], Iterator[Span]]:
    """Spans of group `s`, or of the whole match where the pattern names no group."""
    compiled = re.compile(pattern, flags)
    group: str | int = "s" if "s" in compiled.groupindex else 0

    def find(text: str) -> Iterator[Span]:
        return (match.span(group) for match in compiled.finditer(text))

    return find


# Issuer prefixes that are specific enough to need no label. `{n,}` is under the real length, so
# that a key with a lost tail is still masked.
_ISSUED_FORMS = (
    r"(?:sk|rk)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}",  # OpenAI, Anthropic, Stripe
    r"gsk_[A-Za-z0-9]{20,}",
    r"ksk_[A-Za-z0-9_-]{20,}",  # Keepsake's own
    r"xai-[A-Za-z0-9]{20,}",
    r"whsec_[A-Za-z0-9+/]{16,}=*",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"gl(?:pat|ptt|dt|rt)-[A-Za-z0-9_-]{16,}",
    r"xox[abceoprs]-[A-Za-z0-9-]{10,}",
    r"xapp-[A-Za-z0-9-]{16,}",
    r"AIza[A-Za-z0-9_-]{30,}",
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{16,}",
    r"hf_[A-Za-z0-9]{20,}",
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{32,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"dop_v1_[a-f0-9]{40,}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}",
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])",  # Telegram
)
_ISSUED = "|".join(_ISSUED_FORMS)
_ISSUED_HINTS = (
    "sk-", "sk_", "rk-", "rk_", "xai-", "whsec_", "akia", "asia", "abia", "acca", "ghp_", "gho_",
    "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glptt-", "gldt-", "glrt-", "xox", "xapp-",
    "aiza", "ya29.", "gocspx-", "hf_", "npm_", "pypi-", "sg.", "dop_v1_", "shpat_", "shpca_",
    "shppa_", "shpss_", ":aa",
)  # fmt: skip

# --- passwords and other values that only their label gives away -------------------------------

_LABELS = (
    r"pass\s?words?|pass\s?phrases?|passcodes?|passwd|pwd|pw|pass(?=\s*[:=])|"
    r"passwor[dt]e?|kennwort|contrase[ñn]a|senha|mot\sde\spasse|wachtwoord|has[łl]o|[şs]ifrem?|"
    r"парол[ья]|رمز\s?عبور|كلمة\s(?:المرور|السر)|סיסמה"
)
_LABELS_UNSPACED = "密码|密碼|口令|パスワード|비밀번호"
_KEY_LABELS = (
    r"(?:api|access|secret|private|auth|encryption|license)[\s_-]?(?:access[\s_-]?)?(?:key|token)|"
    r"client[\s_-]?secret|bearer[\s_-]?token|credentials?|token"
)
_FOR = r"(?:\s+(?:for|to|on|of|at)(?:\s+[\w'’.@/-]{1,40}){1,4}?)?"
_IS = (
    r"\s*(?:[:=：＝]|(?:\s(?:is|was|are|equals|ist|es|é|est|jest|это|هي|هو|است)(?=\s))"
    r"|['’]s(?=\s))\s*[:=]?\s*"
)
_CJK_IS = r"\s*(?:是|为|為|は|는|은|:|：)\s*"
_QUOTED = r"[\"'“‘`«「](?P<s>[^\"'”’`»」\n]{3,80})[\"'”’`»」]"
_STRONG = (  # holds a digit, a symbol or an inner capital; the full stop after it is no part of it
    r"(?=[^\s,;]*(?:[0-9@#$%^&*+=~<>|\\]|![\w!]|[a-z][A-Z]))"
    r"(?P<s>[^\s,;\"'“”<>\[\]]{3,200}[^\s,;\"'“”<>\[\].?)])"
)

# After "password is", a single word that ends the clause is the password, unless it describes it.
_DESCRIBES = (
    r"(?:\w*(?:ed|ing|ly|able|ible|less|ful)|wrong|weak|strong|long|short|incorrect|invalid|valid|"
    r"correct|right|fine|good|bad|great|ok|okay|safe|secure|unsafe|insecure|simple|easy|hard|"
    r"difficult|complex|unique|different|same|secret|private|public|empty|blank|missing|set|reset|"
    r"lost|gone|old|new|stale|broken|hidden|known|unknown|mine|yours|not|never|necessary|optional|"
    r"mandatory|enough|there|here|it|that|this|what|why|how|important|case-sensitive|ready|"
    r"current|default|temporary|sent|kept|stolen|forgotten|written|shown|out|up|down|on|off)"
)
_PLAIN = (
    rf"(?!{_DESCRIBES}(?![\w-]))(?P<s>[^\W\d_][\w-]{{3,60}})"
    r"(?=\s*(?:[.,;!?)\n]|$)|\s+(?:and|but|so|please|for|in case)\b)"
)
# After "password:" or a bare "password", what follows need not end the clause.
_GIVEN = (
    rf"\s*[:=：＝]\s*(?!{_DESCRIBES}(?![\w-])|(?:please|help|field|your)\b)"
    r"(?P<s>[^\W\d_][\w-]{3,60})"
)
_MIXED = r"\s+(?=[^\W\d_]*\d)(?=\w*[A-Za-z])(?P<s>[\w!@#$%^&*+-]{6,60})"
_NAMED = rf"(?<![^\W_])(?:{_LABELS}){_FOR}"
_TO = r"(?:\s+(?:changed|set|reset|now))?\s+to\s+"


def _labelled() -> Iterator[Form]:
    hints = (
        "pass", "pwd", "pw", "kennwort", "contrase", "senha", "wachtwoord", "haslo", "hasło",
        "ifre", "парол", "رمز", "كلمة", "סיסמה",
    )  # fmt: skip
    flags = re.IGNORECASE
    yield Form("password", hints, _regex(_NAMED + _IS + _QUOTED, flags))
    yield Form("password", hints, _regex(_NAMED + f"(?:{_IS}|{_TO})(?-i:{_STRONG})", flags))
    yield Form("password", hints, _regex(_NAMED + _IS + _PLAIN, flags))
    yield Form("password", hints, _regex(_NAMED + _GIVEN, flags))
    yield Form("password", hints, _regex(_NAMED + _MIXED, flags))
    # Chinese and Japanese run on without spaces: the ASCII run after the label is the value.
    yield Form(
        "password",
        ("密", "口令", "パスワード", "비밀번호"),
        _regex(rf"(?:{_LABELS_UNSPACED}){_CJK_IS}[\"'“「]?(?P<s>[!#-&(-~]{{4,200}})"),
    )
    yield Form(
        "key",
        ("key", "token", "secret", "credential"),
        _regex(
            rf"(?<![^\W_])(?:{_KEY_LABELS}){_FOR}{_IS}[\"'“‘`]?"
            r"(?=[^\s,;]*[0-9])(?P<s>[A-Za-z0-9_./+=~:-]{8,400})",
            flags,
        ),
    )
    yield Form(
        "pin",
        ("pin", "cvv", "cvc", "passcode", "security"),
        _regex(
            r"(?<![^\W_])(?:(?:pin(?:\s?(?:code|number))?|passcode|security\scode|cvv2?|cvc2?)"
            rf"{_FOR}{_IS}|(?:cvv2?|cvc2?)\s+)(?P<s>\d{{3,8}})(?![\d.,:/-]*\d)",
            flags,
        ),
    )


# --- cards ------------------------------------------------------------------------------------

_GAP = r"(?P<gap>[ \u00a0\u2009\u202f\u2010-\u2013.-])"
_GROUPED = re.compile(
    rf"(?<![\d+])(?:(?:3[47]\d\d){_GAP}\d{{6}}(?P=gap)\d{{5}}"
    rf"|(?:[2-6]\d{{3}}){_GAP.replace('gap', 'gap4')}\d{{4}}(?P=gap4)\d{{4}}(?P=gap4)\d{{4}}"
    r"(?:(?P=gap4)\d{3})?"
    rf"|3[0689]\d\d{_GAP.replace('gap', 'gap6')}\d{{6}}(?P=gap6)\d{{4}})(?!\d)"
)
_RUN = re.compile(
    r"(?<![\d+])(?<!\d[.,-])(?:4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)"
    r"\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)"
    r"\d{12}|62\d{14,17})(?!\d)"
)
# An order or tracking number may pass the checksum (one in ten does); its label tells.
_NUMBERED = re.compile(
    r"(?:order|invoice|tracking|parcel|shipment|ticket|case|reference|ref|booking|confirmation|"
    r"transaction|serial|imei|iccid|phone|tel|account|customer|user|message|track)"
    r"(?:\s*(?:number|nr|no|id|code|is|#|:|\.|=))*\s*#?$",
    re.IGNORECASE,
)


def luhn(digits: str) -> bool:
    """The checksum that card numbers satisfy, for a string of digits."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _cards(text: str) -> Iterator[Span]:
    if not text.isascii():  # digits of other scripts, place for place
        text = "".join(str(int(char)) if char.isdecimal() else char for char in text)
    for pattern, may_be_an_order in ((_GROUPED, False), (_RUN, True)):
        start = 0
        while match := pattern.search(text, start):
            digits = "".join(filter(str.isdecimal, match.group()))
            labelled = may_be_an_order and _NUMBERED.search(
                text[max(0, match.start() - 40) : match.start()]
            )
            if luhn(digits) and len(set(digits)) > 1 and not labelled:
                yield match.span()
                start = match.end()
            else:  # the next group may begin a card: "2024 4111 1111 1111 1111"
                start = match.start() + 1


FORMS: tuple[Form, ...] = (
    Form(
        "private key",
        ("private key",),
        _regex(
            r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:[^-]|-(?!----END))*(?:-----END [A-Z0-9 ]{0,60}-----)?"
        ),
    ),
    Form(
        "token",
        ("eyj",),
        _regex(_NOT_IN_WORD + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?", re.ASCII),
    ),
    Form("key", _ISSUED_HINTS, _regex(f"{_NOT_IN_WORD}(?:{_ISSUED})")),
    Form(
        "key",
        ("hooks.slack.com/",),
        _regex(r"hooks\.slack\.com/(?:services|workflows)/(?P<s>[A-Za-z0-9/]{16,})"),
    ),
    Form(
        "token",
        ("bearer", "authorization"),
        _regex(
            r"(?<![^\W_])(?:bearer|authorization:\s*(?:basic|token|bearer))\s+"
            r"(?=[^\s]*[0-9])(?P<s>[A-Za-z0-9._~+/-]{12,}=*)",
            re.IGNORECASE,
        ),
    ),
    Form(
        "password",
        ("://",),
        _regex(r"://[^\s/:@]{0,100}:(?P<s>[^\s/@\[]{1,200})@(?=[\w\[])"),
    ),
    *_labelled(),
    Form("card", (), _cards),
)
