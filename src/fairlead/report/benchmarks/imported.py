"""What was read from other programs: their tables over message size, beside fairlead's own in the same axes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from fairlead.display import words
from fairlead.display.tables import Cell, Table, cell, table
from fairlead.measure.benchmarks import imported
from fairlead.measure.benchmarks.imported import Curve
from fairlead.report.benchmarks import bands, ratios
from fairlead.report.benchmarks.colours import COLOURS, STYLES, colours
from fairlead.report.benchmarks.point_to_point import Measured
from fairlead.report.benchmarks.systems import System
from fairlead.report.benchmarks.verdicts import Verdict
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import FloatArray
from fairlead.store import Run, Store

PREFERRED = ("median", "mean", "least")  # which of a program's statistics is drawn, where there are several
QUANTITIES = {"time_s": "Times", "rate_bps": "Rates"}
FORMS: dict[str, Callable[[float], str]] = {
    "time_s": words.duration,
    "rate_bps": words.rate,
    "overlap_share": words.percent,
}


@dataclass(frozen=True)
class Imported:
    """One benchmark of one system, read from files."""

    system: str
    run: Run
    curves: tuple[Curve, ...]

    @property
    def name(self) -> str:
        """What the program is called, and its test."""
        return str(self.run.labels["benchmark"])

    def drawn(self, quantity: str) -> Curve | None:
        """The column that stands for a quantity in figures and comparisons; None where there is none with sizes."""
        of = {curve.statistic: curve for curve in self.curves if curve.name == quantity and None not in curve.values}
        return next((of[each] for each in PREFERRED if each in of), None)

    def repetitions(self) -> int:
        """How many tables there are."""
        return max(len(values) for curve in self.curves for values in curve.values.values())


def load(system: System) -> tuple[Imported, ...]:
    """Everything that was read for a system and has tables."""
    runs = [run for run in system.runs.values() if imported.is_read(run)]
    with Store.read(system.directory) as store:
        found = [Imported(system.name, run, tuple(imported.curves(store, run.id))) for run in runs]
    return tuple(each for each in found if each.curves)


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
        "least and greatest. What a time is differs by program (half a round trip, a call); see docs/measure.md."
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
