"""Tables of perftest (ib_send_lat, ib_write_bw, ...: src/perftest_parameters.h of its sources, RESULT_FMT and others).

"MB/sec" and "MiB/sec" are both 2^20 bytes a second there (older versions wrote the former); "Gb/sec" are 10^9 bits.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.readers.reading import MIB_BPS, US, Column, Reading, by_size, number, refused, rising, whole_lines
from fairlead.store import Series

TITLE = re.compile(r"\s+(?P<verb>Send|Send_imm|RDMA_Write|RDMA_Write_imm|RDMA_Read|Atomic)\b(?P<rest>.*) Test\s*")
RULE = re.compile(r"-{20,}\s*")
QPS = re.compile(r"\s*Number of qps\s*:\s*(\d+)")
DEVICE = re.compile(r".*\bDevice\s*:\s*(\S+)")
WARNING = re.compile(r"\s*(Conflicting CPU frequency|WARNING|Warning)")
MESSAGES = r"MsgRate\[Mpps\]"
COLUMNS: tuple[tuple[str, Column | None], ...] = (
    (r"#bytes", None),
    (r"#sl", None),
    (r"#iterations", None),
    (r"t_min\[usec\]", Column("time_s", "least", US)),
    (r"t_max\[usec\]", Column("time_s", "greatest", US)),
    (r"t_typical\[usec\]", Column("time_s", "median", US)),
    (r"t_avg\[usec\]", Column("time_s", "mean", US)),
    (r"t_stdev\[usec\]", Column("time_s", "deviation", US)),
    (r"99% percentile\[usec\]", Column("time_s", "p99", US)),
    (r"99\.9% percentile\[usec\]", Column("time_s", "p99.9", US)),
    (r"tps average", None),
    (r"BW peak\[Mi?B/sec\]", Column("rate_bps", "greatest", MIB_BPS)),
    (r"BW average\[Mi?B/sec\]", Column("rate_bps", "mean", MIB_BPS)),
    (r"BW peak\[Gb/sec\]", Column("rate_bps", "greatest", 1e9)),
    (r"BW average\[Gb/sec\]", Column("rate_bps", "mean", 1e9)),
    (MESSAGES, None),
    (r"CPU_Util\[%\]", None),
)
TOLD = r"(0|[1-9]\d*)\.(\d{2}|\d{6})"  # as printf writes it: any other form has lost a digit
SAMPLES = re.compile(r"#, (\S+)")  # of --report-histogram and --report-unsorted; the row that sums them up follows
SAMPLE = re.compile(r"(\d+), (\S+)")
SAMPLE_SERIES = "latency_s"
Named = tuple[str, Column | None]


def read(text: str, source: str) -> list[Reading]:
    """The tests of a file. What stands before a title is not looked at.

    Raises:
        MeasurementError: no test, a line that is none of this format, or a table without its closing line.
    """
    lines = whole_lines(text, source)
    starts = [k for k, line in enumerate(lines) if TITLE.fullmatch(line)]
    if not starts:
        raise refused(
            source, 1, "there is no title of perftest", hint='it reads "Send Latency Test", "RDMA_Write BW Test"'
        )
    return [_test(lines, begin, end, source) for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _test(lines: list[str], begin: int, end: int, source: str) -> Reading:
    title = TITLE.fullmatch(lines[begin])
    assert title is not None
    name = " ".join(f"perftest {title['verb']}{title['rest']}".split())
    table = _Table(source)
    if not any(table.ends_with(lines[place], place + 1) for place in range(begin + 1, end)):
        raise refused(source, end, f"the table of {name} has no closing line; the file is not complete")
    if not table.rows:
        raise refused(source, begin + 1, f"the table of {name} has no rows")
    if "qps" not in table.plan:
        raise refused(source, begin + 1, "the number of queue pairs is missing")
    sizes_B = [int(row[0]) for row in table.rows]
    columns = [
        (column, [row[k] for row in table.rows])
        for k, (_, column) in enumerate(table.header)
        # A peak of 0 is one that was not looked for (--noPeak, --duration).
        if column is not None and not (column.statistic == "greatest" and not any(row[k] for row in table.rows))
    ]
    reading = by_size(f"{name}, {table.plan['qps']} QP", sizes_B, columns, plan={"program": name, **table.plan})
    samples = [
        Series(SAMPLE_SERIES, "s", {"size_B": sizes_B[row]}, US * np.array(taken))
        for row, taken in table.samples.items()
    ]
    return replace(reading, series=(*reading.series, *samples))


class _Table:
    """What the lines of a test have told so far.

    Attributes:
        samples: by the number of the row that sums them up.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self.plan: dict[str, object] = {}
        self.header: list[Named] = []
        self.rows: list[list[float]] = []
        self.samples: dict[int, list[float]] = {}

    def ends_with(self, text: str, line: int) -> bool:
        """Take a line; whether it is the last one.

        Raises:
            MeasurementError: it is none of this format.
        """
        own = self.samples.get(len(self.rows))  # of the row that comes next
        if found := QPS.match(text):
            self.plan["qps"] = int(found[1])
        if found := DEVICE.match(text):
            self.plan["device"] = found[1]
        if text.lstrip().startswith("#bytes"):
            header = _header(text, self._source, line)
            if self.header and (own is None or header != self.header):  # after samples it is written again
                raise refused(self._source, line, "a second header in one test")
            self.header = header
        elif not self.header or not text.strip() or WARNING.match(text):
            return False
        elif RULE.fullmatch(text):
            return own is None
        elif found := SAMPLES.fullmatch(text):
            if own is not None or found[1] != "usec":
                raise refused(self._source, line, f"these samples are not read: {text.strip()!r}")
            self.samples[len(self.rows)] = []
        elif own is not None and (found := SAMPLE.fullmatch(text)):
            if int(found[1]) != len(own) + 1:
                raise refused(self._source, line, f"sample {found[1]} comes after {len(own)}")
            own.append(number(found[2], self._source, line))
        else:
            self._take_row(text, line, own)
        return False

    def _take_row(self, text: str, line: int, samples: Sequence[float] | None) -> None:
        self.rows.append(_row(text, self.header, self._source, line))
        rising([int(row[0]) for row in self.rows], self._source, line)
        if samples is not None:
            _check(samples, self.rows[-1], self.header, self._source, line)


