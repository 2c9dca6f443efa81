"""Takes out of a streamed answer what a reasoning model thinks aloud before it speaks."""

import re
from collections.abc import Iterator

from memory.providers.errors import Empty

_START = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.I)
_TAGS = ("<think>", "<thinking>", "<thought>", "<reasoning>")


def spoken(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces after a leading `<think>…</think>`; all of them where there is none.

    Holds back only while the text so far may still be such a tag. Raises Empty when the model
    thought and then said nothing.
    """
    held = ""
    for piece in pieces:
        held += piece
        tag = _START.match(held)
        if tag:
            end = re.search(rf"</{tag.group(1)}\s*>\s*", held[tag.end() :], re.I)
            if end is None:
                continue
            rest = held[tag.end() + end.end() :]
            if not rest:
                held = held[: tag.end() + end.end()]  # white space may still follow
                continue
            held = ""
            yield rest
            break
        if not any(name.startswith(held.lstrip().lower()) for name in _TAGS):
            yield held
            held = ""
            break
    else:
        if _START.match(held):
            raise Empty("the model thought and said nothing")
        if held:
            yield held
        return
    yield from pieces
