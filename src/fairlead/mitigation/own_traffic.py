"""Whether a program's own traffic explains a queue on a path, by the rates that agents report. Pure.

Where a third host can relay a pair, its agent counts the job's bytes before it decides, and says `own_load`. Where none
can, as between two switches with one trunk, it counts nothing: here the rates of the job's pairs on the path's
bottleneck are compared with what it carries.
"""

from collections import defaultdict, deque

import numpy as np

from fairlead.characterize.characterization import Characterization
from fairlead.protocol import events

EXPLAINS = 0.7
"""Share of the bottleneck's rate from which the job's own traffic explains a queue, as with the agents' default of
`own_load.foreign_share`."""
FRESH_S = 3.0
"""The highest rate of a pair within this time counts: a queue lasts on after what made it, also after the program."""

Path = tuple[int, int]


class OwnTraffic:
    """The rates of the job's pairs of late, against the bottlenecks of a characterization.

    Args:
        found: of the managed hosts, in their order; None: no queue is explained.
    """

    def __init__(self, found: Characterization | None) -> None:
        self._found = found
        self._rates: dict[Path, deque[tuple[float, float]]] = defaultdict(deque)  # (when, bit/s), the latest last

    def __call__(self, event: events.PathLatency[int]) -> None:
        if event.t_s is not None:
            rates = self._rates[event.source, event.destination]
            rates.append((event.t_s, event.rate_bps))
            while event.t_s - rates[0][0] > FRESH_S:
                rates.popleft()

    def explains(self, path: Path, now_s: float | None) -> bool:
        """Whether the job's own bytes fill what the path shares."""
        if self._found is None or now_s is None:
            return False
        carries_bps = float(self._found.rates_bps[path])
        if not np.isfinite(carries_bps) or carries_bps <= 0:
            return False
        sharing = self._found.sensitivity.hurting(path)
        own_bps = sum(
            max((rate_bps for t_s, rate_bps in rates if now_s - t_s <= FRESH_S), default=0.0)
            for other, rates in self._rates.items()
            if other == path or sharing[other]
        )
        return own_bps >= EXPLAINS * carries_bps
