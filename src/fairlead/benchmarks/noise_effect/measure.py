"""What operating-system noise does to messages: both recorded on the same cores at once, and matched.

The ranks of a ping-pong watch for detours while they wait (native/probes/benchmark/noise/watched.hpp). A slow message
is explained when detours in its time made up half of what it took beyond the median, or more.
"""

import time
from dataclasses import asdict, dataclass

import numpy as np

from fairlead.benchmarks.measuring import session
from fairlead.benchmarks.measuring.pairs import HostPair, PairPlacement, host_pairs
from fairlead.cluster.description import Cluster
from fairlead.errors import MeasurementError
from fairlead.progress import Progress
from fairlead.statistics.estimates import FloatArray
from fairlead.store import Label, Store

BENCHMARK, PROGRAM = "noise-effect", "mpi-noise-effect"
HEAD = 5  # numbers before the samples of the program's row
MOST = 100_000  # messages of a part
WARM_UP = 5
WAITING = (0, 1)  # kinds of detours that have nothing to do with moving a message


@dataclass(frozen=True)
class NoiseEffectSettings:
    """What was asked for.

    Attributes:
        between: a pair of hosts; none: the first two compute hosts.
        part_s: samples are stored once in that time.
    """

    between: tuple[HostPair, ...] = ()
    size_B: int = 8
    seconds: float = 30.0
    part_s: float = 1.0
    timeout_s: float = 60.0
    mpirun: str | None = None

    def lasts_s(self) -> float:
        """About how long it takes."""
        return self.seconds


SETTINGS = NoiseEffectSettings


def measure(cluster: Cluster, store: Store, settings: NoiseEffectSettings, progress: Progress) -> int:
    """Measure; returns the run, where every part is as soon as it is taken.

    Raises:
        As `point_to_point.measure`.
    """
    placement = PairPlacement(host_pairs(cluster, settings.between), 1)
    request = {"pairs": placement.ranks(1), "size_B": settings.size_B, "warmup": WARM_UP}
    request |= {"least": 1, "most": MOST, "limit_s": settings.part_s}
    plan = {**asdict(settings), "between": placement.host_pairs}
    with session.running(cluster, store, BENCHMARK, PROGRAM, placement.hosts(), plan) as (run, started):
        begin_s = time.monotonic()
        while (start_s := time.monotonic() - begin_s) < settings.seconds:
            progress("watching, seconds", int(start_s), int(settings.seconds))
            (row,) = started.ask(request, settings.timeout_s, f"the part from {start_s:.0f} s on")
            _keep(store, run, start_s, np.asarray(row))
    return run


def _keep(store: Store, run: int, start_s: float, row: FloatArray) -> None:
    """Store what the program told (see watched.hpp)."""
    least_reading_s, least_test_s = float(row[0]), float(row[1])
    messages, near, far = (int(count) for count in row[2:HEAD])
    if len(row) != HEAD + 2 * messages + 3 * near + 3 * far:
        raise MeasurementError(f"{PROGRAM}: {len(row)} numbers are not {messages} messages and {near} + {far} detours")
    parts = np.split(row[HEAD:], [2 * messages, 2 * messages + 3 * near])
    labels: dict[str, Label] = {"start_s": start_s}
    least: dict[str, Label] = {"least_reading_s": least_reading_s, "least_test_s": least_test_s}
    store.add_series(run, "message_s", parts[0].reshape(-1, 2), "s", {**labels, **least})
    for name, values in (("near", parts[1].reshape(-1, 3)), ("far", parts[2].reshape(-1, 3))):
        if len(values):
            # A time, a length, and what kind; of the peer's, a message in place of a time.
            store.add_series(run, f"{name}_detours", values, "1", labels)
