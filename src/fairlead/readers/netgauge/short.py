"""What netgauge prints without ``-v``: a line a size, without a header (the last branches of ptrn_*.cpp)."""

import re
from collections.abc import Callable

from fairlead.readers.netgauge.outputs import DEFAULT_PATTERN, NetgaugeOutput
from fairlead.readers.netgauge.tables import ALL, QUEUE, ROUNDING, STRIDES, check_rate
from fairlead.readers.reading import MB_BPS, US, Column, Reading, by_size, rising

_N = r"(\d+\.\d\d)"
SIZE = re.compile(rf"(\d+) bytes \t -> {_N} us \t == {_N} Mbit/s")
REQUESTS = re.compile(rf"(\d+) reqs\t -> {_N} us \(roudtrip\) \t == {_N} Mbit/s")
STRIDE = re.compile(rf"stride (\d+) \t (\d+) x 1 bytes \t -> {_N} us \t == {_N} Mbit/s")
PERTURBED = re.compile(rf"(\d+) bytes \t -> {_N} us, {_N} us\. {_N} us")
ROUND = re.compile(r"### compute=(?P<compute>\d), communicate=(?P<communicate>\d)")
MEMORY = re.compile(rf"(\d+) bytes \t r w c -> {_N} {_N} {_N} us \t\t \( {_N} {_N} {_N} MiB/s\)")
CHASE = re.compile(rf"traversed (\d+) pointers of size (\d+) in {_N} us -> {_N} ns per hop")
MEDIANS = ("1toN", "Nto1", "one_one_randbuf", "one_one_randtag")
"""Patterns whose time is the median. That of the others is the least, beside the rate of the median."""
Value = tuple[str, int | None, dict[Column, float]]
"""Name of the test, size, and what a row says of it."""


def is_short(output: NetgaugeOutput) -> bool:
    """Whether it has a row of these."""
    return any(row.fullmatch(text) for _, text in output.rows() for row in (*ROWS, PERTURBED))


def read(output: NetgaugeOutput) -> list[Reading]:
    """The tests of an output."""
    tests: dict[str, list[tuple[int | None, dict[Column, float]]]] = {}
    for line, text in _with_rounds(output):
        row = next((each for each in ROWS if each.fullmatch(text)), None)
        match = row.fullmatch(text) if row else None
        if row is None or match is None:
            raise output.refused(line, f"{text!r} is not a row of netgauge")
        for name, size_B, values in ROWS[row](output, match, line):
            test = tests.setdefault(name, [])
            if test and test[0][1].keys() != values.keys():
                raise output.refused(line, "another kind of row than those before")
            test.append((size_B, values))
            if size_B is not None:
                rising([size for size, _ in test if size is not None], output.source, line)
            elif len(test) > 1:
                raise output.refused(line, f"a second row of {name}")
    return [_reading(output, name, test) for name, test in tests.items()]


def _with_rounds(output: NetgaugeOutput) -> list[tuple[int, str]]:
    """Rows; those of one_one_perturb with the round that they are of ("### compute=1, communicate=0")."""
    found, told = [], ""
    for place, text in enumerate(output.lines):
        if ROUND.fullmatch(text.rstrip()):
            told = text.rstrip()
        elif text.strip() and not text.startswith("#"):
            found.append((output.first + place, f"{told}\n{text}" if PERTURBED.fullmatch(text) else text))
    return found


def _reading(output: NetgaugeOutput, name: str, test: list[tuple[int | None, dict[Column, float]]]) -> Reading:
    sizes_B = [size_B for size_B, _ in test if size_B is not None]
    columns = [(column, [values[column] for _, values in test]) for column in test[0][1]]
    return by_size(name, sizes_B, columns, plan=output.plan(name))


def _size(output: NetgaugeOutput, match: re.Match[str], line: int) -> list[Value]:
    pattern = output.pattern or DEFAULT_PATTERN
    if pattern in (QUEUE, STRIDES, ALL, "memory"):
        raise output.refused(line, f"{match[0]!r} is not a row of {pattern}")
    size_B, time_us, rate = int(match[1]), float(match[2]), float(match[3])
    is_median = pattern in MEDIANS
    if is_median:
        check_rate(output, size_B, time_us, rate, line)
    elif time_us and 8 * size_B / time_us < rate - 0.01 - rate * 0.0051 / time_us:
        raise output.refused(line, f"{size_B} B in the least time, {time_us} us, are less than {rate} Mbit/s")
    time = Column("time_s", "median" if is_median else "least", US)
    return [(f"netgauge {pattern}", size_B, {time: time_us, Column("rate_bps", "median", 1e6): rate})]


def _requests(output: NetgaugeOutput, match: re.Match[str], line: int) -> list[Value]:
    values = {Column("time_s", "least", US): float(match[2]), Column("rate_bps", "median", 1e6): float(match[3])}
    return [(f"netgauge {QUEUE}, {match[1]} requests", None, values)]


def _stride(output: NetgaugeOutput, match: re.Match[str], line: int) -> list[Value]:
    values = {Column("time_s", "least", US): float(match[3]), Column("rate_bps", "median", 1e6): float(match[4])}
    return [(f"netgauge {STRIDES}, stride {match[1]}", int(match[2]), values)]


def _perturbed(output: NetgaugeOutput, match: re.Match[str], line: int) -> list[Value]:
    parts = [part for part in ("compute", "communicate") if match[part] == "1"]
    name = f"netgauge one_one_perturb, {' and '.join(parts) or 'nothing'}"
    names = ("median post", "median computation", "median wait")
    times = match.groups()[3:]
    return [(name, int(match[3]), {Column("time_s", of, US): float(t) for of, t in zip(names, times, strict=True)})]


def _memory(output: NetgaugeOutput, match: re.Match[str], line: int) -> list[Value]:
    size_B, numbers = int(match[1]), [float(word) for word in match.groups()[1:]]
    for time_us, rate in zip(numbers[:3], numbers[3:], strict=True):
        check_rate(output, size_B, time_us, 8 * rate, line, rounding=8 * ROUNDING)
    return [
        (
            f"netgauge memory, {what}",
            size_B,
            {Column("time_s", "mean", US): numbers[k], Column("rate_bps", "mean", MB_BPS): numbers[3 + k]},
        )
        for k, what in enumerate(("read", "write", "copy"))
    ]


def _chase(output: NetgaugeOutput, match: re.Match[str], line: int) -> list[Value]:
    hops, time_us, hop_ns = int(match[1]), float(match[3]), float(match[4])
    if hops and abs(1e3 * time_us / hops - hop_ns) > 0.0051 + 5.1 / hops:
        raise output.refused(line, f"{hops} pointers in {time_us} us are not {hop_ns} ns each")
    return [("netgauge memory, pointer chase", hops * int(match[2]), {Column("time_s", "mean", US): time_us})]


ROWS: dict[re.Pattern[str], Callable[[NetgaugeOutput, re.Match[str], int], list[Value]]] = {
    SIZE: _size,
    REQUESTS: _requests,
    STRIDE: _stride,
    re.compile(rf"{ROUND.pattern}\n{PERTURBED.pattern}"): _perturbed,
    MEMORY: _memory,
    CHASE: _chase,
}
