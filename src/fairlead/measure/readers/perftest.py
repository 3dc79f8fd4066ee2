"""Tables of perftest (ib_send_lat, ib_write_bw, ...: src/perftest_parameters.h of its sources, RESULT_FMT and others).

"MB/sec" and "MiB/sec" are both 2^20 bytes a second there (older versions wrote the former); "Gb/sec" are 10^9 bits.
"""

import re

from fairlead.measure.readers.reading import MIB_BPS, US, Column, Reading, by_size, number, refused, rising, whole_lines

TITLE = re.compile(r"\s+(?P<verb>Send|Send_imm|RDMA_Write|RDMA_Write_imm|RDMA_Read|Atomic)\b(?P<rest>.*) Test\s*")
RULE = re.compile(r"-{20,}\s*")
QPS = re.compile(r"\s*Number of qps\s*:\s*(\d+)")
DEVICE = re.compile(r".*\bDevice\s*:\s*(\S+)")
WARNING = re.compile(r"\s*(Conflicting CPU frequency|WARNING|Warning)")
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
    (r"MsgRate\[Mpps\]", None),
    (r"CPU_Util\[%\]", None),
)
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
    plan: dict[str, object] = {"program": name}
    header: list[Named] | None = None
    sizes_B: list[int] = []
    rows: list[list[float]] = []
    for place in range(begin + 1, end):
        line, text = place + 1, lines[place]
        if found := QPS.match(text):
            plan["qps"] = int(found[1])
        if found := DEVICE.match(text):
            plan["device"] = found[1]
        if text.lstrip().startswith("#bytes"):
            if header is not None:
                raise refused(source, line, "a second header in one test")
            header = _header(text, source, line)
        elif header is not None and RULE.fullmatch(text):
            break
        elif header is not None and text.strip() and not WARNING.match(text):
            rows.append(_row(text, header, source, line))
            sizes_B.append(int(rows[-1][0]))
            rising(sizes_B, source, line)
    else:
        raise refused(source, end, f"the table of {name} has no closing line; the file is not complete")
    if header is None or not rows:
        raise refused(source, begin + 1, f"the table of {name} has no rows")
    if "qps" not in plan:
        raise refused(source, begin + 1, "the number of queue pairs is not told")
    columns = [
        (column, [row[k] for row in rows])
        for k, (_, column) in enumerate(header)
        # A peak of 0 is one that was not looked for (--noPeak, --duration).
        if column is not None and not (column.statistic == "greatest" and not any(row[k] for row in rows))
    ]
    benchmark = f"{name}, {plan['qps']} QP"
    return by_size(benchmark, sizes_B, columns, plan=plan)


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
        number(word, source, line, pattern=r"\d+" if name.startswith("#") else r"\d+\.\d+")
        for word, (name, _) in zip(words, header, strict=True)
    ]
    times = {column.statistic: value for value, (_, column) in zip(row, header, strict=True) if column is not None}
    if "t_min" in text or times.keys() >= {"least", "median", "p99", "p99.9", "greatest"}:
        ordered = [times[each] for each in ("least", "median", "p99", "p99.9", "greatest")]
        if ordered != sorted(ordered):
            raise refused(source, line, "least, typical, percentiles and greatest time are not in rising order")
    return row
