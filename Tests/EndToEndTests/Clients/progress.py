"""A worker that says how far its run has come, and whoever follows it; fails where a word is another one.

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

parameters = pika.URLParameters(os.environ["TELLER_BROKER_URL"])
parameters.socket_timeout = parameters.stack_timeout = LIMIT
connection = pika.BlockingConnection(parameters)
channel = connection.channel()
channel.confirm_delivery()
answers, assignments, heard = [], [], []
running = []


def send_presence(message_type, body, **properties):
    properties = pika.BasicProperties(type=message_type, content_type="application/json", **properties)
    channel.basic_publish("teller.presence", "teller.presence", json.dumps(body), properties)


def present(goodbye=False):
    send_presence("presence", {
        "worker": WORKER, "session": 1, "name": "python", "tellers": {"work": 1}, "ledger": ledger, "probe": 0,
        "running": running, "goodbye": goodbye})


def wait_for(messages, name):
    """Takes the next of these messages, and goes on being present meanwhile."""
    deadline = time.monotonic() + LIMIT
    while not messages:
        assert time.monotonic() < deadline, f"{name} has not come"
        present()
        connection.process_data_events(time_limit=1)
    return messages.pop(0)


def ask(question, **members):
    properties = pika.BasicProperties(type=question, reply_to=REPLY, correlation_id=question, expiration="60000")
    channel.basic_publish("teller.requests", "teller.requests", json.dumps(members), properties)
    properties, body = wait_for(answers, "the answer")
    assert properties.type == "ok", body
    return json.loads(body)


def say(token, fraction, text, job):
    run = {"job": job, "release": release, "token": token, "fraction": fraction, "text": text}
    send_presence("progress", [run], app_id=WORKER)


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"
    print(expected, flush=True)


channel.basic_consume(REPLY, lambda *message: answers.append(message[2:]), auto_ack=True)
ledger = None
present()
ledger = ask("status")["ledger"]

job = str(uuid.uuid4())
queue = channel.queue_declare("teller.reply." + str(uuid.uuid4()), exclusive=True).method.queue
channel.queue_bind(queue, "teller.notifications", "progress." + job)
channel.basic_consume(queue, lambda *message: heard.extend(json.loads(message[3])), auto_ack=True)

properties = pika.BasicProperties(
    message_id=job, type="print", delivery_mode=2, headers={"teller-department": "work"})
channel.basic_publish("teller.submit", "", "{}", properties, mandatory=True)
channel.basic_consume("teller.department.work", lambda *message: assignments.append(message[1:3]))
delivery, properties = wait_for(assignments, "the assignment")
same(properties.message_id, job)
_, epoch, release, token = properties.correlation_id.split()[:4]
release, token = int(release), int(token)
running.append({"job": job, "release": release, "token": token})

# A word of another run does not count: the next event is that of the present one.
say(token + 1, 0.9, "not this run", job)
say(token, 0.4, "page 4 of 10", job)
event = wait_for(heard, "the event")
same([event[name] for name in ("event", "job", "kind", "attempt", "progress", "text")],
     ["progress", job, "print", 1, 0.4, "page 4 of 10"])
same("seq" in event, False)
shown = ask("show", id=job)
same([shown["state"], shown["progress"]["fraction"], shown["progress"]["text"]], ["running", 0.4, "page 4 of 10"])

report = f"{job} {release} {token} 2000 1000 succeeded 0 0\n"
properties = pika.BasicProperties(correlation_id=ledger, type="reports", app_id=WORKER, delivery_mode=2)
channel.basic_publish("teller.reports", "teller.reports", report, properties, mandatory=True)
channel.basic_ack(delivery.delivery_tag)
running.clear()
same([ended["state"] for ended in ask("wait", ids=[job], limit_ms=30000)["finished"]], ["succeeded"])
same("progress" in ask("show", id=job), False)
present(goodbye=True)
connection.close()
