"""Workers of another make: they say how many tellers they have, and take no job, until the standard input ends.

strangers.py WORKERS: a JSON object of their tellers by department, by the ids and names of the workers: `ID NAME`. It is a
program of its own, run with -I: beside `numbers.py` of this folder pika would not find Python's own module of that name.
"""

import json
import os
import sys

import pika


def present(channel, worker, tellers, goodbye=False):
    identifier, name = worker.split(" ", 1)
    body = {
        "worker": identifier, "session": 1, "name": name, "tellers": tellers, "ledger": None, "probe": 0, "running": [],
        "goodbye": goodbye}
    properties = pika.BasicProperties(type="presence", content_type="application/json")
    channel.basic_publish("teller.presence", "teller.presence", json.dumps(body), properties)


def main():
    workers = json.loads(sys.argv[1])
    connection = pika.BlockingConnection(pika.URLParameters(os.environ["TELLER_BROKER_URL"]))
    channel = connection.channel()
    for worker, tellers in workers.items():
        present(channel, worker, tellers)
    sys.stdin.read()
    for worker in workers:
        present(channel, worker, {}, goodbye=True)
    connection.close()


if __name__ == "__main__":
    main()
