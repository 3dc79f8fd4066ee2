"""Clocks of hosts from the messages between them, against clocks that are known."""

import numpy as np

from fairlead.profile.analysis import clocks


class Cluster:
    """Hosts whose clocks show ``offset + (1 + drift) * time``, and messages between them."""

    def __init__(self, offsets_s: list[float], drifts: list[float], seed: int) -> None:
        self.offsets_s, self.drifts = np.array(offsets_s), np.array(drifts)
        self.random = np.random.default_rng(seed)
        self.columns: list[tuple[np.ndarray, ...]] = []

    def shown(self, host: int, time_s: np.ndarray) -> np.ndarray:
        return self.offsets_s[host] + (1 + self.drifts[host]) * time_s

    def exchange(self, source: int, destination: int, number: int, *, fastest_s: float, queue_s: float) -> None:
        time_s = 5000 + np.sort(self.random.uniform(0, 100, number))
        flight_s = fastest_s + self.random.exponential(queue_s, number)
        self.columns.append((
            np.full(number, source), np.full(number, destination), self.shown(source, time_s),
            self.shown(destination, time_s + flight_s),
        ))  # fmt: skip

    def found(self) -> list[clocks.ClockCorrection | None]:
        return clocks.of(len(self.offsets_s), *(np.concatenate(column) for column in zip(*self.columns, strict=True)))


def test_offset_and_drift_within_the_bound() -> None:
    inside = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        offset_s, drift = random.uniform(-500, 500), random.uniform(-1e-4, 1e-4)
        cluster = Cluster([0.0, offset_s], [0.0, drift], seed)
        # One direction is slower, and its queue much longer.
        cluster.exchange(0, 1, 300, fastest_s=20e-6, queue_s=2e-3)
        cluster.exchange(1, 0, 300, fastest_s=60e-6, queue_s=50e-6)
        _, clock = cluster.found()
        assert clock is not None
        time_s = np.linspace(5000, 5100, 11)
        error_s = np.abs(clock.to_reference(cluster.shown(1, time_s)) - time_s)
        inside += bool(error_s.max() <= clock.bound_s + 1e-9)
        assert clock.bound_s < 1e-3
    assert inside >= 99


def test_over_a_third_host() -> None:
    cluster = Cluster([0.0, 3.0, -40.0], [0.0, 1e-5, -2e-5], seed=1)
    for pair in ((0, 1), (1, 0), (1, 2), (2, 1)):
        cluster.exchange(*pair, 200, fastest_s=30e-6, queue_s=100e-6)
    _, near, far = cluster.found()
    assert near is not None
    assert far is not None
    time_s = np.array([5000.0, 5100.0])
    assert np.abs(far.to_reference(cluster.shown(2, time_s)) - time_s).max() <= far.bound_s
    assert near.bound_s < far.bound_s < 1e-3


def test_one_direction_tells_nothing() -> None:
    cluster = Cluster([0.0, 3.0], [0.0, 0.0], seed=1)
    cluster.exchange(0, 1, 200, fastest_s=30e-6, queue_s=100e-6)
    assert cluster.found() == [clocks.ClockCorrection(), None]


def test_clocks_that_jump_are_not_known() -> None:
    cluster = Cluster([0.0, 3.0], [0.0, 0.0], seed=1)
    for pair in ((0, 1), (1, 0)):
        cluster.exchange(*pair, 200, fastest_s=30e-6, queue_s=100e-6)
    cluster.offsets_s[1] += 1.0  # within the same time
    for pair in ((0, 1), (1, 0)):
        cluster.exchange(*pair, 200, fastest_s=30e-6, queue_s=100e-6)
    assert cluster.found()[1] is None
