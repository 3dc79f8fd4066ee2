"""The raw samples of a characterization, kept one by one as they are taken; every matrix is computed from them.

Delays are one-way times between two clocks: their differences on one path mean something, their absolute values only
as far as the clocks agree.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from fairlead.characterize.tournament import Pair

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Exchanges:
    """Ping-pongs of one size between two hosts.

    Attributes:
        pair: (first, second); the first host sends first.
        round_trip_s, forward_s: one value an exchange; ``forward_s`` from the first host to the second.
        clock_error_s: bound on the error of ``forward_s``.
        alone: nothing else was measured at the same time.
    """

    pair: Pair
    size_B: int
    round_trip_s: Floats
    forward_s: Floats
    clock_error_s: float
    alone: bool


@dataclass(frozen=True)
class Window:
    """Delays that probes saw on some paths while traffic was injected on others; without any, an idle window.

    Attributes:
        tests: what was tested at the same time: each a pair that carried injected traffic, or pairs that may meet.
        rates_bps: what each pair carried, in the order of ``pairs``.
        paths: (paths, 2) the ordered pairs that were probed.
        delays_s: (paths, probes) one-way delays; NaN where no probe came back.
    """

    tests: tuple[tuple[Pair, ...], ...]
    rates_bps: tuple[float, ...]
    paths: Ints
    delays_s: Floats

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The injected pairs of all tests."""
        return tuple(pair for test in self.tests for pair in test)

    @classmethod
    def of_all(cls, tests: tuple[tuple[Pair, ...], ...], rates_bps: tuple[float, ...], delays_s: Floats) -> "Window":
        """With delays by [source, destination, probe]."""
        paths = np.argwhere(np.isfinite(delays_s).any(axis=2))
        return cls(tests, rates_bps, paths, delays_s[paths[:, 0], paths[:, 1]])


class Sink(Protocol):
    """Where samples go as soon as they are taken (the results store)."""

    def exchanges(self, sample: Exchanges) -> None: ...
    def window(self, sample: Window) -> None: ...
    def groups(self, group_of: Ints) -> None: ...


@dataclass
class Samples:
    """All samples of one characterization of ``count`` hosts, in the order taken.

    Attributes:
        group_of: (hosts) the group of hosts that each was measured with; None: each was measured by itself.
        names: of the hosts, for people; empty: they have none.
    """

    count: int
    exchanges: list[Exchanges] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    group_of: Ints | None = None
    names: tuple[str, ...] = ()

    def name(self, host: int) -> str:
        """A host's, else its number."""
        return self.names[host] if self.names else f"host {host}"

    def idle(self) -> list[Window]:
        """The windows without injected traffic."""
        return [window for window in self.windows if not window.tests]

    def rates_bps(self) -> Floats:
        """(hosts, hosts) highest rate that a pair carried while no other was tested; NaN where it never did."""
        rates = np.full((self.count, self.count), np.nan)
        for window in self.windows:
            if len(window.pairs) == 1:
                rates[window.pairs[0]] = np.fmax(rates[window.pairs[0]], window.rates_bps[0])
        return rates


@dataclass(frozen=True)
class Injection:
    """One test, by groups of hosts (or hosts): what was injected, and the queueing delays that paths between them saw.

    Attributes:
        pairs: ordered pairs that carried injected traffic: one, or several that may meet.
        rates_bps: what each of them carried.
        delays_s: (groups, groups, probes) by [source, destination, k]; NaN where nothing was seen.
    """

    pairs: tuple[Pair, ...]
    rates_bps: tuple[float, ...]
    delays_s: npt.NDArray[np.floating]


@dataclass
class Injections:
    """The tests between ``count`` groups of hosts.

    Attributes:
        attempts: by what was injected, in the order of first attempts.
    """

    count: int
    attempts: dict[tuple[Pair, ...], list[Injection]] = field(default_factory=dict)

    def add(self, injection: Injection) -> None:
        """One more attempt."""
        self.attempts.setdefault(injection.pairs, []).append(injection)

    def of(self, *pairs: Pair) -> list[Injection]:
        """All attempts at injecting on exactly these pairs."""
        return self.attempts.get(pairs, [])

    def injected(self) -> list[tuple[Pair, ...]]:
        """What was injected, each once, in the order of first attempts."""
        return list(self.attempts)

    def rates_bps(self) -> Floats:
        """(groups, groups) highest rate that a pair carried alone; NaN where it never did."""
        rates = np.full((self.count, self.count), np.nan)
        for pairs, attempts in self.attempts.items():
            if len(pairs) == 1:
                rates[pairs[0]] = max(attempt.rates_bps[0] for attempt in attempts)
        return rates


def pooled(samples: list[Injection]) -> npt.NDArray[np.floating]:
    """(groups, groups, probes) delays of several tests put together."""
    return np.concatenate([sample.delays_s for sample in samples], axis=2)
