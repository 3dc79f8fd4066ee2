"""A collective beside others' messages (``-x collvsnoise``): the printf calls of ptrn_collvsnoise.cpp.

A time there is of ten calls, averaged over the ranks. The messages of the other ranks load the network in every second
try.
"""

import re

import numpy as np

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import SAMPLES, US, Column, Reading, by_size
from fairlead.store import Series

_N = r"(\d+\.\d{6})"
TRY = re.compile(rf"(\d+) (\d+) (\d+) (\d+) :: {_N} \({_N}\) {_N} \({_N}\) ?")
SUM = re.compile(rf"# acc: (\d+) (\d+) (\d+) :: {_N} \({_N}\), {_N} \({_N}\)\s*")
DOTS = re.compile(r"\.+")
CALLS = 10  # that a time is of
LOADS = ("quiet", "loaded")
SLACK = 2e-6


def is_collective(output: NetgaugeOutput) -> bool:
    """Whether it has tries, or what sums them up."""
    return any(SUM.fullmatch(line) or TRY.fullmatch(line) for line in output.lines)


def read(output: NetgaugeOutput) -> list[Reading]:
    """Times of a call without and with others' messages; every try where they are told (``-v``)."""
    found: list[Reading] = []
    tries: list[tuple[int, ...]] = []
    times_us: list[tuple[float, float]] = []
    for place, text in enumerate(output.lines):
        line = output.first + place
        if match := TRY.fullmatch(text):
            each = tuple(int(word) for word in match.groups()[:4])
            if each[2] != len(tries) or (tries and (*each[:2], each[3]) != (*tries[0][:2], tries[0][3])):
                raise output.refused(line, f"try {each[2]} on {each[1]} of {each[0]} ranks comes out of order")
            tries.append(each)
            times_us.append((float(match[5]), float(match[7])))
        elif match := SUM.fullmatch(text):
            found += _summed(output, match, tries, times_us, line)
            tries, times_us = [], []
        elif text.strip() and not text.startswith("#") and not DOTS.fullmatch(text.strip()):
            raise output.refused(line, f"{text!r} is not a try of collvsnoise")
    if tries or not found:
        raise output.refused(output.end(), 'the tries are not summed up ("# acc: .."); the file is not complete')
    return found


def _summed(
    output: NetgaugeOutput,
    match: re.Match[str],
    tries: list[tuple[int, ...]],
    times_us: list[tuple[float, float]],
    line: int,
) -> list[Reading]:
    ranks, busy, size_B = (int(word) for word in match.groups()[:3])
    if tries and (tries[0][0], tries[0][1], tries[0][3]) != (ranks, busy, size_B):
        raise output.refused(line, f"the sum is of {busy} of {ranks} ranks, the tries before it of others")
    found = []
    for k, load in enumerate(LOADS):
        mean_us, median_us = float(match[4 + 2 * k]), float(match[5 + 2 * k])
        name = f"netgauge collvsnoise, allreduce on {busy} of {ranks} ranks, {load}"
        plan = {**output.plan(name), "ranks": ranks}
        if not tries:
            columns = [
                (Column("time_s", "mean", US / CALLS), [mean_us]),
                (Column("time_s", "median", US / CALLS), [median_us]),
            ]
            found.append(by_size(name, [size_B], columns, plan=plan))
            continue
        taken = np.array([each[k] for each in times_us])
        if abs(float(taken.mean()) - mean_us) > SLACK * (1 + mean_us):
            raise output.refused(line, f"the tries take {taken.mean():g} us on average, not {mean_us:g} us")
        samples = Series(SAMPLES["time_s"], "s", {"size_B": size_B}, taken * US / CALLS)
        found.append(Reading(name, (samples,), plan))
    return found
