"""Performance for its price: what an hour's money of each system carries."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.benchmarks.page import ratios
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.curves import Measured
from fairlead.benchmarks.page.system import System
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.prices import efficiency
from fairlead.prices.book import Book, Price
from fairlead.report.figures import Drawing, axes_of, styled
from fairlead.statistics.estimates import FloatArray
from fairlead.store import Run

BITS_PER_GB = 8e9
UNITS = ("GB", "million messages", "million calls")


@dataclass(frozen=True)
class Performance:
    """A number that is better when it is larger: of each block, done in a second.

    Attributes:
        unit: of what is bought: ``GB`` moved, ``million messages``, ``million calls``.
        hosts: that were busy with it.
        statistic: what each number is of its samples.
    """

    system: str
    benchmark: str
    what: str
    unit: str
    per_s: FloatArray
    hosts: int
    statistic: str = "median"


def prices(systems: Sequence[System], book: Book | None) -> dict[str, Price]:
    """By system, of those that the book knows, by the name that reports show or their cluster's.

    Raises:
        ConfigError: the book names an instance or cost that it does not have.
    """
    found = {each.name: book.price(each.name, each.cluster) for each in systems} if book else {}
    return {name: price for name, price in found.items() if price is not None}


def of_curves(measured: Measured, *, mean: bool = False) -> Iterator[Performance]:
    """Small messages, or the best throughput, of each configuration.

    Args:
        mean: of the means of the blocks instead of their medians.
    """
    for configuration in measured.configurations():
        line = measured.line(configuration)
        name, busy = measured.words(configuration), hosts(measured.run)
        if measured.is_latency:
            size_B = min(line)
            streams = configuration[0] * len(_between(measured.run))  # a latency is of each, a throughput of all
            per_s = streams / (line[size_B].means if mean else line[size_B].blocks) / 1e6
            what, unit = f"{name}, {words.size(size_B)}", "million messages"
        else:
            best = max(line, key=lambda size_B: line[size_B].value)
            per_s = (line[best].means if mean else line[best].blocks) / BITS_PER_GB
            what, unit = f"{name}, best size", "GB"
        what, statistic = (f"{what}, mean", "mean") if mean else (what, "median")
        yield Performance(measured.system, measured.benchmark, what, unit, per_s, busy, statistic)


def beside_means(found: Sequence[Performance], own_means: Sequence[Performance]) -> list[Performance]:
    """Both of fairlead's own, the median and the mean, of units of which a file tells the mean; else the median."""
    told = {each.unit for each in found if each.statistic == "mean"}
    return [*found, *(each for each in own_means if each.unit in told)]


def _between(run: Run) -> Sequence[Sequence[str]]:
    """The pairs of hosts that a point-to-point benchmark kept busy; one where a file was read that does not say."""
    return (run.plan or {}).get("between") or [["", "x"]]


def hosts(run: Run) -> int:
    """How many hosts those are."""
    return len({host for pair in _between(run) for host in pair})


def draw(
    found: Sequence[Performance], priced: dict[str, Price], baseline: str | None, systems: Sequence[str]
) -> Drawing:
    """What a unit of money buys, a group of bars for each thing that can be bought."""
    of, currency = colours(systems), next(iter(priced.values())).currency
    units = [unit for unit in UNITS if any(each.unit == unit for each in found)]
    with styled():
        figure, axes = axes_of(len(units), 0.8 + 2.6 * len(units))
        for axis, unit in zip(axes, units, strict=True):
            chosen = [each for each in found if each.unit == unit and each.system in priced]
            things = list(dict.fromkeys(f"{each.benchmark}: {each.what}" for each in chosen))
            step = 0.8 / max(1, len(priced))
            for each in chosen:
                number = list(priced).index(each.system)
                place = things.index(f"{each.benchmark}: {each.what}") + (number - (len(priced) - 1) / 2) * step
                value = float(np.median(bought(each, priced[each.system])))
                label = each.system if things.index(f"{each.benchmark}: {each.what}") == 0 else None
                axis.barh(place, value, height=0.9 * step, color=of[each.system], label=label)
            axis.set_yticks(range(len(things)), things, fontsize=8.5)
            axis.invert_yaxis()
            axis.grid(True, axis="x")
            axis.set_xlabel(f"{unit} per {currency}")
            if len(priced) > 1:
                axis.legend(fontsize=8.5)
    caption = (
        "Medians of blocks (where marked mean: of their means; for files, their figures), for the price of an hour of "
        "the hosts that were busy, with their part of what is paid for all of a "
        f"system: {'; '.join(price.describe(name) for name, price in priced.items())}."
    )
    return Drawing("per-price", f"What one {currency} buys", caption, figure, _table(found, priced, baseline))


def bought(each: Performance, price: Price) -> FloatArray:
    """What a unit of money buys, by block."""
    return efficiency.bought(each.per_s, price.of_hosts(each.hosts))


def _table(found: Sequence[Performance], priced: dict[str, Price], baseline: str | None) -> Table:
    columns = [("system", "system"), ("benchmark", "benchmark"), ("of", "what"), ("hosts", "hosts")]
    columns += [("their price an hour", "price_per_hour"), ("for one", "bought"), ("unit", "unit")]
    columns += [("over the baseline", "ratio"), ("from", "low"), ("to", "high"), ("verdict", "verdict")]
    rows: list[list[TableCell]] = []
    bases = {(each.benchmark, each.what): each for each in found if each.system == baseline}
    for each in found:
        if each.system not in priced:
            continue
        price, values = priced[each.system], bought(each, priced[each.system])
        hourly = price.of_hosts(each.hosts)
        front = [cell(each.system), cell(each.benchmark), cell(each.what), cell(each.hosts)]
        front += [cell(hourly, f"{words.significant(hourly)} {price.currency}")]
        front += [cell(float(np.median(values)), words.significant(float(np.median(values)))), cell(each.unit)]
        base = bases.get((each.benchmark, each.what))
        compared = [cell(None)] * 4
        if base is not None and base is not each and base.system in priced:
            compared = ratios.cells(values, bought(base, priced[base.system]), lower_is_better=False)
        rows.append([*front, *compared])
    return table(columns, rows)


def findings(
    found: Sequence[Performance], priced: dict[str, Price], systems: Sequence[System], book: Book | None
) -> list[str]:
    """Who gives most for the money, and whose price is not known, or that nothing is bought."""
    if book is None:
        return []
    if not found:
        return ["For the money: none of these benchmarks counts bytes, messages or calls, which are what money buys."]
    times: dict[tuple[str, str, str], dict[str, float]] = {}
    for benchmark, what in dict.fromkeys((each.benchmark, each.what) for each in found):
        values = {
            each.system: float(np.median(bought(each, priced[each.system])))
            for each in found
            if (each.benchmark, each.what) == (benchmark, what) and each.system in priced
        }
        if len(values) > 1:
            best, worst = max(values, key=lambda name: values[name]), min(values, key=lambda name: values[name])
            times.setdefault((benchmark, best, worst), {})[what] = values[best] / values[worst]
    said = [
        f"{benchmark} ({next(iter(of)) if len(of) == 1 else words.count(len(of), 'measurement')}): {best}, "
        f"{_range(list(of.values()))} times as much as {worst}"
        for (benchmark, best, worst), of in times.items()
    ]
    unknown = [each.name for each in systems if each.name not in priced]
    texts = [f"For the money: {'; '.join(said)}."] if said else []
    return [*texts, *([f"For the money: {book.missing(unknown)}."] if unknown else [])]


def _range(values: Sequence[float]) -> str:
    return words.range_of(words.significant(min(values)), words.significant(max(values)))
