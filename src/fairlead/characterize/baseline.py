"""Whether a characterization shows the usual network, or one that was congested when it was made.

What the newest characterization has counts as usual: congestion that was there then is not acted on. Earlier ones of
the same hosts tell it apart from distance.
"""

import numpy as np

from fairlead.characterize import characterization, sample_store
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.samples import Floats
from fairlead.protocol import numbers
from fairlead.store import Store

MOST_EARLIER = 5


def slower_than_baseline(store: Store, found: Characterization) -> str:
    """For people: a warning if paths were faster when the same hosts were characterized before, else empty."""
    now_s, before_s = found.latency.median_s[0], _least_s(store, found)
    # Slower is what the agents' level `medium` begins at.
    limit_s = np.maximum((numbers.CONGESTION_LEVEL_MEDIUM_FACTOR - 1.0) * before_s, numbers.CONGESTION_LEVEL_FLOOR_S)
    slower = now_s > before_s + limit_s
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
    """Least latency of the smallest messages in earlier characterizations of these hosts; NaN where there was none."""
    least = np.full(found.latency.median_s[0].shape, np.nan)
    of_these = list(zip(found.hosts, found.addresses, strict=True))
    earlier = [run for run in characterization.runs(store, found.cluster) if run.status == "ok" and run.id != found.run]
    for run in earlier[-MOST_EARLIER:]:
        if [(host["name"], host["address"]) for host in run.facts["hosts"]] != of_these:
            continue
        latency = LatencyMatrix.of(sample_store.exchanges_of(store, run.id), len(found.hosts))
        if latency.sizes_B[:1] == found.latency.sizes_B[:1]:
            least = np.fmin(least, latency.median_s[0])
    return least
