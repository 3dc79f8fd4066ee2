"""The file of ``-x loggp -o``: printparams of ptrn_loggp.c.

PRTT(n, d, s) is the time of n messages of s bytes, d apart, and one back; netgauge takes the median of its tests.
"""

import math
import re

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import US, Column, Reading, by_size

HEADER = "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)"
TIME = r"\d+\.\d{6}"
FITTED = r"-?\d+\.\d{6}|-?nan"  # a difference or a fit: below zero by chance; none of a single size
COLUMNS = ("median", "PRTT(n,0,s)", "PRTT(n,d,s)", "L", "o_s", "o_r", "g", "G (a byte)")
ROW = re.compile(
    rf"(\d+) (\d+) ({TIME}) ({TIME}) ({TIME}) ({TIME}) ({FITTED}) ({FITTED}) ({FITTED}) ({FITTED}) ({FITTED})"
)
SLACK = 3e-6
NAME = "netgauge loggp"


def is_loggp(output: NetgaugeOutput) -> bool:
    """Whether it has the header."""
    return any(line.rstrip() == HEADER for line in output.lines)


def read(output: NetgaugeOutput) -> list[Reading]:
    """Times and parameters by size. "median" is that of PRTT(1,0,s), a whole round trip."""
    rows: dict[int, list[float]] = {}
    messages: set[int] = set()
    for line, text in output.rows():
        match = ROW.fullmatch(text.rstrip())
        if match is None:
            raise output.refused(line, f"{text!r} is not a row of loggp: size, n and nine numbers with six decimals")
        size_B, n = int(match[1]), int(match[2])
        values = [float(word) for word in match.groups()[2:]]
        # Where the protocol changes, the size is told twice: with the fit of the old one and that of the new one.
        if rows and size_B < max(rows):
            raise output.refused(line, f"size {size_B} comes after {max(rows)}; two tables ran into each other")
        messages.add(n)
        rows[size_B] = values
        _check(output, values, next(iter(rows.values())), n, line)
    if not rows:
        raise output.refused(output.end(), "the table has no rows; the file is not complete")
    if len(messages) != 1:
        raise output.refused(output.end(), f"rows of {sorted(messages)} messages in one table")
    columns = [(Column("time_s", name, US), [row[k] for row in rows.values()]) for k, name in enumerate(COLUMNS)]
    return [by_size(NAME, list(rows), columns, plan={**output.plan(NAME), "messages": messages.pop()})]


def _check(output: NetgaugeOutput, row: list[float], first: list[float], n: int, line: int) -> None:
    """What follows from other numbers of the table must do so."""
    if abs(row[3] - first[0] / 2) > SLACK:
        raise output.refused(line, f"L, {row[3]:g} us, is not half of the first PRTT(1,0,s), {first[0]:g} us")
    if n > 1 and not math.isnan(row[4]) and abs((row[2] - row[0]) / (n - 1) - row[0] - row[4]) > SLACK:
        raise output.refused(line, f"o_s does not follow from PRTT(1,0,s) and PRTT({n},d,s)")
