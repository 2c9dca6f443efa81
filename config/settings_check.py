"""Warns of what runs, but not as somebody would expect."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.security)
def check_cron_secret(**kwargs: Any) -> list[CheckMessage]:
    """In production no secret is made up: the cron endpoints refuse everybody until one is set."""
    if settings.CRON_SECRET is not None:
        return []
    return [Warning("CRON_SECRET is not set: the cron endpoints answer 401", id="keepsake.W001")]


@register(Tags.security, deploy=True)
def check_webhook_targets(**kwargs: Any) -> list[CheckMessage]:
    """For development: whoever may subscribe could reach whatever this machine reaches."""
    if not settings.WEBHOOK_ALLOW_PRIVATE:
        return []
    text = "WEBHOOK_ALLOW_PRIVATE is on: webhooks may point into this machine and its network"
    return [Warning(text, id="keepsake.W002")]
