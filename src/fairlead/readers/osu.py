"""Tables of the OSU micro-benchmarks, versions 5 to 7 (c/util/osu_util_mpi.c of their sources: print_only_header).

A test is its title, comments, a header of named columns and a row a size::

    # OSU MPI Latency Test v7.4
    # Datatype: MPI_CHAR.
    # Size       Avg Latency(us)
    1                       2.46
"""

import re

from fairlead.readers.reading import MB_BPS, US, Column, Reading, by_size, number, refused, rising, whole_lines

TITLE = re.compile(
    r"# OSU MPI(?P<operation>_\w+)?(?:-(?P<accelerator>[A-Z]+(?: MANAGED)?))? (?P<title>\S.*?) "
    r"Test v(?P<version>\d+(?:\.\d+)*)\s*"
)
COMMENT = re.compile(r"# (Overall =|Using )|#\s*$")
PAIRS = re.compile(r"# \[ pairs: (?P<pairs>\d+) \] \[ window size: (?P<window>\d+) \]\s*")
DATATYPE = re.compile(r"# Datatype: (\S+?)\.?")
BUFFERS = re.compile(
    r"# (?:Send Buffer|Rank 0 Memory) on \w+ \((\w+)\) and (?:Receive Buffer|Rank 1 Memory) on \w+ \((\w+)\)"
)
ONE_SIDED = re.compile(r"# (?:Window creation|Synchronization): ([\w/]+)")
SKIPPED = None  # a column that says nothing about speed, or what follows from another
PHRASES: tuple[tuple[str, Column | None], ...] = (
    (r"(?:Avg )?Latency ?\(us\)", Column("time_s", "mean", US)),
    (r"Min Latency ?\(us\)", Column("time_s", "least", US)),
    (r"Max Latency ?\(us\)", Column("time_s", "greatest", US)),
    (r"(?:Avg )?Bandwidth ?\(MB/s\)", Column("rate_bps", "mean", MB_BPS)),
    (r"Overall ?\(us\)", Column("time_s", "mean", US)),
    (r"Pure Comm\. ?\(us\)", Column("time_s", "communication", US)),
    (r"Min Comm\. ?\(us\)", Column("time_s", "least communication", US)),
    (r"Max Comm\. ?\(us\)", Column("time_s", "greatest communication", US)),
    (r"Compute ?\(us\)", Column("time_s", "computation", US)),
    (r"Coll\. Init ?\(us\)", Column("time_s", "start", US)),
    (r"MPI_Test ?\(us\)", Column("time_s", "test", US)),
    (r"MPI_Wait ?\(us\)", Column("time_s", "wait", US)),
    (r"Overlap ?\(%\)", Column("overlap_share", "mean", 0.01)),
    (r"MB/s", Column("rate_bps", "mean", MB_BPS)),
    (r"Messages/s", SKIPPED),
    (r"Iterations", SKIPPED),
    (r"Transmit Size", SKIPPED),
    (r"Validation", SKIPPED),
)
TAIL = re.compile(r"P(\d{1,2}) Tail (Lat\(us\)|BW\(MB/s\))")


