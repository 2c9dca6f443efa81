"""A model that cannot work stops the start with the setting's name."""

import pytest
from django.core.checks import run_checks
from pytest_django import Settings


def found() -> list[tuple[str | None, str]]:
    return [(each.id, each.msg) for each in run_checks() if str(each.id).startswith("memory.E00")]


@pytest.mark.parametrize(
    ("key", "language", "embedding", "named"),
    [
        (None, "offline", "wordllama-256", []),
        ("sk-x", "gpt-4o-mini", "text-embedding-3-small", []),
        (None, "gpt-4o-mini", "wordllama-256", ["memory.E001 LANGUAGE_MODEL"]),
        (None, "offline", "text-embedding-3-small", ["memory.E002 EMBEDDING_MODEL"]),
        ("sk-x", "offline", "unheard-of", ["memory.E002 EMBEDDING_MODEL"]),
        (
            None, "gpt-4o-mini", "m@5000",
            ["memory.E001 LANGUAGE_MODEL", "memory.E002 EMBEDDING_MODEL"],
        ),
    ],
)  # fmt: skip
def test_settings_that_cannot_work_are_named(
    settings: Settings, key: str | None, language: str, embedding: str, named: list[str]
) -> None:
    settings.OPENAI_API_KEY = key
    settings.LANGUAGE_MODEL = language
    settings.EMBEDDING_MODEL = embedding
    assert [f"{number} {text.split()[0]}" for number, text in found()] == named
