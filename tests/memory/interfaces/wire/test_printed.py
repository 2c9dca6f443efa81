"""The examples of docs/sharing.md, run in their order: they answer what the page says they do."""

import json
import re
import shlex
from typing import Any

import pytest
from django.conf import settings

from memory.providers import using
from memory.sharing.write import language_that_compares
from tests.fakes import StubEmbedder
from tests.wires import Wire

pytestmark = pytest.mark.django_db

PAGE = (settings.BASE_DIR / "docs" / "sharing.md").read_text()
EXAMPLES = re.findall(r"^```sh\n(curl .*?)\n# (\d{3}) (.*?)\n```", PAGE, re.M | re.S)


def test_the_page_has_them() -> None:
    assert len(EXAMPLES) == PAGE.count("```sh\n") > 10


def test_each_answers_as_printed() -> None:
    wire = Wire()
    with using(embedder=StubEmbedder()):
        assert language_that_compares() is None
        for printed, status, said in EXAMPLES:
            answer = run(wire, printed)
            assert answer.status_code == int(status), (printed, answer.content)
            assert_like(answer.json(), json.loads(said), printed)


def run(wire: Wire, printed: str) -> Any:
    words = shlex.split(printed.replace("\\\n", " "))
    assert words[:2] == ["curl", "-X"]
    method, url, body = words[2], words[3], None
    for option, value in zip(words[4::2], words[5::2], strict=True):
        if option == "--json":
            body = value
        else:
            assert (option, value) == ("-H", "Authorization: Bearer $KEY")
    return wire.call(method, url.removeprefix("$URL/v1/"), body)


def assert_like(answered: Any, said: Any, printed: str) -> None:
    """ "…" stands for anything, as a field's name for further ones; numbers but for whole ones."""
    if isinstance(said, dict):
        named = {key for key in said if key != "…"}
        assert named <= answered.keys(), printed
        assert "…" in said or named == answered.keys(), printed
        for key in named:
            assert_like(answered[key], said[key], printed)
    elif isinstance(said, list):
        assert len(answered) == len(said), printed
        for one, other in zip(answered, said, strict=True):
            assert_like(one, other, printed)
    elif isinstance(said, str) and said.endswith("…"):
        assert isinstance(answered, str), printed
        assert answered.startswith(said[:-1]), printed
    elif not isinstance(said, float):
        assert answered == said, printed
