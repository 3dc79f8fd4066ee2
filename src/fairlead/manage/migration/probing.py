"""What the agents measure for the migration controller: paths that the program does not use are asked for."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Protocol

from fairlead.agents.agent import Message

Path = tuple[str, str]  # (source, destination), names of hosts

PROBES = 3
INTERVAL_S = 0.02
FLOOR_S = 1.0e-3
FACTOR = 1.5
"""As the agents' settings have it for the medium zone: what is not low is slow (native/core's settings.hpp)."""


class Commander(Protocol):
    """What is needed of the agents; `fairlead.agents.crew.Crew` has it."""

    def command_each(self, messages: Mapping[int, Message]) -> dict[int, Message | BaseException]: ...


class Probing:
    """Small datagrams between the agents of a run.

    Args:
        base_s: latency of each path while nothing else is on the network, in seconds; a missing one counts as none.
    """

    def __init__(self, crew: Commander, names: Sequence[str], base_s: Mapping[Path, float]) -> None:
        self._crew = crew
        self._names = list(names)
        self._base_s = base_s

    def slow_into(self, hosts: Sequence[str]) -> dict[Path, bool]:
        """For each path into these hosts that answers, whether it is slow now."""
        return {
            (peer, host): statistics.median(times) >= self._threshold_s((peer, host))
            for host, peer, times in self._ask(hosts, "backward_s")
        }

    def round_trips_s(self, host: str) -> dict[str, float]:
        """Median round trip in seconds from a host to each other one that answers."""
        return {peer: statistics.median(times) for _, peer, times in self._ask([host], "round_trip_s")}

    def _threshold_s(self, path: Path) -> float:
        base_s = self._base_s.get(path, 0.0)
        return base_s + max((FACTOR - 1.0) * base_s, FLOOR_S)

    def _ask(self, hosts: Sequence[str], what: str) -> list[tuple[str, str, list[float]]]:
        """(host, peer, times) for all peers; an agent that does not answer says so itself."""
        message = {"type": "probe", "count": PROBES, "interval_s": INTERVAL_S}
        every = range(len(self._names))
        asked = [self._names.index(host) for host in hosts]
        answers = self._crew.command_each(
            {host: {**message, "peers": [peer for peer in every if peer != host]} for host in asked}
        )
        return [
            (self._names[host], self._names[result["peer"]], result[what])
            for host, answer in answers.items()
            if not isinstance(answer, BaseException)
            for result in answer["results"]
            if result[what]
        ]
