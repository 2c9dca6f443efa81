"""The one door to a tenant: `within(tenant_id)`, or the tenant of a key.

Row-level security reads `app.tenant` from the transaction, so outside `within` a tenant table
shows no rows and takes none. The ContextVar is for logs and wake-ups only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection, transaction

_current: ContextVar[int | None] = ContextVar("tenant", default=None)


class OtherTenant(RuntimeError):
    """Code inside one tenant tried to enter another."""


def current_tenant() -> int | None:
    """The tenant whose block we are in, for logs and wake-ups. Never a filter."""
    return _current.get()


@contextmanager
def within(tenant_id: int, *, is_durable: bool = True) -> Iterator[None]:
    """A transaction in which the rows of this tenant, and no others, exist.

    Nested blocks of the same tenant are savepoints; another tenant's raises `OtherTenant`. One
    that is not durable does not wait for the disk: a crash may lose what it wrote, whole. Inside a
    block that does, it does.
    """
    enter = _ENTER if is_durable or connection.in_atomic_block else _ENTER_WITHOUT_DISK
    with _entered(enter, str(tenant_id)):
        yield


@contextmanager
def within_tenant_of_key(digest: str) -> Iterator[int | None]:
    """`within` the tenant that has this key, by its number; None, and no rows, if none has it.

    For whoever does not know yet who calls: one statement finds the tenant and enters it.
    """
    with _entered(_ENTER_BY_KEY, digest) as tenant_id:
        yield tenant_id


@contextmanager
def _entered(enter: str, value: str) -> Iterator[int | None]:
    outer = _current.get()
    # The setting ends with its transaction; only inside somebody else's does it have to be undone.
    is_nested = connection.in_atomic_block
    token = None
    try:
        with transaction.atomic():
            tenant_id = _set(enter, value)
            if is_nested and None not in (outer, tenant_id) and outer != tenant_id:
                raise OtherTenant(f"inside tenant {outer}, asked for tenant {tenant_id}")
            token = _current.set(tenant_id)
            yield tenant_id
            # A nested block gives the earlier value back; after a rollback Postgres does it.
            if is_nested and outer != tenant_id and not connection.needs_rollback:
                _set(_ENTER, "" if outer is None else str(outer))
    finally:
        if token is not None:
            _current.reset(token)


def _set(enter: str, value: str) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(enter, [value])
        entered = cursor.fetchone()[0]
    return int(entered) if entered else None


# What is `prepared` is planned once for all tenants: a plan for these values costs more each time.
_ENTER = (
    "SELECT set_config('app.tenant', %s, true), "
    "set_config('plan_cache_mode', 'force_generic_plan', true)"
)
_ENTER_WITHOUT_DISK = f"{_ENTER}, set_config('synchronous_commit', 'off', true)"
_ENTER_BY_KEY = _ENTER.replace("%s", "coalesce(tenant_of_key(%s)::text, '')")


def let_go() -> None:
    """Give the connection back before something long; the next block takes one again.

    Inside a block there is nothing to give: whoever opened it still needs it.
    """
    if not connection.in_atomic_block:
        connection.close()
