"""Tries what a user of the broker may do, each try on a channel of its own.

Reads one JSON object {"url", "tries": [[operation, name, other], ...]} from standard input, and prints one line of JSON a
try: [operation, name, other, code]. The code is 0 when the broker did it, else AMQP's: 403 is a refusal; any other one
says that it was allowed, and failed for another reason, such as 406: the queue has other arguments.
"""

import json
import sys

import pika
from pika import exceptions

asked = json.load(sys.stdin)
parameters = pika.URLParameters(asked["url"])
# Instead of ten and fifteen: a busy machine may need more to get through to its broker.
parameters.socket_timeout = parameters.stack_timeout = 90
parameters.heartbeat = 0
connection = pika.BlockingConnection(parameters)


def publish(channel, exchange, key):
    channel.confirm_delivery()
    channel.basic_publish(exchange, key, b"", pika.BasicProperties(type="tried"))


def consume(channel, queue, _):
    channel.basic_qos(prefetch_count=1)
    tag = channel.basic_consume(queue, lambda *_: None)
    channel.basic_cancel(tag)


def bind(channel, queue, exchange):
    channel.queue_bind(queue, exchange, "tried")
    channel.queue_unbind(queue, exchange, "tried")


def bind_exchange(channel, destination, source):
    channel.exchange_bind(destination, source, "tried")
    channel.exchange_unbind(destination, source, "tried")


def declare_dead_letter(channel, queue, exchange):
    channel.queue_declare(queue, exclusive=True, arguments={"x-dead-letter-exchange": exchange})
    channel.queue_delete(queue)


# Only what nobody uses is deleted: the test has a consumer on every queue, and a binding of every exchange.
operations = {
    "publish": publish,
    "consume": consume,
    "get": lambda channel, queue, _: channel.basic_get(queue),
    "declare-queue": lambda channel, queue, _: channel.queue_declare(queue, exclusive=True),
    "declare-exchange": lambda channel, exchange, _: channel.exchange_declare(exchange, "headers", auto_delete=True),
    "dead-letter": declare_dead_letter,
    "bind": bind,
    "bind-exchange": bind_exchange,
    "purge": lambda channel, queue, _: channel.queue_purge(queue),
    "delete-queue": lambda channel, queue, _: channel.queue_delete(queue, if_unused=True),
    "delete-exchange": lambda channel, exchange, _: channel.exchange_delete(exchange, if_unused=True),
}


def outcome(operation, name, other):
    global connection
    if not connection.is_open:
        connection = pika.BlockingConnection(parameters)
    try:
        channel = connection.channel()
        operations[operation](channel, name, other)
        channel.close()
    except (exceptions.ChannelClosedByBroker, exceptions.ConnectionClosedByBroker) as closed:
        return closed.reply_code
    return 0


for operation, name, other in asked["tries"]:
    print(json.dumps([operation, name, other, outcome(operation, name, other)]), flush=True)
if connection.is_open:
    connection.close()
