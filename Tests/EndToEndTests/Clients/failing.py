"""A worker whose report says when its job may be tried again, and that its department is to be paused."""

import json
import time

from worker import LIMIT, ask, begin, end, present, report, same, serve, submit, take

begin()
job = submit("print")
serve()
run = take(job)
WAIT = 1.5  # Longer than the first wait that the coordinator would choose by itself.
reported = time.monotonic()
report(run, "failed", json.dumps(
    {"error": "gone", "message": "nothing more", "not_before_ms": int(WAIT * 1000), "pause": True}))


def department():
    return next(one for one in ask("status")["departments"] if one["name"] == "work")


while not department()["paused"]:
    assert time.monotonic() < reported + LIMIT, "the department is not paused"
    present()
same(ask("resume", "teller.admin", department="work"), {"department": "work", "paused": False, "changed": True})
run = take(job)
same(time.monotonic() - reported >= WAIT, True)
report(run, "succeeded")
same([ended["state"] for ended in ask("wait", ids=[job], limit_ms=30000)["finished"]], ["succeeded"])
same([made["error"]["error"] for made in ask("show", id=job)["attempts_made"] if "error" in made], ["gone"])
end()
