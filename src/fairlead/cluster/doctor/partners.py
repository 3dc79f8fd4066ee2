"""Whom each host tries: all others in small clusters, in large ones some that find out all about the host itself.

With n hosts there are n(n−1) directed paths. Faults of a host (its link, its firewall, its ports) show on any of its
paths, and those between parts of the network on all paths between these. So in large clusters each host tries those
that are 1, 2, 4, 8, … places before and after it in the cluster file, for neighbours there are mostly neighbours in the
network; and those at each multiple of √n places, so that each two runs of √n neighbours, racks for example, try each
other. Each path is tried in both directions, and there are about n (√n + 2 log2(n)).
"""

import math
from collections.abc import Sequence

MOST_HOSTS_FOR_ALL_PATHS = 64


def partners(names: Sequence[str]) -> dict[str, list[str]]:
    """The hosts that each one tries, in the same order; who tries a host is tried by it.

    Args:
        names: in the cluster file's order.
    """
    count = len(names)
    if count <= MOST_HOSTS_FOR_ALL_PATHS:
        return {name: [other for other in names if other != name] for name in names}
    apart = {1 << power for power in range(count.bit_length()) if 1 << power <= count // 2}
    root = math.isqrt(count)
    apart |= set(range(root, count // 2 + 1, root))
    steps = {*apart, *(count - places for places in apart)}
    return {
        name: [other for place, other in enumerate(names) if (place - own) % count in steps]
        for own, name in enumerate(names)
    }
