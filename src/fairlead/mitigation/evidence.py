"""What agents report of pairs of ranks, added up, without the times at which others congested the path. Pure.

What passes on a path that others congest is the network's fault and no advice to the user. A queue that the program
makes by itself is none: it stays in.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.mitigation.own_traffic import OwnTraffic, Path
from fairlead.protocol import enums, events
from fairlead.protocol.messages import AgentEvent

MOST_PAIRS = 1 << 18
"""All of 512 ranks; of those of more, the first that are seen count."""
RankPair = tuple[int, int]
"""Sending and receiving rank."""


@dataclass
class Sums:
    """Of a pair of ranks.

    Attributes:
        path: hosts of the two, by index.
        messages, size_B: all of them, also while the path was congested.
        transmission_s: t_t, without times of congestion; waiting that is not known is taken to be divided as the known.
        processing_s: t_p, of the whole time: what a receiver computes does not depend on the path.
    """

    path: Path
    messages: int = 0
    size_B: int = 0
    transmission_s: float = 0.0
    processing_s: float = 0.0


class Evidence:
    """Adds up the events of a run with message monitor and detection; called with them in their order."""

    def __init__(self, own: OwnTraffic) -> None:
        self.pairs: dict[RankPair, Sums] = {}
        self.left_out: set[Path] = set()
        self._own = own
        self._observed_s: dict[int, float] = {}  # by receiving host
        self._left_out_s: dict[Path, float] = {}
        self._slow: set[Path] = set()  # now, by their level
        self._detours: set[Path] = set()  # now, and not by hand
        self._own_load: set[Path] = set()  # of which the last search found the program's own load
        self._since: dict[int, set[Path]] = {}  # slow or on a detour since the last report, by receiving host

    def __call__(self, event: AgentEvent) -> None:
        match event:
            case events.RankPairs():
                self._add(event)
            case events.PathLatency():
                self._own(event)
            case events.LevelChanged() | events.Rerouted() | events.Restored() | events.Kept():
                self._note(event)

    @property
    def observed_s(self) -> float:
        """How long any host was observed."""
        return max(self._observed_s.values(), default=0.0)

    def counted_s(self, path: Path) -> float:
        """How long a path was observed without congestion by others."""
        return self._observed_s.get(path[1], 0.0) - self._left_out_s.get(path, 0.0)

    def hosts(self) -> Sequence[int] | None:
        """The host of each rank, by index; None where some rank was not seen."""
        found: dict[int, int] = {}
        for (source, rank), sums in self.pairs.items():
            found[source], found[rank] = sums.path
        return [found[rank] for rank in range(len(found))] if found and max(found) == len(found) - 1 else None

    def _note(
        self, event: events.LevelChanged[int] | events.Rerouted[int] | events.Restored[int] | events.Kept[int]
    ) -> None:
        path = event.source, event.destination
        match event:
            case events.LevelChanged(congestion_level=enums.CongestionLevel.LOW):
                self._slow.discard(path)
            case events.LevelChanged():
                self._slow.add(path)
                self._since.setdefault(path[1], set()).add(path)
            case events.Rerouted(manual=False):
                self._own_load.discard(path)
                self._detours.add(path)
                self._since.setdefault(path[1], set()).add(path)
            case events.Restored():
                self._detours.discard(path)
            case events.Kept() if event.reason.partition(":")[0] == enums.KeepReason.OWN_LOAD:
                self._own_load.add(path)
            case events.Kept():
                self._own_load.discard(path)

    def _add(self, event: events.RankPairs[int]) -> None:
        here = event.destination
        congested = {path for path in self._since.pop(here, set()) if self._by_others(path, event.t_s)}
        self._since[here] = {path for path in self._slow | self._detours if path[1] == here}
        self._observed_s[here] = self._observed_s.get(here, 0.0) + event.span_s
        for path in congested:
            self._left_out_s[path] = self._left_out_s.get(path, 0.0) + event.span_s
        for each in event.pairs:
            ranks = each.source_rank, each.rank
            if ranks not in self.pairs and len(self.pairs) >= MOST_PAIRS:
                continue
            sums = self.pairs.setdefault(ranks, Sums((each.source, here)))
            sums.messages += each.messages
            sums.size_B += each.size_B
            sums.processing_s += each.processing_s
            if sums.path in congested:
                self.left_out.add(sums.path)
            elif each.known_s > 0:
                sums.transmission_s += each.transmission_s * each.waited_s / each.known_s

    def _by_others(self, path: Path, now_s: float | None) -> bool:
        return path in self._detours or not (path in self._own_load or self._own.explains(path, now_s))
