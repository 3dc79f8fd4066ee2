"""Figures over time: throughput of a stress test with its dips, latency as pauses change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.measure.benchmarks import burst, stress
from fairlead.measure.benchmarks.stress import Dip, Floats
from fairlead.report import palette
from fairlead.report.benchmarks import boxes, transports
from fairlead.report.benchmarks.colours import STYLES, colours
from fairlead.report.benchmarks.systems import System, variant
from fairlead.report.benchmarks.verdicts import Verdict
from fairlead.report.figures import Drawing, axes_of, legend_below, log_times, styled
from fairlead.store import Run, Store

LONGEST_SHOWN = 10_000  # points of a line; more are averaged
UNEVEN = 1.3  # slowest pause over fastest


@dataclass(frozen=True)
class Stress:
    """One system's newest stress test."""

    system: str
    run: Run
    times_s: Floats
    rates_bps: Floats
    dips: list[Dip]


@dataclass(frozen=True)
class Burst:
    """One system's newest burst test with trains of one length.

    Attributes:
        round_trips_s: (passes, pauses, repetitions). NaN: the last pass was not whole; no pause is without any.
        alone: nobody paused otherwise on this system.
    """

    system: str
    run: Run
    train: int
    round_trips_s: Floats
    alone: bool

    def words(self) -> str:
        """What there is between two pauses, and what kind of pauses where there are several."""
        what = "single messages" if self.train == 1 else f"trains of {self.train}"
        return what if self.alone else f"{what}, pauses {variant(self.run)}"

    def medians_s(self) -> Floats:
        """(pauses,) median round trip."""
        found: Floats = np.nanmedian(self.round_trips_s, axis=(0, 2))
        return found


def load_stress(system: System) -> Stress | None:
    """None where there is no such run."""
    run = system.runs.get(stress.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        times_s, rates_bps = stress.rates(store, run.id)
    return Stress(system.name, run, times_s, rates_bps, stress.dips(times_s, rates_bps))


def load_burst(system: System) -> tuple[Burst, ...]:
    """By kind of pauses and length of trains; empty where there is no such run."""
    runs = system.variants(burst.BENCHMARK)
    found = []
    with Store.read(system.directory) as store:
        for run in runs:
            of_trains = sorted(burst.round_trips_s(store, run.id).items())
            found += [Burst(system.name, run, train, passes, len(runs) == 1) for train, passes in of_trains]
    return tuple(found)


def draw_stress(found: Sequence[Stress], systems: Sequence[str]) -> Drawing:
    """All systems in the same axes; dips are shaded."""
    of = colours(systems)
    with styled():
        figure, (axis,) = axes_of(1, 4.0)
        for each in found:
            every = -(-len(each.rates_bps) // LONGEST_SHOWN)
            count = len(each.rates_bps) // every * every
            shown = [values[:count].reshape(-1, every).mean(axis=1) for values in (each.times_s, each.rates_bps)]
            axis.plot(*shown, color=of[each.system], linewidth=0.9)
            for dip in each.dips:
                axis.axvspan(dip.start_s, dip.start_s + dip.length_s, color=palette.SHADE.light, zorder=0)
        axis.set_ylim(0)
        axis.grid(True, axis="y")
        axis.set_xlabel("time since the start (s)")
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.rate(value)))
        _legend(figure, [each.system for each in found], systems)
    columns = [("system", "system"), ("dip at", "start_s"), ("lasts", "length_s"), ("carries", "share")]
    rows = [
        [
            cell(each.system),
            cell(dip.start_s, words.duration(dip.start_s)),
            cell(dip.length_s, words.duration(dip.length_s)),
            cell(dip.share, words.percent(dip.share, decimals=0)),
        ]
        for each in found
        for dip in each.dips
    ]
    return Drawing(
        "stress",
        "Throughput over time",
        f"Rate of all pairs in {stress.BIN_S:g} s. Shaded: dips, where less than "
        f"{words.percent(stress.DEEP, decimals=0)} of the median was "
        "carried for two of these or longer; the table has them, with the share of the median. "
        + transports.told(found),
        figure,
        table(columns, rows),
    )


