"""Round trips as the pauses between them change."""

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes

from fairlead.benchmarks.burst.analyse import Burst, load_burst
from fairlead.benchmarks.page import transports
from fairlead.benchmarks.page.colours import STYLES, colours
from fairlead.benchmarks.page.headlines import Headline
from fairlead.benchmarks.page.section import Section
from fairlead.benchmarks.page.systems import variant
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, log_times, styled

UNEVEN = 1.3  # slowest pause over fastest
COLUMNS = (
    ("system", "system"),
    ("train", "train"),
    ("step", "step"),
    ("pause", "pause_s"),
    ("5 %", "p5_s"),
    ("median", "median_s"),
    ("95 %", "p95_s"),
    ("half the median", "half_median_s"),
    ("n", "n"),
    ("who pauses", "pauses"),
)


def draw_burst(found: Sequence[Burst], systems: Sequence[str]) -> Drawing:
    """Round trips in the order taken: mean of the passes, with their least and greatest."""
    several, kinds = len(systems) > 1, list(dict.fromkeys(each.words() for each in found))
    of = colours(systems if several else kinds)
    styles = dict(zip(kinds, cycle(STYLES), strict=False))
    handles = []
    with styled():
        figure, (axis,) = axes_of(1, 4.0)
        for each in found:
            passes = each.round_trips_s.reshape(len(each.round_trips_s), -1)
            place = np.arange(passes.shape[1])
            kind = each.words()
            colour, style = of[each.system if several else kind], styles[kind] if several else "-"
            low, middle, high = (f(passes, axis=0) for f in (np.nanmin, np.nanmean, np.nanmax))
            axis.fill_between(place, low, high, color=colour, alpha=0.2, linewidth=0)
            label = f"{each.system}: {kind}" if several else kind
            handles += axis.plot(place, middle, color=colour, linestyle=style, linewidth=1.2, label=label)
        _mark_pauses(axis, found[0])
        axis.set_yscale("log")
        log_times(axis.yaxis)
        axis.set_ylabel("round trip")
        legend_below(figure, handles)
    rows = [row for each in found for row in _rows(each)]
    return Drawing("burst", "Round trips after pauses", _burst_caption(found), figure, table(COLUMNS, rows))


def _mark_pauses(axis: Axes, burst: Burst) -> None:
    """The pause of each step below its round trips, with lines between the steps."""
    pauses, count = burst.run.plan["pauses_s"], burst.round_trips_s.shape[2]
    axis.set_xticks([(k + 0.5) * count for k in range(len(pauses))], [_pause(p) for p in pauses])
    for k in range(1, len(pauses)):
        axis.axvline(k * count, color=palette.GRID.light, linewidth=0.8)
    axis.set_xlabel("pause")


def _rows(burst: Burst) -> Iterator[list[TableCell]]:
    """A row for each step that the first pass came to."""
    for number, pause_s in enumerate(burst.run.plan["pauses_s"][: burst.round_trips_s.shape[1]]):
        values = burst.round_trips_s[:, number]
        values = values[np.isfinite(values)]
        yield [
            cell(burst.system),
            cell(burst.train),
            cell(number + 1),
            cell(pause_s, _pause(pause_s)),
            *(duration_cell(float(v)) for v in np.percentile(values, (5, 50, 95))),
            duration_cell(float(np.median(values)) / 2),
            cell(values.size),
            cell(variant(burst.run)),
        ]


def _burst_caption(found: Sequence[Burst]) -> str:
    plan, pauses = found[0].run.plan, list(dict.fromkeys(variant(each.run) for each in found))
    how = f"there was a pause, {pauses[0]}" if len(pauses) == 1 else "there was a pause; the legend or table says how"
    return (
        f"Mean round trip of messages of {words.size(plan['size_B'])}, with the least and greatest of "
        f"{words.count(len(found[0].round_trips_s), 'pass', 'passes')}, in the order taken: before each message, or "
        f"each train of them, {how}. {transports.told(found)}"
    )


def _pause(seconds: float) -> str:
    if not seconds:
        return "0"
    return words.duration(seconds, 1) if seconds >= 1e-6 else f"{seconds * 1e9:g}{words.NBSP}ns"


def after(pause_s: float) -> str:
    """In words."""
    return f"after a pause of {_pause(pause_s)}" if pause_s else "without a pause"


def burst_verdicts(found: Burst) -> Iterator[Verdict]:
    """What is said of a burst test."""
    medians, pauses = found.medians_s(), found.run.plan["pauses_s"]
    slow, fast = int(np.argmax(medians)), int(np.argmin(medians))
    ratio = float(medians[slow] / medians[fast])
    text = f"round trips of {found.words()} take {words.duration(float(medians[slow]))} {after(pauses[slow])}"
    text += f" and {words.duration(float(medians[fast]))} {after(pauses[fast])}"
    yield Verdict("bad" if ratio >= UNEVEN else "good", text)
    whole = found.round_trips_s.shape[1] == len(pauses)
    count = int(np.isfinite(found.round_trips_s).all(axis=(1, 2)).sum()) if whole else 0
    passes = words.count(count, "whole pass", "whole passes")
    incomplete = "" if found.run.status == "ok" else f"; the run is incomplete ({found.run.status})"
    yield Verdict("sure", f"burst of {found.words()}: {passes}{incomplete}")


def headlines(part: Burst) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    pauses = list(part.run.plan["pauses_s"])
    for number in dict.fromkeys((int(np.argmax(pauses)), int(np.argmin(pauses)))):
        if number >= part.round_trips_s.shape[1]:
            continue  # the first pass did not come so far
        what = f"{part.words()} {after(pauses[number])}"
        taken = part.round_trips_s[:, number]  # NaN where the last pass did not come so far
        medians = np.median(taken[np.isfinite(taken).all(axis=1)], axis=1)
        yield Headline(part.system, "burst", what, medians)


SECTION = Section(
    load=load_burst,
    drawings=lambda found, report: [draw_burst(found, report.names)],
    verdicts=burst_verdicts,
    headlines=headlines,
)
