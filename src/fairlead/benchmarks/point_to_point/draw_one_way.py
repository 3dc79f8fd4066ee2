"""One-way times by the clocks: their figure and table, and what is said of them."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.lines import Line2D

from fairlead.benchmarks.page import bands
from fairlead.benchmarks.page.colours import Style, colours
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.benchmarks.point_to_point.one_way import MeasuredLatency, OneWay
from fairlead.characterize.latency import CLOCK_SHARE
from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled

WAYS: tuple[tuple[Style, str], ...] = (("-", "there"), ("--", "back"))
UNEVEN = 1.5  # time of one way over that of the other
SHARE = words.percent(CLOCK_SHARE, decimals=0)
CAPTION = (
    "Median of a message from the first host of each pair to the second, and back, by the clocks of both; "
    "shaded: the possible error of the clocks. Their difference is estimated from all round trips since the "
    "program started, and is "
    "bounded by the fastest of them. Where the bound is more than "
    f"{SHARE} of a way, the clocks are too far off, and only half the round trip is known."
)


def draw(found: Sequence[MeasuredLatency], systems: Sequence[str]) -> Drawing:
    """All systems and configurations in the same axes."""
    labels = list(dict.fromkeys((each.system, each.words(one)) for each in found for one in each.configurations()))
    of = colours(labels)
    with styled():
        figure, (axis,) = axes_of(1, 4.6)
        for each in found:
            for configuration in each.configurations():
                line = each.one_way_line(configuration)
                colour = of[each.system, each.words(configuration)]
                error_s = np.array([one.clock_error_s for one in line.values()])
                there_s = np.array([one.there_s for one in line.values()])
                back_s = np.array([one.back_s for one in line.values()])
                for (style, _), times_s in zip(WAYS, (there_s, back_s), strict=True):
                    low_s = np.maximum(times_s - error_s, times_s / 10)  # zero has no place on a logarithmic axis
                    axis.fill_between(list(line), low_s, times_s + error_s, color=colour, alpha=0.15, linewidth=0)
                    axis.plot(list(line), times_s, color=colour, linestyle=style, marker="o", markersize=2.6)
        bands.scales(axis, latency=True)
        axis.set_ylabel("one-way time")
        axis.set_xlabel("message size")
        handles = [
            Line2D(
                [],
                [],
                color=of[system, label],
                linestyle=style,
                label=f"{system}: {label}, {way}" if len(systems) > 1 else f"{label}, {way}",
            )
            for system, label in labels
            for style, way in WAYS
        ]
        legend_below(figure, handles, columns=2)
    return Drawing("mpi-one-way", "MPI latency, one way", CAPTION, figure, _table(found))


def _table(found: Sequence[MeasuredLatency]) -> Table:
    columns = [("system", "system"), ("configuration", "configuration"), ("size", "size_B"), ("there", "there_s")]
    columns += [("back", "back_s"), ("clock error, ±", "clock_error_s"), ("round trip", "round_trip_s")]
    columns += [("clocks", "clocks")]
    return table(
        columns,
        [
            [
                cell(each.system),
                cell(each.words(configuration)),
                cell(size_B, words.size(size_B)),
                *(duration_cell(value) for value in (one.there_s, one.back_s, one.clock_error_s, one.round_trip_s)),
                cell("agree" if one.is_known else "too far off"),
            ]
            for each in found
            for configuration in each.configurations()
            for size_B, one in each.one_way_line(configuration).items()
        ],
    )


def verdicts(found: MeasuredLatency) -> Iterator[Verdict]:
    """What is said of it."""
    for configuration in found.configurations():
        line, name = found.one_way_line(configuration), found.words(configuration)
        known = {size_B: one for size_B, one in line.items() if one.is_known}
        if known:
            size_B = min(known)
            one = known[size_B]
            yield Verdict(
                "fact",
                f"by the clocks, with {name}, a message of {words.size(size_B)} takes {words.duration(one.there_s)} "
                f"there and {words.duration(one.back_s)} back (their error: {words.duration(one.clock_error_s, 2)} at "
                "most)",
            )
        yield from _uneven(line, name)
        if far := [size_B for size_B in line if size_B not in known]:
            error_s = max(line[size_B].clock_error_s for size_B in far)
            yield Verdict(
                "sure",
                f"mpi-latency: with {name}, clocks are too far off for one-way times at {len(far)} of "
                f"{words.count(len(line), 'size')} (up to {words.size(max(far))}): they may be wrong by "
                f"{words.duration(error_s, 2)}, more than {SHARE} of the time",
            )


def _uneven(line: dict[int, OneWay], name: str) -> Iterator[Verdict]:
    """The size at which one way takes the most longer than the other, if that is not the clocks' error."""
    uneven = {size_B: one for size_B, one in line.items() if one.differs and _ratio(one) >= UNEVEN}
    if uneven:
        size_B = max(uneven, key=lambda size_B: _ratio(uneven[size_B]))
        one = uneven[size_B]
        slower, than = ("there", "back") if one.there_s > one.back_s else ("back", "there")
        yield Verdict(
            "bad",
            f"with {name}, a message of {words.size(size_B)} takes {words.significant(_ratio(one), 2)} times as long "
            f"{slower} as {than}",
        )


def _ratio(one: OneWay) -> float:
    """Of the slower way to the faster one, at least: the clocks' error is on the faster one's side."""
    slow_s, fast_s = max(one.there_s, one.back_s), min(one.there_s, one.back_s)
    return (slow_s - one.clock_error_s) / (fast_s + one.clock_error_s)
