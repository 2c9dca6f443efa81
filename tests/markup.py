"""What a browser would make of a page: which tags and attributes it finds in it."""

from html.parser import HTMLParser

ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        ours = tag == "img" and (names.get("src") or "").startswith("/static/")  # the admin's icons
        if tag in ("img", "iframe", "object", "embed", "base") and not ours:
            self.found.append(f"<{tag}>")
        if tag == "style" or (tag == "script" and not names.get("src")):
            self.found.append(f"inline <{tag}>")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.found.append(f"{tag} {name}={value}")
            if name in ADDRESSES and (value or "").strip().casefold().startswith("javascript"):
                self.found.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def unsafe(html: str) -> list[str]:
    """Everything that would run, load or restyle: empty for every page of ours."""
    return read(html).found


def text_of(html: str) -> str:
    return "".join(read(html).text)
