"""What iperf3 measured: rates of all streams together, retransmits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.measure.benchmarks import tcp as measured
from fairlead.measure.benchmarks.tcp import Block, Cell
from fairlead.report.benchmarks import boxes
from fairlead.report.benchmarks.colours import colours
from fairlead.report.benchmarks.systems import System
from fairlead.report.benchmarks.verdicts import DUPLEX_BAD, DUPLEX_GOOD, STREAMS, SURE, Verdict
from fairlead.report.figures import Drawing
from fairlead.statistics import estimates
from fairlead.statistics.estimates import Estimate, FloatArray
from fairlead.store import Run, Store

GIB = 2.0**30


@dataclass(frozen=True)
class Tcp:
    """One system's newest run of iperf3: rates of blocks, and the blocks, by cell.

    Attributes:
        missing: configurations that were asked for and not measured: the budget was over.
    """

    system: str
    run: Run
    rates_bps: dict[Cell, FloatArray]
    blocks: dict[Cell, list[Block]]
    missing: int

    def median(self, of: Cell) -> Estimate | None:
        """Of the blocks; None of a single one."""
        rates = self.rates_bps[of]
        return estimates.median_interval(rates) if len(rates) > 1 else None

    def value_bps(self, of: Cell) -> float:
        """The median of the blocks."""
        return float(np.median(self.rates_bps[of]))

    def retransmits_per_GiB(self, of: Cell) -> float | None:
        """Segments sent again for each GiB received, over all blocks; None where nothing counts them."""
        counted = [np.isfinite(block.retransmits).any(axis=1) for block in self.blocks[of]]
        pairs = list(zip(self.blocks[of], counted, strict=True))
        received_B = sum(float(np.nansum(block.received_B[rows])) for block, rows in pairs)
        if not received_B:
            return None
        return sum(float(np.nansum(block.retransmits[rows])) for block, rows in pairs) / received_B * GIB


def load(system: System) -> Tcp | None:
    """None where there is no such run."""
    run = system.runs.get(measured.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        blocks = measured.blocks(store, run.id)
    ordered = dict(sorted(blocks.items(), key=lambda item: (item[0].both, item[0].streams)))
    rates = {one: np.array([block.rate_bps() for block in found]) for one, found in ordered.items()}
    asked = len(run.plan["streams"]) * len(run.plan["directions"]) if "directions" in run.plan else len(rates)
    return Tcp(system.name, run, rates, ordered, asked - len(rates))


def words_of(one: Cell) -> str:
    """For legends and tables."""
    return f"{words.count(one.streams, 'stream')}, {'both directions' if one.both else 'one direction'}"


def draw(found: Sequence[Tcp], systems: Sequence[str]) -> Drawing:
    """Box plots of the blocks' rates."""
    several, cells = len(systems) > 1, list(dict.fromkeys(one for each in found for one in each.rates_bps))
    of = colours(systems if several else cells)
    shown = [
        (
            (f"{each.system}\n" if several else "") + words_of(one).replace(", ", "\n"),
            of[each.system if several else one],
            rates,
        )
        for each in found
        for one, rates in each.rates_bps.items()
    ]
    drawing = boxes.draw(
        "tcp",
        "TCP throughput (iperf3)",
        "Each value is what the receivers of all streams and directions got together, in the middle third of each"
        + (", or what was sent, where iperf3's client was read." if any(sent(each) for each in found) else "."),
        shown,
    )
    return Drawing(drawing.name, drawing.title, drawing.caption, drawing.figure, _table(found))


def sent(found: Tcp) -> bool:
    """Whether its rates are what senders sent: of files of clients that only sent."""
    return measured.counted_by(found.run) == "senders"


def _table(found: Sequence[Tcp]) -> Table:
    columns = [("system", "system"), ("streams", "configuration"), ("median", "median_bps"), ("from", "low_bps")]
    columns += [("to", "high_bps"), ("least", "least_bps"), ("greatest", "greatest_bps"), ("blocks", "blocks")]
    rows = []
    for each in found:
        for one, rates in each.rates_bps.items():
            median, again = each.median(one), each.retransmits_per_GiB(one)
            ends = (median.low, median.high) if median else (None, None)
            rows.append(
                [
                    cell(each.system),
                    cell(words_of(one)),
                    cell(each.value_bps(one), words.rate(each.value_bps(one))),
                    *(cell(end, None if end is None else words.rate(end)) for end in ends),
                    *(cell(float(f(rates)), words.rate(float(f(rates)))) for f in (np.min, np.max)),
                    cell(len(rates)),
                    cell(again, None if again is None else words.significant(again)),
                ]
            )
    return table([*columns, ("retransmits per GiB", "retransmits_per_GiB")], rows)


def verdicts(found: Tcp) -> Iterator[Verdict]:
    """What is said of it."""
    halves = []
    for one in found.rates_bps:
        median = found.median(one)
        interval = f" ({words.rate(median.low)} to {words.rate(median.high)})" if median else ""
        yield Verdict("fact", f"TCP, {words_of(one)}: {words.rate(found.value_bps(one))}{interval}")
        halves += [(median.high - median.low) / 2 / median.value] if median else []
        single, one_way = Cell(1, one.both), Cell(one.streams, False)
        if one.streams > 1 and single in found.rates_bps:
            ratio = found.value_bps(one) / found.value_bps(single)
            text = f"{one.streams} TCP streams carry {words.significant(ratio, 3)} times as much as one"
            text += " (both directions)" if one.both else ""
            yield Verdict("bad" if ratio >= STREAMS else "good", text)
        if one.both and one_way in found.rates_bps:
            ratio = found.value_bps(one) / found.value_bps(one_way)
            text = f"both ways TCP carries {words.significant(ratio, 3)} times as much as one way"
            text += f" ({words.count(one.streams, 'stream')})"
            yield Verdict("bad" if ratio < DUPLEX_BAD else "good" if ratio >= DUPLEX_GOOD else "fact", text)
    sure = sum(half <= SURE for half in halves)
    incomplete = "" if found.run.status == "ok" else f"; the run is not complete ({found.run.status})"
    whose = "; counted is what was sent" if sent(found) else ""
    if found.missing:
        incomplete += f"; for {words.count(found.missing, 'configuration')} there was no time"
    yield Verdict(
        "sure", f"tcp: {sure} of {len(found.rates_bps)} medians are known to ±5 % or better{whose}{incomplete}"
    )
