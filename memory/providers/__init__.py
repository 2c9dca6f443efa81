"""Language models and embedders behind one door; `using` replaces them in tests."""

from memory.providers.door import (
    default_space,
    embedder_for,
    language_for,
    space_of,
    try_embed,
    using,
)

__all__ = ["default_space", "embedder_for", "language_for", "space_of", "try_embed", "using"]
