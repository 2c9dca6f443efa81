"""Reads settings from the environment: typed, with a default, refused by name when malformed."""

import ipaddress
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar, overload
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True)
class Declared:
    """One setting as it was read: what docs/settings.md must say about it."""

    name: str
    expected: str
    default: str


@dataclass
class Environment:
    """Every read is remembered, so that a test can compare the documentation with the code."""

    values: Mapping[str, str] = field(default_factory=lambda: os.environ)
    declared: dict[str, Declared] = field(default_factory=dict)

    def text(self, name: str, default: str, *, expected: str = "text", shown: str = "") -> str:
        return self._read(name, default, expected, shown, str)

    def secret(self, name: str, *, expected: str, shown: str, at_least: int = 0) -> str | None:
        """A value that no message repeats; unset and empty are the same."""

        def long_enough(raw: str) -> str:
            if len(raw) < at_least:
                raise ValueError
            return raw

        return self._read(name, None, expected, shown, long_enough, secret=True)

    def switch(self, name: str, default: bool, *, shown: str = "") -> bool:
        expected = "on or off (also true, false, 1, 0)"
        said = shown or ("on" if default else "off")
        return self._read(name, default, expected, said, self._bool)

    def choice(self, name: str, default: str, *, among: Iterable[str]) -> str:
        allowed = list(among)

        def pick(raw: str) -> str:
            if raw not in allowed:
                raise ValueError
            return raw

        return self._read(name, default, "one of " + ", ".join(allowed), "", pick)

    def whole(self, name: str, default: int, *, low: int, high: int) -> int:
        def within(raw: str) -> int:
            number = int(raw)
            if not low <= number <= high:
                raise ValueError
            return number

        return self._read(name, default, f"a whole number from {low} to {high}", "", within)

    def pair(self, name: str, default: tuple[int, int]) -> tuple[int, int]:
        def parse(raw: str) -> tuple[int, int]:
            first, second = (int(part) for part in raw.split(","))
            if min(first, second) < 0:
                raise ValueError
            return first, second

        shown = f"{default[0]},{default[1]}"
        return self._read(name, default, "two whole numbers with a comma between", shown, parse)

    def duration(self, name: str, default: str) -> timedelta:
        return self._read(name, parse_duration(default), DURATION, default, parse_duration)

    def words(
        self,
        name: str,
        default: Iterable[str],
        *,
        expected: str,
        shown: str,
        each: Callable[[str], str] = str,
    ) -> list[str]:
        def split(raw: str) -> list[str]:
            return [each(word.strip()) for word in raw.split(",") if word.strip()]

        return self._read(name, list(default), expected, shown, split)

    @overload
    def address(
        self,
        name: str,
        default: str,
        *,
        schemes: Iterable[str],
        shown: str,
        bare: Iterable[str] = (),
    ) -> str: ...

    @overload
    def address(
        self, name: str, default: None, *, schemes: Iterable[str], shown: str
    ) -> str | None: ...

    def address(
        self,
        name: str,
        default: str | None,
        *,
        schemes: Iterable[str],
        shown: str,
        bare: Iterable[str] = (),
    ) -> str | None:
        """A URL with one of the schemes; never repeated in a message, for it may hold a password.

        The schemes in `bare` need nothing after them.
        """
        allowed = tuple(schemes)

        def checked(raw: str) -> str:
            parts = urlsplit(raw)
            parts.port  # noqa: B018  raises ValueError for a port that is no number
            if parts.scheme not in allowed or not (parts.netloc or parts.scheme in bare):
                raise ValueError
            return raw

        wanted = " or ".join(f"{scheme}://" for scheme in allowed)
        return self._read(name, default, f"an address beginning {wanted}", shown, checked, True)

    def parsed(
        self, name: str, default: T, parse: Callable[[str], T], *, expected: str, shown: str
    ) -> T:
        return self._read(name, default, expected, shown, parse)

    @staticmethod
    def network(raw: str) -> str:
        """An IP address or network, written the one way Python writes it."""
        return str(ipaddress.ip_network(raw, strict=False))

    @staticmethod
    def _bool(raw: str) -> bool:
        lowered = raw.strip().lower()
        if lowered in {"on", "true", "yes", "1"}:
            return True
        if lowered in {"off", "false", "no", "0"}:
            return False
        raise ValueError

    def _read(
        self,
        name: str,
        default: D,
        expected: str,
        shown: str,
        parse: Callable[[str], T],
        secret: bool = False,
    ) -> T | D:
        said = shown or str(default)
        self.declared[name] = Declared(name, expected, said)
        raw = self.values.get(name, "")
        if raw.strip() == "":
            return default
        try:
            return parse(raw.strip())
        except (ValueError, TypeError) as problem:
            value = "the value given" if secret else repr(raw)
            raise ImproperlyConfigured(f"{name}: expected {expected}, not {value}.") from problem


DURATION = "a time span such as 30s, 5m, 2h or 1d (a bare number is seconds)"
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def parse_duration(raw: str) -> timedelta:
    """Read "90", "30s", "5m", "2h" or "1d"; anything else raises ValueError."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", raw.strip())
    if found is None:
        raise ValueError(raw)
    return timedelta(seconds=float(found[1]) * UNITS[found[2]])
