"""What is said of latency and throughput over message size.

The limits are stated here, as constants; nothing is judged by them but the words.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from fairlead.benchmarks.page.curves import CellStatistics, Configuration, Measured
from fairlead.benchmarks.page.verdicts import DUPLEX_BAD, DUPLEX_GOOD, STREAMS, SURE, Verdict
from fairlead.display import words

SMALL_B = 1024  # messages up to this size are called small
SCATTERED = 2.0  # 95th percentile over median of small messages
STEADY = 1.25
JUMP = 3.0  # time of a message over that of one half its size; 2 would be the bytes alone
DROP = 0.8  # rate of a size over the best of smaller sizes
SLOWER_TOGETHER = 0.8


def of(measured: Measured) -> list[Verdict]:
    """All that is said of one benchmark of one system."""
    said: list[Verdict] = []
    for configuration in measured.configurations():
        line, name = measured.line(configuration), measured.words(configuration)
        said += _latency(line, name) if measured.is_latency else _throughput(line, name)
    if not measured.is_latency:
        said += [*_streams(measured), *_directions(measured)]
    return [*said, _sureness(measured)]


def _latency(line: dict[int, CellStatistics], name: str) -> Iterator[Verdict]:
    smallest, largest = min(line), max(line)
    text = f"with {name}, a message of {words.size(smallest)} takes {_time(line[smallest])}"
    if largest != smallest:
        text += f", of {words.size(largest)} {_time(line[largest])}"
    yield Verdict("fact", text)
    small = {size_B: one for size_B, one in line.items() if size_B <= SMALL_B}
    if small:
        ratios = {size_B: one.percentile(95) / one.percentile(50) for size_B, one in small.items()}
        worst = max(ratios, key=lambda size_B: ratios[size_B])
        if ratios[worst] >= SCATTERED:
            yield Verdict(
                "bad",
                f"with {name}, latency of small messages varies: at {words.size(worst)} the 95th percentile is "
                f"{words.significant(ratios[worst], 2)} times the median",
            )
        elif ratios[worst] <= STEADY:
            yield Verdict(
                "good",
                f"with {name}, latency of small messages is steady: the 95th percentile is at most "
                f"{words.significant(ratios[worst], 3)} times the median",
            )
    for (before, one), (after, other) in pairwise(line.items()):
        if after <= 2 * before and other.value > JUMP * one.value:
            yield Verdict(
                "bad",
                f"with {name}, the time jumps from {words.duration(one.value)} at {words.size(before)} to "
                f"{words.duration(other.value)} at {words.size(after)}: a protocol switch, or a traffic shaper",
            )


def _throughput(line: dict[int, CellStatistics], name: str) -> Iterator[Verdict]:
    best = max(line, key=lambda size_B: line[size_B].value)
    half = next(size_B for size_B, one in line.items() if one.value >= line[best].value / 2)
    text = f"{name}: at most"
    yield Verdict("fact", f"{text} {_rate(line[best])} ({words.size(best)}), half of that from {words.size(half)} up")
    reached = 0.0
    for size_B, one in line.items():
        if reached and one.value < DROP * reached:
            yield Verdict(
                "bad",
                f"with {name}, throughput drops to {words.rate(one.value)} at {words.size(size_B)}, "
                f"{words.percent(one.value / reached, decimals=0)} of that of smaller messages",
            )
            break
        reached = max(reached, one.value)


def _streams(measured: Measured) -> Iterator[Verdict]:
    whose = _whose(measured)
    for both in (False, True):
        single = measured.line((1, both))
        for pairs, direction in measured.configurations():
            if direction != both or pairs == 1 or not single:
                continue
            ratio = _best(measured, (pairs, both)) / _best(measured, (1, both))
            times = f"{pairs} streams carry {words.significant(ratio, 3)} times as much as one"
            times += " (both directions)" if both else ""
            if ratio >= STREAMS:
                yield Verdict("bad", f"{whose}a single stream does not fill the path: {times}")
            elif ratio <= SLOWER_TOGETHER:
                yield Verdict("bad", f"{whose}streams slow each other down: {times}")
            else:
                yield Verdict("good", f"{whose}a single stream fills the path: {times}")


def _directions(measured: Measured) -> Iterator[Verdict]:
    for pairs, both in measured.configurations():
        if not both or not measured.line((pairs, False)):
            continue
        ratio = _best(measured, (pairs, True)) / _best(measured, (pairs, False))
        text = f"{_whose(measured)}both directions together carry {words.significant(ratio, 3)} times as much as one"
        text += f" ({words.count(pairs, measured.unit)})"
        if ratio < DUPLEX_BAD:
            yield Verdict("bad", f"{text}: the two directions share a resource")
        else:
            yield Verdict("good" if ratio >= DUPLEX_GOOD else "fact", text)


def _name(measured: Measured) -> str:
    if not measured.transport:
        return measured.benchmark
    return f"{measured.transport} {'latency' if measured.is_latency else 'throughput'}"


def _whose(measured: Measured) -> str:
    return f"{measured.transport}: " if measured.transport else ""


def _sureness(measured: Measured) -> Verdict:
    cells = list(measured.cells.values())
    halves = [(one.median.high - one.median.low) / 2 / one.median.value for one in cells if one.median]
    sure = sum(half <= SURE for half in halves)
    blocks = sorted(len(one.blocks) for one in cells)
    text = (
        f"{_name(measured)}: {sure} of {words.count(len(cells), 'median')} "
        f"{'is' if sure == 1 else 'are'} within ±5 % (95 % confidence intervals"
    )
    if halves:
        text += f"; the widest is ±{words.percent(float(np.max(halves)))}"
    text += (
        f"), from {blocks[0]} to {blocks[-1]} blocks each" if blocks[0] != blocks[-1] else f"), {blocks[0]} blocks each"
    )
    if left := measured.missing():
        text += f"; {words.count(left, 'median')} not measured (time budget)"
    if measured.run.status != "ok":
        text += f"; the run is incomplete ({measured.run.status})"
    return Verdict("sure", text)


def _best(measured: Measured, configuration: Configuration) -> float:
    return max(one.value for one in measured.line(configuration).values())


def _time(one: CellStatistics) -> str:
    interval = f" ({words.duration_interval(one.median)})" if one.median else ""
    return words.duration(one.value) + interval


def _rate(one: CellStatistics) -> str:
    if one.median is None:
        return words.rate(one.value)
    return f"{words.rate(one.value)} ({words.rate(one.median.low)} to {words.rate(one.median.high)})"
