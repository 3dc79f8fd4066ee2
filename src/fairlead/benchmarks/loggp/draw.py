"""LogGP parameters: gaps and overheads over message size, and the numbers that a model needs."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.lines import Line2D

from fairlead.benchmarks.loggp.analyse import LogGP, Piece, load_loggp
from fairlead.benchmarks.page import bands
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.headlines import Headline, one
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import MIN_BOOTSTRAP


def draw(found: Sequence[LogGP], systems: Sequence[str]) -> Drawing:
    """Gaps with the lines that are fitted to them, and overheads."""
    of = colours(systems)
    handles = []
    with styled():
        figure, (axis,) = axes_of(1, 5.2)
        for each in found:
            colour = of[each.system]
            gaps = {size_B: gap_s for size_B, gap_s in each.parameters.message_gap_s.items() if gap_s > 0}
            axis.plot(list(gaps), list(gaps.values()), "o", markersize=3.5, color=colour)
            for piece in each.parameters.pieces:
                sizes = np.geomspace(piece.first_B, piece.last_B, 50)
                axis.plot(sizes, piece.gap_s + (sizes - 1) * piece.gap_per_B_s, color=colour, linewidth=1.2)
            overheads = each.parameters.overhead_s
            axis.plot(list(overheads), list(overheads.values()), "x", markersize=4, color=colour, alpha=0.8)
            name = f"{each.system}: " if len(systems) > 1 else ""
            handles += [
                Line2D([], [], color=colour, marker="o", markersize=3.5, label=f"{name}gap of a message"),
                Line2D([], [], color=colour, marker="x", linestyle="", markersize=4, label=f"{name}overhead o"),
            ]
        bands.scales(axis, latency=True)
        axis.set_xlabel("message size")
        axis.set_ylabel("time")
        legend_below(figure, handles, columns=4)
    caption = (
        "Gap: time between messages of a train that are sent as fast as possible; the lines are g + (s − 1) G, one for "
        "each range of sizes that a library treats alike. Overhead: time that the sender's processor is busy with a "
        "message when the network is idle."
    )
    return Drawing("loggp", "LogGP parameters", caption, figure, _table(found))


def _table(found: Sequence[LogGP]) -> Table:
    columns = [("system", "system"), ("size", "size_B"), ("gap", "gap_s"), ("from", "gap_low_s"), ("to", "gap_high_s")]
    rows = []
    for each in found:
        for size_B, gap_s in each.parameters.message_gap_s.items():
            ends = each.gap_interval_s(size_B) or (None, None)
            overhead_s = each.parameters.overhead_s.get(size_B)
            overhead_ends = each.parameters.overhead_interval_s.get(size_B, (None, None))
            rows.append(
                [
                    cell(each.system),
                    cell(size_B, words.size(size_B)),
                    duration_cell(gap_s),
                    *(duration_cell(end) for end in ends),
                    *(duration_cell(value) for value in (overhead_s, *overhead_ends)),
                ]
            )
    columns += [("overhead", "overhead_s"), ("from ", "overhead_low_s"), ("to ", "overhead_high_s")]
    return table(columns, rows)


def verdicts(found: LogGP) -> Iterator[Verdict]:
    """What is said of it."""
    parameters = found.parameters
    told = [f"L = {words.duration(parameters.latency_s)}"] if parameters.latency_s is not None else []
    if parameters.overhead_s:
        smallest = min(parameters.overhead_s)
        low, high = (words.duration(end) for end in parameters.overhead_interval_s[smallest])
        told.append(f"o = {words.duration(parameters.overhead_s[smallest])} ({low} to {high}; {words.size(smallest)})")
    told += [_piece(piece) for piece in parameters.pieces]
    if told:
        yield Verdict("fact", f"LogGP: {'; '.join(told)}")
    if not parameters.pieces:
        text = "g and G could not be determined: trains of some size took no longer than a single message"
        yield Verdict("sure", f"loggp: {text}. Measure again on a quiet network, or longer")
    if parameters.latency_s is None:
        text = "loggp: L could not be determined: the overhead is not significant, or takes all of a small message's "
        yield Verdict("sure", f"{text}round trip")
    blocks = [len(values) for values in found.values.values()]
    incomplete = "" if found.run.status == "ok" else f"; the run is incomplete ({found.run.status})"
    count = f"{min(blocks)} to {max(blocks)}" if min(blocks) < max(blocks) else f"{min(blocks)}"
    few = f"; o needs at least {MIN_BOOTSTRAP}" if max(blocks) < MIN_BOOTSTRAP else ""
    yield Verdict("sure", f"loggp: {count} blocks of each parametrised round trip{few}{incomplete}")


def _piece(piece: Piece) -> str:
    sizes = f"{words.size(piece.first_B)} to {words.size(piece.last_B)}"
    rate = f", {words.rate(8 / piece.gap_per_B_s)}" if piece.gap_per_B_s > 0 else ""
    return f"g = {words.duration(piece.gap_s)}, G = {words.significant(piece.gap_per_B_s * 1e9)} ns/B{rate} ({sizes})"


def headlines(part: LogGP) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    found = part.parameters
    if found.latency_s is not None:
        yield Headline(part.system, "loggp", "L", one(found.latency_s))
    for size_B, overhead_s in list(found.overhead_s.items())[:1]:
        yield Headline(part.system, "loggp", f"o of {size_B} B", one(overhead_s))
    if found.pieces:
        yield Headline(part.system, "loggp", "g, of the smallest messages", one(found.pieces[0].gap_s))
        yield Headline(part.system, "loggp", "G, of the largest messages", one(found.pieces[-1].gap_per_B_s))


SECTION = Section(
    load=at_most_one(load_loggp),
    drawings=lambda found, report: [draw(found, report.names)],
    verdicts=verdicts,
    headlines=headlines,
)
