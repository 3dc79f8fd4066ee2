"""The inferred network for programs (docs/guides/characterize.md): all facts that the page draws and says."""

from dataclasses import asdict
from typing import Any

import numpy as np

from fairlead.analysis.networks import inferred_network, slow_paths
from fairlead.analysis.networks.inferred_network import Link, Node
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.json_form import nullable
from fairlead.report.network import slow_words


def of(found: Characterization) -> dict[str, Any]:
    """Groups, links, own links of hosts, and what is slow. Hosts and groups are indices; null: not known."""
    network = inferred_network.infer(found)
    slow = slow_paths.find(found, network)
    return {
        "sizes_B": list(network.sizes_B),
        "groups": [{"hosts": list(each.hosts), "latency_s": nullable(each.latency_s)} for each in network.groups],
        "links": [_link(each) for each in network.links],
        "meetings": network.meetings,
        "joined": [[_node(end) for end in each] for each in network.joined],
        "host_links": {"out_bps": nullable(network.out_bps), "in_bps": nullable(network.in_bps)},
        "slow": {
            "links": [asdict(each) | {"times": each.times} for each in slow.links],
            "host_links": [asdict(each) | {"times": each.times} for each in slow.host_links],
            "hosts": [
                {"host": each.host, "paths": len(each.slow), "measured": each.measured, "times": each.times}
                for each in slow.hosts
            ],
            "pairs": [asdict(each) | {"pair": list(each.pair), "times": each.times} for each in slow.pairs],
        },
        "said": slow_words.sentences(network, slow, found.hosts),
    }


def _node(node: Node) -> dict[str, Any]:
    return {"kind": node.kind, "number": node.number}


def _link(link: Link) -> dict[str, Any]:
    rates = nullable(np.array([link.rate_bps, link.lowest_bps, link.highest_bps]))
    return {
        "tail": _node(link.tail),
        "head": _node(link.head),
        "filled_by": [list(pair) for pair in link.shared.filled_by],
        "crossed_by": [list(pair) for pair in sorted(link.shared.crossed_by)],
        "rate_bps": rates[0],
        "lowest_bps": rates[1],
        "highest_bps": rates[2],
        "latency_s": nullable(link.latency_s),
        "measured": link.measured,
    }
