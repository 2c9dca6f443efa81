"""How an embedded conversation looks: theme, accent, corner; anything else is the default."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

THEMES = ("auto", "light", "dark")
POSITIONS = ("bottom-right", "bottom-left")
ACCENT = "#0f5f58"  # ours, where a page names none
_COLOUR = re.compile(r"#[0-9a-f]{6}", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Look:
    """Values that may stand in a page as they are. None: the page did not say, or said nonsense."""

    theme: str | None = None
    accent: str | None = None
    position: str | None = None

    @classmethod
    def asked(cls, query: Mapping[str, str]) -> "Look":
        """Of a query's `theme`, `accent` and `position`, each taken as a whole or not at all."""
        theme, accent = query.get("theme", ""), query.get("accent", "")
        position = query.get("position", "")
        return cls(
            theme=theme if theme in THEMES else None,
            accent=accent.lower() if _COLOUR.fullmatch(accent) else None,
            position=position if position in POSITIONS else None,
        )
