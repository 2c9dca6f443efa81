"""Registers the config application with Django: its commands and its checks."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from config import roles_check, settings_check  # noqa: F401  they register themselves