def stress_boxes(found: Sequence[Stress], systems: Sequence[str]) -> Drawing:
    """How the rates of a stress test are spread (noise, figure 4.17)."""
    of = colours(systems)
    return boxes.draw(
        "stress-boxes",
        "How throughput over time is spread",
        f"Each value is the rate of all pairs in {stress.BIN_S:g} s.",
        [(each.system, of[each.system], each.rates_bps) for each in found if len(each.rates_bps)],
    )


def draw_burst(found: Sequence[Burst], systems: Sequence[str]) -> Drawing:
    """Round trips in the order taken: mean of the passes, with their least and greatest."""
    several, kinds = len(systems) > 1, list(dict.fromkeys(each.words() for each in found))
    of = colours(systems if several else kinds)
    styles = dict(zip(kinds, cycle(STYLES), strict=False))
    rows, handles = [], []
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
            for number in range(each.round_trips_s.shape[1]):
                pause_s, values = each.run.plan["pauses_s"][number], each.round_trips_s[:, number]
                values = values[np.isfinite(values)]
                rows.append(
                    [
                        cell(each.system),
                        cell(each.train),
                        cell(number + 1),
                        cell(pause_s, _pause(pause_s)),
                        *(cell(float(v), words.duration(float(v))) for v in np.percentile(values, (5, 50, 95))),
                        cell(float(np.median(values)) / 2, words.duration(float(np.median(values)) / 2)),
                        cell(values.size),
                        cell(variant(each.run)),
                    ]
                )
        each, count = found[0], found[0].round_trips_s.shape[2]
        pauses = each.run.plan["pauses_s"]
        axis.set_xticks([(k + 0.5) * count for k in range(len(pauses))], [_pause(p) for p in pauses])
        for k in range(1, len(pauses)):
            axis.axvline(k * count, color=palette.GRID.light, linewidth=0.8)
        axis.set_yscale("log")
        log_times(axis.yaxis)
        axis.set_xlabel("pause")
        axis.set_ylabel("round trip")
        legend_below(figure, handles)
    columns = [
        ("system", "system"),
        ("train", "train"),
        ("step", "step"),
        ("pause", "pause_s"),
        ("5 %", "p5_s"),
        ("median", "median_s"),
    ]
    columns += [("95 %", "p95_s"), ("half the median", "half_median_s"), ("n", "n"), ("who pauses", "pauses")]
    return Drawing("burst", "Round trips after pauses", _burst_caption(found), figure, table(columns, rows))


def _burst_caption(found: Sequence[Burst]) -> str:
    plan, pauses = found[0].run.plan, list(dict.fromkeys(variant(each.run) for each in found))
    how = f"there was a pause, {pauses[0]}" if len(pauses) == 1 else "there was a pause; how, the legend or table says"
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


def _legend(figure: Any, names: Sequence[str], systems: Sequence[str]) -> None:
    if len(systems) > 1:
        of = colours(systems)
        legend_below(figure, [Line2D([], [], color=of[name], label=name, linewidth=3) for name in names])


def stress_verdicts(found: Stress) -> Iterator[Verdict]:
    """What is said of a stress test."""
    if not len(found.rates_bps):
        return
    low, middle, high = (float(v) for v in np.percentile(found.rates_bps, (5, 50, 95)))
    length = words.duration(float(found.times_s[-1]))
    yield Verdict(
        "fact",
        f"over {length} throughput is {words.rate(middle)}, 90 % of the time between {words.rate(low)} and "
        f"{words.rate(high)}",
    )
    if not found.dips:
        yield Verdict("good", f"throughput has no dip in {length}")
    else:
        deepest = min(found.dips, key=lambda dip: dip.share)
        yield Verdict(
            "bad",
            f"throughput has {words.count(len(found.dips), 'dip')} in {length}, the deepest at "
            f"{words.duration(deepest.start_s)}: {words.percent(deepest.share, decimals=0)} of the median for "
            f"{words.duration(deepest.length_s)}",
        )
    if found.run.status != "ok":
        yield Verdict("sure", f"stress: not complete ({found.run.status})")


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
    incomplete = "" if found.run.status == "ok" else f"; the run is not complete ({found.run.status})"
    yield Verdict("sure", f"burst of {found.words()}: {passes}{incomplete}")
