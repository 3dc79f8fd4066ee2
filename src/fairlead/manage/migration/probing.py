"""What the agents measure for the migration controller: paths that the program does not use are asked for."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from fairlead.agents.agent_thread import AgentThread
from fairlead.protocol import commands, numbers
from fairlead.protocol.objects import ProbeResult

Path = tuple[str, str]  # (source, destination), names of hosts

PROBES = 3
INTERVAL_S = 0.02


class Probing:
    """Small datagrams between the agents of a run.

    Args:
        base_s: latency of each path while nothing else is on the network, in seconds; a missing one counts as none.
        settings: of the agents, those that differ from their defaults.
    """

    def __init__(
        self,
        agents: AgentThread,
        names: Sequence[str],
        base_s: Mapping[Path, float],
        settings: Mapping[str, int | float] | None = None,
    ) -> None:
        self._agents = agents
        self._names = list(names)
        self._base_s = base_s
        changed = settings or {}
        self._factor = changed.get("congestion_level.medium_factor", numbers.CONGESTION_LEVEL_MEDIUM_FACTOR)
        self._floor_s = changed.get("congestion_level.floor_s", numbers.CONGESTION_LEVEL_FLOOR_S)

    def slow_into(self, hosts: Sequence[str]) -> dict[Path, bool]:
        """For each path into these hosts that answers, whether it is slow now."""
        return {
            (peer, host): statistics.median(times) >= self._threshold_s((peer, host))
            for host, peer, times in self._ask(hosts, attrgetter("backward_s"))
        }

    def round_trips_s(self, host: str) -> dict[str, float]:
        """Median round trip in seconds from a host to each other one that answers."""
        return {peer: statistics.median(times) for _, peer, times in self._ask([host], attrgetter("round_trip_s"))}

    def _threshold_s(self, path: Path) -> float:
        """As for the agents' level `medium`: what is not low is slow."""
        base_s = self._base_s.get(path, 0.0)
        return base_s + max((self._factor - 1.0) * base_s, self._floor_s)

    def _ask(
        self, hosts: Sequence[str], times: Callable[[ProbeResult], tuple[float, ...]]
    ) -> list[tuple[str, str, tuple[float, ...]]]:
        """(host, peer, times) for all peers; an agent that does not answer says so itself."""
        every = range(len(self._names))
        asked = [self._names.index(host) for host in hosts]
        answers = self._agents.command_each(
            {
                host: commands.Probe(
                    peers=tuple(peer for peer in every if peer != host), count=PROBES, interval_s=INTERVAL_S
                )
                for host in asked
            }
        )
        return [
            (self._names[host], self._names[result.peer], times(result))
            for host, answer in answers.items()
            if not isinstance(answer, BaseException)
            for result in answer.results
            if times(result)
        ]
