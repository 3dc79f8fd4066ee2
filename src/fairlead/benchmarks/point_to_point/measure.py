"""MPI latency and throughput between pairs of hosts: cells, blocks of raw samples, and what they say.

The schemes are those of the OSU micro-benchmarks (osu_latency, osu_multi_lat, osu_bw, osu_bibw, osu_mbw_mr), so that
figures can be compared: a latency is half a round trip; throughput counts windows of messages, each answered by an
empty message. Beside round trips there are one-way times by the clocks of both ranks.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from fairlead.array_types import Bools, Floats
from fairlead.benchmarks.measuring import probe, records, repeat, session
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.measuring.pairs import HostPair, PairPlacement, host_pairs
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.benchmarks.measuring.samples import padded
from fairlead.benchmarks.point_to_point.names import LATENCY, THROUGHPUT
from fairlead.cluster.description import Cluster
from fairlead.progress import Progress
from fairlead.store import Store

SERIES = {LATENCY: "round_trip_s", THROUGHPUT: "window_s"}
FORWARD_SERIES = "forward_s"
DEFAULT_SIZES_B = tuple(2**k for k in range(23))  # 1 B to 4 MiB
WINDOW = 64
HOST_MEMORY_B = 256 * 1024**2  # what the windows of one host may take; a window is at least two messages
WINDOW_S = 0.2  # what a window may last: more than any round trip, little enough for several in a block
BLOCK_S = 0.1
PILOT = {"size_B": 64 * 1024, "window": 8, "least": 4, "most": 64, "limit_s": BLOCK_S, "warmup": 2}
LAUNCH_S = 2.0  # until ranks run, about
LEAST_SAMPLES = {LATENCY: 3, THROUGHPUT: 2}
MOST_SAMPLES = 100_000  # a block's time holds fewer where a round trip takes a microsecond or more
WARM_UP = {LATENCY: 5, THROUGHPUT: 1}


@dataclass(frozen=True)
class PointToPointSettings:
    """What was asked for.

    Attributes:
        between: pairs of hosts that are measured at the same time; none: the first two compute hosts.
        pairs: numbers of rank pairs for each pair of hosts.
        directions: ``one``, ``both`` (throughput).
        timeout_s: a block that takes longer is hung.
        relaunch: the program is started anew for every round.
    """

    sizes_B: tuple[int, ...] = DEFAULT_SIZES_B
    between: tuple[HostPair, ...] = ()
    pairs: tuple[int, ...] = (1,)
    directions: tuple[str, ...] = ("one",)
    window: int = WINDOW
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    mpirun: str | None = None
    seed: int = 1
    relaunch: bool = False

    def lasts_s(self, benchmark: str) -> float:
        """How long it takes, at most."""
        # With its warm-up a window of large messages takes more than a block's time.
        block_s = BLOCK_S if benchmark == LATENCY else BLOCK_S + 2 * WINDOW_S
        launch_s = LAUNCH_S * (self.until.most or 1) if self.relaunch else LAUNCH_S
        return self.until.lasts_s(len(self.cells(benchmark)), block_s) + launch_s

    def cells(self, benchmark: str, pilot_bps: float = np.inf) -> list[MessageCell]:
        """All combinations.

        Args:
            pilot_bps: about what a pair carries; windows last no longer than `WINDOW_S` at this rate.
        """
        if benchmark == LATENCY:
            return [MessageCell(size_B, pairs) for pairs in self.pairs for size_B in self.sizes_B]
        return [
            MessageCell(size_B, pairs, self._window(size_B, pairs, pilot_bps), direction == "both")
            for direction in self.directions
            for pairs in self.pairs
            for size_B in self.sizes_B
        ]

    def _window(self, size_B: int, pairs: int, pilot_bps: float) -> int:
        most_B = min(HOST_MEMORY_B, pilot_bps * WINDOW_S / 8)
        return min(self.window, max(2, int(most_B / (max(size_B, 1) * pairs))))


def measure(cluster: Cluster, store: Store, benchmark: str, settings: PointToPointSettings, progress: Progress) -> int:
    """Run a benchmark; returns its run in the store, where every block is as soon as it is taken.

    Raises:
        ConfigError, HostError, LaunchError, MissingToolError: nothing could be started.
        MeasurementError: it hung or died; the run is kept, marked failed.
        Interrupted: Ctrl-C; the run is kept, marked aborted.
    """
    placement = PairPlacement(host_pairs(cluster, settings.between), max(settings.pairs))
    plan = {**asdict(settings), "between": placement.host_pairs}
    with records.recorded(store, cluster, benchmark, plan, settings.seed) as run:
        progress("starting", 0, 1)
        with _launches(cluster, store, run, benchmark, placement, settings) as launched:

            def block(cell: MessageCell, number: int) -> float:
                request = _request(benchmark, cell, placement)
                rows = launched(number).ask(request, settings.timeout_s, cell.words())
                labels = {**cell.labels(), "round": number}
                if benchmark == LATENCY:
                    clock_error_s, rows, forward_s = told_apart(rows)
                    clocked = {**labels, "clock_error_s": clock_error_s}
                    store.add_series(run, FORWARD_SERIES, padded(forward_s), "s", clocked, missing=True)
                table = padded(rows)
                store.add_series(run, SERIES[benchmark], table, "s", labels, missing=True)
                return value(benchmark, cell, table)

            pilot_bps = pilot(launched(0), placement.ranks(1)[0]) if benchmark == THROUGHPUT else np.inf
            cells = settings.cells(benchmark, pilot_bps)
            repeat.repeat(cells, block, settings.until, seed=settings.seed, progress=progress)
    return run


@contextmanager
def _launches(
    cluster: Cluster, store: Store, run: int, benchmark: str, placement: PairPlacement, settings: PointToPointSettings
) -> Iterator[Callable[[int], probe.RunningProbe]]:
    """The running program by the number of the round: always the same, or a new one for each (``relaunch``)."""
    hosts = placement.hosts()
    current: list[tuple[int, probe.RunningProbe]] = []
    with ExitStack() as stack:

        def of(number: int) -> probe.RunningProbe:
            if not current or (settings.relaunch and current[-1][0] != number):
                stack.close()
                started = stack.enter_context(probe.running(cluster, benchmark, hosts, settings.mpirun))
                said = started.introduction()
                if not current:
                    session.introduce(cluster, store, run, said, hosts)
                current.append((number, started))
            return current[-1][1]

        yield of


def pilot(started: probe.RunningProbe, ranks: tuple[int, int]) -> float:
    """About what a pair of ranks carries, in bit/s; it also opens the connection."""
    samples_s = started.ask({**PILOT, "pairs": [ranks]}, probe.START_S, "a pilot")
    return rate_bps(MessageCell(int(PILOT["size_B"]), 1, int(PILOT["window"])), padded(samples_s))


def told_apart(rows: Sequence[list[float]]) -> tuple[float, list[list[float]], list[list[float]]]:
    """The largest bound on the clocks' error, round trips and times there of rows that have all of it."""
    return max(row[0] for row in rows), [row[1::2] for row in rows], [row[2::2] for row in rows]


