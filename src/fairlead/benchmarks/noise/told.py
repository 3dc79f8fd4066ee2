"""Noise that rtla tells: sums, means and maxima of each processor, and histograms; no samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.benchmarks.page.colours import colours
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, duration_cell, table
from fairlead.readers import rtla
from fairlead.report.figures import Drawing, axes_of, log_times, styled
from fairlead.statistics.estimates import FloatArray
from fairlead.store import Run, Series, Store

TOOLS = {
    rtla.OSNOISE: "osnoise top",
    rtla.OSNOISE_HIST: "osnoise hist",
    rtla.TIMERLAT: "timerlat top",
    rtla.TIMERLAT_HIST: "timerlat hist",
}
TAIL = 0.99
FLOOR_S = 1e-7  # a mean of 0 is one below the resolution; a logarithmic axis has no place for it


@dataclass(frozen=True)
class ToolReport:
    """What was told of one processor, by one launch of one tool.

    Attributes:
        launch: its number among those that were read together.
        of: ``irq``, ``thread``, ``user`` (delays of a timer), ``osnoise`` (single noises).
        overhead_share: share of the time that noise took; None where only single events are told.
        least_s, mean_s: None where only maxima are told.
        p99_s: upper end of the bucket that holds the 99th percentile, at most (`_tail`); None without a histogram, of
            one bucket, or beyond its buckets.
        count: of events, or of periods.
    """

    tool: str
    launch: int
    cpu: int
    of: str
    overhead_share: float | None
    least_s: float | None
    mean_s: float | None
    p99_s: float | None
    greatest_s: float
    count: int


def tool_reports(store: Store, runs: Sequence[Run]) -> list[ToolReport]:
    """Of the runs of rtla, in the order of tools, launches and processors."""
    found: list[ToolReport] = []
    for run in runs:
        name, series = str(run.labels["benchmark"]), store.series(run.id)
        found += _sums(name, series) if name == rtla.OSNOISE else _delays(name, series)
    return sorted(found, key=lambda each: (list(TOOLS.values()).index(each.tool), each.launch, each.cpu))


def _sums(name: str, series: Sequence[Series]) -> list[ToolReport]:
    found = []
    of = {
        (each.labels["round"], each.labels["cpu"], each.labels["statistic"]): each.scalar()
        for each in series
        if each.name == "noise_s"
    }
    for each in series:
        if each.name == "runtime_s":
            key = each.labels["round"], each.labels["cpu"]
            share = of[(*key, "sum")] / each.scalar()
            place, periods = (int(key[0]), int(key[1])), int(each.labels["periods"])
            greatest_s = of[(*key, "greatest")]
            found.append(ToolReport(TOOLS[name], *place, "osnoise", share, None, None, None, greatest_s, periods))
    return found


def _delays(name: str, series: Sequence[Series]) -> list[ToolReport]:
    values: dict[tuple[int, int, str, int], dict[str, float]] = {}
    tails: dict[tuple[int, int, str, int], float | None] = {}
    begins = {int(s.labels["round"]): s.values for s in series if s.name == "bucket_begin_s"}
    for each in series:
        if each.name in ("delay_s", "bucket_count"):
            labels = each.labels
            key = int(labels["round"]), int(labels["cpu"]), str(labels["of"]), int(labels["count"])
            if each.name == "delay_s":
                values.setdefault(key, {})[str(labels["statistic"])] = each.scalar()
            else:
                tails[key] = _tail(each, begins[key[0]], key[3])
    return [
        ToolReport(
            TOOLS[name], launch, cpu, of, None, told["least"], told["mean"], tails.get(key), told["greatest"], count
        )
        for key, told in values.items()
        for launch, cpu, of, count in [key]
    ]


def _tail(counts: Series, begins_s: FloatArray, count: int) -> float | None:
    """Upper end of the bucket with the 99th percentile, where buckets are as wide as the least step between two.

    Empty buckets are left out, so that the next one may begin far above; where all neighbours lack some between them
    the true end is below this one.
    """
    place = int(np.searchsorted(np.cumsum(counts.values), TAIL * count))
    if len(begins_s) < 2 or place >= len(begins_s):
        return None
    return float(begins_s[place] + np.diff(begins_s).min())


def draw(found: Sequence[tuple[str, Sequence[ToolReport]]], systems: Sequence[str]) -> Drawing:
    """The greatest of every processor as a bar, with the mean where it is told."""
    colour_of = colours(systems)
    rows = [(system, each) for system, told in found for each in told]
    with styled():
        figure, (axis,) = axes_of(1, 3.6)
        for place, (system, each) in enumerate(rows):
            axis.bar(place, max(each.greatest_s, FLOOR_S), color=colour_of[system], width=0.8)
            if each.mean_s is not None:
                axis.plot(place, max(each.mean_s, FLOOR_S), "_", color="black", markersize=10)
        axis.set_yscale("log")
        log_times(axis.yaxis)
        axis.grid(True, axis="y")
        axis.set_ylabel("greatest (line: mean)")
        every = max(1, len(rows) // 40)
        names = [f"{each.of} {each.cpu}" for _, each in rows]
        axis.set_xticks(range(0, len(rows), every), names[::every], rotation=90 if len(rows) > 10 else 0, fontsize=8.5)
    caption = (
        "As printed by rtla for each processor: bars are maxima, lines means. It keeps no samples: osnoise top has the "
        "sum of the noise and maxima alone, timerlat top means (rounded down) and maxima; the 99 % of hist are upper "
        "ends of its buckets, at most: it leaves out empty ones, and the least step between two is taken as the width."
    )
    columns = [("system", "system"), ("tool", "tool"), ("launch", "launch"), ("processor", "cpu"), ("of", "of")]
    columns += [("overhead", "overhead_share"), ("least", "least_s"), ("mean", "mean_s"), ("99 %", "p99_s")]
    columns += [("greatest", "greatest_s"), ("events or periods", "n")]
    return Drawing(
        "noise-rtla", "Noise as printed by rtla", caption, figure, table(columns, [_row(*each) for each in rows])
    )


def _row(system: str, each: ToolReport) -> list[TableCell]:
    times = (each.least_s, each.mean_s, each.p99_s, each.greatest_s)
    share = each.overhead_share
    return [
        *(cell(system), cell(each.tool), cell(each.launch), cell(each.cpu), cell(each.of)),
        cell(share, None if share is None else words.percent(share, decimals=3)),
        *(duration_cell(value) for value in times),
        cell(each.count),
    ]
