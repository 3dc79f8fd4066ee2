"""Bands over message size: the median with percentiles, and the mean between extremes, on logarithmic axes."""

from collections.abc import Sequence
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from fairlead.benchmarks.page.colours import Line, lines
from fairlead.benchmarks.page.curves import CellStatistics, Measured
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled

ZOOM_B = 1024  # messages up to this size are drawn again, larger
LEAST_ZOOMED = 4  # sizes; with fewer there is nothing to see


def draw(found: Sequence[Measured], systems: Sequence[str], name: str, title: str, caption: str) -> Drawing:
    """Both kinds of bands of a benchmark; every system in the same axes.

    Args:
        systems: names of all systems of the report, which decide on colours.
    """
    latency = found[0].is_latency
    drawn = lines(found, systems)
    with styled():
        figure, axes = axes_of(2, 8.6)
        for axis, kind, heading in zip(axes, ("median", "mean"), _titles(latency), strict=True):
            for line in drawn:
                band(axis, line, line.numbers, kind)
            axis.set_title(heading)
            scales(axis, latency)
        _zoomed(axes[0], drawn, latency)
        axes[-1].set_xlabel("message size")
        legend_below(figure, [handle(line, systems) for line in drawn], columns=3)
    return Drawing(name, title, caption, figure, numbers(found))


def handle(line: Line, systems: Sequence[str]) -> Line2D:
    """Of a legend."""
    label = f"{line.system}: {line.label}" if len(systems) > 1 else line.label
    return Line2D([], [], color=line.colour, linestyle=line.style, marker="o", markersize=3, label=label)


def _titles(latency: bool) -> tuple[str, str]:
    of, one = ("all messages", "message") if latency else ("blocks", "block")
    return (f"Median, and 5 to 95 % of {of}", f"Mean of blocks, and the least and greatest {one}")


def band(axis: Any, line: Line, numbers: dict[int, CellStatistics], kind: str) -> None:
    """The ``median`` with 5 to 95 %, or the ``mean`` of blocks with the least and greatest sample."""
    sizes, found = list(numbers), list(numbers.values())
    if kind == "median":
        low, middle, high = ([each.percentile(p) for each in found] for p in (5, 50, 95))
    else:
        low, high = ([each.extremes[end] for each in found] for end in (0, 1))
        middle = [each.mean for each in found]
    axis.fill_between(sizes, low, high, color=line.colour, alpha=0.2, linewidth=0)
    axis.plot(sizes, middle, color=line.colour, linestyle=line.style, marker="o", markersize=2.6, linewidth=1.4)


def scales(axis: Any, latency: bool) -> None:
    """Logarithmic axes of message size, and of times (``latency``) or rates."""
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.grid(True)
    axis.xaxis.set_major_locator(LogLocator(base=16, numticks=20))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: words.size(value)))
    axis.xaxis.set_minor_locator(NullLocator())
    low, high = axis.get_ylim()
    if high / low < 30:  # a label a decade would be too few
        axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: words.duration(value, 1) if latency else words.rate(value))
    )
    axis.yaxis.set_minor_locator(NullLocator())
    axis.set_ylabel("latency" if latency else "throughput")


def _zoomed(axis: Any, drawn: Sequence[Line], latency: bool) -> None:
    """Small messages again, on a linear axis from zero: that is where systems differ most."""
    sizes = {size_B for line in drawn for size_B in line.numbers}
    small = sorted(size_B for size_B in sizes if size_B <= ZOOM_B)
    if len(small) < LEAST_ZOOMED or len(small) == len(sizes):
        return
    # Where the large axes are empty: latencies rise to the right, and so do rates, but early.
    inset = axis.inset_axes((0.04, 0.53, 0.38, 0.43) if latency else (0.52, 0.10, 0.38, 0.43))
    top = 0.0
    for line in drawn:
        part = {size_B: one for size_B, one in line.numbers.items() if size_B in small}
        if part:
            band(inset, line, part, "median")
            top = max(top, *(one.percentile(95) for one in part.values()))
    inset.set_xscale("log", base=2)
    inset.set_ylim(0, top * 1.05)
    inset.xaxis.set_major_locator(FixedLocator([small[0], small[len(small) // 2], small[-1]]))
    inset.xaxis.set_minor_locator(NullLocator())
    inset.xaxis.set_major_formatter(FuncFormatter(lambda value, _: words.size(value)))
    form = words.duration if latency else words.rate
    inset.yaxis.set_ticks([top / 2, top], [form(top / 2), form(top)])
    inset.yaxis.tick_right()
    inset.tick_params(labelsize=8, length=2)
    inset.grid(True, linewidth=0.5)


def numbers(found: Sequence[Measured]) -> Table:
    """Everything that the figure shows, a row a cell."""
    latency = found[0].is_latency
    unit = "s" if latency else "bps"
    columns = [("system", "system"), ("configuration", "configuration"), ("size", "size_B"), ("window", "window")]
    columns += [("median", f"median_{unit}"), ("from", f"low_{unit}"), ("to", f"high_{unit}")]
    columns += [(f"{p} %", f"p{p}_{unit}") for p in (5, 95, 99)]
    columns += [("mean", f"mean_{unit}"), ("least", f"least_{unit}"), ("greatest", f"greatest_{unit}")]
    columns += [("blocks", "blocks"), ("samples", "samples")]
    rows = []
    for each in found:
        for configuration in each.configurations():
            windows = {one.size_B: one.window for one in each.cells if (one.pairs, one.both) == configuration}
            for size_B, one in each.line(configuration).items():
                front = [cell(each.system), cell(each.words(configuration)), cell(size_B, words.size(size_B))]
                rows.append([*front, cell(None if latency else windows[size_B]), *_row(one, latency)])
    return table(columns, rows)


def _row(one: CellStatistics, latency: bool) -> list[TableCell]:
    def shown(value: float) -> TableCell:
        return cell(value, words.duration(value) if latency else words.rate(value))

    ends = (shown(one.median.low), shown(one.median.high)) if one.median else (cell(None), cell(None))
    return [
        shown(one.value),
        *ends,
        *(shown(one.percentile(p)) for p in (5, 95, 99)),
        *(shown(value) for value in (one.mean, *one.extremes)),
        cell(len(one.blocks)),
        cell(one.samples),
    ]
