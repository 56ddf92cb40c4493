"""Takes away what leads from an exchange to a queue, until its standard input ends. Arguments: queue, exchange, key."""

import os
import sys

import pika

queue, exchange, key = sys.argv[1:]
parameters = pika.URLParameters(os.environ["TELLER_BROKER_URL"])
# Instead of ten and fifteen: a busy machine may need more to get through to its broker.
parameters.socket_timeout = parameters.stack_timeout = 90
# Nobody answers heartbeats while this waits for the end of its input.
parameters.heartbeat = 0
connection = pika.BlockingConnection(parameters)
channel = connection.channel()
channel.queue_unbind(queue, exchange, key)
print("unbound", flush=True)
sys.stdin.read()
channel.queue_bind(queue, exchange, key)
connection.close()
