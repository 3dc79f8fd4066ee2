"""Files of netgauge: operating-system noise (``-x noise``) and round trips (``-x one_one``).

Formats: ptrn_noise.c (write_results_selfish, write_results_fwq) and ptrn_one_one.cpp of netgauge 2.4.
"""

import re

import numpy as np

from fairlead.readers.reading import US, Column, Reading, by_size, number, refused, rising, whole_lines
from fairlead.store import Label, Series

NS = 1e-9
SELFISH, FIXED_WORK = "# Selfish Benchmark", "# Fixed Work Quantum Benchmark"
SELFISH_HEADER = "# Time [ns]\tselfish duration [ns]"
ONE_ONE = re.compile(r"## Netgauge v(?P<version>\S+) - mode (?P<mode>\S+) - (?P<ranks>\d+) processes\s*")
LONG = "## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q"
SHORT = "## A  -  B  C  D  E - F  G  H  I - J  K  L  M"
_FOUR = r"(\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d) (\d+\.\d\d)"
_AROUND = r" \(\d+\.\d\d \d+\)"
ROWS = {
    LONG: re.compile(rf"(\d+) - {_FOUR}{_AROUND} - {_FOUR}{_AROUND} - {_FOUR}"),
    SHORT: re.compile(rf"(\d+) - {_FOUR} - {_FOUR} - {_FOUR}"),
}
ROUNDING = 0.0051  # of a number with two decimals
DECIMALS = r"\d+\.\d\d"


def read(text: str, source: str) -> list[Reading]:
    """The noise or the round trips of a file.

    Raises:
        MeasurementError: neither of the two, a line that is none of this format, no end, or numbers that disagree.
    """
    lines = whole_lines(text, source)
    if SELFISH in lines:
        return [_selfish(lines, source)]
    if FIXED_WORK in lines:
        return [_fixed_work(lines, source)]
    if any(ONE_ONE.fullmatch(line) for line in lines):
        return [_one_one(lines, source)]
    raise refused(source, 1, "is no noise (selfish, FWQ) and no one_one of netgauge", hint="FTQ and LogGP are not read")


def _value(lines: list[str], pattern: str, source: str) -> float:
    for place, line in enumerate(lines):
        if match := re.fullmatch(pattern, line.rstrip()):
            return number(match[1], source, place + 1)
    raise refused(source, len(lines), f"there is no line that reads {pattern!r}; the file is not complete")


def _selfish(lines: list[str], source: str) -> Reading:
    least_ns = _value(lines, r"# Minimal cycle length \[ns\]: (\S+)", source)
    iterations = _value(lines, r"# Number of iterations \(recorded\+unrecorded\): (\d+)", source)
    threshold = _value(lines, r"# Threshold: \[% minimal cycle length\]: (\d+)", source) / 100
    overhead_percent = _value(lines, r"# CPU overhead due to noise: (\d+\.\d\d)%", source)
    period_s = _value(lines, r"# Measurement period: (\d+\.\d\d) s", source)
    if SELFISH_HEADER not in [line.rstrip() for line in lines]:
        raise refused(source, 1, f"there is no header {SELFISH_HEADER!r}")
    detours_ns = np.array(_pairs(lines, source), dtype=np.float64).T
    if not detours_ns.size:
        raise refused(source, len(lines), "there is no detour")
    if (np.diff(detours_ns[0]) <= 0).any():
        raise refused(source, len(lines), "the times of the detours do not rise")
    # What the program says of the same numbers must follow from them.
    measured_ns = float(detours_ns[:, -1].sum()) + least_ns
    if abs(measured_ns * NS - period_s) > ROUNDING:
        raise refused(
            source, len(lines), f"the detours end after {measured_ns * NS:.2f} s, and not after {period_s:.2f} s"
        )
    share = float(detours_ns[1].sum()) / measured_ns
    if abs(100 * share - overhead_percent) > ROUNDING:
        raise refused(
            source, len(lines), f"the detours take {100 * share:.2f} % of the time, not {overhead_percent:.2f} %"
        )
    labels: dict[str, Label] = {"host": _host(lines), "cpu": 0}
    seen = {**labels, "period_s": measured_ns * NS, "iterations": int(iterations), "threshold": threshold}
    series = (
        Series("least_iteration_s", "s", seen, np.array([least_ns * NS])),
        Series("detours_s", "s", labels, detours_ns * NS),
    )
    return Reading("noise", series, {"method": "selfish", "program": "netgauge noise"})


