"""Stops the start when LANGUAGE_MODEL or EMBEDDING_MODEL cannot work, by name, before any work.

Nothing is called and nothing is loaded: a server that is down must not keep the pages down.
"""

from collections.abc import Callable
from typing import Any

from django.core.checks import CheckMessage, Error, register

from memory.providers.door import default_space, embedder_for, language_for
from memory.providers.errors import Misconfigured


@register
def providers_can_be_made(**_: Any) -> list[CheckMessage]:
    """One error for each of the two that the settings do not allow to be made."""
    made: dict[str, Callable[[], object]] = {
        "memory.E001": language_for,
        "memory.E002": lambda: embedder_for(default_space()),
    }
    errors: list[CheckMessage] = []
    for number, make in made.items():
        try:
            make()
        except Misconfigured as error:
            errors.append(Error(str(error), id=number))
    return errors
