"""Text of the kernel's rtla: osnoise top, osnoise hist, hwnoise, timerlat top, timerlat hist.

Formats: the printf calls of tools/tracing/rtla/src/{osnoise,timerlat}_{top,hist}.c of the kernel's sources. ``top``
tells sums, means and maxima of each processor; ``hist`` tells least, mean and greatest, and how many lie in each
bucket. Neither tells a sample.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np

from fairlead.readers.reading import NS, US, Reading, number, refused, whole_lines
from fairlead.store import Label, Series

OSNOISE, OSNOISE_HIST = "noise-osnoise", "noise-osnoise-hist"
TIMERLAT, TIMERLAT_HIST = "noise-timerlat", "noise-timerlat-hist"
TOP_TITLE = re.compile(r"\s{20,}(Operating System Noise|Hardware-related Noise)\s*")
TIMER_TITLE = re.compile(r"\s{20,}Timer Latency\s*")
HIST_TITLE = re.compile(r"# RTLA (osnoise|timerlat) histogram\s*")
DURATION = re.compile(
    r"duration:\s+(?P<days>\d+) (?P<hours>\d\d):(?P<minutes>\d\d):(?P<seconds>\d\d) \| time is in us\s*"
)
TOP_HEADER = ["CPU", "Period", "Runtime", "Noise", "%", "CPU", "Aval", "Max", "Noise", "Max", "Single", "HW", "NMI"]
INTERRUPTED = ("IRQ", "Softirq", "Thread")
TIMER_UNITS = re.compile(
    r"\s*\d+ \d\d:\d\d:\d\d\s+\|\s+IRQ Timer Latency \((ns|us)\)\s+\|\s+Thread Timer Latency \((ns|us)\)"
    r"(?:\s+\|\s+Ret user Timer Latency \((ns|us)\))?\s*"
)
TIMER_HEADER = ["cur", "min", "avg", "max"]
CONTEXTS = ("irq", "thread", "user")
ALL = re.compile(r"ALL #(\d+)\s", re.ASCII)
HIST_UNIT = re.compile(r"# Time unit is \w+ \((ns|us)\)\s*")
COLUMN = re.compile(r"(CPU|IRQ|Thr|Usr)-(\d{3,})")
OF_COLUMN = {"CPU": "osnoise", "IRQ": "irq", "Thr": "thread", "Usr": "user"}
SCALES = {"us": US, "ns": NS}
COUNTS = ("over:", "count:")
SUMMARY = (*COUNTS, "min:", "avg:", "max:")
Numbered = list[tuple[int, str]]


def read(text: str, source: str) -> list[Reading]:
    """The outputs of a file, in their order; what stands before the first is not looked at.

    Raises:
        MeasurementError: no output of rtla, a line that is none of its format, no end, or numbers that disagree.
    """
    lines = whole_lines(text, source)
    for place, line in enumerate(lines):
        if "\033" in line:
            hint = "run rtla with -q: it prints its summary once, at the end"
            raise refused(source, place + 1, "an escape sequence of a terminal: these are several screens", hint=hint)
    starts = [k for k, line in enumerate(lines) if any(title.fullmatch(line) for title in READ)]
    if not starts:
        raise refused(source, 1, "there is no title of rtla osnoise or timerlat, top or hist")
    found = []
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        of = next(read_one for title, read_one in READ.items() if title.fullmatch(lines[begin]))
        rows = [(k + 1, lines[k].rstrip()) for k in range(begin, end) if lines[k].strip()]
        found.append(of(rows, source))
    return found


def _core(cpu: int, **more: Label) -> dict[str, Label]:
    """Labels of a processor; rtla does not say of which host."""
    return {"host": "unnamed", "cpu": cpu, **more}


def _osnoise(rows: Numbered, source: str) -> Reading:
    title, told = rows[0][1].strip(), rows[1:3]
    if len(told) < 2 or not (duration := DURATION.fullmatch(told[0][1])):
        raise refused(source, rows[0][0], 'the line behind the title is not "duration: .. | time is in us"')
    interrupted = INTERRUPTED if title.startswith("Operating") else ()
    if told[1][1].split() != [*TOP_HEADER, *interrupted]:
        raise refused(source, told[1][0], f"{told[1][1]!r} is not the header of {title!r}")
    series: list[Series] = []
    seen: list[int] = []
    for line, text in rows[3:]:
        cpu, values = _top_row(text, 8 + len(interrupted), source, line)
        seen.append(cpu)
        _rising(seen, source, line)
        series += _of_core(cpu, values, source, line)
    if not series:
        raise refused(source, rows[-1][0], "there is no processor; the output is not complete")
    seconds = sum(int(duration[part]) * of for part, of in DURATIONS.items())
    return Reading(OSNOISE, tuple(series), {"program": "rtla osnoise", "method": title, "seconds": seconds})


DURATIONS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}


def _top_row(text: str, width: int, source: str, line: int) -> tuple[int, list[str]]:
    """The processor and the other numbers, the count of periods first."""
    words = text.split()
    if len(words) != width + 1 or not words[1].startswith("#"):
        raise refused(source, line, f"{text!r} is not a row of a processor: {width + 1} columns, the second with a #")
    return int(number(words[0], source, line, pattern=r"\d+")), [words[1][1:], *words[2:]]


def _of_core(cpu: int, words: Sequence[str], source: str, line: int) -> list[Series]:
    available = number(words[3], source, line, pattern=r"\d{1,3}\.\d{5}")
    periods, runtime, noise, most, single, *counts = (
        int(number(word, source, line, pattern=r"\d+")) for k, word in enumerate(words) if k != 3
    )
    if not runtime or noise > runtime or (runtime - noise) * 10_000_000 // runtime != round(available * 100_000):
        raise refused(source, line, f"{noise} us of noise in {runtime} us do not leave {available:.5f} %")
    if single > most or most > noise:
        raise refused(source, line, "the longest single noise, that of a period and the sum are not in rising order")
    core = _core(cpu)
    sources = ("hardware", "nmi", "irq", "softirq", "thread")
    return [
        Series("runtime_s", "s", {**core, "periods": periods}, np.array([runtime * US])),
        Series("noise_s", "s", {**core, "statistic": "sum"}, np.array([noise * US])),
        Series("noise_s", "s", {**core, "statistic": "greatest of a period"}, np.array([most * US])),
        Series("noise_s", "s", {**core, "statistic": "greatest"}, np.array([single * US])),
        *(
            Series("interruptions_count", "count", {**core, "by": by}, np.array([count]))
            for by, count in zip(sources, counts, strict=False)
        ),
    ]


def _rising(seen: Sequence[int], source: str, line: int) -> None:
    if len(seen) > 1 and seen[-1] <= seen[-2]:
        raise refused(source, line, f"processor {seen[-1]} comes after {seen[-2]}")


def _timerlat(rows: Numbered, source: str) -> Reading:
    if len(rows) < 3 or not (units := TIMER_UNITS.fullmatch(rows[1][1])) or len({u for u in units.groups() if u}) != 1:
        raise refused(
            source, rows[0][0], "the line behind the title does not name IRQ and Thread Timer Latency in ns or us"
        )
    contexts = CONTEXTS[: len([unit for unit in units.groups() if unit])]
    header = [part.split() for part in rows[2][1].split("|")]
    if header != [["CPU", "COUNT"], *([TIMER_HEADER] * len(contexts))]:
        raise refused(source, rows[2][0], f"{rows[2][1]!r} is not the header of CPU, COUNT, cur, min, avg and max")
    series: list[Series] = []
    seen: list[int] = []
    counts: list[int] = []
    summed = _summed(rows[3:], source)
    for line, text in rows[3:]:
        if text.startswith(("---", "ALL ")):
            continue  # what sums the processors up
        parts = [part.split() for part in text.split("|")]
        if len(parts) != 1 + len(contexts) or [len(part) for part in parts] != [2, *([4] * len(contexts))]:
            raise refused(source, line, f"{text!r} is not a row of a processor")
        cpu, counted = _top_row(" ".join(parts[0]), 1, source, line)
        seen.append(cpu)
        _rising(seen, source, line)
        count = int(number(counted[0], source, line, pattern=r"\d+"))
        counts.append(count)
        for context, words in zip(contexts, parts[1:], strict=True):
            if words != ["-"] * 4:
                _, *values = [number(word, source, line, pattern=r"\d+") * SCALES[units[1]] for word in words]
                series += _summary(_core(cpu, of=context, count=count), values, source, line)
    if not series:
        raise refused(source, rows[-1][0], "there is no processor; the output is not complete")
    if summed is not None and sum(counts) != summed:
        reason = f"the rows count {sum(counts)} latencies, and their sum is {summed}: a processor is missing"
        raise refused(source, rows[-1][0], reason)
    return Reading(TIMERLAT, tuple(series), {"program": "rtla timerlat", "resolution_s": SCALES[units[1]]})


def _summed(rows: Numbered, source: str) -> int | None:
    """How many latencies all processors have by the last line; None: this version of rtla does not sum them up."""
    begins = [line for line, text in rows if text.startswith("---")]
    sums = [(line, text) for line, text in rows if text.startswith("ALL ")]
    if begins and not sums:
        raise refused(source, begins[-1], "the sum of all processors is missing; the output is not complete")
    if len(sums) > 1:
        raise refused(source, sums[1][0], "a second sum of all processors")
    for line, text in sums:
        counted = ALL.match(text)
        if counted is None:
            raise refused(source, line, f"{text!r} is not the sum of all processors")
        return int(counted[1])
    return None


def _summary(labels: dict[str, Label], values: Sequence[float], source: str, line: int) -> list[Series]:
    if not values[0] <= values[1] <= values[2]:
        raise refused(source, line, "min, avg and max are not in rising order")
    return [
        Series("delay_s", "s", {**labels, "statistic": of}, np.array([value]))
        for of, value in zip(("least", "mean", "greatest"), values, strict=True)
    ]


def _histogram(rows: Numbered, source: str) -> Reading:
    title = HIST_TITLE.fullmatch(rows[0][1])
    unit = HIST_UNIT.fullmatch(rows[1][1]) if len(rows) > 1 else None
    if title is None or unit is None:
        raise refused(source, rows[0][0], 'the line behind the title is not "# Time unit is .. (us)" or (ns)')
    columns: list[re.Match[str]] = []
    buckets: dict[int, list[int]] = {}
    sums: dict[str, list[float | None]] = {}
    for line, text in rows[2:]:
        words = text.split()
        if text.startswith("#"):
            continue
        if text.startswith("ALL:") and sums.keys() == set(SUMMARY):
            break  # what sums the processors up follows
        if words[0] == "Index":
            columns = _columns(words, columns, source, line)
        elif not columns or len(words) != len(columns) + 1:
            raise refused(source, line, f"{text!r} does not have the {len(columns) + 1} columns of the header")
        elif words[0] in SUMMARY:
            if words[0] in sums:
                raise refused(source, line, f"a second line of {words[0]!r}")
            sums[words[0]] = [None if word == "-" else _told(word, words[0], source, line) for word in words[1:]]
        else:
            index = int(number(words[0], source, line, pattern=r"\d+"))
            if sums or (buckets and index <= max(buckets)):
                raise refused(source, line, f"bucket {index} comes out of order")
            buckets[index] = [int(number(word, source, line, pattern=r"\d+")) for word in words[1:]]
    missing = [word for word in SUMMARY if word not in sums]
    if not buckets or missing:
        raise refused(
            source, rows[-1][0], f"there is no {missing[0] if missing else 'bucket'}; the output is not complete"
        )
    return _of_histogram(title[1], SCALES[unit[1]], columns, buckets, sums, (source, rows[-1][0]))


def _told(word: str, of: str, source: str, line: int) -> float:
    return number(word, source, line, pattern=r"\d+" if of in COUNTS else r"\d+(\.\d\d)?")


def _columns(words: Sequence[str], known: Sequence[object], source: str, line: int) -> list[re.Match[str]]:
    found = [COLUMN.fullmatch(word) for word in words[1:]]
    if known or not found or None in found:
        reason = "a second header" if known else "the columns are not Index and CPU-000, IRQ-000, Thr-000 .."
        raise refused(source, line, reason)
    if twice := [word for place, word in enumerate(words) if word in words[:place]]:
        raise refused(source, line, f"a second column {twice[0]}")
    return [each for each in found if each]


def _of_histogram(
    tool: str,
    scale: float,
    columns: Sequence[re.Match[str]],
    buckets: dict[int, list[int]],
    sums: dict[str, list[float | None]],
    place: tuple[str, int],
) -> Reading:
    series: list[Series] = []
    for k, column in enumerate(columns):
        counts = [row[k] for row in buckets.values()]
        over, count = int(sums["over:"][k] or 0), int(sums["count:"][k] or 0)
        if sum(counts) + over != count:
            raise refused(*place, f"{column[0]}: {sum(counts)} in buckets and {over} beyond are not {count}")
        if not count:
            continue
        values = [sums[word][k] for word in ("min:", "avg:", "max:")]
        if None in values:
            raise refused(*place, f"{column[0]}: min, avg or max is missing")
        labels = _core(int(column[2]), of=OF_COLUMN[column[1]], count=count)
        series += _summary(labels, [float(value or 0) * scale for value in values], *place)
        series.append(Series("bucket_count", "count", {**labels, "beyond": over}, np.array(counts, dtype=np.int64)))
    if not series:
        raise refused(*place, "no processor has a sample")
    series.append(Series("bucket_begin_s", "s", {}, np.array(list(buckets), dtype=np.float64) * scale))
    name = OSNOISE_HIST if tool == "osnoise" else TIMERLAT_HIST
    return Reading(name, tuple(series), {"program": f"rtla {tool} hist", "resolution_s": scale})


READ: dict[re.Pattern[str], Callable[[Numbered, str], Reading]] = {
    TOP_TITLE: _osnoise,
    TIMER_TITLE: _timerlat,
    HIST_TITLE: _histogram,
}