def _pairs(lines: list[str], source: str) -> list[tuple[float, float]]:
    found, begun = [], False
    for place, line in enumerate(lines):
        begun = begun or line.rstrip() == SELFISH_HEADER
        if not begun or not line.strip() or line.startswith("#"):
            continue
        words = line.split("\t")
        if len(words) != 2:
            raise refused(source, place + 1, f"{line!r} is no time and duration")
        start, length = (number(word, source, place + 1, pattern=DECIMALS) for word in words)
        found.append((start, length))
    return found


def _host(lines: list[str]) -> str:
    found = [line.removeprefix("# Nodename:").strip() for line in lines if line.startswith("# Nodename:")]
    return found[0] if found else "unnamed"


def _fixed_work(lines: list[str], source: str) -> Reading:
    begin = lines.index(FIXED_WORK)
    if begin + 1 == len(lines) or lines[begin + 1].split() != ["#", "cycle", "number", "duration", "[us]"]:
        raise refused(source, begin + 2, "there is no header of cycle number and duration")
    times_us: list[float] = []
    for place in range(begin + 2, len(lines)):
        words = lines[place].split()
        if not words or words[0] == "#":
            continue
        if len(words) != 2 or words[0] != str(len(times_us)):
            raise refused(source, place + 1, f"{lines[place]!r} is not cycle {len(times_us)} and its duration")
        times_us.append(number(words[1], source, place + 1, pattern=r"\d+"))
    if not times_us or min(times_us) <= 0:
        raise refused(source, len(lines), "there is no cycle, or one that took no time")
    labels: dict[str, Label] = {"host": _host(lines), "cpu": 0}
    series = (Series("work_s", "s", labels, np.array(times_us) * US),)
    return Reading("noise-fwq", series, {"method": "fwq", "program": "netgauge noise"})


def _one_one(lines: list[str], source: str) -> Reading:
    begin, title = next((k, found) for k, line in enumerate(lines) if (found := ONE_ONE.fullmatch(line)))
    row: re.Pattern[str] | None = None
    sizes_B: list[int] = []
    rows: list[list[float]] = []
    for place in range(begin + 1, len(lines)):
        line, text = place + 1, lines[place].strip()
        if text in ROWS:
            row = ROWS[text]
        elif not text or text.startswith("#"):
            continue
        elif row is None or not (match := row.fullmatch(text)):
            raise refused(source, line, f"{text!r} is no row of one_one")
        else:
            sizes_B.append(int(match[1]))
            rising(sizes_B, source, line)
            rows.append([float(word) for word in match.groups()[5:]])
            _agree(sizes_B[-1], rows[-1], source, line)
    if not rows:
        raise refused(source, len(lines), "one_one has no rows; the file is not complete")
    names = ("least", "mean", "median", "greatest")
    columns = [(Column("time_s", name, US), [each[k] for each in rows]) for k, name in enumerate(names)]
    columns += [(Column("rate_bps", name, 1e6), [each[4 + k] for each in rows]) for k, name in enumerate(names)]
    plan = {"program": "netgauge one_one", "version": title["version"], "ranks": int(title["ranks"])}
    return by_size("netgauge one_one", sizes_B, columns, plan=plan)


def _agree(size_B: int, row: list[float], source: str, line: int) -> None:
    """The rates of a row are those of its times, the least of the greatest (half a round trip)."""
    times_us = (row[3], row[1], row[2], row[0])
    if not row[0] <= row[2] <= row[3]:
        raise refused(source, line, "least, median and greatest time are not in rising order")
    for time_us, rate in zip(times_us, row[4:], strict=True):
        if time_us <= ROUNDING:
            continue  # rounded away
        expected = 8 * size_B / time_us
        if abs(rate - expected) > ROUNDING + expected * ROUNDING / (time_us - ROUNDING):
            raise refused(source, line, f"{size_B} B in {time_us} us are not {rate} Mbit/s")
