"""Processes are known by more than their number, and end with whoever started them."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from config import processes

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN);print('x', flush=True); time.sleep(60)",
]


def eventually(true: Callable[[], bool]) -> bool:
    """Give it ten seconds; it is a matter of milliseconds."""
    for _ in range(200):
        if true():
            return True
        time.sleep(0.05)
    return False


def test_a_recorded_process_is_ended_once(tmp_path: Path) -> None:
    with subprocess.Popen(SLEEP) as process:
        processes.record(tmp_path, "web", process.pid)
        assert processes.end_recorded(tmp_path, seconds=5) == ["web"]
        assert not psutil.pid_exists(process.pid)
    assert processes.end_recorded(tmp_path, seconds=5) == []
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_listen_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(STUBBORN, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        processes.record(tmp_path, "web", process.pid)
        assert processes.end_recorded(tmp_path, seconds=0.2) == ["web"]
        assert not psutil.pid_exists(process.pid)


@pytest.mark.parametrize("changed", [{"started": 1.0}, {"command": ["another"]}])
def test_a_stranger_with_the_same_number_is_left_alone(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    with subprocess.Popen(SLEEP) as process:
        processes.record(tmp_path, "web", process.pid)
        path = tmp_path / "web.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changed))
        assert processes.end_recorded(tmp_path, seconds=1) == []
        assert process.poll() is None
        assert not path.exists()
        process.kill()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}'])
def test_a_broken_record_is_dropped(tmp_path: Path, text: str) -> None:
    (tmp_path / "web.json").write_text(text)
    assert processes.end_recorded(tmp_path, seconds=1) == []
    assert not (tmp_path / "web.json").exists()


def test_a_child_ends_when_its_parent_is_killed() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux tells a process of its parent's death")
    child = (
        "from config.processes import end_with_parent; end_with_parent();"
        "import time; print('tied', flush=True); time.sleep(60)"
    )
    parent = (
        "import os, subprocess, sys; p = subprocess.Popen([sys.executable, '-c', sys.argv[1]],"
        "env=os.environ | {'KEEPSAKE_PARENT': str(os.getpid())});"
        "print(p.pid, flush=True); p.wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent, child],
        cwd=settings.BASE_DIR,
        env=os.environ | {"PYTHONPATH": str(settings.BASE_DIR)},
        stdout=subprocess.PIPE,
    ) as started:
        assert started.stdout is not None
        pid = int(started.stdout.readline())
        assert started.stdout.readline() == b"tied\n"
        started.kill()
        assert eventually(
            lambda: (
                not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
            )
        )
