"""Effective bisection bandwidth (``-x ebb``): the printf calls of ptrn_ebb.cpp.

Its "MiB/s" are bytes a microsecond: 10^6 bytes a second.
"""

import re

import numpy as np

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import MB_BPS, SAMPLES, Reading, rising
from fairlead.store import Series

_N = r"(\d+\.\d{6})"
ROUND = re.compile(rf"size: (\d+), round (\d+): num: (\d+) average: {_N} us \({_N} MiB/s\)")
TOTAL = re.compile(rf"size: (\d+) num: (\d+) average: {_N} \({_N} MiB/s\)")
BUCKET = re.compile(rf"size: (\d+) {_N} \({_N} MiB/s\): (\d+)")
PAIR = re.compile(r"\d+ <-> \d+")  # of --print_ptrn
SLACK = 2e-6  # of sums of numbers with six decimals, relative and absolute


def is_bisection(output: NetgaugeOutput) -> bool:
    """Whether it has a round."""
    return any(ROUND.fullmatch(text) for _, text in output.rows())


class _Rounds:
    """What the lines of an output have told so far.

    Attributes:
        rates: in bytes a microsecond, by round, by size in B.
    """

    def __init__(self, output: NetgaugeOutput) -> None:
        self._output = output
        self.ranks = 0
        self.rates: dict[int, list[float]] = {}
        self._times_us: list[float] = []
        self._in_buckets = 0

    def take_round(self, match: re.Match[str], line: int) -> None:
        size_B, number, ranks = (int(word) for word in match.groups()[:3])
        if size_B not in self.rates:
            self.rates[size_B], self._times_us, self._in_buckets = [], [], 0
            rising(list(self.rates), self._output.source, line)
        rates = self.rates[size_B]
        if size_B != list(self.rates)[-1] or number != len(rates) or ranks != (self.ranks or ranks):
            raise self._output.refused(line, f"round {number} of {size_B} B with {ranks} ranks comes out of order")
        self.ranks = ranks
        rates.append(float(match[5]))
        self._times_us.append(float(match[4]))

    def take_bucket(self, match: re.Match[str], line: int) -> None:
        if int(match[1]) != list(self.rates)[-1]:
            raise self._output.refused(line, f"a bucket of {match[1]} B among rounds of {list(self.rates)[-1]} B")
        self._in_buckets += int(match[4])

    def take_total(self, match: re.Match[str], line: int) -> None:
        """The average of all must be that of the rounds, and the buckets must hold all."""
        mean_us, count = float(np.mean(self._times_us)), len(self._times_us) * self.ranks
        if abs(mean_us - float(match[3])) > SLACK * (1 + mean_us):
            raise self._output.refused(line, f"the rounds take {mean_us:g} us on average, not {float(match[3]):g} us")
        if not count == int(match[2]) == self._in_buckets:
            raise self._output.refused(line, f"{self._in_buckets} times in buckets, {match[2]} told, {count} in rounds")


def read(output: NetgaugeOutput) -> list[Reading]:
    """The mean rate of a rank in each round, as raw samples."""
    found = _Rounds(output)
    for line, text in output.rows():
        if match := ROUND.fullmatch(text):
            found.take_round(match, line)
        elif not found.rates and not PAIR.fullmatch(text):
            raise output.refused(line, f"{text!r} stands before the first round")
        elif match := BUCKET.fullmatch(text):
            found.take_bucket(match, line)
        elif match := TOTAL.fullmatch(text):
            found.take_total(match, line)
        elif not PAIR.fullmatch(text):
            raise output.refused(line, f"{text!r} is not a round, bucket or average of ebb")
    name = f"netgauge ebb, {found.ranks} ranks"
    series = [
        Series(SAMPLES["rate_bps"], "bit/s", {"size_B": size_B}, np.array(rates) * MB_BPS)
        for size_B, rates in found.rates.items()
    ]
    return [Reading(name, tuple(series), {**output.plan(name), "ranks": found.ranks})]
