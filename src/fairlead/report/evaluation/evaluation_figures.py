"""Figures of an evaluation, as the papers draw them: lines of run time by configuration, bars of gains by group."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from fairlead.analysis.evaluations import dataset
from fairlead.analysis.evaluations.analysis import Analysis, CellSummary
from fairlead.analysis.evaluations.dataset import Levels
from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.report import palette
from fairlead.report.evaluation.evaluation_tables import (
    case_name,
    configuration_name,
    configuration_title,
    short_name,
    value_words,
)
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import Estimate
from fairlead.store import Label

MOST_CASES = 12
"""Cases in one figure of lines; the table of the report has all."""
MOST_BARS = 60
MOST_SAMPLES = 200
"""Samples of a cell that are drawn; of more, every so many."""
_LONG_LABEL = 26
"""Characters from which on fewer labels stand side by side in a legend."""
_Bar = tuple[str, Levels, float, Estimate | None]
"""Group, configuration, gain, interval."""
_COLOURS = (palette.MANAGED, palette.PLAIN, palette.GOOD, palette.MEDIUM, palette.HIGH, palette.MUTED)
_HATCHES = ("", "//", "..", "\\\\", "xx", "--")
_MARKERS = "osD^vP"


def lines(analysis: Analysis) -> Drawing:
    """Mean of every case by configuration, with bars of three standard errors."""
    cases = _by_case(analysis)
    shown = list(cases)[:MOST_CASES]
    figure = _draw_lines(analysis, {case: cases[case] for case in shown})
    left_out = f" The first {MOST_CASES} of {len(cases)} cases; choose others below."
    more = left_out if len(cases) > MOST_CASES else ""
    if any(each.cell.n > MOST_SAMPLES for case in shown for each in cases[case].values()):
        more += f" Of cells with more than {MOST_SAMPLES} samples, dots are some of them."
    return Drawing(
        "lines",
        f"{'Run time' if analysis.data.series == dataset.TIME else analysis.data.series} by configuration",
        "Means with the papers' error bars, three standard errors; single samples as dots. Each panel has its own "
        f"scale, which does not start at zero.{more}",
        figure,
        table(
            [
                *((n, n) for n in analysis.cases),
                *((configuration_title(analysis), "configuration"), ("mean", "mean"), ("bar", "bar")),
            ],
            [
                [
                    *(cell(level) for level in case),
                    cell(short_name(analysis, configuration)),
                    cell(each.centre, value_words(analysis, each.centre)),
                    cell(each.bar, value_words(analysis, each.bar, each.centre, 2)),
                ]
                for case in shown
                for configuration, each in cases[case].items()
            ],
        ),
    )


def _draw_lines(analysis: Analysis, cases: dict[Levels, dict[Levels, CellSummary]]) -> Figure:
    names = _configurations(analysis)
    rows, columns = -(-len(cases) // 2), min(2, len(cases))
    with styled():
        figure, _ = axes_of(1, 0.6 + 2.3 * rows)
        figure.clear()
        axes = figure.subplots(rows, columns, squeeze=False, sharex=True).reshape(-1)
        for axis, (case, cells) in zip(axes, cases.items(), strict=False):
            _line_panel(analysis, axis, cells, names)
            axis.set_title(case_name(analysis, case))
        if len(analysis.configurations) == 1:
            for axis in axes[max(0, len(cases) - columns) : len(cases)]:
                axis.set_xlabel(configuration_title(analysis))
        for place in range(len(cases), len(axes)):
            axes[place].set_visible(False)
            axes[place - columns].tick_params(labelbottom=True)
    return figure


def _line_panel(analysis: Analysis, axis: Any, cells: dict[Levels, CellSummary], names: list[Levels]) -> None:
    present = [name for name in names if name in cells]
    places = [names.index(name) for name in present]
    means = [cells[name].centre for name in present]
    bars = [cells[name].bar or 0.0 for name in present]
    for place, name in zip(places, present, strict=True):
        values = cells[name].cell.values[:: -(-cells[name].cell.n // MOST_SAMPLES)]
        offsets = np.linspace(-0.18, 0.18, len(values)) if len(values) > 1 else np.zeros(1)
        axis.scatter(place + offsets, values, s=7, color=palette.PLAIN.light, alpha=0.45, lw=0)
    axis.errorbar(places, means, yerr=bars, color=palette.MANAGED.light, marker="o", ms=4, lw=1.4, capsize=4, zorder=4)
    axis.set_xticks(range(len(names)), [short_name(analysis, name) for name in names], rotation=30, ha="right")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: value_words(analysis, value, digits=3) or ""))
    axis.grid(axis="y")


def bars(analysis: Analysis) -> Drawing | None:
    """Mean gain of each group, or of each case where there are none, at each configuration; None: nothing to show."""
    data = analysis.data
    gain, gains = data.gain_words.capitalize(), data.gain_words.replace("gain", "gains")
    if analysis.groups:
        entries = [(each.group, each.configuration, each.value, each.interval) for each in analysis.groups]
        title, what = f"{gain} by group", f"Means of the {gains} of a group's cells over the baseline"
    else:
        entries = [
            (case_name(analysis, pair.case), analysis.configuration_of(pair.second), pair.speed_value, pair.speed)
            for pair in analysis.pairs
        ]
        title, what = gain, f"{gains.capitalize()} over the baseline, ratio of means"
    more = f" The first {MOST_BARS} of {len(entries)} bars." if len(entries) > MOST_BARS else ""
    entries = entries[:MOST_BARS]
    if not entries:
        return None
    figure = _draw_bars(analysis, entries)
    return Drawing(
        "gains",
        title,
        f"{what} ({configuration_name(analysis, analysis.baseline)}), {words.level(analysis.level)} intervals"
        f"{', of replicates and not of cells' if analysis.groups else ''}. Below zero is a loss"
        f"{'' if data.is_speed else f': {data.direction}'}.{more}",
        figure,
        table(
            [("group", "group"), (configuration_title(analysis), "configuration"), ("gain", "speed_gained_share")],
            [
                [
                    cell(group),
                    cell(short_name(analysis, name)),
                    cell(value, words.percent(value, signed=True, decimals=2)),
                ]
                for group, name, value, _ in entries
            ],
        ),
    )


def _draw_bars(analysis: Analysis, entries: Sequence[_Bar]) -> Figure:
    groups = list(dict.fromkeys(entry[0] for entry in entries))
    names = list(dict.fromkeys(entry[1] for entry in entries))
    width = 0.8 / len(names)
    with styled():
        figure, (axis,) = axes_of(1, 4.2)
        for group, name, value, interval in entries:
            k = names.index(name)
            place = groups.index(group) - 0.4 + width * (k + 0.5)
            reach = [[0.0], [0.0]]
            if interval is not None and np.isfinite([interval.low, interval.high]).all():
                reach = [[value - interval.low], [interval.high - value]]
            axis.bar(place, value, width * 0.9, yerr=reach, capsize=2.5, **_look(k))
        axis.axhline(0, color=palette.INK.light, lw=0.9)
        slanted = {"rotation": 30, "ha": "right"} if sum(len(group) + 2 for group in groups) > 90 else {}
        axis.set_xticks(range(len(groups)), groups, **slanted)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.percent(value, signed=True, decimals=0)))
        axis.set_ylabel(f"{analysis.data.gain_words} over {configuration_name(analysis, analysis.baseline)}")
        axis.grid(axis="y")
        axis.tick_params(axis="x", length=0)
        handles = [axis.bar(0, 0, label=short_name(analysis, name), **_look(k)) for k, name in enumerate(names)]
        _legend(analysis, figure, handles)
    return figure


def against_mpi_share(analysis: Analysis) -> Drawing | None:
    """Gains against the program's share of time in MPI; None where the plan says nothing of it."""
    known, factor = analysis.report.mpi_share, analysis.report.program
    if not known or factor not in analysis.cases:
        return None
    place = analysis.cases.index(factor)
    entries = [
        (str(pair.case[place]), known[str(pair.case[place])], analysis.configuration_of(pair.second), pair.speed_value)
        for pair in analysis.pairs
        if str(pair.case[place]) in known
    ]
    if not entries:
        return None
    figure = _draw_shares(analysis, entries)
    return Drawing(
        "mpi-share",
        "Gain against the share of time in MPI",
        f"{analysis.data.gain_words.replace('gain', 'Gains')} over "
        f"{configuration_name(analysis, analysis.baseline)}, one mark per case. Shares are as stated in the plan.",
        figure,
        table(
            [
                ("program", "program"),
                ("MPI", "mpi_share"),
                (configuration_title(analysis), "configuration"),
                ("gain", "gain_share"),
            ],
            [
                [
                    cell(p),
                    cell(s, words.percent(s)),
                    cell(short_name(analysis, n)),
                    cell(v, words.percent(v, signed=True, decimals=2)),
                ]
                for p, s, n, v in entries
            ],
        ),
    )