def _check(samples: Sequence[float], row: Sequence[float], header: Sequence[Named], source: str, line: int) -> None:
    """Samples must be as many as the row says (but for the first, and the last of sorted ones), and have its least."""
    of = {column.statistic if column else name: value for value, (name, column) in zip(row, header, strict=True)}
    iterations = int(of["#iterations"])
    if not iterations - 3 <= len(samples) <= iterations or "least" not in of:
        raise refused(source, line, f"{len(samples)} samples do not make {iterations} iterations")
    if abs(min(samples) - of["least"]) > 0.0051:
        raise refused(source, line, f"the least sample, {min(samples):g}, is not {of['least']:g}")


def _header(text: str, source: str, line: int) -> list[Named]:
    rest, found = " ".join(text.split()), list[Named]()
    while rest:
        for phrase, column in COLUMNS:
            if match := re.match(phrase + r"(?= |$)", rest):
                found.append((phrase, column))
                rest = rest[match.end() :].strip()
                break
        else:
            raise refused(source, line, f"unknown column at {rest!r}", hint="tables of two ports (-O) are not read")
    if not any(column for _, column in found):
        raise refused(source, line, "a header without a time or a bandwidth")
    return found


def _row(text: str, header: list[Named], source: str, line: int) -> list[float]:
    words = text.split()
    if len(words) != len(header):
        raise refused(source, line, f"{len(words)} columns where the header has {len(header)}: {text.strip()!r}")
    row = [
        number(word, source, line, pattern=r"0|[1-9]\d*" if name.startswith("#") else TOLD)
        for word, (name, _) in zip(words, header, strict=True)
    ]
    times = {column.statistic: value for value, (_, column) in zip(row, header, strict=True) if column is not None}
    if "t_min" in text or times.keys() >= {"least", "median", "p99", "p99.9", "greatest"}:
        ordered = [times[each] for each in ("least", "median", "p99", "p99.9", "greatest")]
        if ordered != sorted(ordered):
            raise refused(source, line, "least, typical, percentiles and greatest time are not in rising order")
    _check_rates(row, header, source, line)
    return row


def _check_rates(row: Sequence[float], header: Sequence[Named], source: str, line: int) -> None:
    """The average must be that of so many messages a second, and no more than the peak, where there is one."""
    told = {name: value for value, (name, _) in zip(row, header, strict=True)}
    of = {column.statistic: (value, column.scale) for value, (_, column) in zip(row, header, strict=True) if column}
    if MESSAGES not in told or "mean" not in of:
        return
    if not row[0]:
        raise refused(source, line, "a bandwidth of messages of 0 B")
    mean, scale = of["mean"]
    per_unit = scale / 8 / row[0] / 1e6  # messages in millions that make a unit of the average
    if abs(mean * per_unit - told[MESSAGES]) > 0.0051 * per_unit + 0.51e-6:
        raise refused(source, line, f"{told[MESSAGES]:g} million messages of {row[0]:g} B are not {mean:g} in a second")
    peak = of.get("greatest", (0.0, scale))[0]
    if peak and 1.001 * peak + 0.01 < mean:
        raise refused(source, line, "the peak is below the average")
