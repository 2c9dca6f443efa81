"""Celery's part: it wakes stages. The rows in Postgres are the work (D36).

A task carries no more than a tenant's id, keeps no result and is never retried by Celery: a
message that is lost or comes twice costs delay, and the next tick of beat finds the row.
"""

import logging
from functools import partial

from celery import shared_task
from django.db import transaction

from agents.models import Agent, Mode
from memory.events import deliver as delivering
from memory.events import outbox
from memory.learning import embed as embedding
from memory.learning import extract as extracting
from memory.learning import observe as observing
from memory.learning import reconcile as reconciling
from memory.learning.capture import Captured, Prepared
from memory.lifecycle import audit as auditing
from memory.lifecycle import encrypt as encrypting
from memory.lifecycle import retention as retention_stage
from memory.lifecycle import sweep as sweeping
from memory.sharing import recheck
from memory.sharing.graph import stage as naming
from memory.stages import Step, Tally, record_run, run
from memory.tools import listening

log = logging.getLogger(__name__)

NIGHT = 3_000.0  # seconds of retention at a time: beat comes again every hour of the night


def _sweep(tenant_id: int) -> Tally:
    """What has expired ends; what was written unchecked is compared again."""
    done = sweeping.step(tenant_id)
    done.add(recheck.step(tenant_id))
    done.stop = done.processed == 0
    return done


STEPS: dict[str, Step] = {
    "observe": observing.step,
    "reconcile": reconciling.step,
    "extract": extracting.step,
    "embed": embedding.step,
    "sweep": _sweep,
    "encrypt": encrypting.step,
    "audit": auditing.step,
    "deliver": delivering.step,
    "graph": naming.step,
    "listen": listening.step,
}


def work(stage: str, tenant_id: int | None = None) -> Tally:
    """Run a stage over one tenant, or over all that have work; the Run row says what it did."""
    if stage == "retention":  # once a day, whoever asks
        return retention_stage.run()
    return run(stage, STEPS[stage], tenants=None if tenant_id is None else [tenant_id])


@shared_task(name="memory.observe", ignore_result=True)
def observe(tenant_id: int | None = None) -> None:
    work("observe", tenant_id)


@shared_task(name="memory.reconcile", ignore_result=True)
def reconcile(tenant_id: int | None = None) -> None:
    work("reconcile", tenant_id)


@shared_task(name="memory.embed", ignore_result=True)
def embed(tenant_id: int | None = None) -> None:
    work("embed", tenant_id)


@shared_task(name="memory.extract", ignore_result=True, soft_time_limit=60, time_limit=90)
def extract(tenant_id: int | None = None) -> None:
    """Contract 2's task. A limit that strikes leaves a lease, and the next tick goes on."""
    work("extract", tenant_id)


@shared_task(name="memory.deliver", ignore_result=True)
def deliver(tenant_id: int | None = None) -> None:
    """Tell webhooks of what happened to shared memory."""
    work("deliver", tenant_id)


@shared_task(name="memory.graph", ignore_result=True)
def graph(tenant_id: int | None = None) -> None:
    """Find what shared memories name."""
    work("graph", tenant_id)


@shared_task(name="memory.listen", ignore_result=True)
def listen(tenant_id: int | None = None) -> None:
    """Let listeners answer what they heard of a person's memory."""
    work("listen", tenant_id)


@shared_task(name="memory.retention", ignore_result=True)
def retention() -> None:
    retention_stage.run(seconds=NIGHT)


@shared_task(name="memory.sweep", ignore_result=True)
def sweep(tenant_id: int | None = None) -> None:
    work("sweep", tenant_id)


@shared_task(name="memory.encrypt", ignore_result=True)
def encrypt(tenant_id: int | None = None) -> None:
    work("encrypt", tenant_id)


@shared_task(name="memory.audit", ignore_result=True)
def audit(tenant_id: int | None = None) -> None:
    work("audit", tenant_id)


TASKS = {
    "observe": observe,
    "reconcile": reconcile,
    "embed": embed,
    "extract": extract,
    "sweep": sweep,
    "encrypt": encrypt,
    "audit": audit,
    "deliver": deliver,
    "graph": graph,
    "listen": listen,
}


def wake_after(captured: Captured, prepared: Prepared, agent: Agent) -> None:
    """What a capture leaves to do at once: missing vectors, and an automatic agent's learning."""
    if captured.accepted and not prepared.is_embedded:
        wake("embed", agent.tenant_id)
    if captured.accepted and agent.mode == Mode.AUTOMATIC:
        wake("extract", agent.tenant_id)


def wake(stage: str, tenant_id: int) -> None:
    """Tell a worker that rows wait, once they are there: after the commit, or never.

    A broker that is away breaks nothing: it is counted among the runs, and beat comes anyway.
    """
    transaction.on_commit(partial(_send, stage, tenant_id), robust=True)


def _send(stage: str, tenant_id: int) -> None:
    try:
        TASKS[stage].apply_async(args=(tenant_id,), retry=False, ignore_result=True)
    except Exception as error:
        log.warning("wake %s for tenant %s: %s", stage, tenant_id, type(error).__name__)
        lost = Tally()
        lost.fail(error)
        record_run("wake", lost)


# Whatever writes an event that somebody hears of wakes the stage, after its own commit.
outbox.wake = partial(wake, "deliver")
outbox.wake_listeners = partial(wake, "listen")
