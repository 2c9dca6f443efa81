"""The suite's ground: a database of its own, the application's role, and no network."""

import fcntl
import ipaddress
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from config.celery import app as celery_app
from config.embedded import Embedded
from config.postgres_roles import APP
from memory.events import targets


@pytest.fixture(scope="session")
def test_server() -> Iterator[Embedded | None]:
    """The embedded server of the tests, apart from the one people use; None with DATABASE_URL."""
    if settings.EMBEDDED is None:
        yield None
        return
    server = Embedded(settings.KEEPSAKE_HOME / "tests", durable=False)
    server.ensure()
    yield server


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_db_blocker: DjangoDbBlocker,
    django_db_keepdb: bool,
    django_db_createdb: bool,
    test_server: Embedded | None,
) -> Iterator[None]:
    """Build the test database as its owner and hand it to `default`, which owns nothing.

    The suite then runs as the application does, but for TRUNCATE, which the flush between
    transactional tests needs.
    """
    owner, default = connections["owner"], connections["default"]
    if test_server is not None:
        for connection in (owner, default):
            connection.settings_dict["HOST"] = str(test_server.place.socket)
    before = owner.settings_dict["NAME"]
    settings.KEEPSAKE_HOME.mkdir(parents=True, exist_ok=True)
    suite = open(settings.KEEPSAKE_HOME / "tests.lock", "a")  # noqa: SIM115
    try:
        fcntl.flock(suite, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        request.config.get_terminal_writer().line("waiting for another run of the tests to end")
        fcntl.flock(suite, fcntl.LOCK_EX)
    with django_db_blocker.unblock():
        keep = django_db_keepdb and not django_db_createdb
        name = owner.creation.create_test_db(verbosity=0, autoclobber=True, keepdb=keep)
        with owner.cursor() as cursor:
            cursor.execute(f"GRANT TRUNCATE ON ALL TABLES IN SCHEMA public TO {APP}")
        default.close()
        default.settings_dict["NAME"] = name
    yield
    with django_db_blocker.unblock():
        default.close()
        if not django_db_keepdb:
            owner.creation.destroy_test_db(before, verbosity=0)
    suite.close()


@pytest.fixture(autouse=True, scope="session")
def quick_passwords() -> None:
    """A slow hash protects people; tests make hundreds of users that nobody attacks."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True, scope="session")
def quiet_broker() -> None:
    """A task published by a test wakes nobody: the people's worker listens elsewhere."""
    celery_app.conf.update(broker_url="memory://", broker_transport_options={})


@pytest.fixture(autouse=True, scope="session")
def static_folder() -> None:
    """WhiteNoise warns of a folder that only `collectstatic` makes."""
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)


@pytest.fixture(autouse=True, scope="session")
def only_this_machine() -> Iterator[None]:
    """Any connection that would leave this machine fails at once, with its address."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    resolve = socket.getaddrinfo

    def checked(self: socket.socket, address: Any) -> None:
        _refuse_strangers(self.family, address)
        connect(self, address)

    def checked_ex(self: socket.socket, address: Any) -> int:
        _refuse_strangers(self.family, address)
        return connect_ex(self, address)

    def resolved(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_here(host):
            raise RuntimeError(f"tests use no network, but something looks up {host!r}")
        return resolve(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", checked)
        patch.setattr(socket.socket, "connect_ex", checked_ex)
        patch.setattr(socket, "getaddrinfo", resolved)
        # A webhook's name leads nowhere here, as on a machine without network; it is no fault.
        patch.setattr(targets, "look_up", _found_here)
        yield


def _found_here(host: str, port: int) -> list[str]:
    if not _is_here(host):
        raise socket.gaierror("tests use no network")
    return ["127.0.0.1"]


def _refuse_strangers(family: int, address: Any) -> None:
    if family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
        raise RuntimeError(f"tests use no network, but something connects to {address!r}")


def _is_here(host: Any) -> bool:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost", "testserver"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
