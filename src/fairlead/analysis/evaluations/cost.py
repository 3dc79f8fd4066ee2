"""Cost efficiency: executions an hour for the price of an hour (interconnection thesis, 5.2.3). Pure."""

from dataclasses import dataclass

from fairlead.analysis.evaluations.dataset import Dataset, DesignCell
from fairlead.analysis.evaluations.settings import HourlyCost
from fairlead.errors import ConfigError


@dataclass(frozen=True)
class Priced:
    """A cell with its price.

    Attributes:
        per_hour: price of all instances for an hour.
        per_run: price of one execution at the cell's mean time.
        efficiency: executions an hour divided by the price of an hour.
    """

    cell: DesignCell
    per_hour: float
    per_run: float
    efficiency: float


def priced(data: Dataset, cost: HourlyCost) -> list[Priced]:
    """Every cell whose level has a price, in the data's order.

    Raises:
        ConfigError: the data are no times, or no level has a price.
    """
    if data.unit != "s":
        raise ConfigError(f"{data.name}: cost is of times, and {data.series} is in {data.unit}")
    known = ", ".join(map(str, data.levels_of(cost.factor)))
    found = []
    for cell in data.cells:
        price = cost.prices.get(str(data.all_named(cell)[cost.factor]))
        if price is not None:
            per_hour = price * cost.instances
            found.append(Priced(cell, per_hour, per_hour * cell.mean / 3600, 3600 / cell.mean / per_hour))
    if not found:
        raise ConfigError(f"{data.name}: no level of {cost.factor} has a price", hint=f"its levels: {known}")
    return found


def cheapest(data: Dataset, cost: HourlyCost, within_s: float) -> dict[tuple[object, ...], Priced | None]:
    """By case, the cheapest cell whose mean time is at most ``within_s``; None: there is none."""
    tied = data.tied(cost.factor)
    best: dict[tuple[object, ...], Priced | None] = {}
    for each in priced(data, cost):
        case = tuple(level for factor, level in data.named(each.cell).items() if factor not in tied)
        before = best.setdefault(case, None)
        if each.cell.mean <= within_s and (before is None or each.per_run < before.per_run):
            best[case] = each
    return best
