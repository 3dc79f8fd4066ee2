"""Network configurations: what theory gives for the flows that were counted, beside what was measured; and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairlead.analysis.evaluations.aggregation import Observed
from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.evaluations.configuration_pair import ConfigurationPair
from fairlead.analysis.evaluations.dataset import DesignCell
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.report.evaluation.evaluation_tables import configuration_title, short_name
from fairlead.store import Run

OFF_SHARE = 0.02
"""More bytes on other NICs than the formula says are remarked on: so much is dropped by queues, or no TCP."""
NO_GAIN = 0.05
"""A speed by theory that is so near to the baseline's is none."""
MORE_AGAIN = 2.0
"""So many times the baseline's retransmissions are remarked on."""


@dataclass(frozen=True)
class BesideTheory:
    """A comparison with the baseline whose traffic was counted.

    Attributes:
        seen: of the second configuration.
        theory: how many times faster it is by its busiest NIC; bounded: by the share of time in MPI as well, None where
            that is not known.
        remark: where measurement and theory differ, and what may be the reason.
    """

    pair: ConfigurationPair
    seen: Observed
    theory: float
    bounded: float | None
    remark: str


def compared(analysis: Analysis) -> Iterator[BesideTheory]:
    """Every comparison with the baseline; none where no traffic was counted."""
    for pair in analysis.pairs:
        base, seen = (analysis.networks.cells.get(each.levels) for each in (pair.first, pair.second))
        if base is not None and seen is not None:
            theory = seen.counted / base.counted * _rates(analysis, pair)
            share = _mpi_share(analysis, pair)
            bounded = None if share is None else 1 / (1 - share + share / theory)
            yield BesideTheory(pair, seen, theory, bounded, _remark(pair, base, seen, theory, bounded))


def beside_theory(analysis: Analysis) -> Table:
    """One row a comparison with the baseline; none where no traffic was counted."""
    return _without_empty(
        [
            *((name, name) for name in analysis.cases),
            *((configuration_title(analysis), "configuration"), ("meaning", "remark")),
            *(("flows a host", "flows"), ("a host sends at most", "sends_nics")),
            *(("NICs of use: formula", "predicted_nics"), ("counted", "counted_nics"), ("off", "off_share")),
            *(
                ("sent again", "retransmitted"),
                ("speed by theory", "theory_ratio"),
                ("with its share of MPI", "bounded"),
            ),
            *(("speed measured", "speed_ratio"), ("interval", "speed_low|speed_high")),
        ],
        [_row(analysis, each) for each in compared(analysis)],
    )


def _without_empty(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[TableCell]]) -> Table:
    """A table without the columns that nothing is known for."""
    kept = [k for k in range(len(columns)) if any(row[k].value is not None for row in rows)]
    return table([columns[k] for k in kept], [[row[k] for k in kept] for row in rows])


def _row(analysis: Analysis, found: BesideTheory) -> list[TableCell]:
    pair, seen, theory, bounded = found.pair, found.seen, found.theory, found.bounded
    low, high = seen.sends
    speed = pair.speed
    name = short_name(analysis, analysis.configuration_of(pair.second))
    interval = None if speed is None else f"{words.significant(1 + speed.low)} to {words.significant(1 + speed.high)}"
    return [
        *(cell(level) for level in pair.case),
        cell(name),
        cell(found.remark),
        cell(seen.flows, words.significant(seen.flows)),
        cell(high, _nics(high) if high - low < 0.005 else f"{words.significant(low, 2)} to {_nics(high)}"),
        cell(seen.predicted, None if seen.predicted is None else words.significant(seen.predicted)),
        cell(seen.counted, words.significant(seen.counted)),
        cell(seen.off_share, None if seen.off_share is None else words.percent(seen.off_share)),
        cell(seen.retransmitted),
        cell(theory, f"× {words.significant(theory)}"),
        cell(bounded, None if bounded is None else f"× {words.significant(bounded)}"),
        cell(1 + pair.speed_value, f"× {words.significant(1 + pair.speed_value)}"),
        cell(None if speed is None else (1 + speed.low, 1 + speed.high), interval),
    ]


def _nics(number: float) -> str:
    return f"{words.significant(number, 2)}{words.NBSP}NICs"


def _remark(pair: ConfigurationPair, base: Observed, seen: Observed, theory: float, bounded: float | None) -> str:
    """Where measurement and theory differ, and what may be the reason."""
    parts = []
    if seen.predicted is None:
        parts.append("the policy takes a hash that is drawn at random")
    elif seen.off_share is not None and seen.off_share > OFF_SHARE:
        parts.append(
            f"{words.percent(seen.off_share)} of the bytes took a different NIC from the one the formula predicts"
        )
    if pair.speed is None:
        return "; ".join([*parts, "too few samples to judge the run time"])
    low, high = 1 + pair.speed.low, 1 + pair.speed.high
    if low <= theory <= high and abs(theory - 1) < NO_GAIN:
        parts.append("no gain expected, and none significant")
    elif low <= theory <= high:
        parts.append(
            "as the busiest NIC predicts"
            if not low <= 1 <= high
            else "not significantly different from theory, nor from no gain"
        )
    elif high < theory and bounded is not None and low <= bounded <= high:
        parts.append("as the busiest NIC and the share of time in MPI predict")
    elif high < theory:
        parts.append("less than the busiest NIC predicts: the network is not the only limit")
    else:
        parts.append("more than the busiest NIC predicts: fewer packets are also lost in queues")
    if high < theory and seen.retransmitted > MORE_AGAIN * max(base.retransmitted, 1):
        parts.append(
            f"TCP sent {seen.retransmitted} segments again, {base.retransmitted} with the baseline: packets that "
            "overtake each other look lost"
        )
    return "; ".join(parts)


def _mpi_share(analysis: Analysis, pair: ConfigurationPair) -> float | None:
    program = analysis.report.program
    if program not in analysis.cases:
        return None
    return analysis.report.mpi_share.get(str(pair.case[analysis.cases.index(program)]))


def _rates(analysis: Analysis, pair: ConfigurationPair) -> float:
    """How many times faster a NIC of the second configuration is."""
    rates = [_rate_bps(_row_of(analysis, each)) for each in (pair.second, pair.first)]
    return rates[0] / rates[1]


def _row_of(analysis: Analysis, of: DesignCell) -> Run:
    return next(row for row in analysis.data.rows if row.id == int(of.runs[0]))


def _rate_bps(row: Run) -> float:
    return float(row.facts["network"]["rate_bps"])
