"""Reroutes that the user asked for by hand: made before the program starts, and again when what broke them is back."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fairlead.agents.agent_thread import AgentThread
from fairlead.cluster.description import Cluster
from fairlead.errors import AgentError, ConfigError, HostError
from fairlead.manage.management import Management
from fairlead.manage.narrator import pair
from fairlead.protocol import commands, events, numbers, reasons
from fairlead.protocol.answers import Done
from fairlead.protocol.messages import AgentEvent, Command

Reroute = tuple[str, str, str | int]
"""Source and destination, and the relay's name, or the number of an equal-cost path, from 1."""
ATTEMPTS = 3
PAUSE_S = 1.0
ANSWER_S = 2.0  # from the moment at which an agent gives up until it has said so


def asked_for(management: Management, reroutes: Sequence[Reroute]) -> Management:
    """The management of a run whose user asks for these."""
    by_way = any(isinstance(reroute[2], int) for reroute in reroutes)
    return replace(management, manual=bool(reroutes), by_way=by_way)


@dataclass(frozen=True)
class _Wish:
    """One reroute.

    Attributes:
        path: source and destination, by index.
        hosts: whose agents it takes.
        command: what the agent of the source is asked for.
    """

    path: tuple[int, int]
    hosts: frozenset[int]
    command: Command[Done]


class ManualReroutes:
    """The reroutes, and who looks after them: call it with (host index, event).

    A reroute ends with the agent of its source, destination or relay. Once that was started again, all of them are
    there and the traffic is seen to be back on its direct path, it is made again.

    Args:
        tell: says a line to the user.
        ways: equal-cost paths that the agents have.

    Raises:
        ConfigError: a reroute names no managed host, or an equal-cost path that there is not.
    """

    def __init__(
        self, cluster: Cluster, reroutes: Sequence[Reroute], tell: Callable[[str], None], ways: int = 0
    ) -> None:
        self._names = cluster.managed_names()
        self._wishes = [self._wish(reroute, ways) for reroute in reroutes]
        self._tell = tell
        self._agents: AgentThread | None = None
        self._away: set[tuple[int, int]] = set()
        self._gone: set[int] = set()  # hosts without an agent
        self._owed: set[_Wish] = set()  # those of which an agent began anew
        self._one_by_one = threading.Lock()

    def _wish(self, reroute: Reroute, ways: int) -> _Wish:
        source, destination, carrier = reroute
        asked = f"--reroute {source}:{destination}:{f'way:{carrier}' if isinstance(carrier, int) else carrier}"
        for name in (source, destination) if isinstance(carrier, int) else (source, destination, carrier):
            if name not in self._names:
                raise ConfigError(f"{asked}: no managed host is called {name!r}")
        ends = self._names.index(source), self._names.index(destination)
        if isinstance(carrier, int):
            _require_way(asked, carrier, ways)
            return _Wish(ends, frozenset(ends), commands.RerouteByWay(peer=ends[1], way=carrier))
        relay = self._names.index(carrier)
        return _Wish(ends, frozenset((*ends, relay)), commands.Reroute(peer=ends[1], relay=relay))

    def make(self, agents: AgentThread) -> None:
        """Have the agents make them.

        Raises:
            AgentError: one could not be made.
        """
        for wish in self._wishes:
            _make(agents, wish)
        self._agents = agents

    def __call__(self, host: int, event: AgentEvent) -> None:
        self._note(host, event)
        agents = self._agents
        worth = isinstance(event, events.Restarted) or (
            isinstance(event, events.Restored) and event.reason not in reasons.PROGRAM_ENDED
        )
        if agents is not None and worth and any(map(self._due, self._wishes)):
            threading.Thread(target=self._make_again, args=(agents,), name="reroutes", daemon=True).start()

    def _note(self, host: int, event: AgentEvent) -> None:
        match event:
            case events.Died():
                self._gone.add(host)
                self._away -= {path for path in self._away if path[0] == host}
            case events.Restarted():
                self._gone.discard(host)
                self._owed |= {wish for wish in self._wishes if host in wish.hosts}
            case events.Rerouted():
                self._away.add((event.source, event.destination))
            case events.Restored():
                self._away.discard((event.source, event.destination))

    def _due(self, wish: _Wish) -> bool:
        return wish in self._owed and wish.path not in self._away and self._gone.isdisjoint(wish.hosts)

    def _make_again(self, agents: AgentThread) -> None:
        with self._one_by_one:
            for wish in filter(self._due, self._wishes):
                self._owed.discard(wish)  # first: an agent that ends meanwhile makes it due once more
                self._try(agents, wish)

    def _try(self, agents: AgentThread, wish: _Wish) -> None:
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE_S)
            try:
                return _make(agents, wish)
            except (AgentError, HostError) as error:
                problem = error
        if self._gone.isdisjoint(wish.hosts):  # else it is tried again when that agent is back
            self._tell(f"{pair(self._names, *wish.path)} is not rerouted again: {problem.args[0]}")
        return None


def _make(agents: AgentThread, wish: _Wish) -> None:
    agents.command(wish.path[0], wish.command, numbers.MANUAL_S + ANSWER_S)


def _require_way(asked: str, number: int, ways: int) -> None:
    if not ways:
        raise ConfigError(
            f"{asked}: there are no equal-cost paths",
            hint="ways.count says how many to make: under [settings] of the cluster file, or fairlead run --set",
        )
    if not 1 <= number <= ways:
        raise ConfigError(f"{asked}: there is no such equal-cost path; ways.count is {ways}, so they are 1 to {ways}")
