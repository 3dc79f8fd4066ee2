"""What detours came from: interrupts, softirqs, other threads, or nothing that the system counts. Pure, but for `load`.

After a detour the probe looks which of its processor's counters went up since the look before (/proc/interrupts,
/proc/softirqs, switches of its thread). A detour is named after what can take longest: another thread, else a device's
interrupt or a message of another processor, else the timer. Softirqs run at the end of interrupts, and stand beside
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fairlead.array_types import Floats
from fairlead.benchmarks.noise.periodic import Period
from fairlead.store import Store

THREAD = "another thread"
TIMER = "Local timer interrupts"
SOFTIRQ = "softirq "
SOFTIRQS = "softirqs alone"
NOTHING = "nothing counted (hypervisor, firmware)"
NOT_LOOKED = "not looked at"
NOT_KNOWN = -1  # of the probe: no look, or one after several detours
LIKE = 2.0  # a detour is like a period's where it is shorter and longer by this factor at most
EVENT = "noise_sources"


@dataclass(frozen=True)
class Sources:
    """What was looked at on one core.

    Attributes:
        of: by detour, the number of its set, or `NOT_KNOWN`. Shape (detours).
        sets: by number, the sources that were counted.
        looked_s: how long the looks took, in which no detour is seen.
        steal_s: what the hypervisor gave to others, in steps of the system's tick (10 ms); None: not told.
        run_queue_s: how long the probe waited for its processor, while other threads had it; None: not told.
        threads: time that threads ran which were on this processor last, as far as the probe sees them.
    """

    of: npt.NDArray[np.int64]
    sets: tuple[tuple[str, ...], ...]
    looked_s: float
    steal_s: float | None
    run_queue_s: float | None
    threads: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Source:
    """Detours of one name on one core; ``softirqs``: those that ran with any of them, most frequent first."""

    name: str
    length_s: Floats
    softirqs: tuple[str, ...]


def name_of(counted: Sequence[str]) -> str:
    """The source that a detour is named after.

    >>> name_of(["Local timer interrupts", "softirq TIMER"])
    'Local timer interrupts'
    """
    if THREAD in counted:
        return THREAD
    interrupts = [each for each in counted if not each.startswith(SOFTIRQ)]
    others = [each for each in interrupts if each != TIMER]
    return " + ".join(others) or TIMER if interrupts else SOFTIRQS if counted else NOTHING


def names(found: Sources) -> list[str]:
    """By detour."""
    of_set = [name_of(each) for each in found.sets]
    return [NOT_LOOKED if number == NOT_KNOWN else of_set[number] for number in found.of]


def by_source(found: Sources, length_s: Floats) -> list[Source]:
    """Detours by name, those that took longest in sum first. ``length_s``: of the detours."""
    named = np.array(names(found))
    sources = []
    for name in dict.fromkeys(names(found)):
        chosen = named == name
        softirqs: dict[str, int] = {}
        for number in found.of[chosen]:
            for each in found.sets[number] if number != NOT_KNOWN else ():
                if each.startswith(SOFTIRQ):
                    softirqs[each.removeprefix(SOFTIRQ)] = softirqs.get(each.removeprefix(SOFTIRQ), 0) + 1
        sources.append(Source(name, length_s[chosen], tuple(sorted(softirqs, key=lambda each: -softirqs[each]))))
    return sorted(sources, key=lambda each: -float(each.length_s.sum()))


def of_period(found: Sources | None, length_s: Floats, period: Period) -> str | None:
    """What most detours of a period's length came from; None where it is not known."""
    if found is None:
        return None
    alike = (length_s >= period.length_s / LIKE) & (length_s <= period.length_s * LIKE)
    named = [name for name, chosen in zip(names(found), alike, strict=True) if chosen and name != NOT_LOOKED]
    most = max(set(named), key=lambda name: (named.count(name), name), default=None)
    return most if most is not None and 2 * named.count(most) > len(named) else None


def load(store: Store, run: int) -> Mapping[tuple[str, int], Sources]:
    """By host and processor, where sources were looked at."""
    of = {(s.labels["host"], s.labels["cpu"]): s.values.astype(np.int64) for s in store.series(run, "detour_set")}
    found = {}
    threads: dict[tuple[str, int], list[tuple[str, float]]] = {}
    for event in store.events(run):
        data = event.data
        if event.kind == "noise_threads":
            for each in data["threads"]:
                threads.setdefault((data["host"], each["cpu"]), []).append((each["name"], each["run_s"]))
        elif event.kind == EVENT:
            key = str(data["host"]), int(data["cpu"])
            sets = tuple(tuple(data["names"][place] for place in each) for each in data["sets"])
            none = np.empty(0, np.int64)
            found[key] = Sources(of.get(key, none), sets, data["looked_s"], data["steal_s"], data["run_queue_s"])
    return {
        key: Sources(each.of, each.sets, each.looked_s, each.steal_s, each.run_queue_s, tuple(threads.get(key, ())))
        for key, each in found.items()
    }
