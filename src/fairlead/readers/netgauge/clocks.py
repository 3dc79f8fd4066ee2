"""Round trips and differences of clocks over time (``-x distrtt``): the printf call of ptrn_distrtt.c.

It counts in ticks of the processor's clock, and does not tell their rate.
"""

import re

import numpy as np

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import SAMPLES, Reading
from fairlead.store import Series

ROW = re.compile(r"(\d+) (\d+) (\d+) (\d+\.\d{6})")
NAME = "netgauge distrtt, round trip"


def is_clocks(output: NetgaugeOutput) -> bool:
    """Whether it has a row of these."""
    return any(ROW.fullmatch(text) for _, text in output.rows())


def read(output: NetgaugeOutput, tick_rate_hz: float | None) -> list[Reading]:
    """Every round trip, with the time since the start at which it ended."""
    ticks: list[int] = []
    at_s: list[float] = []
    for line, text in output.rows():
        match = ROW.fullmatch(text)
        if match is None or int(match[1]) != len(ticks):
            raise output.refused(
                line, f"{text!r} is not round trip {len(ticks)}: number, ticks, difference of clocks, time"
            )
        if at_s and float(match[4]) < at_s[-1]:
            raise output.refused(line, f"the time {match[4]} s comes after {at_s[-1]:f} s")
        ticks.append(int(match[2]))
        at_s.append(float(match[4]))
    if tick_rate_hz is None:
        raise output.refused(output.first, "distrtt counts in ticks of an unknown rate", hint="give it: --tick-rate HZ")
    round_trips_s = np.array(ticks) / tick_rate_hz
    if float(round_trips_s.sum()) > at_s[-1] + 1e-6:
        raise output.refused(
            output.end(),
            f"at {tick_rate_hz:g} ticks a second the round trips take {round_trips_s.sum():g} s of the "
            f"{at_s[-1]:g} s that passed",
            hint="--tick-rate is too small",
        )
    series = (Series(SAMPLES["time_s"], "s", {}, round_trips_s), Series("taken_s", "s", {}, np.array(at_s)))
    return [Reading(NAME, series, output.plan(NAME))]
