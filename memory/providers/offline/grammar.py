"""Turn a sentence of the first person into one about the speaker by name: "I've" → "Ana has"."""

import re

from memory.providers.offline import lexicon as lex

_TOKEN = re.compile(r"\"[^\"]*\"|[^\W_]+(?:['-][^\W_]+)*'?|\s+|.", re.DOTALL)
_ED_BASES = frozenset(
    "need feed breed bleed speed exceed succeed proceed seed weed embed shed heed".split()
)
_UNCHANGED = frozenset(  # past or modal whatever the person
    "can can't cannot could couldn't will won't would wouldn't should shouldn't shall may might "
    "must mustn't used ought better gotta".split()
)
_PAST = lex.IRREGULAR_PAST - {"read", "let"}
_BE = {"am": "is", "'m": "is", "was": "was", "ain't": "isn't", "are": "is", "were": "was"}
_FIXED = {"have": "has", "haven't": "hasn't", "do": "does", "don't": "does not", "go": "goes"}
_SLANG = {"wanna": "wants to", "gonna": "is going to", "gotta": "has to", "finna": "is going to"}
_ADVERBS = frozenset(
    "also always just really still never often usually sometimes already actually currently "
    "recently finally even only barely hardly rarely now then literally honestly kinda mostly "
    "totally definitely absolutely probably both so too truly generally simply ever once almost "
    "no longer sort kind of mainly typically normally personally certainly sadly luckily".split()
)
_CLITIC = {"m": "am", "ve": "have", "ll": "will", "re": "are", "d": "would", "s": "is"}
_FOLLOW_VERBS = frozenset(  # verbs that carry on after "I like hiking and ..."
    "work live love like enjoy hate have am study play make teach run speak want need prefer own "
    "try go do eat drink drive ride read write train volunteer cook bake paint sing dance watch "
    "collect spend take keep hope plan don't can't feel think believe use help visit".split()
)
_CASUAL = {"gonna": "going to", "wanna": "want to", "gotta": "have to"}
_COMPOUND = re.compile(r"^(?:[\w']+ ){1,4}(?:and|or|nor) $")
_HAD = frozenset(
    "been better had gone done seen got made taken lost given known heard found felt".split()
)


