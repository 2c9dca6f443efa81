"""The console: it takes over from a killed one, refuses beside a living one, and ends its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from tests.ports import free_port

SECONDS = 180  # a bound for a busy machine; a quiet one needs a few


class Copy:
    """One Keepsake with a home and a port of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port()
        clean = {name: value for name, value in os.environ.items() if "_URL" not in name}
        self.environment = clean | {"KEEPSAKE_HOME": str(home), "PORT": str(self.port)}
        self.started: list[subprocess.Popen[bytes]] = []

    def serve(self) -> subprocess.Popen[bytes]:
        with open(self.home.parent / "serve.log", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--no-demo"],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.started.append(process)
        return process

    def said(self) -> str:
        return (self.home.parent / "serve.log").read_text()

    def until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + SECONDS
        address = f"http://127.0.0.1:{self.port}/static/admin/css/base.css"
        while time.monotonic() < until and process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2) as answer:
                if answer.status == 200 and "Ctrl-C ends it" in self.said():
                    return
            time.sleep(0.1)
        pytest.fail(f"no answer\n{self.said()}")

    def manage(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=settings.BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def processes(self) -> list[psutil.Process]:
        """Whatever runs with this home, Postgres included."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.status() == psutil.STATUS_ZOMBIE:
                    continue
                mine = process.environ().get("KEEPSAKE_HOME") == str(self.home)
                if mine or str(self.home) in " ".join(process.cmdline()):
                    found.append(process)
        return found


@pytest.fixture
def copy() -> Iterator[Copy]:
    folder = Path(tempfile.mkdtemp(prefix="ks-"))
    folder.chmod(0o755)
    found = Copy(folder / "home")
    yield found
    found.manage("stop")
    for process in found.started:
        if process.poll() is None:
            process.kill()
        process.wait()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("killed", ["the console", "everything"])
def test_a_killed_copy_starts_again_and_ends_clean(copy: Copy, killed: str) -> None:
    first = copy.serve()
    copy.until_it_answers(first)
    for process in copy.processes() if killed == "everything" else [psutil.Process(first.pid)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    first.wait()
    (copy.home.parent / "serve.log").write_text("")
    second = copy.serve()
    copy.until_it_answers(second)
    second.send_signal(signal.SIGINT)
    assert second.wait(SECONDS) == 0
    assert [process.cmdline() for process in copy.processes()] == []


def test_one_copy_a_home_one_copy_a_port_and_stop_ends_it(copy: Copy) -> None:
    running = copy.serve()
    copy.until_it_answers(running)
    beside = copy.manage("serve", "--no-demo")
    assert beside.returncode == 1
    assert "already runs" in beside.stderr
    copy.environment["KEEPSAKE_HOME"] = str(copy.home.parent / "other")
    elsewhere = copy.manage("serve", "--no-demo")
    assert elsewhere.returncode == 1
    assert f"port {copy.port} of 127.0.0.1 is not free" in elsewhere.stderr
    copy.environment["KEEPSAKE_HOME"] = str(copy.home)
    assert copy.manage("stop").returncode == 0
    assert running.wait(SECONDS) == 0
    assert [process.cmdline() for process in copy.processes()] == []
    assert copy.manage("stop").stdout == ""
