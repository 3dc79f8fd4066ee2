"""What other programs measured over message size, beside fairlead's own in the same axes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from fairlead.benchmarks.imported.analyse import Curve, ImportedBenchmark
from fairlead.benchmarks.page import bands
from fairlead.benchmarks.page.colours import COLOURS, STYLES, colours
from fairlead.benchmarks.page.curves import CellStatistics, Measured
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import FloatArray

QUANTITIES = {"time_s": "Times", "rate_bps": "Rates"}
FORMS: dict[str, Callable[[float], str]] = {
    "time_s": words.duration,
    "rate_bps": words.rate,
    "overlap_share": words.percent,
    "impact_ratio": lambda value: f"{words.significant(value)} times",
}
OWN = {"median": ":", "mean": "-."}
"""Statistics of fairlead's own samples, and their lines. Both are drawn: other programs tell one or the other."""


def drawings(
    found: Sequence[ImportedBenchmark],
    latency: Sequence[Measured],
    throughput: Sequence[Measured],
    systems: Sequence[str],
) -> list[Drawing]:
    """Times and rates over message size, with fairlead's own median and mean of one pair and one direction."""
    drawn = []
    for quantity, own in (("time_s", latency), ("rate_bps", throughput)):
        with_it = [each for each in found if each.drawn(quantity)]
        if with_it:
            drawn.append(_over_size(with_it, own, quantity, systems))
    return drawn


def _over_size(
    found: Sequence[ImportedBenchmark], own: Sequence[Measured], quantity: str, systems: Sequence[str]
) -> Drawing:
    several = len(systems) > 1
    names = list(dict.fromkeys(each.name for each in found))
    of, style = colours(systems if several else names), _styles(names, several=several)
    with styled():
        figure, (axis,) = axes_of(1, 5.6)
        handles = []
        for each in found:
            curve = each.drawn(quantity)
            assert curve is not None
            line = _imported(axis, each, curve, of[each.system if several else each.name], style[each.name])
            line.set_label((f"{each.system}: " if several else "") + f"{each.name} ({curve.statistic})")
            handles.append(line)
        for measured in own:
            for statistic, line in _own(axis, measured, of[measured.system] if several else "black"):
                line.set_label((f"{measured.system}: " if several else "") + f"fairlead, 1 pair ({statistic})")
                handles.append(line)
        if any(np.size(handle.get_xdata()) for handle in handles):
            bands.scales(axis, quantity == "time_s")
            axis.set_xlabel("message size")
            axis.set_ylabel("time" if quantity == "time_s" else "rate")
        else:
            axis.set_axis_off()
            axis.text(0.5, 0.5, "Messages of 0 B alone: the table has them.", ha="center", va="center")
        legend_below(figure, handles, columns=2)
    return Drawing(
        f"read-{quantity.removesuffix('_s').removesuffix('_bps')}",
        f"{QUANTITIES[quantity]} from files of other programs",
        _caption(own),
        figure,
        _table(found, own, (quantity, "overlap_share") if quantity == "time_s" else (quantity,)),
    )


def _caption(own: Sequence[Measured]) -> str:
    caption = (
        "Each line is the statistic in brackets, as printed or computed from samples, averaged over the "
        "files. Bands reach from the least to the greatest sample; for a program that prints neither, bars "
        "reach from the least to the greatest file. What a time means differs by program (half a round trip, a call)."
    )
    if own:
        caption += " For fairlead both median and mean are drawn: compare each with the same statistic of others."
    return caption


