"""Reports of mpiP 3 (report.c of its sources): time in MPI by task, and by call site."""

import re

import numpy as np

from fairlead.readers.reading import Reading, number, refused, whole_lines
from fairlead.store import Label, Series

BENCHMARK = "mpiP"
MS = 1e-3
HEAD = "@ mpiP"
SECTION = re.compile(r"@--- (?P<name>.*?) -+\s*")
TASKS, SITES, END = "MPI Time (seconds)", "Aggregate Time (top twenty, descending, milliseconds)", "End of Report"
TASK_HEADER = ["Task", "AppTime", "MPITime", "MPI%"]
SITE_HEADER = ["Call", "Site", "Time", "App%", "MPI%", "Count"]
SITE_HEADERS = (SITE_HEADER, [*SITE_HEADER, "COV"])
DIGITS = 0.0055  # of numbers with three significant digits, which is how they are printed by default
PLACES = 0.0005  # of numbers with three places behind the point, which is how -e prints them
Line = tuple[int, list[str]]


def read(text: str, source: str) -> list[Reading]:
    """The reports of a file: of one run, or of several one after the other.

    Raises:
        MeasurementError: no report, a line that is none of this format, no end, or sums that disagree.
    """
    lines = whole_lines(text, source)
    starts = [k for k, line in enumerate(lines) if line.rstrip() == HEAD]
    if not starts:
        raise refused(source, 1, f'there is no line "{HEAD}": this is not a report of mpiP')
    ends = [*starts[1:], len(lines)]
    return [_report(list(enumerate(lines))[begin:end], source) for begin, end in zip(starts, ends, strict=True)]


def _report(lines: list[tuple[int, str]], source: str) -> Reading:
    sections, last = _sections(lines), lines[-1][0] + 1
    if END not in sections:
        raise refused(source, last, f'the report is not complete: "@--- {END}" is missing')
    if TASKS not in sections:
        raise refused(source, last, f"there is no section {TASKS!r}", hint="concise reports (-c) are not read")
    app_s, mpi_s = _tasks(sections[TASKS], source)
    series = [Series("app_time_s", "s", {}, np.array(app_s)), Series("mpi_time_s", "s", {}, np.array(mpi_s))]
    series += _sites(sections[SITES], source) if SITES in sections else []
    hosts = [line.split()[-1] for _, line in lines if line.startswith("@ MPI Task Assignment")]
    if len(hosts) != len(app_s):
        raise refused(source, last, f"{len(app_s)} tasks have a time, and {len(hosts)} a host")
    command = next((line.partition(":")[2].strip() for _, line in lines if line.startswith("@ Command")), "")
    return Reading(BENCHMARK, tuple(series), {"program": "mpiP", "command": command, "hosts": hosts})


def _sections(lines: list[tuple[int, str]]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    current: list[Line] | None = None
    for place, line in lines:
        if match := SECTION.fullmatch(line):
            current = found.setdefault(match["name"], [])
        elif current is not None and line.strip() and not re.fullmatch(r"-+", line.strip()):
            current.append((place + 1, line.split()))
    return found


def _tasks(section: list[Line], source: str) -> tuple[list[float], list[float]]:
    if not section or section[0][1] != TASK_HEADER:
        raise refused(source, section[0][0] if section else 1, f"the header of {TASKS!r} is none that is known")
    app_s, mpi_s, total = list[float](), list[float](), None
    for line, words in section[1:]:
        if len(words) != 4 or total is not None:
            raise refused(source, line, "is not a line of a task")
        values = [number(word, source, line) for word in words[1:]]
        if words[0] == "*":
            total = (line, values)
        elif words[0] != str(len(app_s)):
            raise refused(source, line, f"task {words[0]} stands where {len(app_s)} should")
        else:
            app_s.append(values[0])
            mpi_s.append(values[1])
        off = 0.0051 + 2 * DIGITS * values[2]
        if all(re.fullmatch(r"\d+\.\d{3}", word) for word in words[1:3]) and values[0]:
            off += 100 * PLACES * (1 + values[1] / values[0]) / values[0]
        if values[0] and abs(100 * values[1] / values[0] - values[2]) > off:
            raise refused(source, line, f"{values[1]:g} of {values[0]:g} s are not {values[2]:g} %")
    if total is None or not app_s:
        raise refused(source, section[-1][0], "the sum of all tasks is missing")
    for sum_s, each_s in zip(total[1], (app_s, mpi_s), strict=False):
        if abs(sum_s - sum(each_s)) > DIGITS * (sum_s + sum(each_s)) + 1e-3:
            raise refused(source, total[0], f"the tasks' times add up to {sum(each_s):g} s, not to {sum_s:g} s")
    return app_s, mpi_s


def _sites(section: list[Line], source: str) -> list[Series]:
    if not section or section[0][1] not in SITE_HEADERS:
        raise refused(source, section[0][0] if section else 1, f"the header of {SITES!r} is none that is known")
    width, found = len(section[0][1]), list[Series]()
    for line, words in section[1:]:
        if len(words) != width:
            raise refused(source, line, f"{len(words)} columns where the header has {width}")
        labels: dict[str, Label] = {"call": words[0], "site": int(number(words[1], source, line, pattern=r"\d+"))}
        labels["count"] = int(number(words[5], source, line, pattern=r"\d+"))
        time_s = number(words[2], source, line) * MS
        found.append(Series("call_time_s", "s", labels, np.array([time_s])))
        if len(found) > 1 and time_s > float(found[-2].values[0]) * (1 + DIGITS):
            raise refused(source, line, "the call sites are not in falling order")
    return found
