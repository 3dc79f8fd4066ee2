"""What a person sees while a run of the demo goes on: the pace as bars, and what happens to its paths."""

import time
from collections.abc import Callable, Sequence

from fairlead.demo import pace
from fairlead.demo.pace import Pace
from fairlead.manage.narrator import sentence
from fairlead.protocol import enums, events, reasons
from fairlead.protocol.messages import AgentEvent


class Live:
    """Tells a line for every second of a run, and one for each event that a newcomer has to see.

    An object of this class is called with agents' events, in one thread.

    Args:
        names: of the agents' hosts.
        full_bps: rate that a whole bar stands for; None: of the fastest second so far.

    Attributes:
        pace: of the run so far.
        reroutes: number of reroutes so far.
    """

    def __init__(self, names: Sequence[str], tell: Callable[[str], None], full_bps: float | None = None) -> None:
        self.pace = Pace()
        self.reroutes = 0
        self._names = names
        self._tell = tell
        self._full_bps = full_bps
        self._started_s = time.time()
        self._others_came = False
        self._congestion_told = False

    def start(self) -> None:
        """The program is launched now: times count from here."""
        self._started_s = time.time()

    def others_come(self, where: str) -> None:
        """Others begin to load a part of the network; what was congested before was so by the program itself."""
        self._others_came = True
        self._say(f"cross-traffic begins on {where}")

    def __call__(self, host: int, event: AgentEvent) -> None:
        match event:
            case events.Communication():
                self._flow(event)
            case events.LevelChanged(congestion_level=enums.CongestionLevel.HIGH) if (
                self._others_came and not self._congestion_told
            ):
                self._congestion_told = True
                self._say_event(host, event)
            case events.Rerouted():
                self.reroutes += 1
                self._say_event(host, event)
            case events.Restored() if event.reason not in reasons.PROGRAM_ENDED:
                self._say_event(host, event)

    def _say(self, text: str, at_s: float | None = None) -> None:
        """A line with its time; ``at_s``, in seconds since the epoch: None is now."""
        self._tell(f"  {(time.time() if at_s is None else at_s) - self._started_s:5.1f} s  {text}")

    def _say_event(self, host: int, event: AgentEvent) -> None:
        self._say(sentence(self._names, host, event) or event.TYPE, event.t_s)

    def _flow(self, event: events.Communication[int]) -> None:
        for second in self.pace.take(event, time.time() - self._started_s):
            if self.pace.fastest_bps > 0:  # before that, ranks start
                full_bps = self._full_bps or self.pace.fastest_bps
                self._say(pace.bar(second.rate_bps, full_bps), self._started_s + second.ends_s)
