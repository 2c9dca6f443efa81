"""Is a quote our own memory, come back inside a message? Then it is no evidence (design rule 7)."""

from collections.abc import Iterable

from memory.providers.cleaning import normal

SHORTEST = 12  # characters: a shorter quote is an ordinary turn of phrase


def is_recalled_text(quote: str, memories: Iterable[str]) -> bool:
    """Whether the quote is one of these texts, a part of one, or holds one whole."""
    said = normal(quote)
    texts = (normal(text) for text in memories)
    return any(
        said == text
        or (len(said) >= SHORTEST and said in text)
        or (len(text) >= SHORTEST and text in said)
        for text in texts
    )
