"""Starts a plan, sends events, accepts one and stops the plan, all by messages; fails where an answer is another one.

Reads from its environment where the broker is. The coordinator's file has the plan `opening` with the event `push`.
"""

import json
import os
import time
import uuid

import pika

PLAN = "application/vnd.teller.plan+json"
EVENT = "application/vnd.teller.event+json"
REPLY = "amq.rabbitmq.reply-to"
LIMIT = 90

parameters = pika.URLParameters(os.environ["TELLER_BROKER_URL"])
parameters.socket_timeout = parameters.stack_timeout = LIMIT
connection = pika.BlockingConnection(parameters)
channel = connection.channel()
channel.confirm_delivery()
received = []
channel.basic_consume(REPLY, lambda *message: received.append(message[2:]), auto_ack=True)


def receive():
    deadline = time.monotonic() + LIMIT
    while not received and time.monotonic() < deadline:
        connection.process_data_events(time_limit=1)
    properties, body = received.pop(0)
    return properties, json.loads(body) if body else None


def submit(content_type, body, message_id=None, wait="accepted"):
    properties = pika.BasicProperties(
        message_id=message_id or str(uuid.uuid4()), content_type=content_type, delivery_mode=2, reply_to=REPLY,
        headers={"teller-wait": wait})
    channel.basic_publish("teller.submit", "", json.dumps(body), properties, mandatory=True)


def answer(content_type, body, message_id=None):
    submit(content_type, body, message_id)
    return receive()[0]


def ask(mailbox, question, **members):
    properties = pika.BasicProperties(type=question, reply_to=REPLY, correlation_id=question, expiration="60000")
    channel.basic_publish(mailbox, mailbox, json.dumps(members), properties)
    properties, body = receive()
    assert properties.type == "ok", body
    return body


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"
    print(expected, flush=True)


early, late, run = (str(uuid.uuid4()) for _ in range(3))
same(answer(EVENT, {"event": "push", "payload": {"page": 1}}, early).type, "accepted")
same(ask("teller.requests", "event", id=early)["state"], "kept")

submit(PLAN, {"name": "opening", "payload": {"page": 2}}, run, wait="outcome")
same([receive()[0].type for _ in range(2)], ["accepted", "succeeded"])
plan = ask("teller.requests", "plan", plan="opening")
same([plan["phase"], plan["run"] == run, plan["gates"]], ["open", True, [{"department": "work", "open": True}]])
same([step["name"] for step in plan["steps"]], ["first", "push", "last"])
same(ask("teller.requests", "event", id=early)["state"], "acted")

again = answer(PLAN, {"name": "opening"})
same([again.type, again.headers["teller-job"]], ["duplicate", run])

for reply in ("accepted", "duplicate"):
    same(answer(EVENT, {"event": "push"}, late).type, reply)
same(ask("teller.requests", "event", id=late)["state"], "announced")
for reply in ("accepted", "duplicate"):
    same(answer(EVENT, {"accept": late}).type, reply)
same(ask("teller.requests", "wait", ids=[late])["finished"][0]["state"], "succeeded")

same(answer(EVENT, {"event": "pusch"}).type, "rejected")
same(ask("teller.admin", "stop_plan", plan="opening", gates="keep")["before"], "open")
same(ask("teller.requests", "plan", plan="opening")["phase"], "stopped")
connection.close()
