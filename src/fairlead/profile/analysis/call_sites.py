"""Names the places that MPI functions are called from: function, file and line, by binutils' addr2line."""

import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.profile.record import CallSite, Record

TOOL = "addr2line"
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class SourceLocation:
    """Where a call stands.

    Attributes:
        object: path of the file with the code; empty: code made while the program ran.
        offset: of the return address in it, as its symbols count.
        function, file, line: empty and 0 where they are not known.
    """

    object: str
    offset: int
    function: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Calls:
    """Calls of one function from one place, of all ranks together."""

    place: SourceLocation
    function: str
    ranks: int
    calls: int
    time_s: float
    sent_B: int


def of(records: Sequence[Record]) -> list[Calls]:
    """Sums by function and place, longest time first."""
    ranks: dict[tuple[str, str, int], list[CallSite]] = {}
    for record in records:
        for site in record.call_sites:
            ranks.setdefault((site.function, site.object, site.offset), []).append(site)
    named = {(place.object, place.offset): place for place in places((key[1], key[2]) for key in ranks)}
    found = [
        Calls(
            named[object_, offset],
            function,
            len(sites),
            sum(site.calls for site in sites),
            sum(site.time_s for site in sites),
            sum(site.sent_B for site in sites),
        )
        for (function, object_, offset), sites in ranks.items()
    ]
    return sorted(found, key=lambda each: -each.time_s)


def places(wanted: Iterable[tuple[str, int]]) -> list[SourceLocation]:
    """Each (object, offset) with what its symbols say; where there are none, without."""
    offsets: dict[str, list[int]] = {}
    for object_, offset in dict.fromkeys(wanted):
        offsets.setdefault(object_, []).append(offset)
    return [place for object_, numbers in offsets.items() for place in _of_object(object_, numbers)]


def _of_object(object_: str, offsets: Sequence[int]) -> list[SourceLocation]:
    unknown = [SourceLocation(object_, offset) for offset in offsets]
    if not object_ or not Path(object_).is_file():  # another host's
        return unknown
    # The call is before the address that it returns to.
    command = [TOOL, "-f", "-C", "-e", object_, *(hex(offset - 1) for offset in offsets)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return unknown
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 2 * len(offsets):
        return unknown
    return [
        SourceLocation(object_, offset, function if function != "??" else "", *_line(where))
        for offset, function, where in zip(offsets, lines[::2], lines[1::2], strict=True)
    ]


def _line(where: str) -> tuple[str, int]:
    """File and line of ``FILE:LINE`` or ``FILE:LINE (discriminator 2)``."""
    file, _, line = where.partition(" (")[0].rpartition(":")
    return (file, int(line)) if line.isdigit() and file != "??" else ("", 0)
