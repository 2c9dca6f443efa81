"""How many tokens a text will cost in a prompt: an estimate for budgets, without a tokenizer.

On the high side for ordinary text: four ASCII letters or spaces, two digits, or two letters of
another alphabet make one token; a sign, or a character of a script without spaces, makes one, and
an emoji two. (`providers.pieces` counts an upper bound instead: a limit must hold for any text, a
budget should be spent.)
"""

_LETTERS = bytes([*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1), ord(" ")])
_DIGITS = bytes(range(ord("0"), ord("9") + 1))
_WIDE = "\u2e80"  # from here on: Chinese, Japanese, Korean
_EMOJI = "\U00010000"


def estimate(text: str) -> int:
    """Tokens of `text`, rounded up; 0 for an empty one. Never less for a longer text."""
    plain = text.encode("ascii", "ignore")
    no_letters = plain.translate(None, _LETTERS)
    signs = len(no_letters.translate(None, _DIGITS))
    letters, digits = len(plain) - len(no_letters), len(no_letters) - signs
    halves = whole = 0
    if len(plain) < len(text):
        for char in text:
            if char >= _EMOJI:
                whole += 2
            elif char >= _WIDE:
                whole += 1
            elif char > "\x7f":
                halves += 1
    return -(-letters // 4) + -(-digits // 2) + -(-halves // 2) + signs + whole
