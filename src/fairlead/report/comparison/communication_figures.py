"""Communication time by host pair, of a comparison's scenarios beside each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fairlead.analysis.runs import communication
from fairlead.analysis.runs.communication import Communication, HostPair
from fairlead.display import words
from fairlead.display.tables import cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.comparison.comparison_figures import scenario_name
from fairlead.report.figures import Drawing, axes_of, legend_below, log_times, styled
from fairlead.report.run.pair_latencies import MOST_PAIRS
from fairlead.statistics.estimates import median
from fairlead.statistics.ratios import ratio_of_means

ALL_PAIRS = "all pairs"
_MARKS = ((palette.GOOD, "o"), (palette.MUTED, "v"), (palette.PLAIN, "s"), (palette.MANAGED, "D"))
_LEAST_S = 1e-6  # a logarithmic axis has no zero


def of_scenarios(program: str, runs: Mapping[str, Sequence[Communication]]) -> Drawing:
    """The communication time of each pair, clean against congested against managed: medians of the replications.

    Args:
        runs: by scenario: clean, clean and managed, congested, congested and managed.
    """
    times = {scenario: communication.typical(each) for scenario, each in runs.items() if each}
    totals = {scenario: median([communication.total_s(run) for run in runs[scenario]]) for scenario in times}
    pairs = sorted({pair for each in times.values() for pair in each}, key=lambda pair: -_longest(times, pair))
    shown = pairs[:MOST_PAIRS]
    more = f" The {len(shown)} longest of {len(pairs)} pairs are drawn." if len(pairs) > len(shown) else ""
    dropped = sum(run.dropped for each in runs.values() for run in each)
    lost = f" {dropped} messages were not recorded: the ranks' buffers were full." if dropped else ""
    return Drawing(
        f"communication-{program}",
        f"{program}: communication time by host pair",
        "Time that receive calls waited for messages after they had been sent; medians over the runs of a "
        f"scenario. Collective calls are not in it.{_reduction(runs)}{more}{lost}",
        _figure(shown, times, totals, dict(zip(runs, _MARKS, strict=True))),
        table(
            [("pair", "pair"), *((scenario_name(each), f"{each}_s") for each in times)],
            [
                [cell(ALL_PAIRS), *(duration_cell(totals[each]) for each in times)],
                *(
                    [cell(words.arrow(pair)), *(duration_cell(times[each].get(pair)) for each in times)]
                    for pair in pairs
                ),
            ],
        ),
    )


def _reduction(runs: Mapping[str, Sequence[Communication]]) -> str:
    """What management changed in the communication time of all pairs under congestion, in means of the runs."""
    *_, plain, managed = ([communication.total_s(run) for run in each] for each in runs.values())
    if min(len(plain), len(managed)) < 2 or sum(plain) <= 0:
        return ""
    ratio = ratio_of_means(managed, plain)
    less = replace(ratio, value=1 - ratio.value, low=1 - ratio.high, high=1 - ratio.low)
    what = "less" if less.value >= 0 else "more"
    return (
        f" Under congestion all pairs of the managed runs together took {words.percent(abs(less.value), decimals=0)} "
        f"{what} of it than the plain ones (means; {words.level(less.level)} interval of what went: "
        f"{words.percent_interval(less, decimals=0)})."
    )


def _longest(times: Mapping[str, Mapping[HostPair, float]], pair: HostPair) -> float:
    return max(each.get(pair, 0.0) for each in times.values())


def _figure(
    pairs: Sequence[HostPair],
    times: Mapping[str, Mapping[HostPair, float]],
    totals: Mapping[str, float],
    marks: Mapping[str, tuple[palette.Colour, str]],
) -> Figure:
    rows = [totals] + [{scenario: each[pair] for scenario, each in times.items() if pair in each} for pair in pairs]
    with styled():
        figure, (axis,) = axes_of(1, len(rows) * 0.34 + 1.35)
        for row, values in enumerate(rows):
            known = {scenario: max(value, _LEAST_S) for scenario, value in values.items()}
            if known:
                axis.plot([min(known.values()), max(known.values())], [row, row], color=palette.GRID.light, lw=3)
            for scenario, value in known.items():
                colour, marker = marks[scenario]
                axis.plot([value], [row], color=colour.light, marker=marker, ms=7, zorder=3)
        axis.axhline(0.5, color=palette.MUTED.light, lw=0.8)
        axis.set_xscale("log")
        log_times(axis.xaxis)
        axis.set_yticks(range(len(rows)), [ALL_PAIRS, *(words.arrow(pair) for pair in pairs)])
        axis.set_ylim(len(rows) - 0.4, -0.6)
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.set_xlabel("communication time (logarithmic)")
        legend_below(
            figure,
            [
                Line2D([], [], color=colour.light, marker=marker, ms=7, lw=0, label=scenario_name(scenario))
                for scenario, (colour, marker) in marks.items()
                if scenario in times
            ],
        )
    return figure
