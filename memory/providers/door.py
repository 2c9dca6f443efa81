"""Which language model and which embedder: chosen by the settings, made once a process.

Everything above asks here and nowhere else, so a test replaces both with `using`, and a tenant's
own provider has one place to be looked up.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from django.conf import settings

from memory.providers.embedding import OpenAIEmbedder, Space, space_of_name, space_of_setting
from memory.providers.errors import Misconfigured, ProviderError
from memory.providers.minilm_space import SPACE as MINILM_SPACE
from memory.providers.minilm_space import MiniLMEmbedder
from memory.providers.openai_transport import OpenAITransport
from memory.providers.prompted import PromptedLanguage
from memory.providers.types import Embedder, Language, Vector
from memory.providers.wordllama_space import SPACE as OFFLINE_SPACE
from memory.providers.wordllama_space import WordLlamaEmbedder

OFFLINE = "offline"


class _Tenant(Protocol):
    @property
    def pk(self) -> int: ...

    space: str


class _Door:
    """What has been made, by what it was made from: changed settings make anew."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.languages: dict[tuple[str | None, ...], Language] = {}
        self.embedders: dict[tuple[str | None, ...], Embedder] = {}
        self.language: Language | None = None  # the replacements of `using`
        self.replaced: dict[str, Embedder] = {}
        self.wanted: str | None = None


_door = _Door()


def language_for(tenant: _Tenant | None = None) -> Language:
    """The language model that works for this tenant (today: the installation's).

    Raises Misconfigured when a model is named and there is no key for it.
    """
    with _door.lock:
        if _door.language is not None:
            return _door.language
        model = settings.LANGUAGE_MODEL
        made_from = (model, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL)
        if made_from not in _door.languages:
            _door.languages[made_from] = _language(model)
        return _door.languages[made_from]


def default_space() -> str:
    """The name of the space in which new text is embedded."""
    with _door.lock:
        if _door.wanted is not None:
            return _door.wanted
    setting = settings.EMBEDDING_MODEL
    if setting in (OFFLINE, OFFLINE_SPACE):
        return OFFLINE_SPACE
    if setting == MINILM_SPACE:
        return MINILM_SPACE
    return space_of_setting(setting).name


def space_of(tenant: _Tenant) -> str:
    """The space that answers for this tenant: its own, else the installation's (D44)."""
    return tenant.space or default_space()


def try_embed(texts: Sequence[str], space: str, *, timeout: float) -> list[Vector | None] | None:
    """One call, outside any block: a vector for each text, None for one that has none there.

    None for the whole when the provider fails: what was asked for is left to the embed stage.
    """
    if not texts:
        return []
    try:
        found = embedder_for(space).embed(texts, timeout=timeout)
    except ProviderError:
        return None
    return [vector if vector.any() else None for vector in found]


def embedder_for(space: str) -> Embedder:
    """The embedder of this space.

    Raises Misconfigured for a name that is no space, and for a server's space without a key.
    """
    with _door.lock:
        if space in _door.replaced:
            return _door.replaced[space]
        made_from = (space, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL)
        if made_from not in _door.embedders:
            _door.embedders[made_from] = _embedder(space)
        return _door.embedders[made_from]


@contextmanager
def using(*, language: Language | None = None, embedder: Embedder | None = None) -> Iterator[None]:
    """For tests: these instead, in every thread, until the block ends. May be nested.

    The embedder answers for its own space, which becomes the default space; other spaces keep
    their embedders, so a change of model can be played.
    """
    with _door.lock:
        before = (_door.language, dict(_door.replaced), _door.wanted)
        if language is not None:
            _door.language = language
        if embedder is not None:
            _door.replaced[embedder.space] = embedder
            _door.wanted = embedder.space
    try:
        yield
    finally:
        with _door.lock:
            _door.language, _door.replaced, _door.wanted = before


def _language(model: str) -> Language:
    if model == OFFLINE:
        from memory.providers.offline import OfflineLanguage  # its rules are not needed otherwise

        return OfflineLanguage()
    return PromptedLanguage(
        OpenAITransport(
            model=model, api_key=_key("LANGUAGE_MODEL", model), base_url=settings.OPENAI_BASE_URL
        )
    )


def _embedder(name: str) -> Embedder:
    if name == OFFLINE_SPACE:
        return WordLlamaEmbedder()
    if name == MINILM_SPACE:
        return MiniLMEmbedder()
    space: Space = space_of_name(name)
    return OpenAIEmbedder(
        space, api_key=_key("EMBEDDING_MODEL", name), base_url=settings.OPENAI_BASE_URL
    )


def _key(what: str, name: str) -> str:
    key = settings.OPENAI_API_KEY
    if not key:
        raise Misconfigured(f"{what} {name} needs OPENAI_API_KEY")
    return str(key)
