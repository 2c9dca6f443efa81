"""Postgres from a wheel: started when DATABASE_URL is not set, and shared by all our processes.

The server belongs to no process of ours: whoever needs it calls `ensure`, which answers at once
when it runs, and `stop` ends it. Local connections are let in by who the operating system says
they are (peer), so there is no password to keep; nothing listens on TCP.
"""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil
import psycopg

from config import postgres_place, postgres_roles
from config.postgres_place import Place, PostgresError, locate

__all__ = ["Embedded", "PostgresError"]

DATABASE = "keepsake"
SUPERUSER = "postgres"
START_SECONDS = 60
DEAF_SECONDS = 3
_MEGABYTE = 1024 * 1024


@dataclass
class Embedded:
    """The server of one KEEPSAKE_HOME.

    `durable=False` is for tests: a power cut may lose the data, and everything is faster.
    """

    home: Path
    durable: bool = True

    @cached_property
    def place(self) -> Place:
        self.home.mkdir(parents=True, exist_ok=True)
        return locate(self.home)

    def django_settings(self, role: str) -> dict[str, Any]:
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": DATABASE,
            "USER": role,
            "HOST": str(self.place.socket),
            "PORT": "5432",
        }

    def url(self, role: str, database: str = DATABASE) -> str:
        """The address of the server, as DATABASE_URL would give it."""
        host = str(self.place.socket).replace("/", "%2F")
        return f"postgresql://{role}@{host}:5432/{database}"

    def answers(self) -> bool:
        """Whether a server accepts connections here now."""
        try:
            with self._superuser(connect_timeout=2):
                return True
        except psycopg.OperationalError:
            return False

    def ensure(self) -> str:
        """Start the server unless it runs already; give a note for the person, mostly empty.

        Idempotent, safe from several processes at once, and it takes over whatever a killed
        server left behind.
        """
        if self._marked() and self.answers():
            return ""
        self.home.mkdir(parents=True, exist_ok=True)
        with self._locked():
            if self._marked() and self.answers():
                return ""
            self._make_folders()
            bin_folder = postgres_place.binaries(self.place)
            is_new = not (self.place.data / "PG_VERSION").exists()
            if is_new:
                self._initialise(bin_folder)
            self._configure()
            if not self.answers():
                self._start(bin_folder)
            if not self._marked():
                self._furnish()
            postgres_place.remember(self.home, self.place)
        made = f"made a new database under {self.home}, with nothing in it" if is_new else ""
        return "; ".join(filter(None, (made, self.place.note)))

    def stop(self) -> bool:
        """Stop the server; say whether one was running."""
        if not self.home.exists():
            return False
        with self._locked():
            pid = self._postmaster()
            if pid is None:
                return False
            self._end(pid)
            return True

    # --- the steps of a start ------------------------------------------------------------------
    @contextmanager
    def _locked(self) -> Iterator[None]:
        with open(self.home / "postgres.lock", "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _marked(self) -> bool:
        """Whether roles and database were made completely, by this version of the recipe."""
        mark = self.place.base / "furnished"
        try:
            return mark.read_text() == postgres_roles.RECIPE
        except OSError:
            return False

    def _make_folders(self) -> None:
        for folder in {self.place.base, self.place.socket.parent}:
            if not folder.exists():
                folder.mkdir(parents=True)
                folder.chmod(0o711)  # ours, and its user must pass whatever the umask says
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                raise PostgresError(f"{folder} belongs to somebody else; remove it and try again")
        self.place.socket.mkdir(exist_ok=True)
        self._give(self.place.socket, 0o700)
        self.place.log.touch()
        self._give(self.place.log, 0o600)

    def _give(self, path: Path, mode: int) -> None:
        if self.place.account.switch:
            os.chown(path, self.place.account.uid, self.place.account.gid)
        path.chmod(mode)

    def _initialise(self, bin_folder: Path) -> None:
        """Make the cluster beside its place and move it in: it is whole, or it is not there."""
        for left in self.place.base.glob("making.*"):
            shutil.rmtree(left)
        if self.place.data.exists():
            shutil.rmtree(self.place.data)  # no PG_VERSION: it never was a cluster
        draft = Path(tempfile.mkdtemp(dir=self.place.base, prefix="making."))
        self._give(draft, 0o700)
        self._run(
            [
                str(bin_folder / "initdb"),
                f"--pgdata={draft}",
                f"--username={SUPERUSER}",
                "--auth-local=peer",
                "--auth-host=scram-sha-256",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--locale=C.UTF-8",
                "--no-sync",
                "--no-instructions",
            ],
            "initdb",
        )
        draft.rename(self.place.data)

    def _configure(self) -> None:
        """Write our settings anew at every start, so that an update of Keepsake reaches them."""
        durable = "on" if self.durable else "off"
        lines = [
            "# Written at every start of Keepsake; put your own in postgresql.conf.",
            "listen_addresses = ''",
            f"unix_socket_directories = '{_quoted(self.place.socket)}'",
            "unix_socket_permissions = 0700",
            "max_connections = 200",
            f"shared_buffers = {_cache_megabytes(psutil.virtual_memory().total)}MB",
            "dynamic_shared_memory_type = posix",
            "timezone = 'UTC'",
            "log_timezone = 'UTC'",
            "log_line_prefix = '%m [%p] '",
            "log_min_error_statement = panic",  # a statement may hold people's text
            "log_parameter_max_length_on_error = 0",
            f"fsync = {durable}",
            f"synchronous_commit = {durable}",
            f"full_page_writes = {durable}",
            "jit = off",
        ]
        (self.place.data / "keepsake.conf").write_text("\n".join(lines) + "\n")
        main = self.place.data / "postgresql.conf"
        if "include_if_exists 'keepsake.conf'" not in (text := main.read_text()):
            main.write_text("include_if_exists 'keepsake.conf'\n" + text)
        access = "local all all peer map=keepsake\nhost all all samehost scram-sha-256\n"
        (self.place.data / "pg_hba.conf").write_text(access)
        names = {_user_name(os.getuid()), self.place.account.name}
        roles = [SUPERUSER, postgres_roles.OWNER, postgres_roles.APP]
        mapping = [f"keepsake {name} {role}\n" for name in sorted(names) for role in roles]
        (self.place.data / "pg_ident.conf").write_text("".join(mapping))

    def _start(self, bin_folder: Path) -> None:
        if self._postmaster() is None:
            # Its process is gone or its number is somebody else's now: Postgres would believe it.
            (self.place.data / "postmaster.pid").unlink(missing_ok=True)
            for left in self.place.socket.glob(".s.PGSQL.*"):
                left.unlink()
        began = time.monotonic()
        while not self.answers():
            waited = time.monotonic() - began
            pid = self._postmaster()
            if pid is None:
                # Fails while children of a killed postmaster are still leaving; then again.
                self._run_start(bin_folder)
            elif waited > DEAF_SECONDS and not self.place.socket_file.exists():
                self._end(pid)  # somebody removed its socket: it runs, and nobody can reach it
            if waited > START_SECONDS:
                raise PostgresError(f"Postgres did not start:\n{self._end_of_log()}")
            time.sleep(0.1)

    def _end(self, pid: int) -> None:
        for sent, seconds in ((signal.SIGINT, 20), (signal.SIGQUIT, 10)):
            _signal(pid, sent)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                if not _alive(pid):
                    return
                time.sleep(0.05)
        raise PostgresError(f"the Postgres process {pid} does not stop; see {self.place.log}")

    def _run_start(self, bin_folder: Path) -> None:
        arguments = ["-D", str(self.place.data), "-l", str(self.place.log), "-w", "-s"]
        program = [str(bin_folder / "pg_ctl"), *arguments, "-t", str(START_SECONDS), "start"]
        self._as_its_user(program)

    def _furnish(self) -> None:
        """Roles, extensions and the database, by one recipe that may run again at any time."""
        with self._superuser("template1") as template:
            for statement in postgres_roles.template_statements():
                template.execute(statement)
        with self._superuser() as server:
            for statement in postgres_roles.server_statements():
                server.execute(statement)
            found = server.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
            ).fetchone()
            if found is None:
                server.execute(f"CREATE DATABASE {DATABASE} OWNER {postgres_roles.OWNER}")
        (self.place.base / "furnished").write_text(postgres_roles.RECIPE)

    # --- processes -----------------------------------------------------------------------------
    def _superuser(self, database: str = "postgres", **options: Any) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=str(self.place.socket),
            port=5432,
            user=SUPERUSER,
            dbname=database,
            autocommit=True,
            **options,
        )

    def _postmaster(self) -> int | None:
        """The process of the running server of this data folder, if there is one."""
        try:
            pid = int((self.place.data / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None
        return pid if _alive(pid) and _runs_in(pid, self.place.data) else None

    def _run(self, program: list[str], what: str) -> None:
        done = self._as_its_user(program)
        if done.returncode != 0:
            raise PostgresError(f"{what} failed:\n{done.stdout}{self._end_of_log()}")

    def _as_its_user(self, program: list[str]) -> subprocess.CompletedProcess[str]:
        account = self.place.account
        become: dict[str, Any] = {}
        if account.switch:
            become = {"user": account.uid, "group": account.gid, "extra_groups": []}
        kept = ("PATH", "LANG", "TZ", "TMPDIR")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        return subprocess.run(
            program,
            cwd=self.place.base,
            env=environment | {"HOME": str(self.place.base), "PGUSER": SUPERUSER},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **become,
        )

    def _end_of_log(self) -> str:
        try:
            return "\n".join(self.place.log.read_text(errors="replace").splitlines()[-12:])
        except OSError:
            return ""


def _user_name(uid: int) -> str:
    return pwd.getpwuid(uid).pw_name


def _cache_megabytes(memory: int) -> int:
    """An eighth of the memory, which is in bytes, from 128 MB to 1 GB.

    An index of 200,000 vectors is 400 MB, and one that does not fit is copied page by page. What
    is not needed is not taken.
    """
    return max(128, min(1024, memory // 8 // _MEGABYTE))


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _runs_in(pid: int, data: Path) -> bool:
    """Whether the process works in this data folder (a postmaster's current directory does)."""
    try:
        return Path(psutil.Process(pid).cwd()) == data.resolve()
    except psutil.Error:
        return False
