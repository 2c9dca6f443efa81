"""What a question asks about: from its words to the branches of keys that may answer it."""
# ruff: noqa: E501  a rule that is cut up cannot be read

import re

_ME = r"(?:i|my|me|mine|we|our|us)\b"
# (what the question says, the branches that answer it)
_ABOUT: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), tuple(branches.split()))
    for pattern, branches in (
        (rf"\b(?:where (?:do|am|is|are|did) {_ME}.*\b(?:live|living|based|home|house|flat|stay"
         r"|moved?)|(?:my|our) (?:\w+ )?(?:address|home|city|town)\b|which (?:city|town"
         r"|country) (?:do|am) "
         r"(?:i|we) (?:live|living|in)\b|where (?:my|our) home)", "/home"),
        (rf"\b(?:where (?:am|was|were|do|did) {_ME}.*\b(?:from|born|grow|raised|come)\b"
         r"|birthplace|hometown|nationality|which country (?:am|do) i)", "/identity /home"),
        (r"\b(?:my (?:\w+ )?(?:name|nickname)|who am i|what am i called|call me)\b", "/identity/name"),
        (r"\b(?:how old am i|my age|my birthday|when was i born|birth date|date of birth)\b",
         "/identity/age /identity/birthday"),
        (r"\b(?:my pronouns)\b", "/identity/pronouns"),
        (r"\b(?:languages?)\b.*\b(?:i|my)\b", "/identity/languages"),
        (r"\b(?:my (?:\w+ )?(?:job|work|profession|occupation|employer|company|boss|career|business"
         r"|colleagues?)|(?:do|am) i .*\b(?:work|employed|working)|do i do (?:for|all day)"
         r"|who (?:do i|is my) .*\b(?:work|boss)|where do i work|what do i do)\b", "/work"),
        (r"\b(?:allerg\w+|intoleran\w+|(?:can|may|should|do|must|could) (?:i|we) .*\b(?:eat|eating|avoid"
         r"|cook|snack|food)|what .*\b(?:eat|cook|food|foods|snacks?|dinner|lunch"
         r"|breakfast)\b.*\b(?:i|me|my|for)"
         r"|my (?:\w+ )?diet|(?:dinner|lunch|breakfast|recipe"
         r"|restaurant)\b)", "/health/allergies /health/diet"),
        (r"\b(?:my (?:\w+ )?(?:health|illness|condition|injury|doctor|medication|medicine|pills|blood)"
         r"|(?:am i|do i) .*\b(?:ill|sick|medication|medicine|smoke|pregnant|injured)"
         r"|health)\b", "/health"),
        (r"\b(?:my (?:\w+ )?(?:family|kids?|child|children|son|daughter|wife|husband|partner|spouse|mother"
         r"|father|parents|mom|mum|dad|sisters?|brothers?|siblings?)|am i (?:married|single"
         r"|engaged)"
         r"|do i have (?:\w+ )?(?:kids|children|siblings|a family))\b", "/family"),
        (r"\b(?:my (?:\w+ )?(?:pets?|dogs?|cats?|animals?)|do i have (?:\w+ )?(?:pets?|animals?))\b", "/pets"),
        (r"\b(?:my (?:\w+ )?(?:e-?mail|phone|number|contact)|reach me|contact me)\b", "/contact"),
        (r"\b(?:my (?:\w+ )?(?:plans?|trips?|travel|holiday|vacation|appointments?|meetings?|schedule|goals?)"
         r"|am i (?:planning|going|travel\w+|doing)|what('s| is) (?:next"
         r"|coming up))\b", "/plans /goals"),
        (r"\b(?:am i learning|learning|my goals?)\b", "/goals /learning"),
        (r"\b(?:my (?:\w+ )?(?:hobby|hobbies|free time|spare time|pastimes?|interests?)"
         r"|do i do for fun|do i enjoy|do i like)\b", "/hobbies /preferences"),
        (r"\b(?:my (?:\w+ )?(?:preferences?|favou?rites?|tastes?)|do i (?:prefer|like|love|hate|dislike))\b",
         "/preferences"),
        (r"\b(?:my (?:\w+ )?(?:car|bike|laptop|phone|computer|vehicle)|do i (?:drive|own))\b", "/possessions"),
        (r"\b(?:do i study|my (?:\w+ )?(?:school|university|studies|degree|course|exams?|teacher))\b",
         "/education"),
        (r"\b(?:my (?:\w+ )?(?:order|refund|parcel|delivery|subscription|invoice|ticket))\b",
         "/support /purchases"),
        (r"\b(?:my (?:\w+ )?(?:budget|money|salary|income|rent|mortgage))\b", "/finance /home"),
    )
)  # fmt: skip
_ENDS = re.compile(
    r"[?!.]\s+|,? and (?=(?:what|where|who|which|how|when|do|am|is)\b)", re.IGNORECASE
)


def branches(question: str) -> list[str]:
    """The branches a message asks about, each part of it in its turn; [] when no topic is met."""
    found: dict[str, None] = {}
    for part in _ENDS.split(question):
        for pattern, keys in _ABOUT:
            if pattern.search(part):
                found.update(dict.fromkeys(keys))
    return list(found)


def answers(key: str, asked: list[str]) -> bool:
    """Whether a key lies under one of the branches."""
    return any(key == branch or key.startswith(f"{branch}/") for branch in asked)
