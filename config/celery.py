"""The Celery application: it only wakes stages; the work itself is rows in Postgres."""

import os
from pathlib import Path

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("keepsake")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["memory.interfaces", "agents", "config"])


def make_broker_folders() -> None:
    """The file-system broker does not make its own folders."""
    options = app.conf.broker_transport_options or {}
    for name in ("data_folder_in", "data_folder_out", "control_folder"):
        if name in options:
            Path(options[name]).mkdir(parents=True, exist_ok=True)


make_broker_folders()
