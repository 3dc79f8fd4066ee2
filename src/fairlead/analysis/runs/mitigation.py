"""What the user of a run was advised of its ranks (`fairlead.mitigation`), as it was recorded."""

from fairlead.protocol import events, recorded_events
from fairlead.store import Run, Store

Mitigation = events.Mitigation[str]


def read(store: Store, run: Run) -> Mitigation | None:
    """The last advice, by all that was seen of the run; None: there was none."""
    kind = events.Mitigation
    said = [event for _, _, event in recorded_events.of_kind(recorded_events.entries(store, run, kind), kind)]
    return said[-1] if said else None
