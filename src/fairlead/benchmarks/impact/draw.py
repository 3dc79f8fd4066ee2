"""Impact of congestors on victims: factors of mean and tail, with intervals."""

from collections.abc import Iterator, Sequence

from fairlead.benchmarks.impact import analyse
from fairlead.benchmarks.impact.analyse import Factor, Impact, load_impact
from fairlead.benchmarks.page import transports
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.headlines import Headline
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import Estimate
from fairlead.statistics.tails import BEYOND

HARMED, SPARED = 1.5, 1.1  # impact factor from which on a victim is harmed, and up to which it is not


def draw(found: Sequence[Impact], systems: Sequence[str]) -> Drawing:
    """Factors as points with intervals, mean above, tail below, all systems beside each other."""
    of = colours(systems)
    cells = list(dict.fromkeys(factor.cell for each in found for factor in each.factors))
    with styled():
        figure, axes = axes_of(2, 6.0, sharex=True)
        for row, (axis, title) in enumerate(zip(axes, ("Mean", f"{analyse.TAIL:g} % of exchanges"), strict=True)):
            for number, each in enumerate(found):
                step = 0.0 if len(found) == 1 else (number / (len(found) - 1) - 0.5) * 0.5
                for factor in each.factors:
                    (value, estimate), place = _told(factor)[row], cells.index(factor.cell) + step
                    if row == 0:
                        rounds = factor.ratios
                        axis.plot([place] * len(rounds), rounds, ".", color=of[each.system], alpha=0.3)
                    if value is not None:
                        axis.plot([place], [value], "o", markersize=5, color=of[each.system])
                    if estimate is not None:
                        axis.plot([place] * 2, [estimate.low, estimate.high], color=of[each.system], linewidth=1.6)
            axis.axhline(1.0, color="black", linewidth=0.8)
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.yaxis.set_minor_formatter(lambda value, _: f"{value:g}" if str(f"{value:e}")[0] in "25" else "")
            axis.set_ylabel("impact factor")
            axis.set_title(title)
            axis.grid(True, axis="y")
        axes[-1].set_xticks(range(len(cells)), [f"{one.victim}\n{one.congestor}" for one in cells])
        if len(systems) > 1:
            legend_below(figure, [axes[0].plot([], [], color=of[e.system], label=e.system)[0] for e in found])
    caption = (
        "How many times longer the victims' exchanges take beside a congestor than alone: random ring latency, "
        "bandwidth with a barrier, allreduce. Small points are rounds, each with newly drawn hosts; "
        "large ones their median with its 95 % interval. The tail covers all rounds together, with as many "
        f"exchanges of each alone as beside; it is given where at least {BEYOND} take longer. "
    ) + transports.told(found)
    return Drawing("impact", "Impact of congestion", caption, figure, _table(found))


def _told(factor: Factor) -> tuple[tuple[float | None, Estimate | None], ...]:
    """Of the mean and of the tail."""
    return (factor.mean, factor.mean_interval), (factor.tail, factor.tail_interval)


def _table(found: Sequence[Impact]) -> Table:
    columns = [("system", "system"), ("victim", "victim"), ("congestor", "congestor"), ("alone", "alone_mean_s")]
    columns += [("beside", "beside_mean_s"), ("impact on the mean", "mean_factor"), ("from", "mean_low")]
    columns += [("to", "mean_high"), ("impact on the tail", "tail_factor"), ("from ", "tail_low")]
    columns += [("to ", "tail_high"), ("rounds", "rounds")]
    return table(columns, [_row(each, factor) for each in found for factor in each.factors])


def _row(each: Impact, factor: Factor) -> list[TableCell]:
    one = factor.cell
    means = [float(of.mean()) for of in (factor.alone_s, factor.beside_s)]
    shown: list[TableCell] = []
    for value, estimate in _told(factor):
        numbers = (value, estimate.low, estimate.high) if estimate else (value, None, None)
        shown += [cell(number, None if number is None else words.significant(number)) for number in numbers]
    front = [cell(each.system), cell(one.victim), cell(one.congestor)]
    return [*front, *(duration_cell(mean) for mean in means), *shown, cell(len(factor.ratios))]


def verdicts(found: Impact) -> Iterator[Verdict]:
    """What is said of it."""
    worst = max(found.factors, key=lambda factor: factor.mean)
    text = f"beside {worst.cell.congestor} {worst.cell.victim} takes {words.significant(worst.mean)} times as long as "
    text += "alone, the largest impact of all"
    tails = {factor.cell: factor.tail for factor in found.factors if factor.tail is not None}
    if tails:
        cell_of, tail = max(tails.items(), key=lambda item: item[1])
        text += f"; on the tail it is {words.significant(tail)} ({cell_of.victim} beside {cell_of.congestor})"
    yield Verdict("fact", text)
    harmed = [each for each in found.factors if each.mean_interval is not None and each.mean_interval.low >= HARMED]
    if harmed:
        named = words.listing([f"{each.cell.victim} by {each.cell.congestor}" for each in harmed])
        yield Verdict("bad", f"cross-traffic slows {named} down ({words.significant(HARMED)} times or more)")
    spared = [each for each in found.factors if each.mean_interval is not None and each.mean_interval.high <= SPARED]
    if len(spared) == len(found.factors):
        yield Verdict(
            "good", f"cross-traffic slows no victim down by more than {words.percent(SPARED - 1, decimals=0)}"
        )
    rounds = [len(factor.ratios) for factor in found.factors]
    said = f"{min(rounds)}" if min(rounds) == max(rounds) else f"{min(rounds)} to {max(rounds)}"
    text = f"impact: {said} rounds of hosts drawn with seed {found.run.seed}"
    text += "; no interval from a single round" if min(rounds) == 1 else ""
    if untold := len(found.factors) - len(tails):
        text += f"; of {words.count(untold, 'tail')} too few exchanges were measured"
    text += "" if found.run.status == "ok" else f"; the run is incomplete ({found.run.status})"
    yield Verdict("sure", text)


def headlines(part: Impact) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    for factor in part.factors:
        what = f"{factor.cell.victim} beside {factor.cell.congestor}"
        yield Headline(part.system, "impact", what, factor.ratios)


SECTION = Section(
    load=at_most_one(load_impact),
    drawings=lambda found, report: [draw(found, report.names)],
    verdicts=verdicts,
    headlines=headlines,
)
