"""Submits to Teller with pika and the documented names alone, and prints the replies.

Standard input: one submission a line, {"properties": {…}, "body": "…"}, where the properties are AMQP's own.
Standard output: one reply a line. Ends when each submission has had its last reply.
"""

import json
import os
import sys

import pika

LAST = {"rejected", "succeeded", "failed", "cancelled"}


def main():
    submissions = [json.loads(line) for line in sys.stdin]
    open_submissions = set()
    parameters = pika.URLParameters(os.environ["TELLER_BROKER_URL"])
    # Instead of ten and fifteen: a busy machine may need more to get through to its broker.
    parameters.socket_timeout = parameters.stack_timeout = 90
    connection = pika.BlockingConnection(parameters)
    channel = connection.channel()
    channel.confirm_delivery()

    def on_reply(_channel, _method, properties, body):
        reply = {
            "type": properties.type,
            "correlation_id": properties.correlation_id,
            "job": (properties.headers or {}).get("teller-job"),
            "content_type": properties.content_type,
            "body": body.decode(),
        }
        print(json.dumps(reply), flush=True)
        if properties.type in LAST:
            open_submissions.discard(properties.correlation_id)
        if not open_submissions:
            channel.stop_consuming()

    channel.basic_consume("amq.rabbitmq.reply-to", on_reply, auto_ack=True)
    for submission in submissions:
        properties = pika.BasicProperties(reply_to="amq.rabbitmq.reply-to", **submission["properties"])
        open_submissions.add(properties.correlation_id)
        # With confirms on, this returns when the broker has the message safely, and raises when it has not.
        channel.basic_publish("teller.submit", "", submission["body"].encode(), properties, mandatory=True)
    channel.start_consuming()
    connection.close()


main()
