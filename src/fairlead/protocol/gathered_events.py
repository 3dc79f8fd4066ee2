"""What agents report of messages every second or two, added up before it is stored: records of long runs stay small."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from statistics import median
from typing import TypeVar

from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.objects import RankPair

SHARE = 1 / 60
"""Reports within so much of the time since the first become one: all of the first minute are kept, of a day about 500.
"""
MOST_PAIRS = 4096
"""Of ranks, in one report: all of 16 ranks with 256. Agents name those with most bytes first."""

_SUMMED = ("messages", "size_B", "waits", "waited_s", "known_s", "network_s", "late_sender_s", "joined")
_RANKS = ("source", "source_rank", "rank")
_SUMMED_OF_RANKS = tuple(each.name for each in fields(RankPair) if each.name not in _RANKS)
_Summed = TypeVar("_Summed", events.Communication[int], RankPair[int])


class GatheredEvents:
    """Events in their order, with `events.Communication` and `events.RankPairs` of some time added up."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int | None], _Messages | _Pairs] = {}

    def add(self, host: int, event: AgentEvent, now_s: float) -> AgentEvent | None:
        """What is to be stored of this host now; None: nothing yet."""
        t_s = now_s if event.t_s is None else event.t_s
        match event:
            case events.Communication():
                messages = self._waiting.setdefault((host, event.source), _Messages(t_s, t_s))
                assert isinstance(messages, _Messages)
                messages.add(replace(event, t_s=t_s))
                return messages.due(t_s)
            case events.RankPairs():
                pairs = self._waiting.setdefault((host, None), _Pairs(t_s, t_s))
                assert isinstance(pairs, _Pairs)
                pairs.add(replace(event, t_s=t_s))
                return pairs.due(t_s)
            case _:
                return event

    def rest(self) -> Iterator[tuple[int, AgentEvent]]:
        """What is left at the end, with its hosts."""
        for (host, _), waiting in self._waiting.items():
            if (left := waiting.take()) is not None:
                yield host, left


@dataclass
class _Waiting(ABC):
    """Reports that become one.

    Attributes:
        begun_s: time of the first of all.
        since_s: of the last one before these.
    """

    begun_s: float
    since_s: float

    @abstractmethod
    def take(self) -> AgentEvent | None:
        """Them as one; None: there are none."""

    def due(self, t_s: float) -> AgentEvent | None:
        """Them as one, if their time is over; None: it is not."""
        if t_s - self.since_s < SHARE * (t_s - self.begun_s):
            return None
        self.since_s = t_s
        return self.take()


@dataclass
class _Messages(_Waiting):
    """Of one pair of hosts. L: the median of the medians, the largest; what counts from the beginning: the last."""

    sums: events.Communication[int] | None = None
    medians_s: list[float] = field(default_factory=list)

    def add(self, event: events.Communication[int]) -> None:
        if event.latency_median_s is not None:
            self.medians_s.append(event.latency_median_s)
        before = self.sums
        if before is None:
            self.sums = event
            return
        self.sums = replace(
            _added(event, before, _SUMMED),
            latency_max_s=_largest(before.latency_max_s, event.latency_max_s),
            clock_error_s=_largest(before.clock_error_s, event.clock_error_s),
        )

    def take(self) -> AgentEvent | None:
        taken, medians_s = self.sums, self.medians_s
        self.sums, self.medians_s = None, []
        return replace(taken, latency_median_s=median(medians_s) if medians_s else None) if taken is not None else None


@dataclass
class _Pairs(_Waiting):
    """Of the ranks of one host, in the order in which they came first."""

    last: events.RankPairs[int] | None = None
    span_s: float = 0.0
    pairs: dict[tuple[int, int, int], RankPair[int]] = field(default_factory=dict)

    def add(self, event: events.RankPairs[int]) -> None:
        self.last = event
        self.span_s += event.span_s
        for each in event.pairs:
            ranks = each.source, each.source_rank, each.rank
            before = self.pairs.get(ranks)
            if before is not None:
                self.pairs[ranks] = _added(each, before, _SUMMED_OF_RANKS)
            elif len(self.pairs) < MOST_PAIRS:
                self.pairs[ranks] = each

    def take(self) -> AgentEvent | None:
        if self.last is None:
            return None
        taken = replace(self.last, span_s=self.span_s, pairs=tuple(self.pairs.values()))
        self.last, self.span_s, self.pairs = None, 0.0, {}
        return taken


def _added(one: _Summed, other: _Summed, names: Iterable[str]) -> _Summed:
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in names})


def _largest(*values: float | None) -> float | None:
    return max((value for value in values if value is not None), default=None)
