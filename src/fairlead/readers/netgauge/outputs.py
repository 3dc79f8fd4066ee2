"""Outputs of netgauge: a file holds that of one launch, or those of several one after the other.

netgauge.c prints the line with version and options, and writes the lines about the host (write_host_information).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.errors import MeasurementError
from fairlead.readers.reading import refused

STARTED = re.compile(
    r"# Info:\s+(?:\(\d+\): )?Netgauge v(?P<version>\S+) "
    r"(?:MPI enabled \(P=(?P<ranks>\d+), threadlevel=\d+\) )?\((?P<options>.*)\)\s*"
)
TITLE = re.compile(r"## Netgauge v(?P<version>\S+) - mode \S+ - (?:rank (?P<rank>\d+): )?(?P<ranks>\d+) processes\s*")
PATTERN = re.compile(r"(?:^|\s)(?:-x|--comm_pattern)[ =]?(\S+)")
DEFAULT_PATTERN = "one_one"  # of netgauge.h
MARKS = (
    STARTED,
    TITLE,
    re.compile(r"# Benchmark Method: .*"),
    re.compile(r"# Sysname : .*"),
    re.compile(r"# Nodename: .*"),
    re.compile(r"# Selfish Benchmark\s*"),
    re.compile(r"# Fixed (Work|Time) Quantum Benchmark\s*"),
    re.compile(r"# size n PRTT\(1,0,s\) .*"),
)
"""Lines of which an output has each at most once, before its numbers."""


@dataclass(frozen=True)
class NetgaugeOutput:
    """The output of one launch.

    Attributes:
        lines: of it, without line ends.
        first: number of its first line in the file, from 1.
        pattern: which was run (``-x``); empty where the output does not say.
    """

    source: str
    lines: tuple[str, ...]
    first: int
    pattern: str = ""

    def rows(self) -> list[tuple[int, str]]:
        """Lines that are no comments, with their numbers in the file."""
        return [(self.first + k, line) for k, line in enumerate(self.lines) if _is_row(line)]

    def end(self) -> int:
        """Number of its last line in the file."""
        return self.first + len(self.lines) - 1

    def refused(self, line: int, reason: str, *, hint: str = "") -> MeasurementError:
        """The error to raise."""
        return refused(self.source, line, reason, hint=hint)

    def title(self) -> re.Match[str] | None:
        """The line "## Netgauge v..", which tables have."""
        return next((found for line in self.lines if (found := TITLE.fullmatch(line))), None)

    def plan(self, program: str) -> dict[str, object]:
        """How it was made, as far as it says so."""
        told = self.title() or next((found for line in self.lines if (found := STARTED.fullmatch(line))), None)
        plan: dict[str, object] = {"program": program}
        if told is not None:
            plan["version"] = told["version"]
            plan |= {"ranks": int(told["ranks"])} if told["ranks"] else {}
        return plan

    def host(self) -> str:
        """Where it was made."""
        found = [line.removeprefix("# Nodename:").strip() for line in self.lines if line.startswith("# Nodename:")]
        return found[0] if found else "unnamed"


def split(lines: Sequence[str], source: str, pattern: str) -> list[NetgaugeOutput]:
    """The outputs of a file. What stands before the first (a launcher's words) is not looked at.

    Args:
        pattern: of outputs that do not say it.
    """
    starts = _starts(lines) or [0]
    return [
        NetgaugeOutput(source, tuple(lines[begin:end]), begin + 1, _pattern(lines[begin:end]) or pattern)
        for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True)
    ]


def _starts(lines: Sequence[str]) -> list[int]:
    starts: list[int] = []
    seen: set[re.Pattern[str]] = set()
    with_rows = True
    for place, line in enumerate(lines):
        mark = next((each for each in MARKS if each.fullmatch(line)), None) if line.startswith("#") else None
        if mark is not None:
            if with_rows or mark in seen:
                starts.append(place)
                seen, with_rows = set(), False
            seen.add(mark)
        elif _is_row(line):
            with_rows = True
    return starts


def _is_row(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _pattern(lines: Sequence[str]) -> str:
    for line in lines:
        if started := STARTED.fullmatch(line):
            found = PATTERN.search(started["options"])
            return found[1] if found else DEFAULT_PATTERN
    return ""
