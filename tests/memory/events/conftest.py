"""A real receiver on loopback, allowed by the setting that development has."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.hooked import Hooked
from tests.receivers import Receiver, receiving


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def hooked(receiver: Receiver) -> Hooked:
    return Hooked(receiver)
