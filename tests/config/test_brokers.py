"""A wake goes through every broker we name to a real worker; one that is away costs no wait."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from config.celery import app
from config.tasks import echo
from tests.ports import free_port
from tests.served import database_addresses

SECONDS = 180  # a bound for a busy machine; a quiet one needs a few


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may write; ends what Erlang leaves behind, by a mark of ours."""
    folder = Path(tempfile.mkdtemp(prefix="ks-"))
    yield folder
    while left := [process for process in psutil.process_iter() if marked(process, folder)]:
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, timeout=1)  # and look again: they start each other
    shutil.rmtree(folder, ignore_errors=True)


def marked(process: psutil.Process, folder: Path) -> bool:
    try:
        mine = process.environ().get("KS_TEST") == str(folder)
        return mine and bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


@pytest.fixture
def start(tmp_path: Path, open_folder: Path) -> Iterator[Callable[..., None]]:
    """Start programs that are ended after the test, last first."""
    running: list[subprocess.Popen[bytes]] = []

    def run(program: list[str], **environment: str) -> None:
        log = open(tmp_path / f"{len(running)}.log", "wb")  # noqa: SIM115
        with log:
            running.append(
                subprocess.Popen(
                    program,
                    cwd=settings.BASE_DIR,
                    env=os.environ | environment,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )

    yield run
    for process in reversed(running):
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
        if process.poll() is None:
            process.kill()
            process.wait()


def wait_for(ready: Callable[[], bool], what: str, tmp_path: Path) -> None:
    until = time.monotonic() + SECONDS
    while not ready():
        if time.monotonic() > until:
            logs = "\n".join(path.read_text() for path in sorted(tmp_path.glob("*.log")))
            pytest.fail(f"no {what} within {SECONDS} s\n{logs}")
        time.sleep(0.1)


def listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def program(name: str) -> str:
    """Where the server's program is; its absence is a failure in CI only."""
    found = shutil.which(name)
    if found is None and os.environ.get("CI"):
        pytest.fail(f"{name} is not installed, and CI must have it")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def redis(start: Callable[..., None], tmp_path: Path, open_folder: Path) -> str:
    port = free_port()
    server = program("redis-server")
    start([server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/"])
    wait_for(lambda: listens(port), "Redis", tmp_path)
    return f"redis://127.0.0.1:{port}/0"


def rabbitmq(start: Callable[..., None], tmp_path: Path, open_folder: Path) -> str:
    server = program("rabbitmq-server")
    port, distribution, names = free_port(), free_port(), free_port()
    name, home = f"keepsake-{port}", open_folder
    home.chmod(0o777)  # as root, RabbitMQ runs as a user of its own
    start(
        [server],
        RABBITMQ_NODENAME=f"{name}@localhost",
        RABBITMQ_NODE_IP_ADDRESS="127.0.0.1",
        RABBITMQ_NODE_PORT=str(port),
        RABBITMQ_DIST_PORT=str(distribution),
        RABBITMQ_MNESIA_BASE=str(home / "mnesia"),
        RABBITMQ_LOG_BASE=str(home / "log"),
        RABBITMQ_PID_FILE=str(home / "pid"),
        RABBITMQ_ENABLED_PLUGINS_FILE=str(home / "plugins"),
        RABBITMQ_CONFIG_FILE=str(home / "none"),
        ERL_EPMD_ADDRESS="127.0.0.1",
        ERL_EPMD_PORT=str(names),
        KS_TEST=str(home),
    )
    wait_for(lambda: listens(port), "RabbitMQ", tmp_path)
    return f"amqp://guest:guest@127.0.0.1:{port}//"


def files(start: Callable[..., None], tmp_path: Path, open_folder: Path) -> str:
    return "filesystem://localhost//"


@pytest.mark.brokers
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("make", [files, redis, rabbitmq])
def test_a_wake_reaches_a_real_worker(
    make: Callable[..., str], start: Callable[..., None], tmp_path: Path, open_folder: Path
) -> None:
    url = make(start, tmp_path, open_folder)
    home = tmp_path / "home"
    environment = {
        "KEEPSAKE_HOME": str(home),
        "CELERY_BROKER_URL": url,
        **database_addresses(),
    }
    start([sys.executable, "manage.py", "worker", "--concurrency=1"], **environment)
    wait_for(
        lambda: any(" ready." in path.read_text() for path in tmp_path.glob("*.log")),
        "worker",
        tmp_path,
    )
    mark = uuid.uuid4().hex
    publish = f"from config.tasks import echo; echo.delay({mark!r})"
    subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {publish}"],
        cwd=settings.BASE_DIR,
        env=os.environ | environment | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        check=True,
    )
    wait_for((home / "run" / f"echo-{mark}").exists, "answer", tmp_path)


@pytest.mark.parametrize("scheme", ["redis://127.0.0.1:{}/0", "amqp://guest:guest@127.0.0.1:{}//"])
def test_a_broker_that_is_away_is_asked_once(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody who wakes a stage waits between tries: there is one try."""
    slept: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", slept.append)
    options: dict[str, Any] = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    kept = {name: value for name, value in options.items() if "interval" in name or "retr" in name}
    elsewhere = Celery("elsewhere", set_as_current=False)
    elsewhere.conf.update(
        broker_url=scheme.format(free_port()),
        broker_transport_options=kept,
        broker_connection_timeout=app.conf.broker_connection_timeout,
        task_publish_retry=app.conf.task_publish_retry,
    )
    with pytest.raises(OperationalError):
        elsewhere.send_task(echo.name, ["nobody"])
    assert slept == []
    assert app.conf.task_publish_retry is False
    assert app.conf.broker_connection_timeout == 0.3
