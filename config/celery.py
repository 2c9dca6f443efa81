"""The Celery application: it only wakes stages; the work itself is rows in Postgres."""

import os
import time
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("keepsake")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["memory.interfaces", "agents", "config"])

FOLDERS = ("data_folder_in", "data_folder_out", "control_folder")


def prepare_broker(*, keep_seconds: float = 3600) -> None:
    """Make the file-system broker's folders, which it does not, and drop messages nobody took.

    A wake that lay there for an hour wakes nobody: the rows it spoke of are found by beat.
    """
    options = app.conf.broker_transport_options or {}
    folders = {Path(options[name]) for name in FOLDERS if name in options}
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for message in folder.glob("*.msg"):
            try:
                if message.stat().st_mtime < time.time() - keep_seconds:
                    message.unlink()
            except FileNotFoundError:
                continue  # a worker was faster


@worker_init.connect
def refuse_to_work_unsafely(**kwargs: Any) -> None:
    """A worker obeys the same rule as the web: no role that row-level security does not hold."""
    from config.roles_check import refuse_unsafe_role

    refuse_unsafe_role()
