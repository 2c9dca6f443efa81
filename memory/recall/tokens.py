"""How many tokens a text will cost in a prompt: an estimate for budgets, without a tokenizer.

On the high side for ordinary text: four ASCII letters or spaces, two digits or two letters of
another alphabet make one token; a character of a script without spaces, a sign and half an emoji
make one each. (`providers.pieces` counts an upper bound instead: a limit must hold for any text,
a budget should be spent.)
"""

import re

_CHEAP = re.compile(r"[A-Za-z ]")
_HALF = re.compile(r"[0-9]|[^\W\d_\u2e80-\uffff\U00010000-\U0010ffff]")
_DOUBLE = re.compile(r"[\U00010000-\U0010ffff]")


def estimate(text: str) -> int:
    """Tokens of `text`, rounded up; 0 for an empty one. Never less for a longer text."""
    cheap = len(_CHEAP.findall(text))
    half = len(_HALF.findall(text)) - (cheap - text.count(" "))
    double = len(_DOUBLE.findall(text))
    one = len(text) - cheap - half - double
    return -(-cheap // 4) + -(-half // 2) + one + 2 * double
