"""Latency and throughput of all pairs of hosts as heat maps, and which hosts and pairs are slow."""

from collections.abc import Iterator, Sequence

import numpy as np

from fairlead.benchmarks.all_pairs import slow_pairs
from fairlead.benchmarks.all_pairs.analyse import LEAST_BLOCKS, Matrix, Pairs, load_all_pairs
from fairlead.benchmarks.all_pairs.slow_pairs import Slow
from fairlead.benchmarks.page.headlines import Headline, one
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, table
from fairlead.report.figures import Drawing
from fairlead.report.network import heat_maps
from fairlead.report.network.heat_maps import Panel
from fairlead.statistics import estimates

MOST_NAMED = 8
LEAST_VALUES = 3  # for an interval


def draw(found: Pairs, number: int) -> Drawing:
    """Both matrices of a system; ``number`` tells its figure from other systems'."""
    matrix = found.matrix
    latency_s, rate_bps = matrix.quantile(matrix.latency_s), matrix.quantile(matrix.rate_bps)
    panels = [Panel("Latency", latency_s, words.TIMES, marked=_slow_cells(found.latency, matrix, symmetric=True))]
    if matrix.rate_bps:
        panels.append(Panel("Throughput", rate_bps, words.RATES, marked=_slow_cells(found.rate, matrix)))
    columns = [("from", "source"), ("to", "destination"), ("latency", "latency_s"), ("from ", "latency_low_s")]
    columns += [("to ", "latency_high_s"), ("throughput", "rate_bps"), ("from  ", "rate_low_bps")]
    columns += [("to  ", "rate_high_bps"), ("slow", "slow")]
    rows = [
        [
            cell(matrix.hosts[i]),
            cell(matrix.hosts[j]),
            *_cells(matrix.latency_s.get((i, j), []), "s"),
            *_cells(matrix.rate_bps.get((i, j), []), "bps"),
            cell(_slow_words(found, i, j) or None),
        ]
        for i in range(len(matrix.hosts))
        for j in range(len(matrix.hosts))
        if i != j
    ]
    return Drawing(
        f"all-pairs-{number}",
        f"All pairs of hosts: {found.system}",
        "Median of each pair, from the host of the row to that of the column, each measured while the others "
        f"were idle. Latency: messages of {words.size(found.run.plan['size_B'])}; throughput: windows of messages of "
        f"{words.size(found.run.plan['bulk_B'])}. Outlined: pairs that are slow, and all pairs of hosts that are. "
        "The table has 95 % intervals, and names what is slow.",
        heat_maps.draw(matrix.hosts, panels),
        table(columns, rows),
    )


def _slow_cells(
    verdict: slow_pairs.SlowFindings, matrix: Matrix, *, symmetric: bool = False
) -> frozenset[tuple[int, int]]:
    hosts = {slow.places[0] for slow in verdict.hosts}
    pairs = {(slow.places[0], slow.places[1]) for slow in verdict.pairs}
    pairs |= {(j, i) for i, j in pairs} if symmetric else set()
    everybody = range(len(matrix.hosts))
    return frozenset(pairs | {(i, j) for i in everybody for j in everybody if i != j and {i, j} & hosts})


def _cells(values: Sequence[float], unit: str) -> list[TableCell]:
    form = words.duration if unit == "s" else words.rate
    if not values:
        return [cell(None)] * 3
    middle = float(np.median(values))
    if len(values) < LEAST_VALUES:
        return [cell(middle, form(middle)), cell(None), cell(None)]
    found = estimates.median_interval(values)
    return [cell(value, form(value)) for value in (middle, found.low, found.high)]


def _slow_words(found: Pairs, i: int, j: int) -> str:
    said = []
    for what, verdict in (("latency", found.latency), ("throughput", found.rate)):
        hosts = {slow.places[0] for slow in verdict.hosts} & {i, j}
        said += [f"{what}: host {found.matrix.hosts[place]}" for place in sorted(hosts)]
        same = ((i, j), (j, i)) if what == "latency" else ((i, j),)
        said += [f"{what}: pair" for slow in verdict.pairs if slow.places in same]
    return "; ".join(said)


def verdicts(found: Pairs) -> Iterator[Verdict]:
    """What is said of it."""
    hosts = found.matrix.hosts
    for what, verdict in (("latency", found.latency), ("throughput", found.rate)):
        values = found.matrix.latency_s if what == "latency" else found.matrix.rate_bps
        if not values:
            continue
        for text in _named(verdict.hosts, hosts, what):
            yield Verdict("bad", f"slow host by {what}: {text}")
        for text in _named(verdict.pairs, hosts, what):
            yield Verdict("bad", f"slow pair by {what}: {text}")
        judged = sum(len(blocks) >= LEAST_BLOCKS for blocks in values.values())
        if judged < len(hosts) * (len(hosts) - 1):
            yield Verdict(
                "sure",
                f"all-pairs: {judged} of {len(hosts) * (len(hosts) - 1)} ordered pairs have the {LEAST_BLOCKS} blocks "
                f"needed to judge {what}; use a larger --budget",
            )
        elif not verdict.hosts and not verdict.pairs:
            yield Verdict("good", f"no slow host or pair among {len(hosts)} hosts by {what}")
    blocks = [len(each) for each in (*found.matrix.latency_s.values(), *found.matrix.rate_bps.values())]
    missing = 2 * len(hosts) * (len(hosts) - 1) - len(blocks)
    text = f"all-pairs: {min(blocks)} to {max(blocks)} blocks a pair"
    text += f"; {missing} values not measured (time budget)" if missing else ""
    yield Verdict("sure", text + ("" if found.run.status == "ok" else f"; incomplete ({found.run.status})"))


def _named(slow: Sequence[Slow], hosts: Sequence[str], what: str) -> Iterator[str]:
    arrow = " and " if what == "latency" else " → "
    for each in slow[:MOST_NAMED]:
        name = arrow.join(hosts[place] for place in each.places)
        yield f"{name}, {words.significant(each.factor, 3)} times slower than usual"
    if len(slow) > MOST_NAMED:
        yield f"and {len(slow) - MOST_NAMED} more, listed in the table"


def headlines(part: Pairs) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    for what, values in (("latency", part.matrix.latency_s), ("throughput", part.matrix.rate_bps)):
        if values:
            middle = np.median([np.median(blocks) for blocks in values.values()])
            yield Headline(part.system, "all-pairs", f"median pair, {what}", one(middle), what == "latency")


SECTION = Section(
    load=at_most_one(load_all_pairs),
    drawings=lambda found, _: [draw(each, number) for number, each in enumerate(found, start=1)],
    verdicts=verdicts,
    headlines=headlines,
)
