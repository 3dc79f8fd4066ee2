"""What was known of a cluster's network when a run began: its last complete characterization before it."""

import numpy as np

from fairlead.characterize import characterization, coverage
from fairlead.characterize.characterization import Characterization
from fairlead.store import Run, Store


def before(store: Store, run: Run) -> Run | None:
    """The characterization that a run's decisions came from, or None."""
    hosts = run.facts.get("paths_between")
    if hosts is None or run.facts["executor"] in coverage.EMULATED:
        candidates = characterization.runs(store, _cluster(store, run))
    else:
        wanted = set(coverage.addresses(hosts))
        candidates = [
            each for each in characterization.runs(store) if wanted <= set(coverage.addresses(each.facts["hosts"]))
        ]
    found = [each for each in candidates if each.status == "ok" and each.started_s <= run.started_s]
    return found[-1] if found else None


def has_detour(store: Store, run: Run) -> bool | None:
    """Whether any pair of hosts had a detour around its bottleneck; None where nothing was characterized."""
    found = before(store, run)
    return None if found is None else Characterization.read(store, found).has_detour()


def base_s(store: Store, run: Run) -> dict[tuple[str, str], float]:
    """Latency of a small message on each quiet direct path, by names of hosts; empty if nothing was characterized."""
    record = before(store, run)
    if record is None:
        return {}
    found = Characterization.read(store, record)
    times, hosts = found.latency.median_s[0], found.hosts
    return {
        (source, destination): float(times[i, j])
        for i, source in enumerate(hosts)
        for j, destination in enumerate(hosts)
        if np.isfinite(times[i, j])
    }


def _cluster(store: Store, run: Run) -> str | None:
    name = run.labels.get("cluster")
    if name is None and run.parent is not None:
        name = store.run(run.parent).labels.get("cluster")
    return None if name is None else str(name)
