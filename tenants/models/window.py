"""Counters of requests per window: an unlogged installation table (D13)."""

from django.db import models


class RateWindow(models.Model):
    """One counter. `bucket` is an HMAC of what is limited, so no address is kept."""

    bucket = models.CharField(max_length=64)
    window = models.BigIntegerField()  # when the window ends, in seconds since the epoch
    count = models.IntegerField()

    class Meta:
        constraints = [models.UniqueConstraint("bucket", "window", name="rate_window_unique")]

    def __str__(self) -> str:
        return f"window {self.pk}"
