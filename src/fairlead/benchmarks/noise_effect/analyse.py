"""What the samples say of round trips and the detours that ranks saw meanwhile."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from fairlead.array_types import Floats, Ints
from fairlead.benchmarks.noise_effect import measure
from fairlead.benchmarks.noise_effect.measure import WAITING
from fairlead.benchmarks.page.system import System
from fairlead.store import Run, Store

SLOW = 1.5  # times the median round trip
EXPLAINED = 0.5  # share of a slow message's excess that detours must make up
SHIFTS = 20  # of the detours in time, to see how many messages they would explain by chance
SEED = 1


@dataclass(frozen=True)
class NoiseEffectPart:
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
    near_kind: Ints
    far_s: Floats
    far_kind: Ints
    far_message: Ints
    least_reading_s: float
    least_test_s: float

    def while_waiting(self) -> "NoiseEffectPart":
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
class ExplainedDelay:
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


def parts(store: Store, run: int) -> list[NoiseEffectPart]:
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
            NoiseEffectPart(
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


def effect(found: list[NoiseEffectPart]) -> ExplainedDelay:
    """How many slow messages the detours explain, and how many they would by chance."""
    median_s = float(np.median(np.concatenate([part.messages_s[:, 1] for part in found])))
    generator = np.random.default_rng(SEED)
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
    return ExplainedDelay(median_s, messages, slow, near, far, either, waiting, by_chance)


def _explained(detours_s: Floats, excess_s: Floats, is_slow: npt.NDArray[np.bool_]) -> int:
    return int((is_slow & (detours_s >= EXPLAINED * excess_s)).sum())


@dataclass(frozen=True)
class NoiseEffect:
    """One system's newest run."""

    system: str
    run: Run
    parts: list[NoiseEffectPart]
    effect: ExplainedDelay

    def excess_and_detours_s(self) -> tuple[Floats, Floats]:
        """(messages,) what each took beyond the median, and the detours of both ranks meanwhile."""
        excess = [part.messages_s[:, 1] - self.effect.median_s for part in self.parts]
        detours = [part.near_in_message_s() + part.far_in_message_s() for part in self.parts]
        return np.concatenate(excess), np.concatenate(detours)


def load_noise_effect(system: System) -> NoiseEffect | None:
    """None where there is no such run, or it ended in its first part."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        kept = parts(store, run.id)
    return NoiseEffect(system.name, run, kept, effect(kept)) if kept else None