def _draw_shares(analysis: Analysis, entries: Sequence[tuple[str, float, Levels, float]]) -> Figure:
    names = list(dict.fromkeys(entry[2] for entry in entries))
    with styled():
        figure, (axis,) = axes_of(1, 4.0)
        handles = []
        for k, name in enumerate(names):
            own = [(share, value) for _, share, each, value in entries if each == name]
            look = {"color": _COLOURS[k % len(_COLOURS)].light, "marker": _MARKERS[k % len(_MARKERS)]}
            handles.append(axis.scatter(*zip(*own, strict=True), s=30, label=short_name(analysis, name), **look))
        axis.axhline(0, color=palette.INK.light, lw=0.9)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: words.percent(value, decimals=0)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.percent(value, signed=True, decimals=0)))
        axis.set_xlabel("share of time in MPI")
        axis.set_ylabel(analysis.data.gain_words)
        axis.grid()
        _legend(analysis, figure, handles)
    return figure


def _legend(analysis: Analysis, figure: Figure, handles: Sequence[Any]) -> None:
    longest = max(len(handle.get_label()) for handle in handles)
    legend_below(figure, handles, 4 if longest < _LONG_LABEL else 2)
    if len(analysis.configurations) == 1:
        figure.legends[-1].set_title(configuration_title(analysis))


def _look(k: int) -> dict[str, Any]:
    return {
        "color": _COLOURS[k % len(_COLOURS)].light,
        "hatch": _HATCHES[k % len(_HATCHES)],
        "edgecolor": palette.SURFACE.light,
        "ecolor": palette.INK.light,
    }


def _configurations(analysis: Analysis) -> list[Levels]:
    """The baseline, then the others in the order first met."""
    found = list(dict.fromkeys(analysis.configuration_of(each.cell) for each in analysis.summaries))
    return sorted(found, key=lambda levels: levels != analysis.baseline)


def _by_case(analysis: Analysis) -> dict[Levels, dict[Levels, CellSummary]]:
    places = [analysis.data.place(name) for name in analysis.cases]
    cases: dict[Levels, dict[Levels, CellSummary]] = {}
    for each in analysis.summaries:
        case: tuple[Label, ...] = tuple(each.cell.levels[k] for k in places)
        cases.setdefault(case, {})[analysis.configuration_of(each.cell)] = each
    return cases
