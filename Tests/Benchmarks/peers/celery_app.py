"""Celery at its best for the durability that Teller has: persistent messages, confirms, acks after the work.

Tried by hand on two busy cores, 1,500–2,000 jobs and several times each, in jobs/s: two `-P solo` with a prefetch of
256 (238–275), of 64 (189–192), of 1 (236); one `-P prefork -c 2` (176–235), two `-P prefork -c 1` (122–312), two
`-P threads -c 4` (161–180). No gossip, no heartbeats, no events, no remote control, and no line in the log for each job.
"""

import os

from celery import Celery
from celery.signals import worker_ready

app = Celery("bench", broker=os.environ["TELLER_BROKER_URL"], backend="rpc://")
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_default_queue="bench.celery",
    broker_transport_options={"confirm_publish": True},
    worker_prefetch_multiplier=256,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    task_send_sent_event=False,
    result_persistent=True,
)


@worker_ready.connect
def tell(**_: object) -> None:
    """Jobs are taken from now on."""
    print("ready", flush=True)


@app.task(name="noop")
def noop(payload: str) -> None:
    """Does nothing."""
