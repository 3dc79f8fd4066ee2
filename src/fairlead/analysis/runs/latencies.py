"""Latency of each pair before and after its traffic was rerouted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.analysis.runs.managed import HostPair, Latency, ManagedRun


@dataclass(frozen=True)
class Distribution:
    """Median and 5th and 95th percentile of n latencies, in seconds."""

    median_s: float
    p5_s: float
    p95_s: float
    n: int


@dataclass(frozen=True)
class PairLatency:
    """One pair, rerouted or slow, over all managed congested runs of a program. None where no sample was taken.

    Attributes:
        quiet: direct path, while nobody loaded the network (also in managed clean runs, where there are).
        congested: direct path, while its traffic was away from it or about to be (others loaded the network).
        detour: the path that the traffic took while it was away.
        relays: hosts that it went over; its own destination where it took another equal-cost path.
    """

    pair: HostPair
    quiet: Distribution | None
    congested: Distribution | None
    detour: Distribution | None
    relays: tuple[str, ...]


def per_pair(runs: Sequence[ManagedRun], clean: Sequence[ManagedRun] = ()) -> list[PairLatency]:
    """Pairs that were rerouted or slow in any of the runs and that the program used, by name.

    Args:
        clean: runs on a quiet network, of which more quiet samples come.
    """
    pairs = sorted({pair for run in runs for pair in run.pairs() if pair in run.used()})
    return [_of(pair, runs, clean) for pair in pairs]


def _of(pair: HostPair, runs: Sequence[ManagedRun], clean: Sequence[ManagedRun]) -> PairLatency:
    quiet = [each.latency_s for run in clean for each in run.latencies_of(pair) if each.relay is None]
    congested: list[float] = []
    detour: list[float] = []
    relays: set[str] = set()
    for run in runs:
        spans = run.detours(pair)
        relays |= {relay for *_, relay in spans}
        for sample in run.latencies_of(pair):
            if sample.relay is not None:
                if any(begin <= sample.t_s <= end and relay == sample.relay for begin, end, relay in spans):
                    detour.append(sample.latency_s)
            elif run.quiet(pair, sample.t_s):
                quiet.append(sample.latency_s)
            elif run.loaded(pair, sample.t_s) and _suffers(sample, spans, run):
                congested.append(sample.latency_s)
    return PairLatency(pair, distribution(quiet), distribution(congested), distribution(detour), tuple(sorted(relays)))


def _suffers(sample: Latency, spans: Sequence[tuple[float, float, str]], run: ManagedRun) -> bool:
    """Whether the pair's direct path suffers: from the beginning of the congestion that it was rerouted for until it is
    restored.

    A pair that was never rerouted suffers while its path is not low.
    """
    if run.congestion is None:
        return True
    if not spans:
        return any(level != "low" and begin <= sample.t_s < end for begin, end, level in run.level_spans(sample.pair))
    for begin_s, end_s, _ in spans:
        causes = [each for each in run.congestion if each.begin_s <= begin_s <= each.end_s]
        if causes and causes[-1].begin_s <= sample.t_s <= min(end_s, causes[-1].end_s):
            return True
    return False


def distribution(latencies_s: Sequence[float]) -> Distribution | None:
    """Of the samples; None without any."""
    if not latencies_s:
        return None
    p5, median, p95 = np.percentile(np.asarray(latencies_s), (5, 50, 95))
    return Distribution(float(median), float(p5), float(p95), len(latencies_s))
