"""Tables of the Intel MPI Benchmarks: IMB-MPI1, -NBC, -RMA, -EXT (src_c/IMB_output.c of their sources).

The throughput of older versions is in 2^20 bytes a second, that of newer ones in 10^6. Which one it is follows from the
times in the same rows; a row in which the two disagree is refused.
"""

import re

from fairlead.readers.reading import MB_BPS, MIB_BPS, US, Column, Reading, by_size, number, refused, rising, whole_lines

TITLE = re.compile(r"#\s*Intel\s?\(R\) MPI Benchmarks (?P<version>\S+(?: Update \d+)?), (?P<part>\S+) part\s*")
TEST = re.compile(r"# Benchmarking (?P<name>\S+)\s*")
PROCESSES = re.compile(r"# (?:#processes = (?P<all>\d+)|\( (?P<groups>\d+) groups of (?P<each>\d+) processes)")
MODE = re.compile(r"#\s+MODE: (?P<mode>AGGREGATE|NON-AGGREGATE)\s*")
END = "# All processes entering MPI_Finalize"
COLUMNS: dict[str, Column | None] = {
    "t[usec]": Column("time_s", "mean", US),
    "t_min[usec]": Column("time_s", "least", US),
    "t_max[usec]": Column("time_s", "greatest", US),
    "t_avg[usec]": Column("time_s", "mean", US),
    "t_pure[usec]": Column("time_s", "communication", US),
    "t_ovrl[usec]": Column("time_s", "overlapped", US),
    "t_CPU[usec]": Column("time_s", "computation", US),
    "overlap[%]": Column("overlap_share", "mean", 0.01),
    "Mbytes/sec": Column("rate_bps", "mean", MB_BPS),
    "Msg/sec": None,
    "#repetitions": None,
    "#bytes": None,
    "defects": None,
}
TRANSFERS = (1, 2, 4)  # messages that the throughput of a test counts: one, to and from (Sendrecv), of two neighbours
ROUNDING = 0.0051  # of a number with two decimals


def read(text: str, source: str) -> list[Reading]:
    """The tests of a file: of one launch, or of several one after the other.

    What stands before the first title, and behind an end, is not looked at.

    Raises:
        MeasurementError: no test, a line that is none of this format, no end, or numbers that disagree.
    """
    lines = whole_lines(text, source)
    titles = [(k, match) for k, line in enumerate(lines) if (match := TITLE.fullmatch(line))]
    if not titles:
        raise refused(source, 1, "there is no title of the Intel MPI Benchmarks")
    found = []
    for (begin, title), end in zip(titles, [*(k for k, _ in titles[1:]), len(lines)], strict=True):
        found += _launch(lines, begin, end, source, title["version"])
    return found


def _launch(lines: list[str], begin: int, end: int, source: str, version: str) -> list[Reading]:
    """The tests of one launch, between its title and the next or the end of the file."""
    ends = [k for k in range(begin, end) if lines[k].strip() == END]
    if not ends:
        raise refused(source, end, f'the output is not complete: "{END}" is missing')
    starts = [k for k in range(begin, ends[0]) if TEST.fullmatch(lines[k])]
    if not starts:
        raise refused(source, ends[0] + 1, "there is no test before the end")
    return [
        _test(lines, first, last, source, version) for first, last in zip(starts, [*starts[1:], ends[0]], strict=True)
    ]


