"""For programs and agents that something else ends together, as Slurm does with what a job has on its nodes."""

import threading

from fairlead.agents.agent import EventCallback
from fairlead.protocol import events, reasons
from fairlead.protocol.messages import AgentEvent


class CommonEnd:
    """Hands events on. An agent's end is held back for a while: it may be the program's, which we are told last.

    What comes of it then is nobody's concern: guardians that are told to end take their routes back. Where the program
    goes on, it is handed on late, and all that came from that host meanwhile with it.

    Args:
        on_event: takes (host index, event), one at a time; called in a thread of ours, too.
        patience_s: how long an end is held back.
    """

    def __init__(self, on_event: EventCallback, patience_s: float) -> None:
        self._on_event = on_event
        self._patience_s = patience_s
        self._held: dict[int, list[AgentEvent]] = {}  # by host
        self._ended = False
        self._one_by_one = threading.Lock()

    def __call__(self, host: int, event: AgentEvent) -> None:
        with self._one_by_one:
            if self._ended and _of_an_end(event):
                return
            if host in self._held:
                self._held[host].append(event)
            elif _of_an_end(event):
                self._held[host] = [event]
                later = threading.Timer(self._patience_s, self._hand_on, (host,))
                later.daemon = True
                later.start()
            else:
                self._on_event(host, event)

    def program_ended(self) -> None:
        """What is held back was its end."""
        with self._one_by_one:
            self._ended = True
        for host in list(self._held):
            self._hand_on(host)

    def _hand_on(self, host: int) -> None:
        with self._one_by_one:
            for event in self._held.pop(host, ()):
                if not (self._ended and _of_an_end(event)):
                    self._on_event(host, event)


def _of_an_end(event: AgentEvent) -> bool:
    match event:
        case events.Died() | events.PlaneLost():
            return True
        case events.Restored():
            return event.reason in reasons.PROGRAM_ENDED
    return False
