"""Delays of an earlier measurement as the clocks of a later one would have shown them.

Agents that are started again estimate anew by how much two hosts' clocks differ. The estimates differ by a part of the
round trip, and so do the delays: what is added in one direction is taken away in the other. Both measured the quiet
network, which shows by how much.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.characterize.quiet_network import level_s
from fairlead.characterize.samples import Floats, Window


def with_clocks_of(later: Sequence[Window], earlier: Sequence[Window], hosts: int) -> list[Window]:
    """The earlier windows, by the later ones' clocks; as they are on paths that not both saw without traffic."""
    if not earlier:
        return []
    by_s = _quiet_s(later, hosts) - _quiet_s(earlier, hosts)
    shift_s = np.nan_to_num((by_s - by_s.T) / 2)
    return [
        replace(window, delays_s=window.delays_s + shift_s[window.paths[:, 0], window.paths[:, 1], None])
        for window in earlier
    ]


def _quiet_s(windows: Sequence[Window], hosts: int) -> Floats:
    """(hosts, hosts) least of each path's levels without traffic; NaN where there is none."""
    least = np.full((hosts, hosts), np.nan)
    for window in windows:
        if not window.tests:
            cells = window.paths[:, 0], window.paths[:, 1]
            least[cells] = np.fmin(least[cells], level_s(window.delays_s))
    return least
