"""Who looks at the events of a run, and what came of them."""

from collections.abc import Sequence

from fairlead.agents.agent import EventCallback
from fairlead.display import words
from fairlead.errors import FairleadError, of_system
from fairlead.manage import live_runs
from fairlead.manage.narrator import Narrator, pair, pair_from
from fairlead.protocol import enums, events
from fairlead.protocol.messages import AgentEvent


class Audience:
    """Hands each event to all that look at it: narrator, file of the run, sinks. Runs in the events' thread.

    One that fails is told once and asked again with the next event: traffic is managed whether it is recorded or not.
    """

    def __init__(
        self,
        names: Sequence[str],
        narrator: Narrator,
        registration: live_runs.Registration,
        sinks: Sequence[EventCallback],
    ) -> None:
        self._names = names
        self._narrator = narrator
        self._registration = registration
        self._observers: list[EventCallback] = [narrator, self._register, *sinks]
        self._failed: set[int] = set()  # observers, by place
        self.reroutes = 0
        self.migrations = 0
        self.relayed: dict[int, int] = {}  # by host index, messages; of hosts that have the relay plane
        self.problems: list[BaseException] = []

    def __call__(self, host: int, event: AgentEvent) -> None:
        match event:
            case events.Rerouted() if not event.again:
                self.reroutes += 1
            case events.Migration(action=enums.MigrationAction.MOVED):
                self.migrations += 1
            case events.Stats() if event.relay is not None:
                # Ranks count; an agent that was started again knows of none until they have joined it.
                self.relayed[host] = max(self.relayed.get(host, 0), event.relay.ranks.relayed)
        for place, observer in enumerate(self._observers):
            try:
                observer(host, event)
            except Exception as error:  # noqa: BLE001  # whatever one does wrong, the others are told
                self._note(place, error)

    def add(self, observer: EventCallback) -> None:
        """Have another one told."""
        self._observers.append(observer)

    def _note(self, place: int, error: Exception) -> None:
        if place in self._failed:
            return
        self._failed.add(place)
        self.problems.append(error)
        self._narrator.say(f"the program continues, but its record has gaps: {_describe(error)}")

    def problem(self, error: BaseException) -> None:
        """Something that was begun for the program could not be ended in order after it."""
        self.problems.append(error)
        self._narrator.say(f"the program has ended, but cleaning up after it failed: {_describe(error)}")

    def _register(self, host: int, event: AgentEvent) -> None:
        self._follow(host, event)
        self._registration.publish()

    def _follow(self, host: int, event: AgentEvent) -> None:
        state = self._registration.state
        match event:
            case events.Died():  # its guardian takes the routes back, and nobody looks at its paths
                for told in (state.detours, state.levels):
                    for path in [path for path in told if path.startswith(pair_from(self._names, host))]:
                        del told[path]
            case events.Mitigation():
                state.advice = event.reason
            case events.Rerouted():
                over = words.carrier(self._names[event.relay], self._names[event.destination])
                state.detours[pair(self._names, event.source, event.destination)] = over
            case events.Restored():
                state.detours.pop(pair(self._names, event.source, event.destination), None)
            case events.LevelChanged(congestion_level=enums.CongestionLevel.LOW):
                state.levels.pop(pair(self._names, event.source, event.destination), None)
            case events.LevelChanged():
                state.levels[pair(self._names, event.source, event.destination)] = event.congestion_level
            case _:
                return
        self._registration.change()


def _describe(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return f"{error or 'Ctrl-C'} cut it short; `fairlead clean` removes what is left"
    if isinstance(error, OSError):
        error = of_system(error)
    return str(error) if isinstance(error, FairleadError) else repr(error)
