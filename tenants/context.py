"""The one door to a tenant: `within(tenant_id)`.

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


def _set(value: str, *, is_durable: bool = True) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_ENTER if is_durable else _ENTER_WITHOUT_DISK, [value])


_ENTER = "SELECT set_config('app.tenant', %s, true)"
_ENTER_WITHOUT_DISK = f"{_ENTER}, set_config('synchronous_commit', 'off', true)"


@contextmanager
def within(tenant_id: int, *, is_durable: bool = True) -> Iterator[None]:
    """A transaction in which the rows of this tenant, and no others, exist.

    Nested blocks of the same tenant are savepoints; another tenant's raises `OtherTenant`. One
    that is not durable does not wait for the disk: a crash may lose what it wrote, whole. Inside a
    block that does, it does.
    """
    outer = _current.get()
    if outer is not None and outer != tenant_id and connection.in_atomic_block:
        raise OtherTenant(f"inside tenant {outer}, asked for tenant {tenant_id}")
    token = _current.set(tenant_id)
    # The setting ends with its transaction; only inside somebody else's does it have to be undone.
    is_nested = connection.in_atomic_block
    try:
        with transaction.atomic():
            _set(str(tenant_id), is_durable=is_durable or is_nested)
            yield
            # A nested block gives the earlier value back; after a rollback Postgres does it.
            if is_nested and outer != tenant_id and not connection.needs_rollback:
                _set("" if outer is None else str(outer))
    finally:
        _current.reset(token)


def let_go() -> None:
    """Give the connection back before something long; the next block takes one again.

    Inside a block there is nothing to give: whoever opened it still needs it.
    """
    if not connection.in_atomic_block:
        connection.close()
