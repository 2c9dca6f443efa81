"""Makes `.venv` and installs the locked packages; does nothing when they are there already.

Runs before anything is installed, so it needs Python alone: `python config/install.py [--dev]`.
"""

import argparse
import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)


def main() -> int:
    if sys.version_info < OLDEST:
        print(f"Keepsake needs Python 3.11 or newer, and this is {sys.version.split()[0]}.")
        return 1
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--dev", action="store_true", help="with what tests and checks need")
    dev = arguments.parse_args().dev
    lock = ROOT / ("requirements-dev.txt" if dev else "requirements.txt")
    # What is installed is the lock's text and the Python it was installed for.
    wanted = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    stamp = VENV / f"installed-{lock.stem}"
    if _read(stamp) == wanted:
        return 0
    with open(ROOT / ".venv.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # `make run` and `make test` may start together
        if _read(stamp) != wanted:
            _install(lock)
            stamp.write_text(wanted)
    return 0


def _install(lock: Path) -> None:
    python = VENV / "bin" / "python"
    if not python.exists():
        print("making .venv", flush=True)
        try:
            venv.create(VENV, with_pip=True)
        except subprocess.CalledProcessError:
            sys.exit("Python's venv module lacks ensurepip; on Debian: apt install python3-venv")
    print(f"installing what {lock.name} locks (a minute or two, the first time)", flush=True)
    quiet = [] if os.environ.get("CI") else ["--quiet"]
    program = [str(python), "-m", "pip", "install", "--disable-pip-version-check", *quiet]
    done = subprocess.run([*program, "--require-hashes", "-r", str(lock)], check=False)
    if done.returncode != 0:
        sys.exit(f"installing {lock.name} failed: see above")


def _read(stamp: Path) -> str:
    try:
        return stamp.read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    sys.exit(main())
