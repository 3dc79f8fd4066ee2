"""What congestion takes, and what management gives and costs: estimates, or the reason why there is none.

Times are by replication: runs of one replication were made in the same block and face the same congestion, so that
they are pairs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fairlead.analysis.runs import accounting
from fairlead.analysis.runs.managed import ManagedRun
from fairlead.errors import StatisticsError
from fairlead.statistics import estimates
from fairlead.statistics.estimates import Estimate
from fairlead.store import Store

Times = Mapping[int, float]
"""Run time in seconds by replication."""
# Of the clean time. Two clean runs differ by as much on a busy machine; a share of less than that is a share of noise.
LEAST_LOSS = 0.05


@dataclass(frozen=True)
class EffectEstimate:
    """An estimate, or why there is none. ``point`` is then the bare figure, where single runs allow one."""

    estimate: Estimate | None
    reason: str = ""
    point: float | None = None

    @property
    def value(self) -> float | None:
        """The figure, with or without an interval."""
        return self.point if self.estimate is None else self.estimate.value


def result(compute: Callable[[], Estimate], point: float | None = None) -> EffectEstimate:
    """The estimate, or the reason why the samples do not allow it, with the bare figure of single runs."""
    try:
        return EffectEstimate(compute())
    except StatisticsError as error:
        return EffectEstimate(None, error.args[0], point)


def matched(*times: Times) -> list[list[float]]:
    """Times of the replications that all of these have, one list each, in the same order."""
    common = sorted(set.intersection(*map(set, times)))
    return [[each[k] for k in common] for each in times]


def slowdown(congested: Times, clean: Times, level: float) -> EffectEstimate:
    """T_ic / T_nc of runs in pairs."""
    above, below = matched(congested, clean)
    return result(lambda: estimates.paired_ratio(above, below, level), _only_ratio(above, below))


def overhead(managed: Times, plain: Times, level: float) -> EffectEstimate:
    """T_nc_managed / T_nc - 1 of runs in pairs."""
    found = slowdown(managed, plain, level)
    ratio = found.estimate
    if ratio is None:
        return EffectEstimate(None, found.reason, None if found.point is None else found.point - 1)
    return EffectEstimate(Estimate(ratio.value - 1, ratio.low - 1, ratio.high - 1, ratio.level, ratio.n, ratio.method))


def recovered(clean: Times, congested: Times, managed: Times, level: float) -> EffectEstimate:
    """(T_ic - T_ic_managed) / (T_ic - T_nc) of runs in pairs."""
    t_nc, t_ic, t_managed = matched(clean, congested, managed)
    return result(lambda: estimates.recovered_share(t_nc, t_ic, t_managed, level), _only_share(t_nc, t_ic, t_managed))


def accounted(store: Store, runs: Sequence[ManagedRun], level: float) -> EffectEstimate:
    """The agents' CPU and probe traffic as a share of what there was (see `fairlead.analysis.runs.accounting`)."""
    try:
        shares = [accounting.share(store, run).total for run in runs]
    except StatisticsError as error:
        return EffectEstimate(None, error.args[0])
    return result(lambda: estimates.median_interval(shares, level), shares[0] if len(shares) == 1 else None)


def _only_ratio(first: Sequence[float], second: Sequence[float]) -> float | None:
    return first[0] / second[0] if len(first) == 1 else None


def _only_share(clean_s: Sequence[float], congested_s: Sequence[float], managed_s: Sequence[float]) -> float | None:
    """Recovered share of one replication: no interval, and none if congestion cost less than `LEAST_LOSS`."""
    if len(clean_s) != 1 or congested_s[0] < (1 + LEAST_LOSS) * clean_s[0]:
        return None
    return (congested_s[0] - managed_s[0]) / (congested_s[0] - clean_s[0])
