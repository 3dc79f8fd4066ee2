"""What was read from other programs: their tables over message size, beside fairlead's own in the same axes."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from fairlead.benchmarks.imported.analyse import PREFERRED, Imported, load
from fairlead.benchmarks.page import bands, ratios
from fairlead.benchmarks.page.colours import COLOURS, STYLES, colours
from fairlead.benchmarks.page.curves import Measured
from fairlead.benchmarks.page.layers import Layer
from fairlead.benchmarks.page.per_price import BITS_PER_GB, Performance
from fairlead.benchmarks.page.section import Section
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import Cell, Table, cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import FloatArray

LAYERS = {
    "MPI": re.compile(r"OSU Latency|OSU Bandwidth|OSU Multiple Bandwidth[^,]*, \d+ pairs?|IMB PingPong, 2 ranks"),
    "InfiniBand": re.compile(r"perftest (Send|RDMA_Write) (Latency|BW), \d+ QP"),
}
"""By layer, tests that go one way between two hosts, and say by how many pairs; osu_multi_lat does not."""
BETWEEN_TWO = re.compile(
    r"OSU (Latency(, .*)?|.*Bandwidth.*)|IMB (PingPong|PingPing)\S*, 2 ranks.*|perftest .*|netgauge one_one"
)
"""Tests of other programs that keep two hosts busy. Of others their files do not say on how many hosts they ran, of
osu_multi_lat not with how many pairs."""
QUANTITIES = {"time_s": "Times", "rate_bps": "Rates"}
FORMS: dict[str, Callable[[float], str]] = {
    "time_s": words.duration,
    "rate_bps": words.rate,
    "overlap_share": words.percent,
}


def drawings(
    found: Sequence[Imported], latency: Sequence[Measured], throughput: Sequence[Measured], systems: Sequence[str]
) -> list[Drawing]:
    """Times and rates over message size, with fairlead's own of one pair and one direction as dotted lines."""
    drawn = []
    for quantity, own in (("time_s", latency), ("rate_bps", throughput)):
        with_it = [each for each in found if each.drawn(quantity)]
        if with_it:
            drawn.append(_over_size(with_it, own, quantity, systems))
    return drawn


def _over_size(found: Sequence[Imported], own: Sequence[Measured], quantity: str, systems: Sequence[str]) -> Drawing:
    several = len(systems) > 1
    names = list(dict.fromkeys(each.name for each in found))
    of, style = colours(systems if several else names), _styles(names, several=several)
    with styled():
        figure, (axis,) = axes_of(1, 5.6)
        handles = []
        for each in found:
            curve = each.drawn(quantity)
            assert curve is not None
            colour = of[each.system if several else each.name]
            line = _line(axis, curve.values, colour, style[each.name])
            line.set_label((f"{each.system}: " if several else "") + f"{each.name} ({curve.statistic})")
            handles.append(line)
        for measured in own:
            values = {size_B: one.blocks for size_B, one in measured.line((1, False)).items()}
            colour = of[measured.system] if several else "black"
            if values:
                line = _line(axis, values, colour, ":", np.median)
                line.set_label((f"{measured.system}: " if several else "") + "fairlead, 1 pair (median)")
                handles.append(line)
        if any(np.size(handle.get_xdata()) for handle in handles):
            bands.scales(axis, quantity == "time_s")
            axis.set_xlabel("message size")
            axis.set_ylabel("time" if quantity == "time_s" else "rate")
        else:
            axis.set_axis_off()
            axis.text(0.5, 0.5, "Messages of 0 B alone: the table has them.", ha="center", va="center")
        legend_below(figure, handles, columns=2)
    caption = (
        "As the programs' files say, which hold no samples but statistics of them: the mean of the files, and the "
        "least and greatest. What a time is differs by program (half a round trip, a call); see "
        "docs/reference/benchmarks.md."
    )
    return Drawing(
        f"read-{quantity.removesuffix('_s').removesuffix('_bps')}",
        f"{QUANTITIES[quantity]} from files of other programs",
        caption,
        figure,
        _table(found, (quantity, "overlap_share") if quantity == "time_s" else (quantity,)),
    )


