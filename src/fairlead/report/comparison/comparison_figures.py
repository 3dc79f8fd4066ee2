"""Figures of a comparison: run times and effects."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from fairlead.analysis.comparison import CONGESTED, SOLE_STAGE, Comparison, ProgramResults, ScenarioRuns, Stage
from fairlead.analysis.runs.effects import EffectEstimate
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, duration_cell, table
from fairlead.manage.data_planes import PLANES
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, styled

ROW_IN = 0.42


def scenario_name(scenario: str) -> str:
    """For people: "congested, managed"; of a stage "congested, + detection"; of a plane "congested, relay plane"."""
    network, _, stage = scenario.partition("_")
    return f"{network}, {_stage(stage)}" if stage else network


def stage_name(program: ProgramResults, stage: Stage) -> str:
    """The program's name, with the stage's where there are several."""
    return program.name if len(program.stages) == 1 else f"{program.name}, {_stage(stage.name)}"


def _stage(name: str) -> str:
    if name == SOLE_STAGE:
        return "managed"
    return f"{name} plane" if name in PLANES else f"+ {name}"


def run_times(comparison: Comparison, only: str | None = None) -> Drawing:
    """Every run as a dot, with median and interval, a panel a program.

    Args:
        only: the only program's name, where a report has such a figure for each.
    """
    rows = [len(program.scenarios()) for program in comparison.programs]
    height = sum(rows) * ROW_IN + 0.75 * len(rows) + 0.7
    with styled():
        figure, axes = axes_of(len(rows), height, gridspec_kw={"height_ratios": rows})
        for axis, program in zip(axes, comparison.programs, strict=True):
            _run_time_panel(axis, program)
        axes[-1].set_xlabel("run time in seconds")
        handles = [
            _dot("plain", palette.PLAIN, "one run, without fairlead"),
            _dot("managed", palette.MANAGED, "one run, managed"),
            Line2D([], [], color=palette.INK.light, marker="|", ms=12, mew=1.8, lw=1.3),
        ]
        handles[-1].set_label(f"median and {words.level(comparison.level)} interval")
        legend_below(figure, handles)
    return Drawing(
        f"run-times-{only}" if only else "run-times",
        "Run times",
        f"Each dot is one run, {_clocks(comparison)}. The number is the median.",
        figure,
        table(
            [("program", "program"), ("scenario", "scenario"), ("replication", "replication"), ("time", "time_s")],
            [
                [cell(program.name), cell(scenario_name(each.scenario)), cell(k), duration_cell(t, 4)]
                for program in comparison.programs
                for each in program.scenarios()
                for k, t in sorted(each.times_s.items())
            ],
        ),
    )


def _clocks(comparison: Comparison) -> str:
    """Whose clock the times are of, in words."""
    kinds = {program.own_clock for program in comparison.programs}
    if kinds == {True}:
        return "by the program's own clock"
    whole = "start-up included"
    return whole if kinds == {False} else f"by the program's own clock where it prints one, else {whole}"


def _run_time_panel(axis: Any, program: ProgramResults) -> None:
    scenarios = program.scenarios()
    slowest = max(_right_end(each) for each in scenarios)
    for row, each in enumerate(scenarios):
        managed = "_" in each.scenario
        colour = palette.MANAGED if managed else palette.PLAIN
        times = list(each.times_s.values())
        if not times:
            axis.text(0, row, "  no run succeeded", va="center", color=palette.MUTED.light, fontsize=9)
            continue
        offsets = np.linspace(-0.24, 0.24, len(times)) if len(times) > 1 else [0.0]
        axis.scatter(
            times, row + np.asarray(offsets), s=30, marker="D" if managed else "o", color=colour.light, alpha=0.75, lw=0
        )
        _median_mark(axis, each, row)
        axis.text(_right_end(each) + 0.015 * slowest, row, words.duration(each.median_s or 0.0), va="center")
    axis.set_yticks(range(len(scenarios)), [scenario_name(each.scenario) for each in scenarios])
    axis.set_ylim(len(scenarios) - 0.4, -0.6)
    axis.set_xlim(0, slowest * 1.11)
    axis.set_title(program.name if program.ranks is None else f"{program.name}, {program.ranks} ranks")
    axis.grid(axis="x")
    axis.tick_params(axis="y", length=0)
    first_congested = next((k for k, each in enumerate(scenarios) if each.scenario.startswith(CONGESTED)), None)
    if first_congested:
        axis.axhspan(first_congested - 0.5, len(scenarios) - 0.4, color=palette.SHADE.light, lw=0, zorder=0)


def _right_end(each: ScenarioRuns) -> float:
    """Where the marks of a row end, in seconds."""
    return max([*each.times_s.values(), each.median.estimate.high if each.median.estimate else 0.0])


def _median_mark(axis: Any, each: ScenarioRuns, row: int) -> None:
    axis.plot([each.median_s] * 2, [row - 0.3, row + 0.3], color=palette.INK.light, lw=1.8, zorder=4)
    if each.median.estimate is not None:
        low, high = max(each.median.estimate.low, 0.0), each.median.estimate.high
        axis.plot([low, high], [row, row], color=palette.INK.light, lw=1.3, zorder=4)


def _dot(kind: str, colour: palette.Colour, label: str) -> Line2D:
    marker = "D" if kind == "managed" else "o"
    return Line2D([], [], color=colour.light, marker=marker, ms=6, lw=0, label=label)


def effects(comparison: Comparison) -> Drawing:
    """Recovered share and overhead of each program (and stage), with intervals."""
    entries = [(stage_name(p, s), s) for p in comparison.programs for s in p.stages]
    return Drawing(
        "effects",
        "Recovered time and overhead",
        "Left: share of the time lost to congestion that was recovered; 100 % is as fast as on a clean network. "
        "Right: overhead on a clean network, measured with paired runs, and accounted from the agents' CPU and "
        "probe traffic.",
        _effects_figure(entries),
        table(
            [
                ("program", "program"),
                *[(f"{name}{more}", f"{key}{end}") for name, key in _EFFECTS for more, end in _ENDS],
            ],
            [
                [cell(name), *_result_cells(s.recovered), *_result_cells(s.overhead, True), *_result_cells(s.accounted)]
                for name, s in entries
            ],
        ),
    )


def _effects_figure(entries: Sequence[tuple[str, Stage]]) -> Figure:
    with styled():
        figure, (left, right) = _two_panels(len(entries))
        for row, (_, stage) in enumerate(entries):
            _interval_mark(left, row, stage.recovered, palette.MANAGED, "D")
            _interval_mark(right, row - 0.13, stage.overhead, palette.MANAGED, "D")
            _interval_mark(right, row + 0.17, stage.accounted, palette.MUTED, "o")
        for axis in (left, right):
            axis.set_ylim(len(entries) - 0.4, -0.6)
            axis.set_yticks(range(len(entries)), [name for name, _ in entries] if axis is left else [])
            axis.xaxis.set_major_locator(MaxNLocator(6))
            axis.xaxis.set_major_formatter(FuncFormatter(_percent_tick))
            axis.axvline(0, color=palette.INK.light, lw=1)
            axis.spines["left"].set_visible(False)
            axis.grid(axis="x")
            axis.tick_params(axis="y", length=0)
        left.axvline(1, color=palette.INK.light, lw=1)
        left.set_xlim(min(0.0, left.get_xlim()[0]) - 0.03, max(1.0, left.get_xlim()[1]) + 0.03)
        left.set_title("Recovered share of the lost time")
        right.set_title("Overhead without congestion")
        marks = (("measured", palette.MANAGED, "D"), ("accounted", palette.MUTED, "o"))
        legend_below(
            figure,
            [Line2D([], [], color=c.light, marker=m, ms=6, lw=1.8, label=f"{t}, with interval") for t, c, m in marks],
        )
    return figure


def _percent_tick(share: float, _: int) -> str:
    return f"{round(share * 100, 6) + 0.0:g}{words.NBSP}%".replace("-", words.MINUS)


_EFFECTS = (("recovered", "recovered"), ("overhead", "overhead"), ("accounted", "overhead_accounted"))
_ENDS = (("", ""), (", low", "_low"), (", high", "_high"))


def _two_panels(rows: int) -> tuple[Figure, Any]:
    figure, axes = axes_of(1, rows * 0.62 + 1.45)
    axes[0].remove()
    return figure, figure.subplots(1, 2)


def _interval_mark(axis: Any, row: float, result: EffectEstimate, colour: palette.Colour, marker: str) -> None:
    if result.value is None:
        return
    if result.estimate is not None and np.isfinite([result.estimate.low, result.estimate.high]).all():
        axis.plot([result.estimate.low, result.estimate.high], [row, row], color=colour.light, lw=1.8)
    axis.plot([result.value], [row], color=colour.light, marker=marker, ms=6.5)


def _result_cells(result: EffectEstimate, signed: bool = False) -> list[TableCell]:
    if result.estimate is None:
        bare = result.point
        return [cell(bare, None if bare is None else words.percent(bare, signed=signed)), cell(None), cell(None)]
    ends = (result.estimate.value, result.estimate.low, result.estimate.high)
    return [cell(end, words.percent(end, signed=signed)) for end in ends]
