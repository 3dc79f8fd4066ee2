"""The headline figures of benchmarks that are no curve over message size, to hold systems against each other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.display.tables import Cell, cell
from fairlead.report.benchmarks import over_time, ratios, tcp
from fairlead.report.benchmarks.impact import Impact
from fairlead.report.benchmarks.loggp import LogGP
from fairlead.report.benchmarks.matrices import Pairs
from fairlead.report.benchmarks.network_noise import NetworkNoise
from fairlead.report.benchmarks.noise import Noise
from fairlead.report.benchmarks.over_time import Burst, Stress
from fairlead.report.benchmarks.tcp import Tcp
from fairlead.statistics.estimates import FloatArray

PERCENTS = (50.0, 99.0)  # of the time, of network-noise


@dataclass(frozen=True)
class Headline:
    """A figure of one system.

    Attributes:
        values: (blocks,) that stand for each other, or a single one, of which there is no interval: what follows from
            samples that resemble their neighbours, or from several kinds of blocks.
    """

    system: str
    benchmark: str
    what: str
    values: FloatArray
    lower_is_better: bool = True


Part = Tcp | Stress | Burst | Pairs | Impact | NetworkNoise | LogGP | Noise


def of(part: Part) -> Iterator[Headline]:
    """Those of one benchmark of one system."""
    match part:
        case Tcp():
            for one, rates in part.rates_bps.items():
                what = f"{tcp.words_of(one)}{', what was sent' if tcp.sent(part) else ''}"
                yield Headline(part.system, "tcp", what, rates, False)
        case Stress():
            if len(part.rates_bps):
                yield Headline(part.system, "stress", "median rate", _one(np.median(part.rates_bps)), False)
        case Burst():
            pauses = list(part.run.plan["pauses_s"])
            for number in dict.fromkeys((int(np.argmax(pauses)), int(np.argmin(pauses)))):
                what = f"{part.words()} {over_time.after(pauses[number])}"
                taken = part.round_trips_s[:, number]  # NaN where the last pass did not come so far
                medians = np.median(taken[np.isfinite(taken).all(axis=1)], axis=1)
                yield Headline(part.system, "burst", what, medians)
        case Pairs():
            for what, values in (("latency", part.matrix.latency_s), ("throughput", part.matrix.rate_bps)):
                if values:
                    middle = np.median([np.median(blocks) for blocks in values.values()])
                    yield Headline(part.system, "all-pairs", f"median pair, {what}", _one(middle), what == "latency")
        case Impact():
            for factor in part.factors:
                what = f"{factor.cell.victim} beside {factor.cell.congestor}"
                yield Headline(part.system, "impact", what, factor.ratios)
        case NetworkNoise():
            for percent in PERCENTS:
                if (latency_s := part.percentile(percent)) is not None:
                    what = f"latency, {percent:g} % of the time"
                    yield Headline(part.system, "network-noise", what, _one(latency_s))
            rate_bps = np.median(part.parts.rates_bps)
            yield Headline(part.system, "network-noise", "median throughput", _one(rate_bps), False)
        case LogGP():
            yield from _parameters(part)
        case Noise():
            if part.cores:
                shares = np.array([core.overhead_share() for core in part.cores])
                yield Headline(part.system, "noise", "overhead of a core", shares)


def _parameters(part: LogGP) -> Iterator[Headline]:
    found = part.parameters
    if found.latency_s is not None:
        yield Headline(part.system, "loggp", "L", _one(found.latency_s))
    for size_B, overhead_s in list(found.overhead_s.items())[:1]:
        yield Headline(part.system, "loggp", f"o of {size_B} B", _one(overhead_s))
    if found.pieces:
        yield Headline(part.system, "loggp", "g, of the smallest messages", _one(found.pieces[0].gap_s))
        yield Headline(part.system, "loggp", "G, of the largest messages", _one(found.pieces[-1].gap_per_B_s))


def _one(value: float | np.floating) -> FloatArray:
    return np.array([float(value)])


def compared(parts: Sequence[Part], baseline: str) -> list[list[Cell]]:
    """Rows of `ratios.ratios` for figures that a system and the baseline have in common."""
    found = [headline for part in parts for headline in of(part)]
    bases = {(each.benchmark, each.what): each for each in found if each.system == baseline}
    rows = []
    for each in found:
        base = bases.get((each.benchmark, each.what))
        # Nothing lost, or a line that falls, has no ratio.
        if each.system == baseline or base is None or np.median(base.values) <= 0 or np.median(each.values) < 0:
            continue
        front = [cell(each.system), cell(each.benchmark), cell(each.what), cell(None)]
        single = 1 in (len(each.values), len(base.values))
        shown = ratios.single if single else ratios.cells
        rows.append([*front, *shown(each.values, base.values, lower_is_better=each.lower_is_better)])
    return rows
