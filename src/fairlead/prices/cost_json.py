"""What a run costs, as a part of JSON files for machines (`fairlead.contract`)."""

from fairlead.contract import Finite, Part
from fairlead.prices.run_cost import RunCost


class Cost(Part):
    """What the run cost: ``per_hour`` for ``hosts`` hosts, and ``per_run``, in ``currency``. ``efficiency``: runs like
    it an hour for the price of an hour."""

    currency: str
    hosts: int
    per_hour: Finite
    per_run: Finite
    efficiency: Finite


def of(found: RunCost) -> Cost:
    """The JSON form of a cost."""
    return Cost(
        currency=found.currency,
        hosts=found.hosts,
        per_hour=found.per_hour,
        per_run=found.per_run,
        efficiency=found.efficiency,
    )