def value(benchmark: str, cell: MessageCell, samples_s: Floats) -> float:
    """What a block says: its median latency in s, or its rate in bit/s."""
    return float(np.median(latencies_s(samples_s))) if benchmark == LATENCY else rate_bps(cell, samples_s)


def latencies_s(samples_s: Floats) -> Floats:
    """Half round trips of all pairs, without those that began when a pair had already ended."""
    found: Floats = samples_s[together(samples_s)] / 2
    return found


def rate_bps(cell: MessageCell, samples_s: Floats) -> float:
    """Rate of all pairs together while all of them were sending; bits of a window count evenly over its time."""
    bits = 8.0 * cell.size_B * cell.window * (2 if cell.both else 1)
    ends_s = np.cumsum(samples_s, axis=1)
    common_s = float(np.nanmin(np.nanmax(ends_s, axis=1)))
    sent = 0.0
    for row in ends_s:
        own_s = row[np.isfinite(row)]
        sent += float(np.interp(common_s, np.concatenate([[0.0], own_s]), bits * np.arange(len(own_s) + 1)))
    return sent / common_s


def together(samples_s: Floats) -> Bools:
    """Which samples began while all pairs were measuring."""
    ends_s = np.cumsum(samples_s, axis=1)
    common_s = float(np.nanmin(np.nanmax(ends_s, axis=1)))
    begins_s = ends_s - samples_s
    found: Bools = np.isfinite(samples_s) & (begins_s < common_s)
    return found


def _request(benchmark: str, cell: MessageCell, placement: PairPlacement) -> dict[str, Any]:
    return {
        "pairs": placement.ranks(cell.pairs),
        "size_B": cell.size_B,
        "least": LEAST_SAMPLES[benchmark],
        "most": MOST_SAMPLES,
        "limit_s": BLOCK_S,
        "warmup": WARM_UP[benchmark],
        "window": cell.window,
        "both": cell.both,
        "one_way": benchmark == LATENCY,
    }
