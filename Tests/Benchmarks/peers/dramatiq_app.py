"""Dramatiq at its best for the durability that Teller has: persistent messages, confirms, acks after the work.

Tried by hand on two busy cores with two processes, 3,000 jobs and twice each, in jobs/s: 1 thread (325–677), 2 (679–895),
4 (475–493), 8, which is the default (244–285). Without results, of 4,000 jobs: with 2 threads and the default prefetch,
which is twice as many (679–895), and with a prefetch of 16 (622–789), 64 (568–598) and 256 (508–613); with 1 thread and 64
(653–833), and with 4 and 64 (652–780).
"""

import mmap
import os
import struct
import threading
from pathlib import Path

import dramatiq
from dramatiq.brokers.rabbitmq import RabbitmqBroker
from dramatiq.results import Results
from dramatiq.results.backends import RedisBackend


class Counting(dramatiq.Middleware):
    """A worker process counts what it has done, where the producer sees it at once."""

    def after_worker_boot(self, broker: dramatiq.Broker, worker: dramatiq.Worker) -> None:
        path = Path(os.environ["BENCH_COUNTS"]) / str(os.getpid())
        path.write_bytes(bytes(8))
        self.file = path.open("r+b")
        self.memory = mmap.mmap(self.file.fileno(), 8)
        self.lock = threading.Lock()
        self.count = 0

    def after_process_message(self, broker, message, *, result=None, exception=None) -> None:
        with self.lock:
            self.count += 1
            self.memory[:] = struct.pack("=Q", self.count)


broker = RabbitmqBroker(url=os.environ["TELLER_BROKER_URL"], confirm_delivery=True)
broker.add_middleware(Counting())
socket = os.environ.get("BENCH_REDIS")
if socket:
    broker.add_middleware(Results(backend=RedisBackend(url=f"unix://{socket}")))
dramatiq.set_broker(broker)


@dramatiq.actor(queue_name="bench", **({"store_results": True} if socket else {}))
def noop(payload: str) -> None:
    """Does nothing."""