def third(verb: str) -> str:
    """The verb as it stands after "she": works, has, is; past forms and modals unchanged."""
    low = verb.casefold()
    if low in _BE:
        return _BE[low]
    if low in _SLANG:
        return _SLANG[low]
    if low in _FIXED:
        return _FIXED[low]
    if low in _UNCHANGED or low in _PAST or low.endswith("n't"):
        return verb
    if low.endswith("ed") and low not in _ED_BASES and len(low) > 3:
        return verb
    if low.endswith("ing") and low not in {"bring", "sing", "ring", "swing", "cling", "sling"}:
        return f"is {verb}"  # "I planning", as people type
    if re.search(r"(?:s|x|z|ch|sh|o)$", low):
        return verb + "es"
    if low.endswith("y") and len(low) > 1 and low[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def is_past(verb: str) -> bool:
    """Whether a bare verb form reads as past ("went", "painted")."""
    low = verb.casefold()
    return low in _PAST or (low.endswith("ed") and low not in _ED_BASES and len(low) > 3)


class _Turner:
    """One pass over the tokens of a sentence, remembering who was named so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.subject = False  # the speaker stands as the subject, so "they" is clear
        self.mentioned = False
        self.out: list[str] = []
        self.agree: str | None = None  # "one" or "many": the next verb has to agree
        self.present = False  # the last agreed verb was a present one

    def mention(self, pronoun: str) -> str:
        if self.subject:
            return pronoun
        self.mentioned = True
        return self.name if pronoun == "them" else f"{self.name}'s"

    def as_subject(self) -> None:
        joined = not self.subject and bool(_COMPOUND.match("".join(self.out)))
        self.agree = "many" if self.subject or joined else "one"
        self.out.append("they" if self.subject else self.name)
        self.subject = self.mentioned = True

    def verb(self, word: str) -> str:
        low = word.casefold()
        if low in _ADVERBS or low.endswith("ly"):
            return word
        agree, self.agree = self.agree, None
        self.present = not is_past(word) and low not in _UNCHANGED
        if low in _SLANG:
            slang = _SLANG[low]
            if agree == "many":
                return {"wants to": "want to", "has to": "have to"}.get(slang, "are going to")
            return slang
        if agree == "many":
            return {"am": "are", "was": "were", "wasn't": "weren't", "ain't": "aren't"}.get(
                low, word
            )
        return third(word)

    def clitic(self, short: str, following: str) -> None:
        full = _CLITIC[short]
        low = following.casefold()
        done = low in _HAD or (is_past(low) and low not in {"like", "love"})
        if short == "d" and done:
            full = "had"
        many = self.agree == "many"
        self.agree = None
        self.present = short in {"m", "ve", "re"}
        one = {"am": "is", "have": "has", "are": "is"}
        self.out += [" ", {"am": "are"}.get(full, full) if many else one.get(full, full)]


def turn(sentence: str, name: str) -> str:
    """The sentence with the first person replaced by `name`, verbs agreeing, quotes untouched.

    A second mention is "they" once the speaker was the subject, so that no gender is guessed.
    "We" becomes "`name` and others".
    """
    tokens = _TOKEN.findall(sentence)
    t = _Turner(name)
    for index, token in enumerate(tokens):
        low = token.casefold()
        if token.startswith('"') or not token[0].isalpha():
            if t.agree and token.strip() and token not in {",", "-"}:
                t.agree = None
            t.out.append(token)
            continue
        following = _verb_after(tokens, index)
        head, _, short = low.partition("'")
        if low in {"im", "ive"} and (token[0] == "I" or index == 0):
            head, short = "i", {"im": "m", "ive": "ve"}[low]
        if head == "i" and (token[0] == "I" or short or following.isalpha()):
            t.as_subject()
            if short in _CLITIC:
                t.clitic(short, following)
            continue
        if head == "we" and (not short or short in _CLITIC):
            t.out.append("they" if t.subject else f"{name} and others")
            t.subject = t.mentioned = True
            t.agree = "many"
            if short:
                t.clitic(short, following)
            continue
        if low in {"me", "us"}:
            t.out.append(t.mention("them"))
        elif low in {"my", "our"}:
            t.out.append(t.mention("their"))
        elif low in {"mine", "ours"}:
            t.out.append(t.mention("theirs"))
        elif low in {"myself", "ourselves"}:
            t.out.append("themselves" if t.subject else name)
        elif t.agree:
            t.out.append(t.verb(token))
        elif t.present and low in _FOLLOW_VERBS and _joins(tokens, index):
            t.out.append(third(token))
        else:
            if low in {"to", "can", "could", "will", "would", "let", "help", "who", "that"}:
                t.present = False
            t.out.append(_CASUAL.get(low, token))
    text = re.sub(r"\s+", " ", "".join(t.out)).strip()
    inside = re.escape(name)
    if name.startswith("The "):  # "The user" opens a sentence, "the user" stands within one
        text = re.sub(rf"(?<!^){inside}", name[0].lower() + name[1:], text)
    return text


def of_them(text: str, name: str) -> str:
    """What follows a subject that is clear: "our two cats and we love them", all of it "they"."""
    turned = turn(f"we {text.strip()}", "\0")
    rest = turned.removeprefix("\0 and others").strip()
    return (" " if text.startswith(" ") else "") + rest.replace("\0", name)


def _verb_after(tokens: list[str], index: int) -> str:
    """The next word that is no adverb: "felt" in "I'd never felt"."""
    words = [w for w in tokens[index + 1 : index + 9] if w.strip()]
    return next((w for w in words if w.casefold() not in _ADVERBS), words[0] if words else "")


def _joins(tokens: list[str], index: int) -> bool:
    """Whether the word before is "and", "or" or "but"."""
    before = [w.casefold() for w in tokens[max(0, index - 3) : index] if w.strip()]
    return bool(before) and before[-1] in {"and", "but"}
