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
class Injection:
    """Delays that probes saw on all paths while traffic was injected on some; without any, an idle window.

    Attributes:
        pairs: ordered pairs that carried injected traffic, none to two.
        rates_bps: what each of them carried.
        delays_s: (hosts, hosts, probes) one-way delays by [source, destination, k]; NaN where no probe came back.
    """

    pairs: tuple[Pair, ...]
    rates_bps: tuple[float, ...]
    delays_s: Floats


class Sink(Protocol):
    """Where samples go as soon as they are taken (the results store)."""

    def exchanges(self, sample: Exchanges) -> None: ...
    def injection(self, sample: Injection) -> None: ...


@dataclass
class Samples:
    """All samples of one characterization of ``count`` hosts, in the order taken."""

    count: int
    exchanges: list[Exchanges] = field(default_factory=list)
    injections: list[Injection] = field(default_factory=list)

    def idle(self) -> list[Injection]:
        """The windows without injected traffic."""
        return [sample for sample in self.injections if not sample.pairs]

    def of(self, *pairs: Pair) -> list[Injection]:
        """All attempts at injecting on exactly these pairs."""
        return [sample for sample in self.injections if sample.pairs == pairs]

    def injected(self) -> list[tuple[Pair, ...]]:
        """What was injected, each once, in the order of first attempts."""
        return list(dict.fromkeys(sample.pairs for sample in self.injections if sample.pairs))

    def rates_bps(self) -> Floats:
        """(hosts, hosts) highest rate that a pair carried alone; NaN where it never did."""
        rates = np.full((self.count, self.count), np.nan)
        for sample in self.injections:
            if len(sample.pairs) == 1:
                rates[sample.pairs[0]] = np.fmax(rates[sample.pairs[0]], sample.rates_bps[0])
        return rates


def pooled(samples: list[Injection]) -> Floats:
    """(hosts, hosts, probes) delays of several windows put together."""
    return np.concatenate([sample.delays_s for sample in samples], axis=2)
