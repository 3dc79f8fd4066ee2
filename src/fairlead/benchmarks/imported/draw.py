"""What was read from other programs: what is said of it, compared, and bought."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from fairlead.benchmarks.imported import impact, over_size
from fairlead.benchmarks.imported.analyse import PREFERRED, Curve, ImportedBenchmark, load_imported
from fairlead.benchmarks.imported.over_size import FORMS, QUANTITIES
from fairlead.benchmarks.page import ratios
from fairlead.benchmarks.page.layers import Layer
from fairlead.benchmarks.page.per_price import BITS_PER_GB, Performance
from fairlead.benchmarks.page.section import Section
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import TableCell, cell

LAYERS = {
    "MPI": re.compile(r"OSU Latency|OSU Bandwidth|OSU Multiple Bandwidth[^,]*, \d+ pairs?|IMB PingPong, 2 ranks"),
    "InfiniBand": re.compile(r"perftest (Send|RDMA_Write) (Latency|BW), \d+ QP"),
}
"""By layer, tests that go one way between two hosts, and say by how many pairs; osu_multi_lat does not."""
BETWEEN_TWO = re.compile(
    r"OSU (Latency(, .*)?|.*Bandwidth.*)|IMB (PingPong|PingPing)\S*, 2 ranks.*|perftest .*|"
    r"netgauge one_one(_sync|_mpi_bidirect|_randbuf|_randtag)?"
)
"""Tests of other programs that keep two hosts busy. Of others their files do not say on how many hosts they ran, of
osu_multi_lat not with how many pairs."""


def compared(found: Sequence[ImportedBenchmark], baseline: str) -> list[list[TableCell]]:
    """Rows of `ratios.ratios` for tests that a system and the baseline have in common."""
    rows = []
    bases = {each.name: each for each in found if each.system == baseline}
    for each in found:
        base = bases.get(each.name)
        if base is None or each.system == baseline:
            continue
        for quantity, lower in (("time_s", True), ("rate_bps", False)):
            mine, other = each.drawn(quantity), base.drawn(quantity)
            if mine is None or other is None or mine.statistic != other.statistic:
                continue
            for size_B, values in mine.values.items():
                if size_B is not None and size_B in other.values and float(np.median(other.values[size_B])) > 0:
                    front = [cell(each.system), cell(each.name), cell(mine.statistic), cell(size_B, words.size(size_B))]
                    rows.append([*front, *ratios.cells(values, other.values[size_B], lower_is_better=lower)])
    return rows


def verdicts(found: ImportedBenchmark) -> Iterator[Verdict]:
    """What is said of one."""
    drawn = [curve for quantity in QUANTITIES if (curve := found.drawn(quantity)) is not None]
    parts = [_ends(curve) for curve in drawn]
    for curve in found.curves:
        told = (*PREFERRED, "p99") if curve.name == impact.SERIES else PREFERRED
        if None in curve.values and curve.statistic in told:
            parts.append(f"{curve.statistic} {FORMS[curve.name](float(np.mean(curve.values[None])))}")
    parts = parts or [_ends(curve) for curve in found.curves if None not in curve.values]
    yield Verdict("fact", f"{found.name}: {'; '.join(parts)}")
    if found.samples:
        kept = f"{words.count(found.samples, 'sample')} in {words.count(found.repetitions(), 'launch', 'launches')}"
        yield Verdict("sure", f"{found.name}: {kept}")
    else:
        yield Verdict("sure", f"{found.name}: {words.count(found.repetitions(), 'table')} of statistics, no samples")


def _ends(curve: Curve) -> str:
    """Its values at the smallest and the largest size."""
    sizes = sorted(size_B for size_B in curve.values if size_B is not None)
    sizes = [size_B for size_B in sizes if size_B] or sizes
    ends = [(size_B, float(np.mean(curve.values[size_B]))) for size_B in dict.fromkeys((sizes[0], sizes[-1]))]
    form = FORMS[curve.name]
    said = " to ".join(f"{form(value)} ({words.size(size_B)})" for size_B, value in ends)
    return f"{curve.statistic} {said}"


def performances(part: ImportedBenchmark) -> Iterator[Performance]:
    """What money buys."""
    if not BETWEEN_TWO.fullmatch(part.name):
        return
    times, rates = part.drawn("time_s"), part.drawn("rate_bps")
    if times is not None and times.values:
        size_B = min(size for size in times.values if size is not None)
        what, per_s = f"{times.statistic}, {words.size(size_B)}", 1e-6 / times.values[size_B]
        if float(times.values[size_B].min()) > 0:  # else it was rounded away
            yield Performance(part.system, part.name, what, "million messages", per_s, 2, times.statistic)
    if rates is not None:
        best = max(rates.values, key=lambda size: float(np.median(rates.values[size])))
        per_s = rates.values[best] / BITS_PER_GB
        what = f"{rates.statistic}, best size"
        yield Performance(part.system, part.name, what, "GB", per_s, 2, rates.statistic)


def layers(part: ImportedBenchmark) -> Iterator[tuple[bool, int, Layer]]:
    """What it says of a layer."""
    streams = int(part.run.plan.get("pairs") or part.run.plan.get("qps") or 1)
    for kind, tests in LAYERS.items():
        for quantity in ("time_s", "rate_bps") if tests.fullmatch(part.name) else ():
            if (curve := part.drawn(quantity)) is not None:
                name = part.name.split(",")[0]
                extremes = part.extremes(quantity)
                yield (
                    quantity == "time_s",
                    streams,
                    Layer(kind, name, {**curve.values}, statistic=curve.statistic, extremes=extremes),
                )


SECTION = Section(
    load=load_imported,
    drawings=lambda found, report: [
        *over_size.drawings(found, report.of("mpi-latency"), report.of("mpi-throughput"), report.names),
        *impact.drawings(found, report.names),
    ],
    verdicts=verdicts,
    rows=compared,
    performances=performances,
    layers=layers,
    kind="files",
)
