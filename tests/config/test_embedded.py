"""The embedded server: one start for all, and a start after any end."""

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.embedded import Embedded, PostgresError, _cache_megabytes
from config.postgres_place import SOCKET_LIMIT, Account, locate


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder that every user may enter; pytest's own is for its owner alone."""
    with tempfile.TemporaryDirectory(prefix="ks-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        monkeypatch.setattr(tempfile, "tempdir", name)  # what goes to the temporary folder is here
        yield folder


@pytest.fixture
def server(open_folder: Path) -> Iterator[Embedded]:
    found = Embedded(open_folder / "home", durable=False)
    yield found
    found.stop()


def ask(server: Embedded, question: str, role: str = "keepsake_app") -> object:
    with psycopg.connect(server.url(role), autocommit=True) as connection:
        row = connection.execute(question.encode()).fetchone()
    return row[0] if row else None


def write(server: Embedded) -> None:
    with psycopg.connect(server.url("keepsake_owner"), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (id int)")
        connection.execute("INSERT INTO kept VALUES (7)")


def postmaster(server: Embedded) -> int:
    return int((server.place.data / "postmaster.pid").read_text().splitlines()[0])


def test_start_twice_stop_twice(server: Embedded) -> None:
    assert f"a new database under {server.home}" in server.ensure()
    first = postmaster(server)
    assert server.ensure() == ""
    Embedded(server.home, durable=False).ensure()
    assert postmaster(server) == first
    assert server.stop() is True
    assert server.stop() is False
    assert not server.answers()
    assert server.ensure() == ""  # the database is the old one


def test_many_starts_at_once_make_one_server(server: Embedded) -> None:
    failed: list[BaseException] = []

    def start() -> None:
        try:
            Embedded(server.home, durable=False).ensure()
        except BaseException as problem:
            failed.append(problem)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert ask(server, "SELECT 1") == 1


@pytest.mark.parametrize("left", ["its files", "a stranger's number", "no socket"])
def test_a_start_takes_over_what_a_kill_left(server: Embedded, left: str) -> None:
    server.durable = True
    server.ensure()
    write(server)
    if left == "no socket":
        server.place.socket_file.unlink()
    else:
        os.kill(postmaster(server), signal.SIGKILL)
    if left == "a stranger's number":
        stale = server.place.data / "postmaster.pid"
        lines = stale.read_text().splitlines()
        stale.write_text("\n".join([str(os.getppid()), *lines[1:]]) + "\n")
    server.ensure()
    assert ask(server, "SELECT id FROM kept") == 7


def test_an_interrupted_making_is_made_again(server: Embedded) -> None:
    server.place.data.mkdir(parents=True)
    (server.place.data / "half").touch()
    (server.place.base / "making.abc").mkdir()
    server.ensure()
    assert ask(server, "SELECT 1") == 1
    assert list(server.place.base.glob("making.*")) == []


def test_the_application_is_an_ordinary_role_with_its_limits(server: Embedded) -> None:
    server.ensure()
    write(server)
    assert ask(server, "SELECT count(*) FROM kept") == 1
    assert ask(server, "SHOW statement_timeout") == "1min"
    assert ask(server, "SHOW idle_in_transaction_session_timeout") == "1min"
    assert ask(server, "SHOW listen_addresses") == ""
    assert ask(server, "SELECT '[1,2]'::vector <-> '[1,2]'") == 0
    for forbidden in ("TRUNCATE kept", "DROP TABLE kept", "CREATE TABLE mine (id int)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(server, forbidden)


def test_a_new_function_is_nobodys_to_call_until_granted(server: Embedded) -> None:
    server.ensure()
    with psycopg.connect(server.url("keepsake_owner"), autocommit=True) as owner:
        owner.execute("CREATE FUNCTION secret() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(server, "SELECT secret()")
        owner.execute("GRANT EXECUTE ON FUNCTION secret() TO keepsake_app")
    assert ask(server, "SELECT secret()") == 1


def test_a_long_home_has_a_short_socket(open_folder: Path) -> None:
    home = open_folder / ("long" * 30) / "home"
    home.mkdir(parents=True)
    place = locate(home)
    assert len(os.fsencode(place.socket_file)) <= SOCKET_LIMIT
    assert place.socket != locate(open_folder).socket


def test_a_home_its_user_cannot_enter_keeps_the_data_elsewhere(open_folder: Path) -> None:
    """Permissions of folders that are not ours stay as they are, and the start says where."""
    if os.getuid() != 0:
        pytest.skip("only root runs Postgres as somebody else")
    private = open_folder / "private"
    (private / "home").mkdir(parents=True)
    private.chmod(0o700)
    server = Embedded(private / "home", durable=False)
    try:
        note = server.ensure()
        assert not server.place.base.is_relative_to(private)
        assert str(server.place.base) in note
        assert ask(server, "SELECT 1") == 1
        assert private.stat().st_mode & 0o777 == 0o700
        private.chmod(0o755)  # what was decided once stays where it is
        assert Embedded(private / "home").place.base == server.place.base
    finally:
        server.stop()


def test_programs_that_its_user_cannot_read_are_copied(
    server: Embedded, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.home.mkdir()
    reaches = Account.reaches
    monkeypatch.setattr(
        Account,
        "reaches",
        lambda self, path: "site-packages" not in str(path) and reaches(self, path),
    )
    server.ensure()
    assert ask(server, "SELECT 1") == 1
    assert "programs-" in (server.place.data / "postmaster.opts").read_text()


def test_a_folder_of_somebody_else_is_refused(server: Embedded) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    server.place.base.mkdir(parents=True)
    os.chown(server.place.base, 65534, 65534)
    with pytest.raises(PostgresError, match="belongs to somebody else"):
        server.ensure()


@pytest.mark.parametrize(
    ("gigabytes", "megabytes"), [(0.5, 128), (1, 128), (4, 512), (8, 1024), (64, 1024)]
)
def test_the_cache_is_an_eighth_of_the_memory_within_bounds(
    gigabytes: float, megabytes: int
) -> None:
    assert _cache_megabytes(int(gigabytes * 1024**3)) == megabytes
