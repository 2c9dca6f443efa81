"""Reads transcript files: which JSON values stand in one, where, and what could not be read.

Lists are read element by element and JSON lines line by line, so a file may be larger than
memory. What is broken is named by its line; the rest is read all the same.
`memory.learning.transcript_shapes` says what the values mean.
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

PEEK = 1 << 16  # of the beginning, to tell lines from a list
READ = 1 << 18
MARGIN = 200  # no list is indented deeper
NEAR_END = 12  # an error this near the end of what was read may be a value cut in two
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")  # a byte that was no text, as Python keeps it


@dataclass(frozen=True)
class Element:
    """One JSON value of the file, and the line on which it begins."""

    line: int
    value: Any


@dataclass(frozen=True)
class Unread:
    """What could not be taken, and why."""

    line: int
    reason: str


def elements(file: BinaryIO) -> Iterator[Element | Unread]:
    """The values of a JSON list, of JSON lines, or the single value of the file."""
    text = io.TextIOWrapper(file, encoding=_encoding(file), errors="surrogateescape")
    try:
        beginning = text.read(PEEK)
        yield from _by_layout(_Rest(beginning, text))
    finally:
        text.detach()  # the file is the caller's to close


def _by_layout(rest: "_Rest") -> Iterator[Element | Unread]:
    """Lines, a list, or one value: the first line tells."""
    beginning = rest.held.lstrip()
    if not beginning:
        return
    first, newline, after = beginning.partition("\n")
    whole_line = _reads(first) and (newline or not rest.more())
    if whole_line and (after.strip() or not first.startswith("[")):
        yield from _lines(rest)
    elif beginning.startswith("["):
        yield from _list(rest)
    elif beginning.startswith("{") and first.strip() == "{":  # one object over many lines
        yield from _one(rest)
    else:
        yield from _lines(rest)


def _encoding(file: BinaryIO) -> str:
    mark = file.read(2)
    file.seek(0)
    return "utf-16" if mark in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _reads(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON: {error.msg.lower()} at character {error.colno}"
    if isinstance(error, RecursionError):
        return "no JSON we read: nested too deeply"
    return f"no JSON: {error}"


class _Rest:
    """What was read and not yet used, and the file behind it."""

    def __init__(self, held: str, text: io.TextIOWrapper) -> None:
        self.held, self.text, self.at, self.line = held, text, 0, 1
        self.margin = ""  # what stands before `at` in its line; its beginning, if it is long

    def more(self) -> bool:
        """Read on; twice as much each time, so that one long value is not scanned too often."""
        got = self.text.read(max(READ, len(self.held) - self.at))
        self.held = self.held[self.at :] + got
        self.at = 0
        return bool(got)

    def use(self, to: int) -> None:
        past = self.held[self.at : to]
        self.line += past.count("\n")
        _, newline, margin = past.rpartition("\n")
        self.margin = (margin if newline else self.margin + past)[:MARGIN]
        self.at = to

    def skip(self, signs: str) -> str:
        """Go past these signs; the sign that comes then, "" at the end."""
        while True:
            to = self.at
            while to < len(self.held) and self.held[to] in signs:
                to += 1
            self.use(to)
            if to < len(self.held):
                return self.held[to]
            if not self.more():
                return ""

    def lines(self) -> Iterator[str]:
        while True:
            end = self.held.find("\n", self.at)
            if end >= 0:
                yield self.held[self.at : end]
                self.use(end + 1)
            elif not self.more():
                if self.held:
                    yield self.held
                return


def _lines(rest: _Rest) -> Iterator[Element | Unread]:
    for line in rest.lines():
        if not line.strip():
            continue
        if _ESCAPED_BYTE.search(line):
            yield Unread(rest.line, "not UTF-8")
            continue
        try:
            yield Element(rest.line, json.loads(line))
        except (ValueError, RecursionError) as error:
            yield Unread(rest.line, _why(error))


def _one(rest: _Rest) -> Iterator[Element | Unread]:
    while rest.more():
        pass
    try:
        yield Element(1, json.loads(rest.held))
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        if _reads_somewhere(rest.held):
            yield from _lines(rest)  # JSON lines whose first is broken
        else:
            yield Unread(line, _why(error))


def _reads_somewhere(text: str) -> bool:
    return any(line.startswith("{") and _reads(line) for line in text.split("\n")[:1_000])


def _list(rest: _Rest) -> Iterator[Element | Unread]:
    """The elements of a list, one after the other, each as soon as it has been read."""
    decoder = json.JSONDecoder()
    rest.skip(" \t\r\n")
    rest.use(rest.at + 1)  # the bracket
    while True:
        sign = rest.skip(" \t\r\n,")
        if sign in ("", "]"):
            break
        try:
            value, end = decoder.raw_decode(rest.held, rest.at)
        except (ValueError, RecursionError) as error:
            if _may_be_cut(error, rest.held) and rest.more():
                continue
            line = rest.line
            if isinstance(error, json.JSONDecodeError):
                line += rest.held.count("\n", rest.at, error.pos)
            yield Unread(line, _why(error))
            if not _to_next(rest):
                yield Unread(rest.line, "what follows it in the list cannot be told apart")
                return
            continue
        yield Element(rest.line, value)
        rest.use(end)
    if sign == "":
        yield Unread(rest.line, "the list has no end: the file was cut off")
        return
    rest.use(rest.at + 1)
    if rest.skip(" \t\r\n"):
        yield Unread(rest.line, "text after the end of the list")


def _may_be_cut(error: Exception, held: str) -> bool:
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.msg.startswith("Unterminated string") or error.pos >= len(held) - NEAR_END


def _to_next(rest: _Rest) -> bool:
    """Go to the next line that begins an element as this one began; False if there is none."""
    if rest.margin.strip():
        return False
    begins = re.compile(rf"\n{re.escape(rest.margin)}(?=[{{\[])")
    while True:
        found = begins.search(rest.held, rest.at)
        if found:
            rest.use(found.end())
            return True
        if not rest.more():
            return False
