"""What management costs by the books: the agents' CPU and network share, where run times scatter too much to show it.

The measured overhead of ten runs that scatter by some percent cannot show one percent; counters can.
"""

from dataclasses import dataclass

import numpy as np

from fairlead.analysis.runs import characterized
from fairlead.analysis.runs.managed import ManagedRun
from fairlead.characterize import sample_store
from fairlead.errors import StatisticsError
from fairlead.store import Run, Store


@dataclass(frozen=True)
class AgentShares:
    """Shares of what was there during the run.

    Attributes:
        cpu: agents' CPU time over that of all CPUs which the program could use.
        network: largest host's sent bytes over what its link can carry in that time.
    """

    cpu: float
    network: float

    @property
    def total(self) -> float:
        """Both together: an upper bound, as if the program used every CPU and link all the time."""
        return self.cpu + self.network


def share(store: Store, managed: ManagedRun) -> AgentShares:
    """The accounted overhead of one managed run.

    Raises:
        StatisticsError: no agent told its counters, or the run's facts or the store lack the CPUs or link rate.
    """
    if not managed.costs:
        raise StatisticsError(f"run {managed.run.id} holds no counters of its agents")
    cpu_s = sum(cost.cpu_s for cost in managed.costs)
    sent_bits = 8 * max(cost.sent_B for cost in managed.costs)
    return AgentShares(
        cpu_s / (_cpus(managed.run) * managed.time_s), sent_bits / (_link_bps(store, managed.run) * managed.time_s)
    )


def _cpus(run: Run) -> float:
    """CPUs that agents and ranks share: the hosts' together; those of this machine where hosts are emulated on it."""
    hosts = run.facts.get("hosts", {})
    counts = [facts.get("cpus") for facts in hosts.values()] if hosts else [run.facts.get("here", {}).get("cpus")]
    if None in counts:
        raise StatisticsError(f"run {run.id}: its facts lack the number of CPUs")
    return float(sum(float(each) for each in counts))


def _link_bps(store: Store, run: Run) -> float:
    """Median throughput of all host pairs, from the last characterization before the run."""
    found = characterized.before(store, run)
    if found is None:
        raise StatisticsError(f"run {run.id}: there is no characterization before it that says what a link carries")
    rates = sample_store.samples_of(store, found.id, len(found.facts["hosts"])).rates_bps()
    if not np.isfinite(rates).any():
        raise StatisticsError(f"run {run.id}: the characterization before it holds no throughput")
    return float(np.nanmedian(rates))
