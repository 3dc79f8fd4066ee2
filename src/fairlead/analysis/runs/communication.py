"""Communication time by host pair, from the message monitor's events (DMCBM figures 4.12 and 4.17 to 4.20).

The communication time of a directed host pair is the time that calls of its receivers waited after the message they
waited for had been sent (docs/explanation/message-times.md): waiting for a sender that is late is not in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fairlead.analysis.runs.managed import HostPair
from fairlead.protocol import events, recorded_events
from fairlead.protocol.gathered_events import SHARE
from fairlead.statistics.estimates import median
from fairlead.store import Run, Store

Report = tuple[float, events.Communication[str]]
"""When an agent reported, and what of a pair."""


@dataclass(frozen=True)
class PairTimes:
    """Messages from one host to another in one run.

    Attributes:
        messages, size_B: that were seen, and their bytes.
        waits, waited_s: calls that waited for one, and how long.
        known_s: of that, by calls whose messages' ends were joined.
        network_s: of what is known, after the message had been sent.
        late_sender_s: of what is known, before.
        latency_s: median of the network times L of joined messages, over the run's seconds; None: there is none.
        clock_error_s: the largest stated with an L.
    """

    messages: int = 0
    size_B: int = 0
    waits: int = 0
    waited_s: float = 0.0
    known_s: float = 0.0
    network_s: float = 0.0
    late_sender_s: float = 0.0
    latency_s: float | None = None
    clock_error_s: float = 0.0

    @property
    def communication_s(self) -> float | None:
        """All waiting, divided as the waiting that is known; None where none is known of any."""
        if self.waited_s == 0:
            return 0.0
        return self.waited_s * self.network_s / self.known_s if self.known_s > 0 else None


@dataclass(frozen=True)
class Communication:
    """One run. ``dropped``: records that ranks had no room for; of these messages nothing is known."""

    pairs: Mapping[HostPair, PairTimes]
    dropped: int
    mismatches: int


def read(store: Store, run: Run) -> Communication | None:
    """What the monitor saw of a run; None where it was not on, or saw no message between hosts."""
    reports: dict[HostPair, list[Report]] = {}
    dropped: dict[str, int] = {}
    mismatches: dict[str, int] = {}
    kind = events.Communication
    for t_s, _, event in recorded_events.of_kind(recorded_events.entries(store, run, kind), kind):
        reports.setdefault((event.source, event.destination), []).append((t_s, event))
        dropped[event.destination] = event.dropped  # both count on from the beginning
        mismatches[event.destination] = event.mismatches
    if not reports:
        return None
    pairs = {pair: _summed(each) for pair, each in sorted(reports.items())}
    return Communication(pairs, sum(dropped.values()), sum(mismatches.values()))


def _summed(reports: Sequence[Report]) -> PairTimes:
    seconds = [event for _, event in reports]
    return PairTimes(
        messages=sum(each.messages for each in seconds),
        size_B=sum(each.size_B for each in seconds),
        waits=sum(each.waits for each in seconds),
        waited_s=sum(each.waited_s for each in seconds),
        known_s=sum(each.known_s for each in seconds),
        network_s=sum(each.network_s for each in seconds),
        late_sender_s=sum(each.late_sender_s for each in seconds),
        latency_s=_latency_s(reports),
        clock_error_s=max((each.clock_error_s for each in seconds if each.clock_error_s is not None), default=0.0),
    )


def _latency_s(reports: Sequence[Report]) -> float | None:
    """Median over the run's seconds of what the reports have as medians: later ones are of more than a second."""
    begun_s = reports[0][0]
    spans_s = [0.0, *(min(now - before, SHARE * (now - begun_s)) for (before, _), (now, _) in pairwise(reports))]
    latencies_s = [
        event.latency_median_s
        for (_, event), span_s in zip(reports, spans_s, strict=True)
        if event.latency_median_s is not None
        for _ in range(max(1, round(span_s)))
    ]
    return median(latencies_s) if latencies_s else None


def typical(runs: Sequence[Communication]) -> dict[HostPair, float]:
    """Median communication time of each pair over the replications, in s; a run in which it had no message counts 0.

    Pairs of which no run knows anything are left out.
    """
    times: dict[HostPair, float] = {}
    for pair in sorted({pair for run in runs for pair in run.pairs}):
        known = [time_s for run in runs if (time_s := run.pairs.get(pair, PairTimes()).communication_s) is not None]
        if known:
            times[pair] = median(known)
    return times


def total_s(run: Communication) -> float:
    """Of all pairs of a run together, as far as it is known."""
    return sum(times.communication_s or 0.0 for times in run.pairs.values())
