"""The settings choose, one process makes once, and a test replaces both in every thread."""

import threading

import pytest
from pytest_django import Settings

from memory import providers
from memory.providers.embedding import OpenAIEmbedder
from memory.providers.errors import Misconfigured
from memory.providers.prompted import PromptedLanguage
from memory.providers.wordllama_space import WordLlamaEmbedder
from tests.fakes import ScriptedLanguage, StubEmbedder


@pytest.fixture(autouse=True)
def _offline(settings: Settings) -> None:
    settings.OPENAI_API_KEY = None
    settings.OPENAI_BASE_URL = None
    settings.LANGUAGE_MODEL = "offline"
    settings.EMBEDDING_MODEL = "wordllama-256"


def test_offline_without_a_key() -> None:
    assert providers.default_space() == "wordllama-256"
    embedder = providers.embedder_for("wordllama-256")
    assert isinstance(embedder, WordLlamaEmbedder)
    assert providers.embedder_for("wordllama-256") is embedder


def test_a_key_brings_the_real_models(settings: Settings) -> None:
    settings.OPENAI_API_KEY = "sk-x"
    settings.LANGUAGE_MODEL = "gpt-4o-mini"
    settings.EMBEDDING_MODEL = "text-embedding-3-small"
    language = providers.language_for()
    assert isinstance(language, PromptedLanguage)
    assert language.made.model == "gpt-4o-mini"
    assert providers.language_for() is language
    assert providers.default_space() == "text-embedding-3-small-1536"
    embedder = providers.embedder_for(providers.default_space())
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.dimensions == 1536
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    assert providers.language_for() is not language


@pytest.mark.parametrize(
    ("setting", "space"),
    [
        ("text-embedding-3-large", "text-embedding-3-large-3072"),
        ("text-embedding-3-large@1024", "text-embedding-3-large-1024"),
        ("bge-m3@1024", "bge-m3-1024"),
        ("org/model@v2@768", "org/model@v2-768"),
        ("offline", "wordllama-256"),
    ],
)
def test_a_space_is_model_and_dimensions(settings: Settings, setting: str, space: str) -> None:
    settings.EMBEDDING_MODEL = setting
    settings.OPENAI_API_KEY = "sk-x"
    assert providers.default_space() == space
    assert providers.embedder_for(space).space == space
    assert providers.embedder_for(space).dimensions == int(space.rpartition("-")[2])


@pytest.mark.parametrize("setting", ["unheard-of", "m@63", "m@4001", "m@", "@768", "m@x"])
def test_an_impossible_setting_says_what_was_expected(settings: Settings, setting: str) -> None:
    settings.EMBEDDING_MODEL = setting
    with pytest.raises(Misconfigured, match="EMBEDDING_MODEL"):
        providers.default_space()


@pytest.mark.parametrize("space", ["", "nonsense", "model-12", "model-99999", "-768"])
def test_an_unknown_space_is_refused(settings: Settings, space: str) -> None:
    settings.OPENAI_API_KEY = "sk-x"
    with pytest.raises(Misconfigured):
        providers.embedder_for(space)


def test_a_model_without_a_key_is_misconfigured(settings: Settings) -> None:
    settings.LANGUAGE_MODEL = "gpt-4o-mini"
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        providers.language_for()
    with pytest.raises(Misconfigured, match="OPENAI_API_KEY"):
        providers.embedder_for("text-embedding-3-small-1536")


def test_using_replaces_in_every_thread_and_ends() -> None:
    language, embedder, other = ScriptedLanguage(), StubEmbedder("a-64"), StubEmbedder("b-64")
    seen: list[object] = []
    with providers.using(language=language, embedder=embedder):
        thread = threading.Thread(target=lambda: seen.append(providers.language_for()))
        thread.start()
        thread.join()
        assert providers.default_space() == "a-64"
        with providers.using(embedder=other):
            assert providers.default_space() == "b-64"
            assert providers.embedder_for("b-64") is other
            assert providers.embedder_for("a-64") is embedder  # both, while the space changes
            assert providers.language_for() is language
        assert providers.default_space() == "a-64"
    assert seen == [language]
    assert providers.default_space() == "wordllama-256"
    with pytest.raises(Misconfigured):
        providers.embedder_for("a-64")
