"""Noise (``-x noise``): write_results_selfish, write_results_fwq and write_results_ftq of ptrn_noise.c."""

import re

import numpy as np

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import NS, US, Reading, number
from fairlead.store import Label, Series

SELFISH = "# Selfish Benchmark"
SELFISH_HEADER = "# Time [ns]\tselfish duration [ns]"
FIXED_WORK, FIXED_TIME = "# Fixed Work Quantum Benchmark", "# Fixed Time Quantum Benchmark"
ROUNDING = 0.0051  # of a number with two decimals
DECIMALS = r"\d+\.\d\d"


def selfish(output: NetgaugeOutput) -> list[Reading]:
    """Detours of a busy loop."""
    least_ns = _value(output, r"# Minimal cycle length \[ns\]: (\S+)")
    iterations = _value(output, r"# Number of iterations \(recorded\+unrecorded\): (\d+)")
    threshold = _value(output, r"# Threshold: \[% minimal cycle length\]: (\d+)") / 100
    overhead_percent = _value(output, r"# CPU overhead due to noise: (\d+\.\d\d)%")
    period_s = _value(output, r"# Measurement period: (\d+\.\d\d) s")
    if SELFISH_HEADER not in [line.rstrip() for line in output.lines]:
        raise output.refused(output.first, f"there is no header {SELFISH_HEADER!r}")
    detours_ns = np.array(_detours(output), dtype=np.float64).T
    if not detours_ns.size:
        raise output.refused(output.end(), "there is no detour")
    # What the program says of the same numbers must follow from them.
    measured_ns = float(detours_ns[:, -1].sum()) + least_ns
    if abs(measured_ns * NS - period_s) > ROUNDING:
        raise output.refused(
            output.end(), f"the detours end after {measured_ns * NS:.2f} s, and not after {period_s:.2f} s"
        )
    share = float(detours_ns[1].sum()) / measured_ns
    if abs(100 * share - overhead_percent) > ROUNDING:
        raise output.refused(
            output.end(), f"the detours take {100 * share:.2f} % of the time, not {overhead_percent:.2f} %"
        )
    labels: dict[str, Label] = {"host": output.host(), "cpu": 0}
    seen = {**labels, "period_s": measured_ns * NS, "iterations": int(iterations), "threshold": threshold}
    series = (
        Series("least_iteration_s", "s", seen, np.array([least_ns * NS])),
        Series("detours_s", "s", labels, detours_ns * NS),
    )
    return [Reading("noise", series, {"method": "selfish", "program": "netgauge noise"})]


def _value(output: NetgaugeOutput, pattern: str) -> float:
    for place, line in enumerate(output.lines):
        if match := re.fullmatch(pattern, line.rstrip()):
            return number(match[1], output.source, output.first + place)
    raise output.refused(output.end(), f"there is no line that reads {pattern!r}; the file is not complete")


def _detours(output: NetgaugeOutput) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for line, text in output.rows():
        words = text.split("\t")
        if len(words) != 2:
            raise output.refused(line, f"{text!r} is not a time and duration")
        start, length = (number(word, output.source, line, pattern=DECIMALS) for word in words)
        if found and start <= found[-1][0]:
            raise output.refused(line, f"the detour at {start:.2f} ns comes after that at {found[-1][0]:.2f} ns")
        found.append((start, length))
    return found


def fixed_work(output: NetgaugeOutput) -> list[Reading]:
    """Times of equal pieces of work."""
    times_us = _cycles(output, FIXED_WORK, ["duration", "[us]"])
    series = (Series("work_s", "s", _core(output), np.array(times_us) * US),)
    return [Reading("noise-fwq", series, {"method": "fwq", "program": "netgauge noise"})]


def fixed_time(output: NetgaugeOutput) -> list[Reading]:
    """Work done in equal spans of time."""
    done = _cycles(output, FIXED_TIME, ["workload", "iterations"])
    plan: dict[str, object] = {"method": "ftq", "program": "netgauge noise"}
    if quanta_us := _told(output, "# Compute-Cycle Duration: ", r"(\d+) usec"):
        plan["quantum_s"] = quanta_us[0] * US
    series = (Series("work_count", "count", _core(output), np.array(done, dtype=np.int64)),)
    return [Reading("noise-ftq", series, plan)]


def _core(output: NetgaugeOutput) -> dict[str, Label]:
    return {"host": output.host(), "cpu": 0}


def _cycles(output: NetgaugeOutput, title: str, what: list[str]) -> list[int]:
    """The numbers of a file that has one a cycle."""
    begin = [line.rstrip() for line in output.lines].index(title)
    after = output.lines[begin + 1].split() if begin + 1 < len(output.lines) else []
    if after != ["#", "cycle", "number", *what]:
        raise output.refused(output.first + begin + 1, f"there is no header of cycle number and {' '.join(what)}")
    found: list[int] = []
    for line, text in output.rows():
        words = text.split()
        if line <= output.first + begin or len(words) != 2 or words[0] != str(len(found)):
            raise output.refused(line, f"{text!r} is not cycle {len(found)} and its {what[0]}")
        found.append(int(number(words[1], output.source, line, pattern=r"\d+")))
        if not found[-1]:
            raise output.refused(line, f"cycle {words[0]} has a {what[0]} of 0")
    asked = _told(output, "# Number of Cycles/Detours: ", r"(\d+)")
    if not found or (asked and len(found) != asked[0]):
        wanted = f"{asked[0]} cycles" if asked else "a cycle"
        raise output.refused(output.end(), f"there are {len(found)} cycles where {wanted} should be")
    return found


def _told(output: NetgaugeOutput, title: str, pattern: str) -> list[int]:
    """Whole numbers that lines of this title tell.

    Raises:
        MeasurementError: such a line tells something else.
    """
    found = []
    for place, line in enumerate(output.lines):
        if line.startswith(title.rstrip()):
            told = re.fullmatch(re.escape(title) + pattern, line.rstrip())
            if told is None:
                raise output.refused(output.first + place, f"{line.rstrip()!r} does not tell a whole number")
            found.append(int(number(told[1], output.source, output.first + place, pattern=r"\d+")))
    return found
