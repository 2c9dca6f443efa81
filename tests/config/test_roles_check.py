"""The start refuses a role that row-level security would not hold; each reason by itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.core.checks import run_checks
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import load_backend

from config.embedded import SUPERUSER, Embedded
from config.roles_check import UnsafeRole, problem_with, refuse_unsafe_role

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def superuser(test_server: Embedded | None) -> Iterator[psycopg.Connection[tuple[object]]]:
    if test_server is None:
        pytest.skip("needs a superuser, which only the embedded server gives")
    server = psycopg.connect(
        host=str(test_server.place.socket),
        user=SUPERUSER,
        dbname=connection.settings_dict["NAME"],
        autocommit=True,
    )
    with server:
        yield server


@contextmanager
def connected_as(role: str) -> Iterator[BaseDatabaseWrapper]:
    base = connections["default"]
    wrapper = load_backend(base.settings_dict["ENGINE"]).DatabaseWrapper(
        base.settings_dict | {"USER": role}, alias="other"
    )
    wrapper.inc_thread_sharing()
    try:
        yield wrapper
    finally:
        wrapper.close()


def test_the_application_may_serve() -> None:
    assert problem_with(connection) is None
    refuse_unsafe_role()
    assert run_checks(tags=["database"], databases=["default"]) == []


def test_a_superuser_may_not(test_server: Embedded | None) -> None:
    if test_server is None:
        pytest.skip("needs a superuser, which only the embedded server gives")
    with connected_as(SUPERUSER) as other:
        assert "is a superuser" in (problem_with(other) or "")


def test_the_owner_may_not() -> None:
    with connected_as("keepsake_owner") as other:
        assert "owns the table" in (problem_with(other) or "")


@pytest.mark.parametrize(
    ("given", "taken", "why"),
    [
        ("ALTER ROLE keepsake_app BYPASSRLS", "ALTER ROLE keepsake_app NOBYPASSRLS", "BYPASSRLS"),
        (
            "GRANT keepsake_owner TO keepsake_app",
            "REVOKE keepsake_owner FROM keepsake_app",
            "owns the table",
        ),
    ],
)
def test_the_application_with_one_right_too_many_may_not(
    superuser: psycopg.Connection[tuple[object]], given: str, taken: str, why: str
) -> None:
    superuser.execute(given)
    try:
        with pytest.raises(UnsafeRole, match=why):
            refuse_unsafe_role()
        found = run_checks(tags=["database"], databases=["default"])
        assert [each.id for each in found] == ["keepsake.E001"]
    finally:
        superuser.execute(taken)
    refuse_unsafe_role()
