"""What a run's reroutes gave its program (`fairlead.manage.benefit`), as it was recorded."""

from dataclasses import dataclass

from fairlead.protocol import enums, events, recorded_events
from fairlead.store import Run, Store


@dataclass(frozen=True)
class Benefit:
    """What was found.

    Attributes:
        ratio: the program's traffic with reroutes over that without, by the last comparison and those before it.
        low, high: its 90 % interval; None with one comparison.
        comparisons: how many it rests on.
        reason: the same in words, as the run said it.
        suspended: how often traffic was not rerouted for a while, as that slowed the program.
    """

    ratio: float
    low: float | None
    high: float | None
    comparisons: int
    reason: str
    suspended: int


def read(store: Store, run: Run) -> Benefit | None:
    """None where nothing was compared."""
    kind = events.Benefit
    said = [event for _, _, event in recorded_events.of_kind(recorded_events.entries(store, run, kind), kind)]
    compared = [event for event in said if event.ratio is not None and event.comparisons is not None]
    if not compared:
        return None
    last = compared[-1]
    assert last.ratio is not None and last.comparisons is not None
    suspended = sum(event.action == enums.BenefitAction.SUSPENDED for event in said)
    return Benefit(last.ratio, last.low, last.high, last.comparisons, last.reason, suspended)
