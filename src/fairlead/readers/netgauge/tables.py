"""Tables of netgauge: one_one and its kin, 1toN, Nto1, overlap, memory (ptrn_*.cpp: the header, then a row a size)."""

import re
from dataclasses import dataclass

from fairlead.readers.netgauge.outputs import NetgaugeOutput
from fairlead.readers.reading import US, Column, Reading, by_size, rising
from fairlead.store import Label

FOUR = ("least", "mean", "median", "greatest")
ROUNDING = 0.0051  # of a number with two decimals
_NUMBER = r"(\d+\.\d\d(?:\d\d)?)"  # one_one_all has four decimals at the least time
_BLOCK = " ".join([_NUMBER] * 4)
_AROUND = r" \((?:\d+\.\d\d|-?nan) \d+\)"  # deviation, and how many lie beyond two of it; none of a single test
QUEUE, STRIDES, ALL = "one_one_req_queue", "one_one_dtype", "one_one_all"
UNNAMED = "several patterns of netgauge write this table, and the file does not name the pattern"


@dataclass(frozen=True)
class Layout:
    """A kind of table.

    Attributes:
        blocks: what its groups of four numbers are of.
        around: how many of the blocks, from the first, tell their deviation as well.
        keys: how many numbers stand before the blocks.
        pattern: where the header says enough; several have the same.
    """

    blocks: tuple[str, ...]
    around: int
    keys: tuple[int, ...] = (1,)
    pattern: str = ""

    def row(self) -> re.Pattern[str]:
        """What its rows look like."""
        blocks = [_BLOCK + (_AROUND if k < self.around else "") for k in range(len(self.blocks))]
        keys = "|".join(" ".join([r"\d+"] * count) for count in sorted(self.keys, reverse=True))
        return re.compile(rf"({keys}) -\s+" + r" -\s+".join(blocks))


_PING = ("sending", "time", "rate")
_OF_MEMORY = ("read", "write", "copy")
LAYOUTS = {
    "## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q": Layout(_PING, 2, (1, 2), "one_one"),
    "## A  -  B  C  D  E - F  G  H  I - J  K  L  M": Layout(_PING, 0, (1, 2), "one_one"),
    "## A  -  B  C  S  D  (E F) - G  H  T  I  (J K)  -  L  M  U  N": Layout(_PING, 2),
    "## A  -  B  C  S  D - G  H  T  I - L  M  U  N": Layout(_PING, 0),
    "## R T A  -  B  C  D  E - F  G  H  I - J  K  L  M": Layout(_PING[:2], 2, (3,), ALL),
    "## R T A  -  B  C  D  E  (F G)": Layout(_PING[1:2], 1, (2,), ALL),
    "## A  -  B  C  D  E (F G) - B  C  D  E (F G) -  B  C  D  E (F G)": Layout(_OF_MEMORY, 3, pattern="memory"),
    "## A  -  B  C  D  E - B  C  D  E -  B  C  D  E": Layout(_OF_MEMORY, 0, pattern="memory"),
    "## A1 A2  -  B  C  D  E (F G)": Layout(_PING[1:2], 1, (2,), "memory"),
}
Pair = tuple[int, ...]
Row = tuple[int, tuple[int, ...], dict[str, list[float]]]


def is_table(output: NetgaugeOutput) -> bool:
    """Whether it has a header of one."""
    return any(line.rstrip() in LAYOUTS for line in output.lines)


def read(output: NetgaugeOutput) -> list[Reading]:
    """The tests of a table."""
    layout: Layout | None = None
    rows: list[Row] = []
    for place, text in enumerate(output.lines):
        line, bare = output.first + place, text.rstrip()
        if bare in LAYOUTS:
            if layout is not None:
                raise output.refused(line, "a second header in one table")
            layout = LAYOUTS[bare]
        elif bare and not bare.startswith("#"):
            match = layout.row().fullmatch(bare) if layout else None
            if layout is None or match is None:
                raise output.refused(line, f"{bare!r} is not a row of this table; its header is {_header(layout)!r}")
            rows.append((line, tuple(int(key) for key in match[1].split()), _blocks(layout, match)))
    assert layout is not None
    if not rows:
        raise output.refused(output.end(), "the table has no rows; the file is not complete")
    pattern = output.pattern or (STRIDES if len(rows[0][1]) == 2 and layout.keys == (1, 2) else layout.pattern)
    if not pattern:
        raise output.refused(rows[0][0], UNNAMED, hint="name it: --test 1toN, Nto1, one_one_randbuf, one_one_randtag")
    return _readings(output, pattern, rows, layout)


def _header(layout: Layout | None) -> str:
    return next((header for header, each in LAYOUTS.items() if each == layout), "missing")


