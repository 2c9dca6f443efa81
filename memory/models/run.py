"""One run of a background stage: an installation table, counts only (D37)."""

from django.db import models
from django.db.models.functions import Now


class Run(models.Model):
    """`period` is the database's clock floored to the stage's interval, in UTC."""

    stage = models.CharField(max_length=30)
    period = models.DateTimeField()
    started_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    runs = models.PositiveIntegerField(default=1)
    processed = models.PositiveIntegerField(default=0)
    mutated = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)  # a failure's name, never text of a row

    class Meta:
        constraints = [models.UniqueConstraint("stage", "period", name="run_once_a_period")]
        indexes = [models.Index(fields=["-started_at", "-id"], name="run_by_time")]

    def __str__(self) -> str:
        return f"{self.stage} {self.period:%Y-%m-%d %H:%M}"
