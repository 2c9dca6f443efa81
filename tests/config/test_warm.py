"""What a web process loads before its first visitor."""

import gc

from config.warm import COLLECT_AFTER, settle, warm
from memory.providers import using
from memory.providers.errors import Unavailable
from tests.fakes import StubEmbedder


def test_the_offline_embedder_is_asked_once() -> None:
    embedder = StubEmbedder(space="wordllama-256", dims=256)
    with using(embedder=embedder):
        warm()
    assert len(embedder.calls) == 1


def test_a_space_behind_a_network_is_left_alone_and_a_fault_breaks_nothing() -> None:
    remote = StubEmbedder(space="text-embedding-3-small-1536", dims=8)
    with using(embedder=remote):
        warm()
    assert remote.calls == []
    with using(embedder=StubEmbedder(space="wordllama-256", dims=256, fail=Unavailable("away"))):
        warm()


def test_what_was_loaded_is_not_collected_again_and_again() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    try:
        settle()
        assert gc.get_freeze_count() > frozen + 10_000
        assert gc.get_threshold() == COLLECT_AFTER
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
