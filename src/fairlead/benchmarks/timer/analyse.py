"""What the samples say of clocks: steps and what a reading costs."""

from dataclasses import dataclass

from fairlead.array_types import Floats
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.timer import measure
from fairlead.store import Run, Store


@dataclass(frozen=True)
class HostClock:
    """One clock of a host.

    Attributes:
        nominal_s: its resolution, as the system calls it; of the processor's, a tick.
        steps_s: differences between readings that differ.
        readings_s: what a reading took, of batches of a thousand.
    """

    host: str
    name: str
    nominal_s: float
    steps_s: Floats
    readings_s: Floats


def clocks(store: Store, run: int) -> list[HostClock]:
    """What a run measured, in the order taken."""
    readings = {
        (each.labels["host"], each.labels["clock"]): each.values for each in store.series(run, "clock_readings_s")
    }
    return [
        HostClock(
            str(each.labels["host"]),
            str(each.labels["clock"]),
            float(each.labels["nominal_s"]),
            each.values,
            readings[each.labels["host"], each.labels["clock"]],
        )
        for each in store.series(run, "clock_steps_s")
        if (each.labels["host"], each.labels["clock"]) in readings
    ]


@dataclass(frozen=True)
class Timer:
    """One system's newest run."""

    system: str
    run: Run
    clocks: tuple[HostClock, ...]


def load_timer(system: System) -> Timer | None:
    """None where there is no such run."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        return Timer(system.name, run, tuple(clocks(store, run.id)))
