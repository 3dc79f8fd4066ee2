"""Tells the user, once a run, that ranks spend more in transmission than in processing (DMCBM 3.4.4)."""

from collections.abc import Sequence

from fairlead.agents.agent import EventCallback
from fairlead.mitigation.advice import Placing, advice
from fairlead.mitigation.evidence import Evidence
from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent

SETTLED_S = 10.0  # observed, before anything is said
AGAIN = 1.25  # what was observed is looked at again when it is so many times as long: there may be a million pairs
LEAST_S = 2.0  # of a program that ends before


class UserMitigation:
    """Looks at the agents' events of a run with message monitor and detection.

    Args:
        names: of the hosts, by index.
        evidence: adds up what was seen.
        place: looks for other placements.
        report: takes (host index, event) with the advice; must not wait.
    """

    def __init__(self, names: Sequence[str], evidence: Evidence, place: Placing, report: EventCallback) -> None:
        self._names = names
        self._evidence = evidence
        self._place = place
        self._report = report
        self._said = False
        self._next_s = SETTLED_S

    def __call__(self, host: int, event: AgentEvent) -> None:
        self._evidence(event)
        if not self._said and isinstance(event, events.RankPairs) and self._evidence.observed_s >= self._next_s:
            self._next_s = AGAIN * self._evidence.observed_s
            found = advice(self._evidence, self._names, self._place)
            if found is not None:
                self._said = True
                self._report(found.pairs[0].destination, found)

    def at_end(self) -> tuple[int, AgentEvent] | None:
        """The advice by all that was seen, with the host that it is recorded for; None: there is none."""
        if self._evidence.observed_s < LEAST_S:
            return None
        found = advice(self._evidence, self._names, self._place)
        return (found.pairs[0].destination, found) if found is not None else None