def _test(lines: list[str], begin: int, end: int, source: str, version: str) -> Reading:
    test = TEST.fullmatch(lines[begin])
    assert test is not None
    header: list[str] | None = None
    rows: list[list[float]] = []
    ranks, mode, sizes_B = 0, "", list[int]()
    for place in range(begin + 1, end):
        line, text = place + 1, lines[place].strip()
        if processes := PROCESSES.match(text):
            if processes["groups"]:
                raise refused(source, line, "several groups at the same time (-multi) are not supported")
            ranks = int(processes["all"])
        elif aggregated := MODE.match(text):
            mode = f", {aggregated['mode'].lower()}"
        elif text.startswith(("#bytes", "#repetitions")):
            if header is not None:
                raise refused(source, line, "a second header in one test")
            header = _header(text, source, line)
        elif not text or text.startswith("#"):
            continue
        elif header is None or not ranks:
            raise refused(source, line, "numbers before the header of the table")
        else:
            rows.append(_row(text, header, source, line))
            if "#bytes" in header:
                sizes_B.append(int(rows[-1][header.index("#bytes")]))
                rising(sizes_B, source, line)
    if header is None or not rows:
        raise refused(source, end, f"the table of {test['name']} has no rows")
    benchmark = f"IMB {test['name']}, {ranks} ranks{mode}"
    unit_bps = _unit_bps(header, rows, sizes_B, source, end) if "Mbytes/sec" in header and sizes_B else MB_BPS
    columns = []
    for k, name in enumerate(header):
        column = COLUMNS[name]
        if column is not None:
            scaled = Column(column.name, column.statistic, unit_bps) if name == "Mbytes/sec" else column
            columns.append((scaled, [row[k] for row in rows]))
    return by_size(benchmark, sizes_B, columns, plan={"program": benchmark, "version": version, "ranks": ranks})


def _header(text: str, source: str, line: int) -> list[str]:
    words = text.split()
    for word in words:
        if word not in COLUMNS:
            raise refused(source, line, f"unknown column {word!r}", hint="-multi 1 and IMB-MT are not read")
    return words


def _row(text: str, header: list[str], source: str, line: int) -> list[float]:
    words = text.split()
    if len(words) != len(header):
        raise refused(source, line, f"{len(words)} columns where the header has {len(header)}: {text!r}")
    whole = [name in ("#bytes", "#repetitions", "Msg/sec") for name in header]
    row = [
        number(word, source, line, pattern=r"\d+" if integer else r"\d+\.\d\d")
        for word, integer in zip(words, whole, strict=True)
    ]
    if "defects" in header and row[header.index("defects")] > 0:
        raise refused(source, line, "the benchmark's own check found wrong data")
    return row


def _unit_bps(header: list[str], rows: list[list[float]], sizes_B: list[int], source: str, end: int) -> float:
    """What "Mbytes/sec" is in bit/s: the unit that all rows agree with."""
    printed = [row[header.index("Mbytes/sec")] for row in rows]
    if "Msg/sec" in header:
        moved_Bps = [size_B * row[header.index("Msg/sec")] for size_B, row in zip(sizes_B, rows, strict=True)]
        # The rate of messages is rounded to a whole one.
        slack = [size_B * 0.51 / 1e6 for size_B in sizes_B]
        candidates = [(unit, [moved / (unit / 8) for moved in moved_Bps]) for unit in (MB_BPS, MIB_BPS)]
    else:
        longest = "t_max[usec]" if "t_max[usec]" in header else "t[usec]"
        times_s = [row[header.index(longest)] * US for row in rows]
        slack = [
            rate * min(1.0, ROUNDING * US / time_s) if time_s else rate
            for rate, time_s in zip(printed, times_s, strict=True)
        ]
        candidates = [
            (
                unit,
                [
                    n * size_B / (unit / 8) / time_s if time_s else 0.0
                    for size_B, time_s in zip(sizes_B, times_s, strict=True)
                ],
            )
            for unit in (MB_BPS, MIB_BPS)
            for n in TRANSFERS
        ]
    for unit, expected in candidates:
        # Rounding of the time counts in full: a row says no more than that.
        if all(
            abs(shown - value) <= ROUNDING + 1.01 * more
            for shown, value, more in zip(printed, expected, slack, strict=True)
        ):
            return unit
    raise refused(
        source, end, "the throughputs do not fit the times of their rows: the file was altered, or is not understood"
    )
