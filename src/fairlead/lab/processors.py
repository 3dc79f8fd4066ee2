"""How busy this machine's processors were while a lab ran: whether they limited it, or its network did.

All hosts of a lab share them. A rank that waits for a processor looks like one that waits for a message, and a time
that processors made says nothing about a network.
"""

import math
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from fairlead.errors import MeasurementError

PROC = Path("/proc")
BUSY, PRESSURE, LATE = "processors_busy", "processors_pressure", "processors_late_s"
SERIES = (BUSY, PRESSURE, LATE)
MOST_BUSY = 0.85
"""Busier processors limit a program: the rest goes away in the moments in which all of its ranks wait."""
LATE_SHARE = 0.95
PERIOD_S = 0.02
READING_S = 0.1


@dataclass(frozen=True)
class ProcessorCounters:
    """Counters of the processors that this process may use, in seconds since some start.

    Attributes:
        busy_s: of all of them together; what a hypervisor took counts, too.
        waited_s: time in which something waited for a processor, on the whole machine; None where the kernel does not
            count it (pressure stall information, Linux 4.20 and later).
    """

    at_s: float
    processors: int
    busy_s: float
    waited_s: float | None


@dataclass(frozen=True)
class Use:
    """Of the processors over a time.

    Attributes:
        busy: share of their time in which they worked, 0 to 1.
        pressure: share of the time in which something waited for one, 0 to 1; None: not counted here.
        late_s: by how much `LATE_SHARE` of short sleeps ended late, at most.
    """

    busy: float
    pressure: float | None
    late_s: float

    @property
    def limited(self) -> bool:
        """Whether processors limited what ran, and not the network."""
        return self.busy > MOST_BUSY

    def series(self) -> list[tuple[str, float, str]]:
        """What a store keeps of it: name, value and unit of each figure that there is."""
        figures = [(BUSY, self.busy, "1"), (PRESSURE, self.pressure, "1"), (LATE, self.late_s, "s")]
        return [(name, value, unit) for name, value, unit in figures if value is not None]

    @classmethod
    def of(cls, series: Mapping[str, float]) -> Self | None:
        """What `series` gave, by name; None where it is not there."""
        if BUSY not in series:
            return None
        return cls(series[BUSY], series.get(PRESSURE), series[LATE])


@dataclass
class ProcessorWatch:
    """What `watched` sees of the processors, also while its block still runs.

    Attributes:
        readings: from the first moment on.
        sleeps: when each short sleep ended, by the clock of the readings, and how late that was, in seconds.
        failure: why nothing more was read.
    """

    readings: list[ProcessorCounters] = field(default_factory=list)
    sleeps: list[tuple[float, float]] = field(default_factory=list)
    failure: MeasurementError | OSError | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def end(self) -> None:
        """Watch no longer: what is watched has ended, and what follows is tidying up."""
        self._over.set()

    def use(self, last_s: float = math.inf) -> Use:
        """What the processors did in the last so many seconds: a program's timed section is the end of its run.

        Raises:
            MeasurementError: nothing was watched, or the kernel's files could no longer be read.
        """
        if self.failure is not None:
            raise MeasurementError(f"how busy processors were is not known: {self.failure}") from self.failure
        if len(self.readings) < 2:
            raise MeasurementError("processors were not watched")
        since_s = self.readings[-1].at_s - last_s
        first = max((each for each in self.readings[:-1] if each.at_s <= since_s), default=self.readings[0], key=_at_s)
        return between(first, self.readings[-1], [late_s for at_s, late_s in self.sleeps if at_s > first.at_s])


def _at_s(reading: ProcessorCounters) -> float:
    return reading.at_s


def read(proc: Path = PROC, processors: Sequence[int] | None = None) -> ProcessorCounters:
    """The counters now.

    Args:
        processors: numbers of those that count; None: those that this process may use.

    Raises:
        MeasurementError: the kernel's files are not as they should be.
    """
    chosen = sorted(os.sched_getaffinity(0)) if processors is None else sorted(processors)
    stat = (proc / "stat").read_text()
    try:
        lines = {words[0]: [int(word) for word in words[1:]] for words in map(str.split, stat.splitlines()) if words}
        # user nice system idle iowait irq softirq steal, in ticks; guests are part of user (proc(5)).
        ticks = sum(sum(lines[f"cpu{number}"][:8]) - sum(lines[f"cpu{number}"][3:5]) for number in chosen)
    except (KeyError, ValueError) as error:
        raise MeasurementError(f"{proc}/stat has no load of processors {chosen} are: {error}") from error
    return ProcessorCounters(time.monotonic(), len(chosen), ticks / os.sysconf("SC_CLK_TCK"), _waited_s(proc))


def _waited_s(proc: Path) -> float | None:
    try:
        text = (proc / "pressure" / "cpu").read_text()
    except OSError:  # not built in, or switched off (psi=0)
        return None
    for line in text.splitlines():
        kind, *values = line.split()
        if kind == "some":
            found = dict(value.split("=", 1) for value in values)
            return int(found["total"]) / 1e6
    return None


def between(first: ProcessorCounters, last: ProcessorCounters, late_s: Sequence[float] = ()) -> Use:
    """What the processors did between two readings.

    Raises:
        MeasurementError: no time lies between them.
    """
    time_s = last.at_s - first.at_s
    if time_s <= 0:
        raise MeasurementError("no time lies between two readings of the processors' counters")
    busy = (last.busy_s - first.busy_s) / (time_s * last.processors)
    pressure = None
    if first.waited_s is not None and last.waited_s is not None:
        pressure = min(1.0, (last.waited_s - first.waited_s) / time_s)
    ordered = sorted(late_s)
    late = ordered[min(len(ordered) - 1, int(LATE_SHARE * len(ordered)))] if ordered else 0.0
    return Use(min(1.0, max(0.0, busy)), pressure, late)


@contextmanager
def watched(watch: ProcessorWatch) -> Iterator[None]:
    """Within: the processors are watched, until `ProcessorWatch.end` at the latest."""

    def sleep() -> None:
        try:
            begin_s = time.monotonic()
            while not watch._over.wait(PERIOD_S):
                now_s = time.monotonic()
                watch.sleeps.append((now_s, max(0.0, now_s - begin_s - PERIOD_S)))
                if now_s - watch.readings[-1].at_s >= READING_S:
                    watch.readings.append(read())
                begin_s = time.monotonic()
            watch.readings.append(read())
        except (MeasurementError, OSError) as error:
            watch.failure = error

    sleeper = threading.Thread(target=sleep, name="processors", daemon=True)
    watch.readings.append(read())
    sleeper.start()
    try:
        yield
    finally:
        watch.end()
        sleeper.join()
