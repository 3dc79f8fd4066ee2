"""What is slow in an inferred network, in sentences: each with what it takes or carries, beside others of its kind."""

from collections.abc import Sequence

import numpy as np

from fairlead.analysis.networks import inferred_network, slow_paths
from fairlead.analysis.networks.inferred_network import InferredNetwork
from fairlead.analysis.networks.slow_paths import SlowHost, SlowHostLink, SlowLink, SlowPair, SlowPaths
from fairlead.characterize.characterization import Characterization
from fairlead.display import words
from fairlead.report.network import host_ranges

MOST_NAMED = 6
"""Of a kind that are named; of more it is said how many there are."""

NOTHING = "No link and no host pair is slower than others of its kind by more than the measurements scatter."


def of(found: Characterization) -> list[str]:
    """What is slow in a characterization; nothing is said where no traffic was injected yet."""
    if not np.isfinite(found.rates_bps).any():
        return []
    network = inferred_network.infer(found)
    return sentences(network, slow_paths.find(found, network), found.hosts)


def sentences(network: InferredNetwork, slow: SlowPaths, names: Sequence[str]) -> list[str]:
    """One for each kind of which something is slow, or that nothing is."""
    kinds = [
        ("Slow links between groups", [_link(network, each, names) for each in slow.links]),
        ("Slow links of hosts", [_host_link(each, names) for each in slow.host_links]),
        ("Slow hosts", [_host(each, names) for each in slow.hosts]),
        ("Slow host pairs", [_pair(network, each, slow, names) for each in _once(slow.pairs)]),
    ]
    said = [f"{kind}: {'; '.join(named[:MOST_NAMED])}{_more(len(named))}." for kind, named in kinds if named]
    return said or [NOTHING]


def _more(number: int) -> str:
    return f"; and {number - MOST_NAMED} more (all: --json)" if number > MOST_NAMED else ""


def _link(network: InferredNetwork, slow: SlowLink, names: Sequence[str]) -> str:
    shared = network.links[slow.link].shared
    ends = [
        host_ranges.groups_named([network.groups[each].hosts for each in sorted(end)], names)
        for end in (shared.sources, shared.destinations)
    ]
    return f"{ends[0]} → {ends[1]} {_carries(slow.rate_bps, slow.times, slow.usual_bps)}"


def _host_link(slow: SlowHostLink, names: Sequence[str]) -> str:
    where = {"out": "out of", "in": "into"}[slow.direction]
    return f"{where} {names[slow.host]} {_carries(slow.rate_bps, slow.times, slow.usual_bps)}"


def _carries(rate_bps: float, times: float, usual_bps: float) -> str:
    return f"carries {words.rate(rate_bps)}, {_times(times)} the median of its kind ({words.rate(usual_bps)})"


def _host(slow: SlowHost, names: Sequence[str]) -> str:
    every = f"{len(slow.slow)} of {slow.measured} measured paths"
    return f"{names[slow.host]}: {every} take {_times(slow.times)} the median of their kind"


def _pair(network: InferredNetwork, slow: SlowPair, every: SlowPaths, names: Sequence[str]) -> str:
    both = any(other.pair == slow.pair[::-1] for other in every.pairs)
    arrow = "↔" if both else "→"
    kind = "pairs within groups" if slow.within else "pairs between groups"
    return (
        f"{names[slow.pair[0]]} {arrow} {names[slow.pair[1]]}: {words.duration(slow.latency_s)} for "
        f"{words.size(network.sizes_B[0])}, {_times(slow.times)} the median of its kind ({kind}: "
        f"{words.duration(slow.usual_s)})"
    )


def _times(value: float) -> str:
    return f"{words.significant(value, 2)} times"


def _once(pairs: Sequence[SlowPair]) -> list[SlowPair]:
    """Of two directions the slower."""
    seen: set[frozenset[int]] = set()
    found = []
    for each in pairs:
        if frozenset(each.pair) not in seen:
            found.append(each)
            seen.add(frozenset(each.pair))
    return found
