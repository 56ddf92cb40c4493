"""The private RabbitMQ: Deploy/broker, its commands and its answers."""

from __future__ import annotations

import os
import select
import subprocess
from pathlib import Path

from .processes import Failure

ANSWER_LIMIT = 240.0  # seconds; longer than Deploy/broker itself waits for a node


class Broker:
    """A broker of this run's own. It ends when its stdin does, which this process alone holds."""

    def __init__(self, root: Path, folder: Path, image: str | None = None) -> None:
        """With an image: in a container."""
        self.folder = folder
        self.log = folder / "broker.log"
        self.virtual_hosts = 0
        with self.log.open("wb") as log:
            command = [str(root / "Deploy/broker"), *(["--image", image] if image else [])]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True, bufsize=0)
        (folder / "broker.pid").write_text(str(self.process.pid))
        self.answer("ready")

    def answer(self, expected: str) -> str:
        """The rest of the next line, which must begin with a word."""
        line = self.read_line()
        word, _, rest = line.partition(" ")
        if word != expected:
            raise Failure(f"the broker says {line or 'nothing'!r} instead of {expected!r}: {self.last_words()}")
        return rest

    def read_line(self) -> str:
        """The next line; it may take long, and not for ever."""
        if not select.select([self.process.stdout], [], [], ANSWER_LIMIT)[0]:
            raise Failure(f"the broker does not answer: {self.last_words()}")
        return self.process.stdout.readline().decode().strip()

    def last_words(self) -> str:
        """The end of its log, in one line."""
        return " | ".join(self.log.read_text(errors="replace").splitlines()[-3:])

    def ask(self, command: str, expected: str) -> str:
        """Gives a command of Deploy/broker, and waits for its answer."""
        self.process.stdin.write(command.encode() + b"\n")
        return self.answer(expected)

    def virtual_host(self) -> str:
        """The URL of a virtual host that nobody has used."""
        self.virtual_hosts += 1
        return self.ask(f"vhost bench-{self.virtual_hosts}", "vhost")

    def remove_virtual_host(self, url: str) -> None:
        """Its queues go with it: what waits in them is no burden for the next measurement."""
        self.control(f"delete_vhost {url.rpartition('/')[2]}")

    def version(self) -> str:
        """What the node says of itself."""
        return self.control("eval rabbit_misc:version().")[-1].strip('"')

    def control(self, command: str) -> list[str]:
        """The lines of a command of rabbitmqctl."""
        self.process.stdin.write(f"ctl {command}\n".encode())
        lines = []
        while (line := self.read_line()).startswith("|"):
            lines.append(line.removeprefix("|").strip())
        if line != "ctl 0":
            raise Failure(f"the broker does not do {command}: {line}")
        return lines

    def kill(self) -> None:
        """kill -9."""
        self.ask("kill", "killed")

    def start(self) -> None:
        """Starts it again; returns when it accepts connections."""
        self.ask("start", "ready")

    @property
    def pid(self) -> int:
        """The Erlang node's."""
        folders = list(Path(os.environ["TMPDIR"]).glob("teller-broker.*"))
        for file in (folder / "node.pid" for folder in folders):
            if file.exists():
                return int(file.read_text())
        for file in (folder / "container" for folder in folders):
            if file.exists():
                return contained(file.read_text().strip())
        return 0

    def close(self) -> None:
        """Ends it, and waits until it has cleaned up."""
        self.process.stdin.close()
        try:
            self.process.wait(ANSWER_LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
        (self.folder / "broker.pid").unlink(missing_ok=True)


def runs_here(number: int) -> bool:
    """Whether that process of this machine is an Erlang node."""
    try:
        return Path(f"/proc/{number}/comm").read_text().strip() == "beam.smp"
    except OSError:
        return False


def contained(container: str) -> int:
    """The Erlang node of a container, by its number outside; 0: there is none, or the engine is on another machine."""
    listed = subprocess.run(
        ["docker", "top", container, "-eo", "pid,comm"], capture_output=True, text=True, timeout=ANSWER_LIMIT)
    for number, _, name in (line.strip().partition(" ") for line in listed.stdout.splitlines()):
        if name.strip() == "beam.smp" and runs_here(int(number)):
            return int(number)
    return 0
