"""Cost efficiency of cells: executions an hour for the price of an hour (interconnection thesis, 4.2.1).

Prices are those of a price book, by the clusters that rows ran on, or stand in ``[report.cost]``, by level of a factor.
Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairlead.analysis import run_costs
from fairlead.analysis.evaluations.dataset import Dataset, DesignCell, Levels
from fairlead.analysis.evaluations.settings import HourlyCost, ReportSettings
from fairlead.errors import ConfigError
from fairlead.prices.book import Book, kept_with
from fairlead.prices.run_price import RunPrice
from fairlead.store import Run

PriceSource = Book | HourlyCost


@dataclass(frozen=True)
class Priced(RunPrice):
    """A cell with its price: that of an execution as long as its mean run, on all that its rows ran on."""

    cell: DesignCell


def source_of(record: Run, book: Book | None = None) -> PriceSource | None:
    """What prices an evaluation: this book, else the one that its plan named, else ``[report.cost]``; None: nothing."""
    settings = ReportSettings.model_validate((record.plan or {}).get("report") or {})
    return book or kept_with(record.plan) or settings.cost


def priced(data: Dataset, source: PriceSource) -> list[Priced]:
    """Every cell that has a price, in the data's order.

    Raises:
        ConfigError: the data are no times, or ``[report.cost]`` has a price of no level.
    """
    if data.unit != "s":
        raise ConfigError(f"{data.name}: cost is of times, and {data.series} is in {data.unit}")
    found = dict(_by_level(data, source) if isinstance(source, HourlyCost) else _by_system(data, source))
    priced_cells = (cell for cell in data.cells if cell.levels in found and cell.mean > 0)
    return [Priced(found[cell.levels], data.paid_s(cell), cell) for cell in priced_cells]


def systems(data: Dataset) -> list[str]:
    """Names of the clusters that rows ran on; none of what was imported."""
    return run_costs.systems_of(data.rows)


def cheapest(
    data: Dataset, source: PriceSource, configurations: Sequence[str], within_s: float
) -> dict[Levels, Priced | None]:
    """By case, the cheapest cell whose mean time is at most ``within_s``; None: there is none.

    Args:
        configurations: factors that are chosen from; the others, and none that is joined to them, define cases.
    """
    chosen = {name for factor in configurations for name in data.tied(factor)}
    best: dict[Levels, Priced | None] = {}
    for each in priced(data, source):
        case = tuple(level for factor, level in data.named(each.cell).items() if factor not in chosen)
        before = best.setdefault(case, None)
        if each.cell.mean <= within_s and (before is None or each.per_run < before.per_run):
            best[case] = each
    return best


def _by_level(data: Dataset, cost: HourlyCost) -> Iterator[tuple[Levels, float]]:
    known = [str(level) for level in data.levels_of(cost.factor)]
    if not set(known) & set(cost.prices):
        hint = f"its levels: {', '.join(known)}"
        raise ConfigError(f"{data.name}: no level of {cost.factor} has a price", hint=hint)
    for cell in data.cells:
        price = cost.prices.get(str(data.all_named(cell)[cost.factor]))
        if price is not None:
            yield cell.levels, price * cost.instances


def _by_system(data: Dataset, book: Book) -> Iterator[tuple[Levels, float]]:
    """The price of an hour of each cell whose rows ran on one system of the book, on the same number of its hosts."""
    by_number = {run.id: run for run in data.rows}
    for cell in data.cells:
        runs = [by_number[number] for number in dict.fromkeys(cell.runs.tolist()) if number in by_number]
        costs = [run_costs.of_run(book, run, cell.mean) for run in runs]
        hourly = {None if cost is None else cost.per_hour for cost in costs}
        if len(hourly) == 1 and (per_hour := hourly.pop()) is not None:
            yield cell.levels, per_hour