def _styles(names: Sequence[str], *, several: bool) -> dict[str, str]:
    """Styles tell tests apart where colours tell systems, and else where there are more tests than colours."""
    return {name: STYLES[(k if several else k // len(COLOURS)) % len(STYLES)] for k, name in enumerate(names)}


def _imported(axis: Any, each: ImportedBenchmark, curve: Curve, colour: str, style: str) -> Line2D:
    """The mean of the files; a band between samples where they are known, else bars between files."""
    # A size of 0 has no place on a logarithmic axis; the table has it.
    values = {size_B: curve.values[size_B] for size_B in sorted(s for s in curve.values if s)}
    values = {size_B: taken for size_B, taken in values.items() if float(taken.min()) > 0}
    extremes = each.extremes(curve.name)
    ends = {size_B: extremes[size_B] for size_B in values if size_B in extremes and extremes[size_B][0] > 0}
    if ends:
        low, high = zip(*ends.values(), strict=True)
        axis.fill_between(list(ends), low, high, color=colour, alpha=0.2, linewidth=0)
    for size_B, taken in values.items():
        if size_B not in ends and len(taken) > 1:
            axis.vlines(size_B, taken.min(), taken.max(), color=colour, linewidth=1.0)
    return _line(axis, {size_B: float(taken.mean()) for size_B, taken in values.items()}, colour, style)


def _own(axis: Any, measured: Measured, colour: str) -> list[tuple[str, Line2D]]:
    """The median and the mean of a pair, and the band between the least and greatest sample."""
    found = {size_B: one for size_B, one in measured.line((1, False)).items() if size_B > 0 and one.value > 0}
    if not found:
        return []
    least = min(one.value for one in found.values())  # a sample of 0 has no place on a logarithmic axis
    low = [one.extremes[0] or least for one in found.values()]
    high = [one.extremes[1] for one in found.values()]
    axis.fill_between(list(found), low, high, color=colour, alpha=0.1, linewidth=0)
    of = {"median": lambda one: one.value, "mean": lambda one: one.mean}
    return [
        (statistic, _line(axis, {size_B: of[statistic](one) for size_B, one in found.items()}, colour, style))
        for statistic, style in OWN.items()
    ]


def _line(axis: Any, values: Mapping[Any, float], colour: str, style: str) -> Line2D:
    drawn = {"color": colour, "linestyle": style, "marker": "o", "markersize": 2.6, "linewidth": 1.4}
    (line,) = axis.plot(list(values), list(values.values()), **drawn)
    assert isinstance(line, Line2D)
    return line


def _table(found: Sequence[ImportedBenchmark], own: Sequence[Measured], quantities: Sequence[str]) -> Table:
    columns = [("system", "system"), ("test", "benchmark"), ("size", "size_B"), ("statistic", "statistic")]
    columns += [("mean of files", "mean"), ("least file", "least_file"), ("greatest file", "greatest_file")]
    columns += [("files", "n"), ("least sample", "least"), ("greatest sample", "greatest")]
    rows: list[list[TableCell]] = []
    for each in found:
        for curve in each.curves:
            if curve.name not in quantities:
                continue
            extremes = each.extremes(curve.name)
            for size_B, values in curve.values.items():
                front = [cell(each.system), cell(each.name), _size(size_B), cell(curve.statistic)]
                rows.append([*front, *_numbers(values, FORMS[curve.name], extremes.get(size_B))])
    for measured in own:
        for size_B, one in measured.line((1, False)).items():
            rows += _own_rows(measured.system, size_B, one, FORMS[quantities[0]])
    return table(columns, rows)


def _size(size_B: int | None) -> TableCell:
    return cell(size_B, None if size_B is None else words.size(size_B))


def _numbers(values: FloatArray, form: Callable[[float], str], ends: tuple[float, float] | None) -> list[TableCell]:
    middle = [cell(value, form(value)) for value in (float(f(values)) for f in (np.mean, np.min, np.max))]
    return [*middle, cell(len(values)), *([cell(end, form(end)) for end in ends] if ends else [cell(None)] * 2)]


def _own_rows(system: str, size_B: int, one: CellStatistics, form: Callable[[float], str]) -> list[list[TableCell]]:
    """The median and the mean, which are of no files."""
    ends = [cell(end, form(end)) for end in one.extremes]
    return [
        [
            *(cell(system), cell("fairlead, 1 pair"), _size(size_B), cell(statistic)),
            *(cell(value, form(value)), cell(None), cell(None), cell(None), *ends),
        ]
        for statistic, value in (("median", one.value), ("mean", one.mean))
    ]
