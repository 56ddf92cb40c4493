"""The arguments of Deploy/bench. As a program it checks them, and says what to build and whether peers or packages are needed."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

PEERS = ("celery", "dramatiq")
LONG = (*PEERS, "page", "forecast")  # not in a quick run
PACKAGED = (*PEERS, "page")  # they need packages of Python
CASES = (
    "flow", "observed", "telling", "limit", *PEERS, "latency", "steady", "singles", "tellers", "payloads", "growth", "cost",
    "recovery", "page", "forecast",
)
PROGRAMS = ("teller", "testbench", "benchprobe")
ROUNDS = range(1, 101)


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    cases: list[str]
    rounds: int | None
    quick: bool
    debug: bool
    json: Path | None
    against: Path | None
    image: str | None = None

    @property
    def needs_peers(self) -> bool:
        return any(case in PEERS for case in self.cases)

    @property
    def needs_packages(self) -> bool:
        return any(case in PACKAGED for case in self.cases)

    @property
    def is_judged(self) -> bool:
        """A quick run has too few jobs for that."""
        return not self.quick

    @property
    def is_complete(self) -> bool:
        return set(self.cases) == set(CASES) and not self.quick


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        sys.exit(f"bench: {message}")


def cases(text: str) -> list[str]:
    """What one --only names."""
    names = text.split(",")
    for name in names:
        if name not in CASES:
            raise argparse.ArgumentTypeError(f"there is no case {name!r}, only {', '.join(CASES)}")
    return names


def rounds(text: str) -> int:
    if not text.isdecimal() or int(text) not in ROUNDS:
        raise argparse.ArgumentTypeError(f"{ROUNDS.start}–{ROUNDS.stop - 1} are understood")
    return int(text)


def programs(text: str) -> Path:
    """The folder of the release programs of a checkout."""
    built = Path(text).resolve() / ".build/release"
    for name in PROGRAMS:
        if not (built / name).is_file():
            raise argparse.ArgumentTypeError(f"there is no {built / name}: build it there, swift build -c release")
    return built


def read_arguments() -> Options:
    """Ends the process when they make no sense."""
    parser = Parser(prog="Deploy/bench", allow_abbrev=False)
    parser.add_argument("--quick", action="store_true", help="a minute in all, without peers, page, forecast")
    parser.add_argument("--only", type=cases, action="extend", metavar="CASE,CASE", help=f"some of {','.join(CASES)}")
    parser.add_argument("--rounds", type=rounds, metavar="N", help="so many rounds of each case")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the results go, too")
    parser.add_argument("--debug", action="store_true", help="of debug builds, whose figures mean nothing")
    parser.add_argument("--against", type=programs, metavar="FOLDER", help="beside the programs of another checkout")
    parser.add_argument("--image", metavar="IMAGE", help="a broker of this image, in a container")
    arguments = parser.parse_args()
    if arguments.debug and not arguments.quick:
        parser.error("--debug goes with --quick: figures of debug builds mean nothing")
    if arguments.against and (arguments.only or arguments.debug):
        parser.error("--against measures what it measures, of release builds: leave out --only and --debug")
    if arguments.against:
        return Options(["flow"], arguments.rounds, arguments.quick, False, arguments.json, arguments.against, arguments.image)
    wanted = arguments.only or [case for case in CASES if not (arguments.quick and case in LONG)]
    # In the order in which they are measured.
    ordered = [case for case in CASES if case in wanted]
    return Options(ordered, arguments.rounds, arguments.quick, arguments.debug, arguments.json, None, arguments.image)


if __name__ == "__main__":
    options = read_arguments()
    print("debug" if options.debug else "release", int(options.needs_peers), int(options.needs_packages))
