"""What operating-system noise does to messages: both recorded on the same cores at once, and matched.

The ranks of a ping-pong watch for detours while they wait (native/probes/benchmark/watched.hpp). A slow message is
explained when detours in its time made up half of what it took beyond the median, or more.
"""

import time
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from fairlead.cluster.description import Cluster
from fairlead.errors import MeasurementError
from fairlead.measure.benchmarks import session
from fairlead.measure.benchmarks.pairs import HostPair, Placement, host_pairs
from fairlead.progress import Progress
from fairlead.store import Label, Store

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BENCHMARK, PROGRAM = "noise-effect", "mpi-noise-effect"
HEAD = 5  # numbers before the samples of the program's row
MOST = 100_000  # messages of a part
WARM_UP = 5
SLOW = 1.5  # times the median round trip
EXPLAINED = 0.5  # share of a slow message's excess that detours must make up
WAITING = (0, 1)  # kinds of detours that have nothing to do with moving a message
SHIFTS = 20  # of the detours in time, to see how many messages they would explain by chance


@dataclass(frozen=True)
class Settings:
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


@dataclass(frozen=True)
class Part:
    """What was seen in about a second.

    Attributes:
        start_s: when it began, since the measurement did.
        messages_s: (messages, 2) start and length of round trips.
        near_s: (detours, 2) start and length of the first rank's detours; near_kind: (detours,), see watched.hpp.
        far_s: (detours,) length of the peer's; far_kind; and the message that was under way: far_message (detours,).
        least_reading_s, least_test_s: what the thresholds are multiples of.
    """

    start_s: float
    messages_s: Floats
    near_s: Floats
    near_kind: Integers
    far_s: Floats
    far_kind: Integers
    far_message: Integers
    least_reading_s: float
    least_test_s: float

    def while_waiting(self) -> "Part":
        """With those detours only that were seen between calls that move messages."""
        near, far = np.isin(self.near_kind, WAITING), np.isin(self.far_kind, WAITING)
        return replace(
            self,
            near_s=self.near_s[near],
            near_kind=self.near_kind[near],
            far_s=self.far_s[far],
            far_kind=self.far_kind[far],
            far_message=self.far_message[far],
        )

    def near_in_message_s(self, shift_s: float = 0.0) -> Floats:
        """(messages,) time of the first rank's detours within each, as if all detours had come ``shift_s`` later."""
        begins, ends = self.messages_s[:, 0], self.messages_s.sum(axis=1)
        span_s = float(ends[-1])
        start_s = (self.near_s[:, 0] + shift_s) % span_s if shift_s else self.near_s[:, 0]
        return _overlaps(begins, ends, start_s, self.near_s[:, 1])

    def far_in_message_s(self, shift: int = 0) -> Floats:
        """(messages,) time of the peer's detours while each was under way, or ``shift`` messages later."""
        count = len(self.messages_s)
        places = (self.far_message + shift) % count
        return np.bincount(places, weights=self.far_s, minlength=count).astype(np.float64)


def _overlaps(begins: Floats, ends: Floats, detour_begins: Floats, lengths: Floats) -> Floats:
    """Of each interval the time that detours take within it; detours come one after the other."""
    order = np.argsort(detour_begins)
    begin, length = detour_begins[order], lengths[order]
    # Time of all detours until a moment: a line that rises within detours, and is level between them.
    moments = np.maximum.accumulate(np.stack([begin, begin + length], axis=1).reshape(-1))
    until = np.repeat(np.concatenate([[0.0], np.cumsum(length)]), 2)[1:-1]
    if not len(moments):
        return np.zeros(len(begins))
    found: Floats = np.interp(ends, moments, until) - np.interp(begins, moments, until)
    return found


@dataclass(frozen=True)
class Effect:
    """What the detours explain.

    Attributes:
        median_s: of all round trips.
        messages, slow: how many there are.
        near, far, either: of the slow ones, how many are explained by detours of the first rank, of its peer, of both
            together.
        waiting: of both together, without what was seen within MPI_Send and the MPI_Test that found a message.
        by_chance: how many the same detours explain on average when they are moved to other times.
    """

    median_s: float
    messages: int
    slow: int
    near: int
    far: int
    either: int
    waiting: int
    by_chance: float

    def share(self) -> float:
        """Of the slow messages that are explained; 0 where there is none."""
        return self.either / self.slow if self.slow else 0.0


def measure(cluster: Cluster, store: Store, settings: Settings, progress: Progress) -> int:
    """Measure; returns the run, where every part is as soon as it is taken.

    Raises:
        As `point_to_point.measure`.
    """
    placement = Placement(host_pairs(cluster, settings.between), 1)
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


def _keep(store: Store, run: int, start_s: float, row: Floats) -> None:
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


def parts(store: Store, run: int) -> list[Part]:
    """What a run saw, in the order taken."""
    near, far = (
        {each.labels["start_s"]: each.values for each in store.series(run, name)}
        for name in ("near_detours", "far_detours")
    )
    none = np.empty((0, 3))
    found = []
    for each in store.series(run, "message_s"):
        own, peers = (of.get(each.labels["start_s"], none) for of in (near, far))
        least_s = (float(each.labels["least_reading_s"]), float(each.labels["least_test_s"]))
        found.append(
            Part(
                float(each.labels["start_s"]),
                each.values,
                own[:, :2],
                own[:, 2].astype(np.int64),
                peers[:, 1],
                peers[:, 2].astype(np.int64),
                peers[:, 0].astype(np.int64),
                *least_s,
            )
        )
    return found


def effect(found: list[Part], seed: int = 1) -> Effect:
    """How many slow messages the detours explain, and how many they would by chance."""
    median_s = float(np.median(np.concatenate([part.messages_s[:, 1] for part in found])))
    generator = np.random.default_rng(seed)
    counts = np.zeros(4, dtype=np.int64)
    slow, by_chance = 0, 0.0
    for part in found:
        excess_s = part.messages_s[:, 1] - median_s
        is_slow = part.messages_s[:, 1] > SLOW * median_s
        slow += int(is_slow.sum())
        near_s, far_s = part.near_in_message_s(), part.far_in_message_s()
        held = part.while_waiting()
        waiting_s = held.near_in_message_s() + held.far_in_message_s()
        counts += [_explained(each_s, excess_s, is_slow) for each_s in (near_s, far_s, near_s + far_s, waiting_s)]
        span_s, count = float(part.messages_s[-1].sum()), len(part.messages_s)
        shifted = [
            part.near_in_message_s(generator.uniform(0.1, 0.9) * span_s)
            + part.far_in_message_s(int(generator.integers(count)))
            for _ in range(SHIFTS if is_slow.any() else 0)
        ]
        by_chance += float(np.mean([_explained(each_s, excess_s, is_slow) for each_s in shifted])) if shifted else 0.0
    messages = sum(len(part.messages_s) for part in found)
    near, far, either, waiting = (int(count) for count in counts)
    return Effect(median_s, messages, slow, near, far, either, waiting, by_chance)


def _explained(detours_s: Floats, excess_s: Floats, is_slow: npt.NDArray[np.bool_]) -> int:
    return int((is_slow & (detours_s >= EXPLAINED * excess_s)).sum())
