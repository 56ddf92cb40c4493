"""The machine and the versions: a figure means nothing without them."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path

PACKAGES = ("celery", "kombu", "dramatiq", "pika", "redis")


def output(*command: str) -> str:
    """What a command prints, or nothing when there is no such command."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def commit(root: Path) -> str:
    """The commit, marked when something has been changed since."""
    name = output("git", "-C", str(root), "rev-parse", "--short=10", "HEAD") or "unknown"
    changes = output("git", "-C", str(root), "status", "--porcelain", "--untracked-files=no")
    return f"{name}-changed" if changes else name


def machine() -> str:
    """Processor, cores and memory."""
    models = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
              if line.startswith("model name")]
    kilobytes = int(Path("/proc/meminfo").read_text().split()[1])
    return f"{os.cpu_count()} cores of {models[0] if models else platform.machine()}, {kilobytes / 1e6:.1f} GB"


def installed(name: str) -> str:
    """The version of a package of the system."""
    return output("dpkg-query", "--show", "--showformat=${Version}", name) or "unknown"


def package(name: str) -> str:
    """The version of a Python package of this environment, if it is there."""
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def describe(root: Path) -> dict[str, str]:
    """What the table begins with."""
    redis = output("redis-server", "--version").split("v=")[-1].split()
    peers = [package(name) for name in PACKAGES] + ([f"redis-server {redis[0]}"] if redis else [])
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(root),
        "machine": f"{machine()}, Linux {platform.release()}",
        "load": f"{os.getloadavg()[0]:.1f} processes in the minute before",
        "RabbitMQ": f"{installed('rabbitmq-server')}, Erlang {installed('erlang-base')}",
        "libraries": f"librabbitmq {installed('librabbitmq4')}, SQLite {installed('libsqlite3-0')}",
        "Swift": output("swift", "--version").partition("\n")[0],
        "peers": ", ".join(filter(None, peers)) or "none",
        "Python": platform.python_version(),
    }
