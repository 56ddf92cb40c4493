"""A worker that says how far its run has come, and whoever follows it; fails where a word is another one."""

import json
import uuid

from worker import WORKER, ask, begin, channel, end, report, same, send_presence, serve, submit, take, wait_for

heard = []
begin()
job = submit("print")
queue = channel.queue_declare("teller.reply." + str(uuid.uuid4()), exclusive=True).method.queue
channel.queue_bind(queue, "teller.notifications", "progress." + job)
channel.basic_consume(queue, lambda *message: heard.extend(json.loads(message[3])), auto_ack=True)
serve()
run = take(job)
_, release, token = run


def say(token, fraction, text):
    word = {"job": job, "release": release, "token": token, "fraction": fraction, "text": text}
    send_presence("progress", [word], app_id=WORKER)


# A word of another run does not count: the next event is that of the present one.
say(token + 1, 0.9, "not this run")
say(token, 0.4, "page 4 of 10")
event = wait_for(heard, "the event")
same([event[name] for name in ("event", "job", "kind", "attempt", "progress", "text")],
     ["progress", job, "print", 1, 0.4, "page 4 of 10"])
same("seq" in event, False)
shown = ask("show", id=job)
same([shown["state"], shown["progress"]["fraction"], shown["progress"]["text"]], ["running", 0.4, "page 4 of 10"])

report(run, "succeeded")
same([ended["state"] for ended in ask("wait", ids=[job], limit_ms=30000)["finished"]], ["succeeded"])
same("progress" in ask("show", id=job), False)
end()
