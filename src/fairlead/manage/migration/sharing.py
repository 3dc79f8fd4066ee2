"""Tells the agents which paths have a bottleneck in common when machines have moved."""

import time
from collections.abc import Callable, Sequence

from fairlead.agents.agent_thread import AgentThread
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.cloud.inventory import Inventory
from fairlead.manage.migration.grouped import GroupedSharing
from fairlead.manage.migration.relation import Places, Relation
from fairlead.protocol import commands

TELL_AGAIN_S = 30.0
"""To an agent that did not answer."""


class Sharing:
    """Keeps the agents' relation up to date.

    Args:
        found: as characterized, with the machines where they are when they are first seen; None: agents judge by none.
            Where some pairs were not measured, agents keep it as it is: what they share after a move is not known.
    """

    def __init__(self, agents: AgentThread, names: Sequence[str], found: SharedBottlenecks | None) -> None:
        self._agents = agents
        self._names = list(names)
        self._found = None if found is None or not found.whole else GroupedSharing.characterized(found)
        self._relation: Relation | None = None
        self._places: Places | None = None
        self._told = self._found
        self._untold: set[int] = set()  # hosts whose agents have not taken it
        self._tell_again_s = float("-inf")

    def see(self, inventory: Inventory, over: Callable[[], bool] = lambda: False) -> str | None:
        """Where the machines are now; if agents had to be told of other links in common, that, in words.

        Args:
            over: whether nobody needs it any more: each agent that does not answer takes seconds.
        """
        if self._found is None or self._told is None:
            return None
        places = Places.of(inventory, self._names)
        if self._relation is None or self._places is None:
            self._relation, self._places = Relation(self._found, places), places
        changed = 0
        if places != self._places:
            now = self._relation.after(places)
            changed = self._relation.differing(now, self._told, self._places, places)
            self._places, self._told = places, now if changed else self._told
        if changed:
            self._untold = set(range(len(self._names)))
        due = changed or (self._untold and time.monotonic() >= self._tell_again_s)
        return self._tell(self._told, changed, over) if due else None

    def forget(self, host: int) -> None:
        """A host's agent was started again, with what was characterized."""
        if self._told is not self._found:
            self._untold.add(host)
            self._tell_again_s = float("-inf")

    def _tell(self, now: GroupedSharing, changed: int, over: Callable[[], bool]) -> str | None:
        """One agent after the other: of many hosts each message is large, and their events must not wait for it."""
        command = commands.Shares(shares=now.to_json())
        for host in sorted(self._untold):
            if over():
                return None
            answer = self._agents.command_each({host: command})[host]
            if not isinstance(answer, BaseException):
                self._untold.remove(host)
        self._tell_again_s = time.monotonic() + TELL_AGAIN_S
        if not changed:
            return None
        silent = [self._names[host] for host in sorted(self._untold)]
        but = f", except {', '.join(silent)}, which did not answer and will be told again" if silent else ""
        return f"the agents know that {changed} pairs of paths share other links than before{but}"
