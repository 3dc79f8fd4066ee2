"""What agents report of messages every second or two, added up before it is stored: records of long runs stay small."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from statistics import median
from typing import Any

from fairlead.protocol import events
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.objects import RankPair

SHARE = 1 / 60
"""Reports within so much of the time since the first become one: all of the first minute are kept, of a day about 500.
"""

Key = tuple[str, int, int]


@dataclass
class _Waiting:
    """Events of one kind that become one.

    Attributes:
        begun_s: time of the first of all.
        since_s: of the last one before these.
    """

    host: int
    begun_s: float
    since_s: float
    events: list[AgentEvent] = field(default_factory=list)


class GatheredEvents:
    """Events in their order, with `events.Communication` and `events.RankPairs` of some time added up."""

    def __init__(self) -> None:
        self._waiting: dict[Key, _Waiting] = {}

    def add(self, host: int, event: AgentEvent, now_s: float) -> AgentEvent | None:
        """What is to be stored of this host now; None: nothing yet."""
        if not isinstance(event, events.Communication | events.RankPairs):
            return event
        t_s = now_s if event.t_s is None else event.t_s
        source = event.source if isinstance(event, events.Communication) else -1
        waiting = self._waiting.setdefault((event.TYPE, host, source), _Waiting(host, t_s, t_s))
        waiting.events.append(replace(event, t_s=t_s))
        if t_s - waiting.since_s < SHARE * (t_s - waiting.begun_s):
            return None
        return _taken(waiting)

    def rest(self) -> Iterator[tuple[int, AgentEvent]]:
        """What is left at the end, with its hosts."""
        for waiting in self._waiting.values():
            if waiting.events:
                yield waiting.host, _taken(waiting)


def _taken(waiting: _Waiting) -> AgentEvent:
    last = waiting.events[-1]
    waiting.since_s = last.t_s or 0.0
    together: list[Any] = waiting.events
    waiting.events = []
    return _communication(together) if isinstance(last, events.Communication) else _rank_pairs(together)


def _communication(parts: list[events.Communication[int]]) -> events.Communication[int]:
    """Sums; what counts from the beginning is the last one's. L: the median of their medians, their largest."""

    def known(name: str) -> list[float]:
        return [value for each in parts if (value := getattr(each, name)) is not None]

    summed = ("messages", "size_B", "waits", "waited_s", "known_s", "network_s", "late_sender_s", "joined")
    medians_s = known("latency_median_s")
    return replace(
        parts[-1],
        **{name: sum(getattr(each, name) for each in parts) for name in summed},
        latency_median_s=median(medians_s) if medians_s else None,
        latency_max_s=max(known("latency_max_s"), default=None),
        clock_error_s=max(known("clock_error_s"), default=None),
    )


def _rank_pairs(parts: list[events.RankPairs[int]]) -> events.RankPairs[int]:
    """Sums by pair of ranks, and of the spans; the pairs in the order in which they came first."""
    pairs: dict[tuple[int, int, int], RankPair[int]] = {}
    for each in (pair for part in parts for pair in part.pairs):
        ranks = each.source, each.source_rank, each.rank
        before = pairs.get(ranks)
        pairs[ranks] = each if before is None else _sum(before, each)
    return replace(parts[-1], span_s=sum(each.span_s for each in parts), pairs=tuple(pairs.values()))


def _sum(one: RankPair[int], other: RankPair[int]) -> RankPair[int]:
    names = [each.name for each in fields(one) if each.name not in ("source", "source_rank", "rank")]
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in names})