def _styles(names: Sequence[str], *, several: bool) -> dict[str, str]:
    """Styles tell tests apart where colours tell systems, and else where there are more tests than colours."""
    return {name: STYLES[(k if several else k // len(COLOURS)) % len(STYLES)] for k, name in enumerate(names)}


def _line(axis: Any, values: dict[Any, FloatArray], colour: str, style: str, middle: Any = np.mean) -> Line2D:
    # A size of 0 has no place on a logarithmic axis; the table has it.
    sizes = [size_B for size_B in sorted(values) if size_B > 0 and float(np.min(values[size_B])) > 0]
    low, centre, high = ([float(f(values[size_B])) for size_B in sizes] for f in (np.min, middle, np.max))
    axis.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
    (line,) = axis.plot(sizes, centre, color=colour, linestyle=style, marker="o", markersize=2.6, linewidth=1.4)
    assert isinstance(line, Line2D)
    return line


def _table(found: Sequence[Imported], quantities: Sequence[str]) -> Table:
    columns = [("system", "system"), ("test", "benchmark"), ("size", "size_B"), ("statistic", "statistic")]
    columns += [("mean of files", "mean"), ("least", "least"), ("greatest", "greatest"), ("files", "n")]
    rows: list[list[Cell]] = []
    for each in found:
        for curve in each.curves:
            if curve.name not in quantities:
                continue
            for size_B, values in curve.values.items():
                size = cell(size_B, None if size_B is None else words.size(size_B))
                form = FORMS[curve.name]
                numbers = [float(f(values)) for f in (np.mean, np.min, np.max)]
                front = [cell(each.system), cell(each.name), size, cell(curve.statistic)]
                rows.append([*front, *(cell(value, form(value)) for value in numbers), cell(len(values))])
    return table(columns, rows)


def compared(found: Sequence[Imported], baseline: str) -> list[list[Cell]]:
    """Rows of `ratios.ratios` for tests that a system and the baseline have in common."""
    rows = []
    bases = {each.name: each for each in found if each.system == baseline}
    for each in found:
        base = bases.get(each.name)
        if base is None or each.system == baseline:
            continue
        for quantity, lower in (("time_s", True), ("rate_bps", False)):
            mine, other = each.drawn(quantity), base.drawn(quantity)
            if mine is None or other is None or mine.statistic != other.statistic:
                continue
            for size_B, values in mine.values.items():
                if size_B is not None and size_B in other.values and float(np.median(other.values[size_B])) > 0:
                    front = [cell(each.system), cell(each.name), cell(mine.statistic), cell(size_B, words.size(size_B))]
                    rows.append([*front, *ratios.cells(values, other.values[size_B], lower_is_better=lower)])
    return rows


def verdicts(found: Imported) -> Iterator[Verdict]:
    """What is said of one."""
    parts = []
    for quantity in QUANTITIES:
        if (curve := found.drawn(quantity)) is not None:
            form, sizes = FORMS[quantity], sorted(size_B for size_B in curve.values if size_B is not None)
            sizes = [size_B for size_B in sizes if size_B] or sizes
            ends = [(size_B, float(np.mean(curve.values[size_B]))) for size_B in dict.fromkeys((sizes[0], sizes[-1]))]
            said = " to ".join(f"{form(value)} ({words.size(size_B)})" for size_B, value in ends)
            parts.append(f"{curve.statistic} {said}")
    for curve in found.curves:
        if None in curve.values and curve.statistic in PREFERRED:
            parts.append(f"{curve.statistic} {FORMS[curve.name](float(np.mean(curve.values[None])))}")
    yield Verdict("fact", f"{found.name}: {'; '.join(parts)}")
    yield Verdict("sure", f"{found.name}: {words.count(found.repetitions(), 'table')} of statistics, no samples")


def performances(part: Imported) -> Iterator[Performance]:
    """What money buys."""
    if not BETWEEN_TWO.fullmatch(part.name):
        return
    times, rates = part.drawn("time_s"), part.drawn("rate_bps")
    if times is not None and times.values:
        size_B = min(size for size in times.values if size is not None)
        what = f"{times.statistic}, {words.size(size_B)}"
        if float(times.values[size_B].min()) > 0:  # else it was rounded away
            yield Performance(part.system, part.name, what, "million messages", 1e-6 / times.values[size_B], 2)
    if rates is not None:
        best = max(rates.values, key=lambda size: float(np.median(rates.values[size])))
        per_s = rates.values[best] / BITS_PER_GB
        yield Performance(part.system, part.name, f"{rates.statistic}, best size", "GB", per_s, 2)


def layers(part: Imported) -> Iterator[tuple[bool, int, Layer]]:
    """What it says of a layer."""
    streams = int(part.run.plan.get("pairs") or part.run.plan.get("qps") or 1)
    for kind, tests in LAYERS.items():
        for quantity in ("time_s", "rate_bps") if tests.fullmatch(part.name) else ():
            if (curve := part.drawn(quantity)) is not None:
                yield quantity == "time_s", streams, Layer(kind, part.name.split(",")[0], {**curve.values})


SECTION = Section(
    load=load,
    drawings=lambda found, report: drawings(found, report.of("mpi-latency"), report.of("mpi-throughput"), report.names),
    verdicts=verdicts,
    rows=compared,
    performances=performances,
    layers=layers,
    kind="files",
)
