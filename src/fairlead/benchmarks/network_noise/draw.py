"""Network noise: latency and throughput over time, their tails, their memory, and when they changed."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import FuncFormatter

from fairlead.benchmarks.network_noise.analyse import (
    BEYOND,
    CHANGE,
    LEAST_PARTS,
    MOST_POINTS,
    PERCENTS,
    NetworkNoise,
    _lags,
    load_network_noise,
)
from fairlead.benchmarks.page.colours import colours, legend_of_systems
from fairlead.benchmarks.page.headlines import Headline, one
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, log_times, styled
from fairlead.statistics import over_time

COMPARED_PERCENTS = (50.0, 99.0)  # of the time
LATE = 1.1  # of the distance that was asked for: parts that are farther apart are told
TAIL = 3.0  # 99th percentile over the median


def drawings(found: Sequence[NetworkNoise], systems: Sequence[str]) -> list[Drawing]:
    """Over time, the tail of the latencies, and autocorrelation where there are enough parts."""
    long = [each for each in found if len(each.parts.rates_bps) >= LEAST_PARTS]
    drawn = [_over_time(found, systems), _tails(found, systems)]
    return [*drawn, _correlations(long, systems)] if long else drawn


def _over_time(found: Sequence[NetworkNoise], systems: Sequence[str]) -> Drawing:
    of = colours(systems)
    with styled():
        figure, (upper, lower) = axes_of(2, 6.0, sharex=True)
        for each in found:
            parts, colour = each.parts, of[each.system]
            every = -(-len(parts.latencies_s) // MOST_POINTS)
            shown = [np.percentile(part, (5, 50, 95)) for part in parts.latencies_s[::every]]
            low, middle, high = np.transpose(shown)
            upper.fill_between(parts.latency_at_s[::every], low, high, color=colour, alpha=0.2, linewidth=0)
            upper.plot(parts.latency_at_s[::every], middle, color=colour, linewidth=0.9)
            lower.plot(parts.rate_at_s[::every], parts.rates_bps[::every], color=colour, linewidth=0.9)
            for change in each.changes:
                axis = upper if change.quantity == "latency" else lower
                axis.axvline(change.at_s, color=colour if len(found) > 1 else palette.HIGH.light, linestyle=":")
        upper.set_yscale("log")
        log_times(upper.yaxis)
        upper.set_ylabel("latency")
        lower.set_ylim(0)
        lower.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.rate(value)))
        lower.set_ylabel("throughput")
        lower.set_xlabel("time since the start (s)")
        for axis in (upper, lower):
            axis.grid(True, axis="y")
        legend_of_systems(figure, [each.system for each in found], systems)
    plan, apart_s = found[0].run.plan, found[0].parts.distance_s
    how_often = "Once" if apart_s is None else f"Every {words.duration(apart_s)}"
    caption = (
        f"{how_often} the latency of messages of {words.size(plan['size_B'])} (median, 5 to "
        f"95 %) and the throughput of messages of {words.size(plan['bulk_B'])}. Dotted: changes of the level by "
        f"{words.percent(CHANGE - 1, decimals=0)} or more, listed in the table."
    )
    return Drawing("network-noise", "Network noise", caption, figure, _changes_table(found))


def _changes_table(found: Sequence[NetworkNoise]) -> Table:
    columns = [("system", "system"), ("quantity", "quantity"), ("changed at", "at_s"), ("from", "before")]
    rows = [
        [
            cell(each.system),
            cell(change.quantity),
            duration_cell(change.at_s),
            *(cell(value, _form(change.quantity)(value)) for value in (change.before, change.after)),
            cell(change.after / change.before, words.significant(change.after / change.before)),
        ]
        for each in found
        for change in each.changes
    ]
    return table([*columns, ("to", "after"), ("ratio", "ratio")], rows)


def _form(quantity: str) -> Any:
    return words.duration if quantity == "latency" else words.rate


def _tails(found: Sequence[NetworkNoise], systems: Sequence[str]) -> Drawing:
    of = colours(systems)
    with styled():
        figure, (axis,) = axes_of(1, 3.8)
        for each in found:
            pooled, below = over_time.shares_of_time(each.parts.latencies_s)
            pooled, shares = pooled[:-1], 1 - below[:-1]  # the last one has no place on a logarithmic axis
            if not len(pooled):
                continue
            # Evenly on the logarithmic axis: a point each would make a page of many megabytes.
            ends = np.geomspace(1, shares[-1], 400)
            places = np.unique(np.clip(np.searchsorted(-shares, -ends), 0, len(pooled) - 1))
            axis.plot(pooled[places], shares[places], color=of[each.system], linewidth=1.4)
        axis.set_xscale("log")
        axis.set_yscale("log")
        log_times(axis.xaxis)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:g} %"))
        axis.grid(True)
        axis.set_xlabel("latency")
        axis.set_ylabel("time in which messages take longer")
        legend_of_systems(figure, [each.system for each in found], systems)
    columns = [("system", "system"), *((f"{p:g} %", f"p{p:g}_s") for p in PERCENTS), ("greatest", "greatest_s")]
    rows = []
    for each in found:
        told = [each.percentile(p) for p in PERCENTS]
        pooled = np.concatenate(each.parts.latencies_s)
        shown: list[TableCell] = [duration_cell(value) for value in told]
        greatest = float(pooled.max())
        rows.append([cell(each.system), *shown, duration_cell(greatest), cell(len(pooled))])
    caption = (
        "Shares of the time: every part counts equally, because slow parts have fewer messages. The "
        f"table has a percentile where at least {BEYOND} messages took as long or longer."
    )
    return Drawing(
        "network-noise-tail", "How slow the slowest messages are", caption, figure, table([*columns, ("n", "n")], rows)
    )


def _correlations(found: Sequence[NetworkNoise], systems: Sequence[str]) -> Drawing:
    of = colours(systems)
    rows = []
    with styled():
        figure, axes = axes_of(2, 5.0, sharex=True)
        for each in found:
            apart_s = each.parts.distance_s or 0.0
            pairs = (("latency", each.parts.medians_s()), ("throughput", each.parts.rates_bps))
            for axis, (quantity, values) in zip(axes, pairs, strict=True):
                correlation = over_time.autocorrelation(values, _lags(values))
                lags_s = np.arange(len(correlation)) * apart_s
                axis.plot(lags_s[1:], correlation[1:], color=of[each.system], linewidth=1.2)
                band = over_time.white_noise_band(len(values))
                axis.axhspan(-band, band, color=palette.SHADE.light, zorder=0)
                axis.set_title(quantity)
                axis.grid(True)
                axis.set_ylabel("autocorrelation")
                rows += [
                    [cell(each.system), cell(quantity), cell(float(lag_s)), cell(float(r), f"{r:.3f}")]
                    for lag_s, r in zip(lags_s, correlation, strict=True)
                ]
        axes[-1].set_xlabel("distance in time (s)")
        legend_of_systems(figure, [each.system for each in found], systems)
    columns = [
        ("system", "system"),
        ("quantity", "quantity"),
        ("distance (s)", "lag_s"),
        ("correlation", "correlation"),
    ]
    return Drawing(
        "network-noise-memory",
        "How long noise lasts",
        "Autocorrelation of the parts' median latencies and of their throughput. Shaded: where 95 % of the values of "
        "independent parts would lie.",
        figure,
        table(columns, rows),
    )


def verdicts(found: NetworkNoise) -> Iterator[Verdict]:
    """What is said of it."""
    asked_s, apart_s = float(found.run.plan["part_s"]), found.parts.distance_s or 0.0
    length = words.duration(max(found.parts.length_s, asked_s))
    told = {percent: value for percent in PERCENTS if (value := found.percentile(percent)) is not None}
    size = words.size(found.run.plan["size_B"])
    shown = ", ".join(f"{percent:g} % {words.duration(value)}" for percent, value in told.items())
    yield Verdict("fact", f"of {length}, messages of {size} take at most this for so much of the time: {shown}")
    low, middle, high = (float(v) for v in np.percentile(found.parts.rates_bps, (5, 50, 95)))
    between = f"90 % of the parts between {words.rate(low)} and {words.rate(high)}"
    yield Verdict("fact", f"throughput meanwhile is {words.rate(middle)}, {between}")
    if 99.0 in told and told[99.0] >= TAIL * told[50.0]:
        times = words.significant(told[99.0] / told[50.0], 2)
        text = f"the network is noisy: for 1 % of the time a message of {size} takes {times} times the median"
        yield Verdict("bad", f"{text} or more")
    if not found.changes:
        yield Verdict("good", f"latency and throughput kept their levels over {length}")
    for change in found.changes[:3]:
        form = _form(change.quantity)
        worse = (change.after > change.before) == (change.quantity == "latency")
        text = f"{change.quantity} went from {form(change.before)} to {form(change.after)} at "
        yield Verdict("bad" if worse else "fact", f"{text}{words.duration(change.at_s)}")
    for quantity, values in (("latency", found.parts.medians_s()), ("throughput", found.parts.rates_bps)):
        remembered_s = found.remembered_s(values)
        if remembered_s is not None and remembered_s > apart_s:
            yield Verdict("fact", f"disturbances of {quantity} last up to {words.duration(remembered_s)}")
    incomplete = "" if found.run.status == "ok" else f"; the run is incomplete ({found.run.status})"
    if apart_s > LATE * asked_s:
        incomplete += f"; the network was too slow for a part every {words.duration(asked_s)}: it was every "
        incomplete += words.duration(apart_s)
    count = sum(len(part) for part in found.parts.latencies_s)
    yield Verdict(
        "sure",
        f"network-noise: {words.count(count, 'message')} in {words.count(len(found.parts.rates_bps), 'part')}"
        + incomplete,
    )


def headlines(part: NetworkNoise) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    for percent in COMPARED_PERCENTS:
        if (latency_s := part.percentile(percent)) is not None:
            what = f"latency, {percent:g} % of the time"
            yield Headline(part.system, "network-noise", what, one(latency_s))
    rate_bps = np.median(part.parts.rates_bps)
    yield Headline(part.system, "network-noise", "median throughput", one(rate_bps), False)


SECTION = Section(
    load=at_most_one(load_network_noise),
    drawings=lambda found, report: drawings(found, report.names),
    verdicts=verdicts,
    headlines=headlines,
)
