"""Submits what nobody should, in rounds, with good jobs before, between and after, and says what became of each.

Arguments: the number of rounds; or "deep" and a number of headers with nested tables, which come in one round of their
own: "published" on standard error says that the broker has them.
In each round every malformed message is sent twice: once by somebody who wants a reply, once by nobody in particular. A round ends when everything of it was answered or has come to `teller.rejected`.
Standard output: one line {"case", "asked", "found": {"answered bad_id": rounds, …}} for each case and way, then one line
{"case": "good", "found": {"accepted": …, "succeeded": …}}.
"""

import collections
import json
import os
import struct
import sys
import time
import uuid

import pika

DEEP = "20,000 nested tables"
# How long a round may take; only ever spent on failure.
PATIENCE = 280
# Deep tables come in the first of so many rounds: RabbitMQ itself takes more than a second for each.
DEEP_EACH = 40


class RawHeaders(pika.BasicProperties):
    """Properties whose headers are bytes that pika would not write."""

    def __init__(self, table, **properties):
        super().__init__(**properties)
        self.table = table

    def encode(self):
        flags, *others = super().encode()
        # Headers come first where there is no content type: right behind the flags.
        return [struct.pack(">H", struct.unpack(">H", flags)[0] | self.FLAG_HEADERS), self.table, *others]


def nested_tables(depth):
    """A table that nests that deep, each in an entry without a name."""
    levels = (struct.pack(">IBc", (depth - level) * 6, 0, b"F") for level in range(1, depth))
    return b"".join(levels) + struct.pack(">I", 0)


def good(**changes):
    return pika.BasicProperties(**{"message_id": str(uuid.uuid4()), "type": "noop", **changes})


def deep():
    return RawHeaders(nested_tables(20_000), message_id=str(uuid.uuid4()), type="noop")


def cases():
    """Name, properties, body of each malformed message."""
    yield "no kind", good(type=None), b""
    yield "a kind that is no name", good(type="no such kind!"), b""
    yield "unknown department", good(headers={"teller-department": "nowhere"}), b""
    yield "a body of 5 MiB", good(), b"x" * (5 << 20)
    yield "a header without a name", good(headers={"": "nameless"}), b""
    yield DEEP, deep(), b""
    yield "too many headers", good(headers={f"k{number}": number for number in range(1_000)}), b""
    yield "headers that are too large", good(headers={f"k{number}": "x" * 300 for number in range(60)}), b""
    yield "priority 200", good(priority=200), b""
    yield "no id", good(message_id=None), b""
    yield "an id that is no UUID", good(message_id="42"), b""
    yield "an id that is not UTF-8", good(message_id=b"\xc3\x28\xff"), b""
    yield "a plan that is no JSON", good(type=None, content_type="application/vnd.teller.plan+json"), b"{nine steps"
    pack = {"type": None, "content_type": "application/vnd.teller.submissions"}
    yield "a pack that is none", good(**pack), b"ten words"
    yield "a pack with a long id", good(**pack), b"%s deposit - 4 - - - 0 0 0\n" % (b"x" * 300)
    yield "a pack with an id of odd bytes", good(**pack), b"%s deposit - 4 - - - 0 0 0\n" % (b"\xff" * 200)
    yield "a pack with a delay", good(**pack, headers={"teller-delay-ms": 5}), b""
    yield "a header of a later version", good(headers={"teller-colour": "red"}), b""
    yield "a delay that is no number", good(headers={"teller-delay-ms": "soon"}), b""
    yield "a time limit of nothing", good(headers={"teller-timeout-ms": 0}), b""
    yield "a job that waits for none", good(headers={"teller-after": "none"}), b""
    yield "an empty key", good(headers={"teller-key": ""}), b""


class Rounds:
    def __init__(self):
        parameters = pika.URLParameters(os.environ["TELLER_BROKER_URL"])
        # Instead of ten and fifteen: a busy machine may need more to get through to its broker.
        parameters.socket_timeout = parameters.stack_timeout = 90
        self.connection = pika.BlockingConnection(parameters)
        self.channel = self.connection.channel()
        self.replies = f"teller.reply.{uuid.uuid4()}"
        self.channel.queue_declare(self.replies, exclusive=True)
        self.channel.basic_consume(self.replies, self.on_reply, auto_ack=True)
        self.channel.basic_consume("teller.rejected", self.on_parked, auto_ack=True)
        self.found = collections.defaultdict(collections.Counter)
        # What has yet to come in this round, by what it belongs to.
        self.expected = collections.Counter()

    def on_reply(self, _channel, _method, properties, body):
        name = properties.correlation_id
        what = properties.type
        if what == "rejected":
            what = f"answered {json.loads(body)['error']}"
        self.came(name, what)

    def on_parked(self, _channel, _method, properties, body):
        # A coordinator that begins a session finds out so whether the queue lives.
        if properties.type == "teller.queue-probe" and not body:
            return
        if not properties.headers.get("teller-message"):
            raise RuntimeError(f"parked without a reason: {properties}")
        self.came(properties.correlation_id, f"parked {properties.headers['teller-error']}")

    def came(self, name, what):
        self.found[name][what] += 1
        self.expected[name] -= 1

    def publish(self, name, properties, body, expected):
        properties.correlation_id = name
        self.expected[name] += expected
        self.channel.basic_publish("teller.submit", "", body, properties)

    def publish_good(self):
        self.publish("good", good(reply_to=self.replies), b"{}", 2)

    def play(self, number):
        self.publish_good()
        for name, properties, body in cases():
            if name == DEEP and number % DEEP_EACH != 0:
                continue
            self.publish(f"{name}/silent", properties, body, 1)
            properties.reply_to = self.replies
            # A body that nobody has read is answered and kept.
            self.publish(f"{name}/asked", properties, body, 2 if name == "a body of 5 MiB" else 1)
            self.publish_good()
        # Nobody can be answered there; brokers close the connection of whoever answers to the last one.
        for forbidden in ["teller.reports", "amq.rabbitmq.reply-to.", "amq.rabbitmq.reply-to.g1h2.forged"]:
            self.publish("a forbidden reply_to/asked", good(reply_to=forbidden), b"", 1)
        # Allowed, and nobody is there: the reply is lost, and the job is run.
        self.publish("good", good(reply_to="teller.reply.nobody"), b"{}", 0)
        self.publish_good()
        self.wait()

    def play_deep(self, count):
        for _ in range(count):
            self.publish(f"{DEEP}/silent", deep(), b"", 1)
        self.publish_good()
        # Its answer comes behind what was published.
        self.channel.queue_declare(self.replies, passive=True)
        print("published", file=sys.stderr, flush=True)
        self.wait()

    def wait(self):
        deadline = time.monotonic() + PATIENCE
        while any(left > 0 for left in self.expected.values()):
            if time.monotonic() > deadline:
                sys.exit(f"did not come: {[name for name, left in self.expected.items() if left > 0]}")
            self.connection.process_data_events(time_limit=1)

    def report(self):
        for name, found in self.found.items():
            case, _, way = name.partition("/")
            print(json.dumps({"case": case, "asked": way == "asked", "found": found}))


def main():
    rounds = Rounds()
    if sys.argv[1] == "deep":
        rounds.play_deep(int(sys.argv[2]))
    else:
        for number in range(int(sys.argv[1])):
            rounds.play(number)
    rounds.report()
    rounds.connection.close()


main()
