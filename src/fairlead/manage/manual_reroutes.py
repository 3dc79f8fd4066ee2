"""Reroutes that the user asked for by hand: made before the program starts, and again when what broke them is back."""

import threading
import time
from collections.abc import Callable, Sequence

from fairlead.agents.agent_thread import AgentThread
from fairlead.cluster.description import Cluster
from fairlead.errors import AgentError, ConfigError, HostError
from fairlead.manage.narrator import pair
from fairlead.protocol import commands, events, numbers, reasons
from fairlead.protocol.messages import AgentEvent

Reroute = tuple[str, str, str]
ATTEMPTS = 3
PAUSE_S = 1.0
ANSWER_S = 2.0  # from the moment at which an agent gives up until it has said so


class ManualReroutes:
    """The reroutes, and who looks after them: call it with (host index, event).

    A reroute ends with the agent of its source, destination or relay. Once that was started again, all three are there
    and the traffic is seen to be back on its direct path, it is made again.

    Args:
        reroutes: (source, destination, relay) host names.
        tell: says a line to the user.

    Raises:
        ConfigError: a reroute names no managed host.
    """

    def __init__(self, cluster: Cluster, reroutes: Sequence[Reroute], tell: Callable[[str], None]) -> None:
        self._names = [host.name for host in cluster.managed_hosts()]
        index = {name: number for number, name in enumerate(self._names)}
        for names in reroutes:
            for name in names:
                if name not in index:
                    raise ConfigError(f"--reroute {':'.join(names)}: no managed host is called {name!r}")
        self._reroutes = [(index[source], index[destination], index[relay]) for source, destination, relay in reroutes]
        self._tell = tell
        self._agents: AgentThread | None = None
        self._away: set[tuple[int, int]] = set()
        self._gone: set[int] = set()  # hosts without an agent
        self._owed: set[tuple[int, int, int]] = set()  # reroutes of which an agent began anew
        self._one_by_one = threading.Lock()

    def make(self, agents: AgentThread) -> None:
        """Have the agents make them.

        Raises:
            AgentError: one could not be made.
        """
        for reroute in self._reroutes:
            _make(agents, reroute)
        self._agents = agents

    def __call__(self, host: int, event: AgentEvent) -> None:
        self._note(host, event)
        agents = self._agents
        worth = isinstance(event, events.Restarted) or (
            isinstance(event, events.Restored) and event.reason not in reasons.PROGRAM_ENDED
        )
        if agents is not None and worth and any(map(self._due, self._reroutes)):
            threading.Thread(target=self._make_again, args=(agents,), name="reroutes", daemon=True).start()

    def _note(self, host: int, event: AgentEvent) -> None:
        match event:
            case events.Died():
                self._gone.add(host)
                self._away -= {path for path in self._away if path[0] == host}
            case events.Restarted():
                self._gone.discard(host)
                self._owed |= {reroute for reroute in self._reroutes if host in reroute}
            case events.Rerouted():
                self._away.add((event.source, event.destination))
            case events.Restored():
                self._away.discard((event.source, event.destination))

    def _due(self, reroute: tuple[int, int, int]) -> bool:
        return reroute in self._owed and reroute[:2] not in self._away and self._gone.isdisjoint(reroute)

    def _make_again(self, agents: AgentThread) -> None:
        with self._one_by_one:
            for reroute in filter(self._due, self._reroutes):
                self._owed.discard(reroute)  # first: an agent that ends meanwhile makes it due once more
                self._try(agents, reroute)

    def _try(self, agents: AgentThread, reroute: tuple[int, int, int]) -> None:
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(PAUSE_S)
            try:
                return _make(agents, reroute)
            except (AgentError, HostError) as error:
                problem = error
        if self._gone.isdisjoint(reroute):  # else it is tried again when that agent is back
            self._tell(f"{pair(self._names, reroute[0], reroute[1])} is not rerouted again: {problem.args[0]}")
        return None


def _make(agents: AgentThread, reroute: tuple[int, int, int]) -> None:
    source, destination, relay = reroute
    agents.command(source, commands.Reroute(peer=destination, relay=relay), numbers.MANUAL_S + ANSWER_S)
