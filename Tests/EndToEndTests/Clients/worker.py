"""What a worker in another language needs: its presence, its questions, and the messages that come back.

Reads from its environment where the broker is. The coordinator's file has the department `work`, which nobody else serves.
"""

import json
import os
import time
import uuid

import pika

REPLY = "amq.rabbitmq.reply-to"
WORKER = "worker-in-python"
LIMIT = 90
LEDGER = {}  # its id, once it is known

parameters = pika.URLParameters(os.environ["TELLER_BROKER_URL"])
parameters.socket_timeout = parameters.stack_timeout = LIMIT
connection = pika.BlockingConnection(parameters)
channel = connection.channel()
channel.confirm_delivery()
answers, assignments = [], []
running = []


def send_presence(message_type, body, **properties):
    properties = pika.BasicProperties(type=message_type, content_type="application/json", **properties)
    channel.basic_publish("teller.presence", "teller.presence", json.dumps(body), properties)


def present(goodbye=False):
    send_presence("presence", {
        "worker": WORKER, "session": 1, "name": "python", "tellers": {"work": 1}, "ledger": LEDGER.get("id"), "probe": 0,
        "running": running, "goodbye": goodbye})


def wait_for(messages, name):
    """Takes the next of these messages, and goes on being present meanwhile."""
    deadline = time.monotonic() + LIMIT
    while not messages:
        assert time.monotonic() < deadline, f"{name} has not come"
        present()
        connection.process_data_events(time_limit=1)
    return messages.pop(0)


def ask(question, queue="teller.requests", **members):
    properties = pika.BasicProperties(type=question, reply_to=REPLY, correlation_id=question, expiration="60000")
    channel.basic_publish(queue, queue, json.dumps(members), properties)
    properties, body = wait_for(answers, "the answer")
    assert properties.type == "ok", body
    return json.loads(body)


def begin():
    """Becomes known to the coordinator."""
    channel.basic_consume(REPLY, lambda *message: answers.append(message[2:]), auto_ack=True)
    present()
    LEDGER["id"] = ask("status")["ledger"]


def submit(kind):
    """A job of the department `work`, and its id."""
    job = str(uuid.uuid4())
    properties = pika.BasicProperties(
        message_id=job, type=kind, delivery_mode=2, headers={"teller-department": "work"})
    channel.basic_publish("teller.submit", "", "{}", properties, mandatory=True)
    return job


def serve():
    channel.basic_consume("teller.department.work", lambda *message: assignments.append(message[1:3]))


def take(job):
    """The next assignment, which must be of that job: its delivery, release and token."""
    delivery, properties = wait_for(assignments, "the assignment")
    same(properties.message_id, job)
    release, token = map(int, properties.correlation_id.split()[2:4])
    running.append({"job": job, "release": release, "token": token})
    return delivery, release, token


def report(run, result, content=""):
    """Tells how the run has ended, and takes its message off the queue."""
    delivery, release, token = run
    line = f"{running[0]['job']} {release} {token} 2000 1000 {result} 0 {len(content)}\n{content}"
    properties = pika.BasicProperties(correlation_id=LEDGER["id"], type="reports", app_id=WORKER, delivery_mode=2)
    channel.basic_publish("teller.reports", "teller.reports", line, properties, mandatory=True)
    channel.basic_ack(delivery.delivery_tag)
    running.clear()


def end():
    present(goodbye=True)
    connection.close()


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"
    print(expected, flush=True)
