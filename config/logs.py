"""Log lines that tell where something failed, and repeat nobody's words.

An exception's own message may quote a row (Postgres names the one it refused), a body or a key,
so a traceback is written with its frames and its types only.
"""

import logging
import traceback
from types import TracebackType

_Info = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class WordlessFormatter(logging.Formatter):
    """`exc_info` as frames and kinds of exceptions, causes first, without their messages."""

    def formatException(self, ei: _Info) -> str:  # noqa: N802  logging names it so
        parts: list[str] = []
        fault: BaseException | None = ei[1]
        while fault is not None and len(parts) < 10:
            frames = "".join(traceback.format_tb(fault.__traceback__))
            parts.append(f"Traceback (most recent call last):\n{frames}{_kind(fault)}")
            fault = fault.__cause__ or (None if fault.__suppress_context__ else fault.__context__)
        return "\n\n".join(reversed(parts))


def _kind(fault: BaseException) -> str:
    return f"{type(fault).__module__}.{type(fault).__qualname__}"