def _blocks(layout: Layout, match: re.Match[str]) -> dict[str, list[float]]:
    values = [float(word) for word in match.groups()[1:]]
    return {name: values[4 * k : 4 * k + 4] for k, name in enumerate(layout.blocks)}


def _readings(output: NetgaugeOutput, pattern: str, rows: list[Row], layout: Layout) -> list[Reading]:
    tests: dict[tuple[str, Pair], list[tuple[int | None, dict[str, list[float]]]]] = {}
    for line, keys, blocks in rows:
        name, size_B, pair = _test(output, pattern, keys, line)
        if pair and (name, pair) in tests:
            raise output.refused(line, f"a second row of ranks {pair[0]} and {pair[1]}")
        test = tests.setdefault((name, pair), [])
        _ordered(output, blocks, line)
        if "rate" in blocks and size_B is not None:
            _agree(output, size_B, blocks, line)
        test.append((size_B, blocks))
        if size_B is not None:
            rising([size for size, _ in test if size is not None], output.source, line)
    return [reading for (name, pair), test in tests.items() for reading in _of_test(output, name, pair, layout, test)]


def _test(output: NetgaugeOutput, pattern: str, keys: tuple[int, ...], line: int) -> tuple[str, int | None, Pair]:
    """The name of a row's test, its size, and the ranks that it is of: pairs of ranks repeat each other."""
    name = f"netgauge {pattern}"
    if pattern == QUEUE and len(keys) == 1:
        return f"{name}, {keys[0]} requests", None, ()
    if pattern == STRIDES and len(keys) == 2:
        return f"{name}, stride {keys[0]}", keys[1], ()
    if pattern == ALL and len(keys) > 1:
        title = output.title()
        rank = int(title["rank"]) if title and title["rank"] else 0
        return name, keys[2] if len(keys) == 3 else None, (rank, keys[0])
    if pattern == "memory" and len(keys) == 2:
        return f"{name}, pointer chase", keys[0] * keys[1], ()
    if len(keys) != 1:
        raise output.refused(line, f"{len(keys)} numbers before the first dash, where {pattern} has 1")
    return name, keys[0], ()


def _of_test(
    output: NetgaugeOutput, name: str, pair: Pair, layout: Layout, test: list[tuple[int | None, dict[str, list[float]]]]
) -> list[Reading]:
    sizes_B = [size_B for size_B, _ in test if size_B is not None]
    labels: dict[str, Label] = {"rank": pair[0], "peer": pair[1]} if pair else {}
    if layout.blocks == _OF_MEMORY:
        groups = {f"{name}, {block}": [(block, "time_s", "", US)] for block in _OF_MEMORY}
    else:
        kinds = {"sending": ("time_s", "sending ", US), "time": ("time_s", "", US), "rate": ("rate_bps", "", 1e6)}
        groups = {name: [(block, *kinds[block]) for block in layout.blocks]}
    found = []
    for benchmark, parts in groups.items():
        columns = [
            (Column(series, front + statistic, scale), [blocks[block][k] for _, blocks in test])
            for block, series, front, scale in parts
            for k, statistic in enumerate(FOUR)
        ]
        found.append(by_size(benchmark, sizes_B, columns, labels=labels, plan=output.plan(benchmark)))
    return found


def _ordered(output: NetgaugeOutput, blocks: dict[str, list[float]], line: int) -> None:
    for name, (least, mean, median, greatest) in blocks.items():
        if not least - ROUNDING <= median <= greatest + ROUNDING:
            raise output.refused(line, f"least, median and greatest of {name} are not in rising order")
        if not least - ROUNDING <= mean <= greatest + ROUNDING:
            raise output.refused(line, f"the mean of {name} does not lie between its least and greatest")


def _agree(output: NetgaugeOutput, size_B: int, blocks: dict[str, list[float]], line: int) -> None:
    """The rates of a row are those of its times, the least of the greatest (half a round trip)."""
    least, mean, median, greatest = blocks["time"]
    for time_us, rate in zip((greatest, mean, median, least), blocks["rate"], strict=True):
        check_rate(output, size_B, time_us, rate, line)


def check_rate(
    output: NetgaugeOutput, size_B: int, time_us: float, rate: float, line: int, *, rounding: float = ROUNDING
) -> None:
    """A rate in Mbit/s must be that of so many bytes in that time.

    Args:
        rounding: of the rate.

    Raises:
        MeasurementError: it is not.
    """
    if time_us <= ROUNDING:
        return  # rounded away
    expected = 8 * size_B / time_us
    if abs(rate - expected) > rounding + expected * ROUNDING / (time_us - ROUNDING):
        raise output.refused(line, f"{size_B} B in {time_us} us are not {rate} Mbit/s")
