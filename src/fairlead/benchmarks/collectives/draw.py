"""Times of collective operations over message size."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fairlead.benchmarks.collectives.analyse import Collectives, load_collectives
from fairlead.benchmarks.collectives.measure import OPERATIONS
from fairlead.benchmarks.page import bands, ratios, transports
from fairlead.benchmarks.page.colours import STYLES, colours
from fairlead.benchmarks.page.curves import CellStatistics
from fairlead.benchmarks.page.per_price import Performance
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import SURE, Verdict
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.report.figures import WIDTH_IN, Drawing, legend_below, styled

LATE = 0.5  # share of the small calls in which the same rank took longest, of 4 ranks or more
TAIL = 3.0  # 99th percentile over the median of a small call: one call in a hundred holds all ranks up
SMALL_B = 1024
COLUMNS = 2  # of panels


def draw(found: Sequence[Collectives], systems: Sequence[str]) -> Drawing:
    """A panel an operation, all systems in the same axes."""
    operations = [name for name in OPERATIONS if any(name in each.operations() for each in found)]
    groups = sorted({ranks for each in found for ranks in each.sizes_of_group()})
    of, style = colours(systems), {ranks: STYLES[k % len(STYLES)] for k, ranks in enumerate(groups)}
    rows = -(-len(operations) // COLUMNS)
    with styled():
        figure = Figure(figsize=(WIDTH_IN, 0.6 + 2.6 * rows), layout="constrained")
        axes = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True, sharey=True)
        for axis, operation in zip(axes.flat, operations, strict=False):
            axis.set_title(operation)
            for each in found:
                for ranks in each.sizes_of_group():
                    _line(axis, each.line(operation, ranks), of[each.system], style[ranks])
            bands.scales(axis, latency=True)
            axis.set_ylabel("time of a call" if axis.get_subplotspec().is_first_col() else "")
        for axis in list(axes.flat)[len(operations) :]:
            axis.set_visible(False)
            if rows > 1:
                axes[-2][-1].tick_params(labelbottom=True)  # it is the last one of its column
        for axis in axes[-1]:
            axis.set_xlabel("message size")
        handles = [
            Line2D([], [], color=of[each.system], linestyle=style[ranks], label=_label(each.system, ranks, systems))
            for each in found
            for ranks in each.sizes_of_group()
        ]
        legend_below(figure, handles, columns=3)
    caption = (
        "Median time of a call, with the 5th to 95th percentile: the slowest rank's, from the end of a barrier or a "
        "synchronized start. Sizes are those of a block. "
    ) + transports.told(found)
    return Drawing("collectives", "Collective operations", caption, figure, _table(found))


def _label(system: str, ranks: int, systems: Sequence[str]) -> str:
    return f"{system}: {ranks} ranks" if len(systems) > 1 else f"{ranks} ranks"


def _line(axis: Any, numbers: dict[int, CellStatistics], colour: str, style: str) -> None:
    low, middle, high = ([each.percentile(p) for each in numbers.values()] for p in (5, 50, 95))
    axis.fill_between(list(numbers), low, high, color=colour, alpha=0.2, linewidth=0)
    axis.plot(list(numbers), middle, color=colour, linestyle=style, marker="o", markersize=2.6, linewidth=1.4)


def _table(found: Sequence[Collectives]) -> Table:
    columns = [("system", "system"), ("operation", "operation"), ("ranks", "ranks"), ("size", "size_B")]
    columns += [("median", "median_s"), ("from", "low_s"), ("to", "high_s")]
    columns += [(f"{p} %", f"p{p}_s") for p in (5, 95, 99)] + [("blocks", "blocks"), ("calls", "calls")]
    rows = []
    for each in found:
        for operation in each.operations():
            for ranks in each.sizes_of_group():
                for size_B, one in each.line(operation, ranks).items():
                    front = [cell(each.system), cell(operation), cell(ranks), cell(size_B, words.size(size_B))]
                    rows.append([*front, *_row(one)])
    return table(columns, rows)


def _row(one: CellStatistics) -> list[TableCell]:
    ends = (one.median.low, one.median.high) if one.median else (None, None)
    percentiles = [one.percentile(p) for p in (5, 95, 99)]
    return [
        duration_cell(one.value),
        *(duration_cell(end) for end in ends),
        *(duration_cell(value) for value in percentiles),
        cell(len(one.blocks)),
        cell(one.samples),
    ]


def compared(found: Sequence[Collectives], baseline: str) -> list[list[TableCell]]:
    """Rows of `ratios.ratios`: each system's median over the baseline's, where both have it."""
    base = next((each for each in found if each.system == baseline), None)
    return [
        [
            cell(each.system),
            cell(one.operation),
            cell(f"{one.ranks} ranks"),
            cell(one.size_B, words.size(one.size_B)),
            *ratios.cells(numbers.blocks, base.cells[one].blocks, lower_is_better=True),
        ]
        for each in found
        for one, numbers in each.cells.items()
        if base is not None and each is not base and one in base.cells
    ]


def verdicts(found: Collectives) -> Iterator[Verdict]:
    """What is said of it."""
    most = max(found.sizes_of_group())
    for operation in found.operations():
        line = found.line(operation, most)
        if line:
            ends = [
                f"{words.duration(line[size_B].value)} ({words.size(size_B)})"
                for size_B in dict.fromkeys((min(line), max(line)))
            ]
            yield Verdict("fact", f"{operation} among {most} ranks takes {' to '.join(ends)}")
    tails = {
        one: numbers.percentile(99) / numbers.percentile(50)
        for one, numbers in found.cells.items()
        if one.size_B <= SMALL_B and one.ranks == most
    }
    if tails:
        worst = max(tails, key=lambda one: tails[one])
        text = f"{worst.operation} of {words.size(worst.size_B)} among {most} ranks: the 99th percentile is "
        text += f"{words.significant(tails[worst], 2)} times the median"
        if tails[worst] >= TAIL:
            yield Verdict("bad", text)
    yield from _late(found, most)
    yield _sureness(found)


def _late(found: Collectives, ranks: int) -> Iterator[Verdict]:
    """A rank that is the last one far more often than the others, over all operations and small sizes."""
    shares = [share for one, share in found.late.items() if one.ranks == ranks and one.size_B <= SMALL_B]
    if ranks < 4 or not shares:
        return
    mean = np.mean(shares, axis=0)
    rank = int(np.argmax(mean))
    if mean[rank] >= LATE:
        host = found.run.plan["hosts"][rank]
        share = words.percent(float(mean[rank]), decimals=0)
        text = f"rank {rank} on {host} is last in {share} of the small calls"
        yield Verdict("bad", f"{text}: its host, or its position in the library's algorithm, delays the others")


def _sureness(found: Collectives) -> Verdict:
    cells = list(found.cells.values())
    sure = sum(one.median is not None and one.median.high - one.median.low <= 2 * SURE * one.value for one in cells)
    text = f"collectives: {sure} of {words.count(len(cells), 'median')} {'is' if sure == 1 else 'are'} within ±5 %; "
    text += "results verified"
    plan = found.run.plan
    asked = len(plan["operations"]) * len(plan["sizes_B"]) * max(1, len(plan["ranks"]))
    if asked > len(cells):
        text += f"; {words.count(asked - len(cells), 'median')} not measured (time budget or buffer size)"
    if found.begun is not None:
        share = words.percent(found.begun.counted / found.begun.calls, decimals=0)
        text += f"; synchronized starts, clock error at most {words.duration(found.begun.clock_error_s)}; all ranks "
        text += f"started {share} of the calls in time, which count"
    if found.run.status != "ok":
        text += f"; the run is incomplete ({found.run.status})"
    return Verdict("sure", text)


def performances(part: Collectives) -> Iterator[Performance]:
    """What money buys."""
    most = max(part.sizes_of_group())
    for operation in part.operations():
        if line := part.line(operation, most):
            per_s = 1 / line[min(line)].blocks / 1e6
            what = f"{operation}, {most} ranks, {words.size(min(line))}"
            hosts = len(set(part.run.plan["hosts"][:most]))
            yield Performance(part.system, "collectives", what, "million calls", per_s, hosts)


SECTION = Section(
    load=at_most_one(load_collectives),
    drawings=lambda found, report: [draw(found, report.names)],
    verdicts=verdicts,
    rows=compared,
    performances=performances,
)
