"""What the runs of an evaluation cost, and how many of them money buys."""

from fairlead.analysis.evaluations import cost
from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.evaluations.settings import HourlyCost
from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.errors import ConfigError
from fairlead.prices.book import Book
from fairlead.report.evaluation import evaluation_tables

HOW_TO_PRICE = "name a price book: `prices` in [evaluation] of the plan, or --prices; or state prices in [report.cost]"


def costs(analysis: Analysis) -> Table:
    """Price of a run and cost efficiency of every cell with a price; without prices no rows."""
    columns = [
        *((name, name) for name in analysis.data.factors),
        *(("an hour", "price_per_hour"), ("a run", "price_per_run")),
        ("runs an hour per price of an hour", "efficiency"),
    ]
    source = analysis.prices
    if source is None or analysis.data.unit != "s":
        return table(columns, [])
    return table(
        columns,
        [
            [
                *(cell(level) for level in each.cell.levels),
                cell(each.per_hour, words.money(each.per_hour, source.currency, 4)),
                cell(each.per_run, words.money(each.per_run, source.currency)),
                cell(each.efficiency, words.significant(each.efficiency, 4)),
            ]
            for each in cost.priced(analysis.data, source)
        ],
    )


def sources(analysis: Analysis) -> str:
    """Where the prices come from, in words; empty without any."""
    source = analysis.prices
    if source is None:
        return ""
    if isinstance(source, HourlyCost):
        stated = f" ({source.source})" if source.source else ""
        return f"{source.instances} instances, prices in {source.currency} an instance and hour{stated}."
    return source.describe(cost.systems(analysis.data))


def unpriced(analysis: Analysis) -> str:
    """Why cells have no price though there are prices, in words; empty: they have, or there are none."""
    book, data = analysis.prices, analysis.data
    if isinstance(book, HourlyCost):
        free = [level for level in map(str, data.levels_of(book.factor)) if level not in book.prices]
        named = f"Cost: [report.cost] has no price of {book.factor} {words.listing(free)}."
        return named if free and data.unit == "s" else ""
    if not isinstance(book, Book):
        return ""
    if data.unit != "s":
        return f"Cost: only of times, and {data.series} is in {data.unit}."
    systems = cost.systems(data)
    if not systems:
        return "Cost: imported rows do not say which system they ran on. State prices in [report.cost] of their map."
    missing = book.missing(systems)
    return f"Cost: {missing}." if missing else ""


def cheapest(analysis: Analysis, within_s: float) -> list[str]:
    """Of each case the cheapest configuration that takes no longer than ``within_s``, in words.

    Raises:
        ConfigError: there are no prices, none is of what the rows ran on, or the values are no times.
    """
    source, data = analysis.prices, analysis.data
    if source is None:
        raise ConfigError(f"{data.name}: there are no prices", hint=HOW_TO_PRICE)
    chosen = (source.factor,) if isinstance(source, HourlyCost) else analysis.configurations
    found = cost.cheapest(data, source, chosen, within_s)
    if not found:
        raise ConfigError(f"{data.name}: nothing has a price", hint=unpriced(analysis))
    lines = []
    for case, best in found.items():
        name = ", ".join(map(str, case)) or data.name
        if best is None:
            lines.append(f"{name}: nothing ends within {words.duration(within_s)}")
            continue
        level = (
            str(data.all_named(best.cell)[source.factor])
            if isinstance(source, HourlyCost)
            else evaluation_tables.short_name(analysis, analysis.configuration_of(best.cell))
        )
        price = words.money(best.per_run, source.currency)
        lines.append(f"{name}: {level}, {words.duration(best.cell.mean)}, {price} a run")
    return [*lines, reason] if (reason := unpriced(analysis)) else lines
