"""Celery's minute tick for scheduled agents (D39); an outside clock asks for it by its name."""

from celery import shared_task

from agents import scheduled
from memory.interfaces.tasks import STEPS, work

STEPS["scheduled"] = scheduled.step  # it stands above the stages of memory, and chats


@shared_task(name="agents.scheduled", ignore_result=True)
def scheduled_runs() -> None:
    work("scheduled")
