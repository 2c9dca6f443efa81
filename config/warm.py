"""The first visitor does not wait for what every later one finds loaded."""

import gc
import logging
import threading

from memory.providers import default_space, embedder_for
from memory.providers.errors import ProviderError
from memory.recall.terms import terms

log = logging.getLogger(__name__)
# Allocations until the collector looks at the young, and rounds until at the older: a request makes
# a few thousand objects, nearly all of which end with it and without the collector.
COLLECT_AFTER = (50_000, 20, 20)


def warm() -> None:
    """Load the offline embedder and the stemmers. A space that needs a network is left alone."""
    space = default_space()
    terms("loading")
    if not space.startswith("wordllama"):
        return
    try:
        embedder_for(space).embed(["loading"], timeout=30)
    except ProviderError as error:
        log.warning("embedder not loaded: %s", error.name)


def warm_in_the_background() -> None:
    """Called once by each web process; the process answers meanwhile.

    No daemon: a process that ends at once waits for it, since the tokenizer's threads cannot be
    cut off without ending the interpreter the hard way.
    """
    threading.Thread(target=_warm_and_settle, name="warm").start()


def _warm_and_settle() -> None:
    try:
        warm()
    finally:
        settle()


def settle() -> None:
    """What is loaded by now stays: the collector need not look through it in every request."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
