"""Runs web, worker and beat under one console: one start, one Ctrl-C, one place to read.

Not a Procfile runner: those put a shell and a helper between themselves and each process, which
both survive when the runner is killed.
"""

import fcntl
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from rich.console import Console as Terminal
from rich.text import Text

from config import processes

COLOURS = {"web": "cyan", "worker": "green", "beat": "yellow"}
STOP_SECONDS = 10.0
READY = "/static/admin/css/base.css"  # answered by every web process, without the database


class CannotStart(Exception):
    """The console did not start; the message says what to do."""


@dataclass
class Child:
    """One process of the console."""

    name: str
    process: subprocess.Popen[bytes]
    reader: threading.Thread


@dataclass
class Console:
    """The processes of one KEEPSAKE_HOME, from start to end."""

    home: Path
    manage: Path
    host: str
    port: int
    terminal: Terminal = field(default_factory=Terminal)
    children: list[Child] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def run_folder(self) -> Path:
        return self.home / "run"

    @contextmanager
    def only_one(self) -> Iterator[None]:
        """Hold this KEEPSAKE_HOME; end what a killed console left; refuse beside a living one."""
        self.run_folder.mkdir(parents=True, exist_ok=True)
        with open(self.run_folder / "console.lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise CannotStart(
                    f"Keepsake already runs with KEEPSAKE_HOME={self.home}; `make stop` ends it"
                ) from None
            left = processes.end_recorded(self.run_folder, seconds=STOP_SECONDS)
            if left:
                self.say(f"ended what was left of an earlier run: {', '.join(left)}")
            processes.record(self.run_folder, "console", os.getpid())
            try:
                yield
            finally:
                processes.forget(self.run_folder, "console")

    def check_port(self) -> None:
        """Refuse a port that somebody else listens on, by name."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as problem:
                raise CannotStart(
                    f"port {self.port} of {self.host} is not free ({problem.strerror}); "
                    f"set PORT to another, for example: make run PORT={self.port + 1}"
                ) from None

    def say(self, text: str) -> None:
        self._print("keepsake", text, "bold magenta")

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        """Say what is being done, and how long it took once it is done."""
        began = time.monotonic()
        with self.terminal.status(what) if self.terminal.is_terminal else _nothing():
            yield
        self.say(f"{what} ({time.monotonic() - began:.1f} s)")

    def start(self, name: str) -> None:
        """Start `manage.py NAME` and print its lines under its name.

        From the main thread only: the child is told to end when the thread that made it does.
        """
        process = subprocess.Popen(
            [sys.executable, "-u", str(self.manage), name],
            env=os.environ | {"KEEPSAKE_PARENT": str(os.getpid())},
            cwd=self.manage.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C comes to us alone; we end them in order
        )
        reader = threading.Thread(target=self._relay, args=(name, process), daemon=True)
        reader.start()
        self.children.append(Child(name, process, reader))
        processes.record(self.run_folder, name, process.pid)

    def wait_for(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Wait until `ready()`; False when a child died, we are told to stop, or time is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.stopping.is_set() and self.died() is None:
            if ready():
                return True
            time.sleep(0.1)
        return False

    def web_answers(self) -> bool:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        asked = http.client.HTTPConnection(host, self.port, timeout=2)
        try:
            asked.request("GET", READY, headers={"Host": "localhost"})
            return asked.getresponse().status > 0
        except (OSError, http.client.HTTPException):
            return False
        finally:
            asked.close()

    def died(self) -> Child | None:
        """The first child that ended by itself."""
        return next((c for c in self.children if c.process.poll() is not None), None)

    def watch(self) -> int:
        """Run until a signal or until a child dies; end the others; give the exit code."""
        while not self.stopping.wait(0.2):
            child = self.died()
            if child is not None:
                self.say(f"{child.name} ended by itself (exit code {child.process.returncode})")
                return 1
        return 0

    def listen_for_signals(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())

    def end(self) -> None:
        """End every child and whatever it made."""
        everyone: list[psutil.Process] = []
        for child in self.children:
            try:
                leader = psutil.Process(child.process.pid)
                everyone += [*leader.children(recursive=True), leader]
            except psutil.NoSuchProcess:
                continue
        leaders = {child.process.pid for child in self.children}
        # The leader ends its own; only what it leaves behind is ended by force.
        processes.end([p for p in everyone if p.pid in leaders], seconds=STOP_SECONDS)
        processes.end([p for p in everyone if p.pid not in leaders], seconds=1)
        for child in self.children:
            child.process.wait()
            child.reader.join(timeout=1)
            processes.forget(self.run_folder, child.name)

    def _relay(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._print(name, line.decode(errors="replace").rstrip(), COLOURS.get(name, "white"))

    def _print(self, name: str, text: str, colour: str) -> None:
        line = Text(f"{name:>8} ", style=colour)
        line.append(text, style="default")
        self.terminal.print(line, soft_wrap=True, highlight=False)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
