"""Kills an act at each of its statements in turn, and looks at what the next run makes of it.

For n = 1, 2, … in a fresh world: the n-th statement never reaches the database, and neither does
any later one (`Killed`, as of a process), or it fails once and the code goes on (`Hiccup`, as of a
lost connection). Then leases run out, the act is done again, and the world has to look exactly
like one in which nothing had happened. Ends when the act needs fewer than n statements.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.db import OperationalError, connection, models
from django.db.models import Q
from django.db.models.functions import Now

from agents.models import Claimable
from tenants.models import TenantRow
from tests.factories import World

MOST = 150  # statements; an act that needs more never ends
_SAVEPOINTS = ("SAVEPOINT", "RELEASE SAVEPOINT", "ROLLBACK TO SAVEPOINT")
_NUMBERS = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+")

Act = Callable[[World], object]


class Killed(BaseException):
    """The process is gone: nothing catches it."""


class Hiccup(OperationalError):
    """One statement failed; the next one would have worked."""


class Dying:
    """Around the statements of a connection: lets `after` of them pass."""

    def __init__(self, after: int, kind: type[BaseException]) -> None:
        self.left, self.kind, self.died = after, kind, False

    def __call__(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        if str(sql).startswith(_SAVEPOINTS):  # the tests' own transaction, not the act's
            return execute(sql, params, many, context)
        if self.died and issubclass(self.kind, Hiccup):
            return execute(sql, params, many, context)
        if self.died or self.left == 0:
            self.died = True
            raise self.kind("at this statement")
        self.left -= 1
        return execute(sql, params, many, context)


def at_every_statement(
    prepare: Callable[[], World], act: Act, kind: type[BaseException] = Killed
) -> int:
    """Assert that the act survives a death at each statement; answers how many there were."""
    undisturbed = prepare()
    act(undisturbed)
    wanted = state(undisturbed)
    for after in range(MOST):
        world = prepare()
        dying = Dying(after, kind)
        with connection.execute_wrapper(dying):
            try:
                act(world)
            except (Killed, Hiccup):
                assert dying.died
        if not dying.died:
            assert state(world) == wanted
            return after
        time_passes(world)
        act(world)
        assert state(world) == wanted, f"after a death at statement {after + 1}"
    raise AssertionError(f"more than {MOST} statements")


def time_passes(world: World) -> None:
    """Leases run out and waits end."""
    with world.inside():
        for model in apps.get_models():
            if issubclass(model, Claimable):
                model._default_manager.filter(~Q(lease_until=None)).update(lease_until=Now())
                model._default_manager.update(not_before=None)


def state(world: World) -> dict[str, list[str]]:
    """Every row of the tenant, without what differs from world to world: numbers and times."""
    with world.inside():
        return {
            model.__name__: sorted(_row(row) for row in model._default_manager.all())
            for model in apps.get_models()
            if issubclass(model, TenantRow) and model._default_manager.exists()
        }


def _row(row: models.Model) -> str:
    shown = {f.name: _shown(f, getattr(row, f.attname)) for f in row._meta.concrete_fields}
    return _NUMBERS.sub("#", json.dumps(shown, default=str, ensure_ascii=False, sort_keys=True))


def _shown(field: Any, value: Any) -> Any:
    """Texts, switches and small counts as they are; that there is a key, time or vector."""
    if value is None or field.name == "hash":
        return None
    if isinstance(field, models.PositiveSmallIntegerField | models.PositiveIntegerField):
        return f"n{'i' * value}" if value < 40 else "many"  # digits would be masked
    if isinstance(field, models.TextField | models.CharField | models.BooleanField):
        return value
    if isinstance(field, models.JSONField):
        return value
    return field.get_internal_type()
