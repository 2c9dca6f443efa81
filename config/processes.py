"""Finding and ending the processes of one KEEPSAKE_HOME, also after whoever started them died.

A process is known by number, start time and command line together: a number alone may have been
given to a stranger since.
"""

import contextlib
import ctypes
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

CLOCK_SLACK = 5.0  # seconds: the machine's idea of when it booted moves with its clock


@dataclass(frozen=True)
class Record:
    """What `run/NAME.json` says about one process."""

    path: Path
    name: str
    pid: int
    started: float
    command: list[str]

    def process(self) -> psutil.Process | None:
        """The process, if it still is the one that was recorded."""
        try:
            found = psutil.Process(self.pid)
            same = (
                abs(found.create_time() - self.started) < CLOCK_SLACK
                and found.cmdline() == self.command
                and found.status() != psutil.STATUS_ZOMBIE
            )
        except psutil.Error:
            return None
        return found if same else None


def record(folder: Path, name: str, pid: int) -> None:
    """Note a running process, so that `ended` finds it later."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        found = psutil.Process(pid)
        known = {"pid": pid, "started": found.create_time(), "command": found.cmdline()}
    except psutil.NoSuchProcess:
        return  # it has ended already; whoever started it will notice
    draft = folder / f".{name}-{os.getpid()}"
    draft.write_text(json.dumps(known | {"name": name}))
    draft.replace(folder / f"{name}.json")


def forget(folder: Path, name: str) -> None:
    (folder / f"{name}.json").unlink(missing_ok=True)


def recorded(folder: Path) -> Iterator[Record]:
    """Every readable record of the folder; a broken one is removed."""
    for path in sorted(folder.glob("*.json")):
        try:
            known = json.loads(path.read_text())
            yield Record(path, known["name"], known["pid"], known["started"], known["command"])
        except (OSError, ValueError, KeyError, TypeError):
            path.unlink(missing_ok=True)


def end_recorded(folder: Path, *, seconds: float, but: str = "") -> list[str]:
    """End what the folder records, politely first, and give the names of what was running."""
    running: list[tuple[str, psutil.Process]] = []
    for known in recorded(folder):
        if known.name == but:
            continue
        process = known.process()
        if process is None:
            known.path.unlink(missing_ok=True)
            continue
        with contextlib.suppress(psutil.NoSuchProcess):
            running += [(known.name, child) for child in process.children(recursive=True)]
        running.append((known.name, process))
    end([process for _, process in running], seconds=seconds)
    names = list(dict.fromkeys(name for name, _ in running))
    for name in names:
        forget(folder, name)
    return names


def end(processes: list[psutil.Process], *, seconds: float) -> None:
    """SIGTERM, then SIGKILL for whatever is left when the time is over."""
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, left = psutil.wait_procs(processes, timeout=seconds)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=5)


def end_with_parent() -> None:
    """Ask Linux for SIGTERM when our parent dies, however it dies; elsewhere do nothing.

    `KEEPSAKE_PARENT` names the parent: if it died before we asked, we end here.
    """
    expected = os.environ.pop("KEEPSAKE_PARENT", "")
    if expected.isdigit():
        _tie_to(int(expected))


def end_with_server() -> None:
    """The same for the processes that a server makes of itself."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        _tie_to(parent.pid)


def _tie_to(parent: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    pr_set_pdeathsig = 1
    ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        raise SystemExit(0)
