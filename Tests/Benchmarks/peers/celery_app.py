"""Celery at its best for the durability that Teller has: persistent messages, confirms, acks after the work."""

import os

from celery import Celery

app = Celery("bench", broker=os.environ["TELLER_BROKER_URL"], backend="rpc://")
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_default_queue="bench.celery",
    broker_transport_options={"confirm_publish": True},
    worker_prefetch_multiplier=int(os.environ.get("BENCH_PREFETCH", "64")),
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    task_send_sent_event=False,
    result_persistent=True,
)


@app.task(name="noop")
def noop(payload: str) -> None:
    """Does nothing."""
