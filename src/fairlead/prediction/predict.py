"""What detours would give a program on a network as it was measured, without running it. Pure.

A program's messages between each two hosts, from its profile, times what such a message takes, from the latency matrix:
over the direct path, and over the best third host. So does section 4.7.2 of the DMCBM thesis (Espinola 2018), which
adds both legs' times up; here, as in the agents' choice, a relay forwards packet by packet, so that both legs'
latencies count and the size once, at the slower leg.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.characterize.latency import LatencyMatrix
from fairlead.characterize.tournament import Pair
from fairlead.errors import MeasurementError


@dataclass(frozen=True)
class PairPrediction:
    """An ordered pair of hosts that the program sends messages between.

    Attributes:
        source, destination, relay: names; relay: of the best detour, None where the direct path is as fast.
        messages, bytes_B: of the whole run.
        direct_s, best_s: all of these messages one after another, over the direct path and over the best one.
    """

    source: str
    destination: str
    messages: int
    bytes_B: int
    direct_s: float
    best_s: float
    relay: str | None

    @property
    def gain(self) -> float:
        """Share of the direct path's time that the detour saves; 0 without one."""
        return 1 - self.best_s / self.direct_s if self.direct_s > 0 else 0.0


def predict(
    hosts: Sequence[str],
    messages: Sequence[Sequence[int]],
    bytes_B: Sequence[Sequence[int]],
    measured_hosts: Sequence[str],
    latency: LatencyMatrix,
) -> list[PairPrediction]:
    """What each pair's messages take, the pair that gains the most time first.

    Args:
        hosts: names of the hosts that the program ran on.
        messages, bytes_B: from each host (row) to each (column), shape (hosts, hosts).
        measured_hosts: names of the hosts of the latency matrix; any of them may be a relay.

    Raises:
        MeasurementError: a host of the program, a pair, or nothing was measured, or its messages are larger than all
            sizes that were.
    """
    missing = [host for host in hosts if host not in measured_hosts]
    if missing:
        raise MeasurementError(
            f"the program ran on {missing[0]}, which is not among the hosts that were measured: "
            f"{', '.join(measured_hosts)}",
            hint="profile and characterize the same cluster",
        )
    if not latency.sizes_B:
        raise MeasurementError("no latency was measured", hint="characterize the cluster again")
    index = [measured_hosts.index(host) for host in hosts]
    found = [
        _pair((index[i], index[j]), int(messages[i][j]), int(bytes_B[i][j]), measured_hosts, latency)
        for i in range(len(hosts))
        for j in range(len(hosts))
        if i != j and messages[i][j]
    ]
    return sorted(found, key=lambda each: each.best_s - each.direct_s)


def _pair(pair: Pair, messages: int, bytes_B: int, names: Sequence[str], latency: LatencyMatrix) -> PairPrediction:
    size_B = bytes_B / messages
    if size_B > latency.sizes_B[-1]:
        raise MeasurementError(
            f"messages from {names[pair[0]]} to {names[pair[1]]} have {size_B:.0f} B on average, and nothing "
            "larger than "
            f"{latency.sizes_B[-1]} B was measured",
            hint="`fairlead characterize --from-profile` measures at a program's sizes",
        )
    source, destination = pair
    direct_s = sum(_parts(pair, size_B, names, latency))
    best_s, best = direct_s, None
    for relay in range(len(names)):
        if relay in pair:
            continue
        first, second = (_parts(leg, size_B, names, latency) for leg in ((source, relay), (relay, destination)))
        time_s = first[0] + second[0] + max(first[1], second[1])
        if time_s < best_s:
            best_s, best = time_s, names[relay]
    return PairPrediction(
        names[source], names[destination], messages, bytes_B, messages * direct_s, messages * best_s, best
    )


def _parts(path: Pair, size_B: float, names: Sequence[str], latency: LatencyMatrix) -> tuple[float, float]:
    """What the smallest message takes on a path, and what one of this size takes longer.

    Between sizes the time is taken to grow linearly, so that a mean size gives the mean time of a mix of sizes.
    """
    times = latency.median_s[(slice(None), *path)]
    if not np.isfinite(times).all():
        raise MeasurementError(f"the latency from {names[path[0]]} to {names[path[1]]} was not measured")
    smallest_s = float(times[0])
    return smallest_s, max(float(np.interp(size_B, latency.sizes_B, times)) - smallest_s, 0.0)
