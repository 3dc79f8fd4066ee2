"""What iperf3 measured: rates of all streams together, retransmits."""

from collections.abc import Iterator, Sequence

import numpy as np

from fairlead.benchmarks.page import boxes
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.headlines import Headline
from fairlead.benchmarks.page.layers import TCP, Layer
from fairlead.benchmarks.page.per_price import BITS_PER_GB, Performance, hosts
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import DUPLEX_BAD, DUPLEX_GOOD, STREAMS, SURE, Verdict
from fairlead.benchmarks.tcp.analyse import Tcp, load_tcp, sent, words_of
from fairlead.benchmarks.tcp.measure import TcpCell
from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.report.figures import Drawing


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
        "Each value is the total received over all streams and directions, in the middle third of each"
        + (", or what was sent, where iperf3's client was read." if any(sent(each) for each in found) else "."),
        shown,
    )
    return Drawing(drawing.name, drawing.title, drawing.caption, drawing.figure, _table(found))


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
        single, one_way = TcpCell(1, one.both), TcpCell(one.streams, False)
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
    incomplete = "" if found.run.status == "ok" else f"; the run is incomplete ({found.run.status})"
    whose = "; rates are of what was sent" if sent(found) else ""
    if found.missing:
        incomplete += f"; {words.count(found.missing, 'configuration')} not measured (time budget)"
    yield Verdict(
        "sure",
        f"tcp: {sure} of {len(found.rates_bps)} medians are within ±5 % (95 % confidence intervals){whose}{incomplete}",
    )


def headlines(part: Tcp) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    for one, rates in part.rates_bps.items():
        what = f"{words_of(one)}{', what was sent' if sent(part) else ''}"
        yield Headline(part.system, "tcp", what, rates, False)


def performances(part: Tcp) -> Iterator[Performance]:
    """What money buys."""
    for of, rates in part.rates_bps.items():
        yield Performance(part.system, "tcp", words_of(of), "GB", rates / BITS_PER_GB, hosts(part.run))


def layers(part: Tcp) -> Iterator[tuple[bool, int, Layer]]:
    """What it says of a layer."""
    for of, rates in part.rates_bps.items():
        if not of.both:
            ends = float(rates.min()), float(rates.max())
            of_tcp = Layer(TCP, TCP, {None: rates}, means={None: float(rates.mean())}, extremes={None: ends})
            yield False, of.streams, of_tcp


SECTION = Section(
    load=at_most_one(load_tcp),
    drawings=lambda found, report: [draw(found, report.names)],
    verdicts=verdicts,
    headlines=headlines,
    performances=performances,
    layers=layers,
)
