"""A receiver of webhooks, with the library `standardwebhooks` of PyPI: `receiver.py PORT SECRET [PREVIOUS]`.

The first part of the path says what it does with the first request of each message; every further one is answered with
204, unless it is said otherwise. It prints `listening PORT`, and then a line of JSON for each request:
`{"way", "id", "event", "job", "status", "verified", "after"}`, where `event` and `job` are those of the body, and `after`
is the time since the last request of the same message, in seconds. `arrived slow` comes before the answer of `slow`. A
line `open WAY` on its input has `gone` and `slow` answer with 204 from then on.
"""
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook

LOCK = threading.Lock()
SEEN = {}  # (way, id) -> the number of requests, and when the last one came
OPEN = {way: threading.Event() for way in ("gone", "slow")}
SECRETS = sys.argv[2:]


def say(line):
    """Prints a line whole: other threads print, too, and `print` writes the end of a line on its own where Python does not
    buffer."""
    with LOCK:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def is_verified(headers, body):
    secrets = SECRETS
    if headers.get("webhook-signature", "").count(" ") + 1 != len(secrets):
        return False
    for secret in secrets:  # A receiver knows one of them.
        Webhook(secret).verify(body, dict(headers))
    return True


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        way = self.path.split("/")[1]
        try:
            verified = is_verified(self.headers, body)
        except Exception as error:
            verified = str(error)
        if way == "slack":
            verified = list(json.loads(body)) == ["text"] and "webhook-signature" not in self.headers
        key = (way, self.headers["webhook-id"])
        now = time.monotonic()
        with LOCK:
            count, last = SEEN.get(key, (0, now))
            SEEN[key] = (count + 1, now)
        status = self.act(way, count == 0)
        news = json.loads(body)
        line = {"way": way, "id": key[1], "event": news.get("event"), "job": news.get("job"), "status": status,
                "verified": verified, "after": now - last}
        say(json.dumps(line))

    def act(self, way, is_first):
        if way == "slow":
            say("arrived slow")
            OPEN[way].wait(300)
        elif way == "gone" and not OPEN[way].is_set():
            return self.answer(410)
        elif way == "flood":
            return self.flood()
        elif is_first and way == "error":
            return self.answer(500)
        elif is_first and way == "busy":
            return self.answer(429, ("retry-after", "1"))
        elif is_first and way == "redirect":
            return self.answer(308, ("location", f"http://127.0.0.1:{self.server.server_port}/good/elsewhere"))
        elif is_first and way in ("hang", "early"):
            self.close_connection = True
            if way == "hang":
                self.connection.settimeout(300)
                self.connection.recv(1)  # Until the other side has had enough.
            return 0
        return self.answer(204)

    def answer(self, status, *headers):
        try:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            if status != 204:
                self.send_header("content-length", "0")
            self.end_headers()
            self.wfile.flush()
        except OSError:
            return 0
        return status

    def flood(self):
        size = 10_000_000
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-length", str(size))
        self.end_headers()
        try:
            for _ in range(0, size, 10_000):
                self.wfile.write(b"x" * 10_000)
        except OSError:
            pass
        return 200


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
say(f"listening {server.server_port}")
for line in sys.stdin:
    if line.startswith("open "):
        OPEN[line.split()[1]].set()
