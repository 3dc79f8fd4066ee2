"""Whether a characterization shows the usual network, or one that was congested when it was made.

What the newest characterization has counts as usual: congestion that was there then is not acted on. Earlier ones of
the same hosts tell it apart from distance.
"""

import numpy as np

from fairlead.characterize import characterization, coverage, sample_store
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Floats
from fairlead.protocol import numbers
from fairlead.store import Run, Store

MOST_EARLIER = 5


def slower_than_baseline(store: Store, found: Characterization) -> str:
    """For people: a warning if paths were faster when the same hosts were characterized before, else empty."""
    now_s, before_s = found.latency.median_s[0], _least_s(store, found)
    # Slower is what the agents' level `medium` begins at.
    limit_s = np.maximum((numbers.CONGESTION_LEVEL_MEDIUM_FACTOR - 1.0) * before_s, numbers.CONGESTION_LEVEL_FLOOR_S)
    # Of pairs that were not measured it is said what others of their groups have.
    slower = (found.latency.count[0] > 0) & (now_s > before_s + limit_s)
    if not slower.any():
        return ""
    worst = np.where(slower, now_s / before_s, 0.0)
    i, j = np.unravel_index(int(np.argmax(worst)), worst.shape)
    path = f"{found.hosts[i]}→{found.hosts[j]} {now_s[i, j] * 1e3:.3g} ms, {before_s[i, j] * 1e3:.3g} ms before"
    return (
        f"{int(slower.sum())} paths of {found.cluster} were slower in the last characterization "
        f"({found.age_words()}) than in the one before ({path}): fairlead takes congestion of that time as the "
        "baseline and does not act on it; run "
        "`fairlead characterize` again when the network is quiet"
    )


def _least_s(store: Store, found: Characterization) -> Floats:
    """Least latency of the smallest messages in earlier characterizations of these hosts, whatever their cluster was
    called; NaN where there was none."""
    least = np.full(found.latency.median_s[0].shape, np.nan)
    looked_at = 0
    for run in reversed(characterization.runs(store)):
        of = _places(store, found, run) if run.status == "ok" and run.id != found.run else []
        if not of:
            continue
        latency = LatencyMatrix.of(sample_store.exchanges_of(store, run.id), len(run.facts["hosts"]))
        if latency.sizes_B[:1] == found.latency.sizes_B[:1]:
            least = np.fmin(least, latency.median_s[0][np.ix_(of, of)])
        looked_at += 1
        if looked_at == MOST_EARLIER:
            break
    return least


def _places(store: Store, found: Characterization, run: Run) -> list[int]:
    """The places of the hosts among those that another characterization measured; empty if it lacks one."""
    hosts, measured = list(zip(found.hosts, found.addresses, strict=True)), coverage.addresses(run.facts["hosts"])
    executors = {each.facts.get("executor") for each in (run, run if found.run is None else store.run(found.run))}
    if not executors.isdisjoint(coverage.EMULATED) and (run.labels["cluster"] != found.cluster or measured != hosts):
        return []  # the next lab's hosts have the same names and addresses
    places = {address: place for place, address in enumerate(measured)}
    return [places[each] for each in hosts] if places.keys() >= set(hosts) else []