def read(text: str, source: str) -> list[Reading]:
    """The tests of a file. What stands before the first title (a launcher's words) is not looked at.

    Raises:
        MeasurementError: no test, a line that is none of this format, or data that did not pass its validation.
    """
    lines = whole_lines(text, source)
    starts = [k for k, line in enumerate(lines) if TITLE.fullmatch(line)]
    if not starts:
        raise refused(source, 1, "there is no title of an OSU benchmark", hint='it reads "# OSU MPI ... Test v7.4"')
    for place, line in enumerate(lines[: starts[0]]):
        if line.startswith(("# OSU", "# Size")):
            raise refused(source, place + 1, 'a table without its title, which reads "# OSU MPI ... Test v7.4"')
    return [_test(lines, begin, end, source) for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _test(lines: list[str], begin: int, end: int, source: str) -> Reading:
    title = TITLE.fullmatch(lines[begin])
    assert title is not None
    plan: dict[str, object] = {"version": title["version"]}
    # Names hold what tells tests apart that have one title: they are no repetitions of each other.
    names = [f"OSU MPI{title['operation']} {title['title']}" if title["operation"] else f"OSU {title['title']}"]
    names += [title["accelerator"]] if title["accelerator"] else []
    header: list[Column | None] | None = None
    sized, sizes_B, rows = True, list[int](), list[list[str]]()
    for place in range(begin + 1, end):
        line, text = place + 1, lines[place].rstrip()
        if not text or _take_comment(text, plan, names):
            continue
        if text.startswith("#"):
            if header is not None:
                raise refused(source, line, f"a second header in one test: {text!r}")
            sized, header = _header(text, source, line)
        elif header is None:
            raise refused(source, line, "numbers before the header of the table")
        else:
            words = _row(text, header, sized, source, line)
            if sized:
                sizes_B.append(int(number(words[0], source, line, pattern=r"\d+")))
                rising(sizes_B, source, line)
            rows.append(words[1:] if sized else words)
    if header is None or not rows:
        raise refused(source, end, f"the table of {title['title']!r} has no rows; the file is not complete")
    if not sized and len(rows) > 1:
        raise refused(source, end, "several rows of a test that has no sizes")
    columns = [(column, [float(row[k]) for row in rows]) for k, column in enumerate(header) if column is not None]
    name = ", ".join(names)
    return by_size(name, sizes_B, columns, plan={"program": name, **plan})


def _take_comment(text: str, plan: dict[str, object], names: list[str]) -> bool:
    """Whether it is a comment that these benchmarks write; what it says of the test is added to its plan and names."""
    if pairs := PAIRS.fullmatch(text):
        plan |= {what: int(count) for what, count in pairs.groupdict().items()}
        names.append("1 pair" if pairs["pairs"] == "1" else f"{pairs['pairs']} pairs")
    elif datatype := DATATYPE.fullmatch(text):
        plan["datatype"] = datatype[1]
    elif buffers := BUFFERS.fullmatch(text):
        names.append(f"buffers {buffers[1]} to {buffers[2]}")
    elif how := ONE_SIDED.fullmatch(text):
        names.append(how[1])
    else:
        return bool(COMMENT.match(text))
    return True


def _header(text: str, source: str, line: int) -> tuple[bool, list[Column | None]]:
    """Whether there are sizes, and the other columns."""
    rest = text.removeprefix("#").strip()
    sized = rest.startswith("Size")
    rest = rest.removeprefix("Size").strip() if sized else rest
    found: list[Column | None] = []
    while rest:
        if tail := TAIL.match(rest):
            bandwidth = tail[2].startswith("BW")
            found.append(Column("rate_bps" if bandwidth else "time_s", f"p{tail[1]}", MB_BPS if bandwidth else US))
            rest = rest[tail.end() :].strip()
            continue
        for phrase, column in PHRASES:
            if match := re.match(phrase + r"(?=\s|$)", rest):
                found.append(column)
                rest = rest[match.end() :].strip()
                break
        else:
            raise refused(
                source, line, f"unknown column at {rest!r}", hint="versions 5 to 7 of the benchmarks are read"
            )
    if not any(found):
        raise refused(source, line, "a header without a time or a bandwidth")
    return sized, found


def _row(text: str, header: list[Column | None], sized: bool, source: str, line: int) -> list[str]:
    words = text.split()
    if len(words) != len(header) + sized:
        raise refused(source, line, f"{len(words)} columns where the header has {len(header) + sized}")
    for word, column in zip(words[sized:], header, strict=True):
        if word == "Fail":
            raise refused(source, line, "the data did not pass the benchmark's own validation")
        if column is not None:
            number(word, source, line, pattern=r"\d+\.\d\d")
        elif word != "Pass":
            number(word, source, line)
    return words
