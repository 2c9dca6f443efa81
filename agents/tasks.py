"""Celery's minute tick for scheduled agents (D39)."""

from celery import shared_task

from agents import scheduled
from memory.stages import run


@shared_task(name="agents.scheduled", ignore_result=True)
def scheduled_runs() -> None:
    run("scheduled", scheduled.step)
