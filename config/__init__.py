"""How Keepsake is set up and started: settings, addresses, databases, processes."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
