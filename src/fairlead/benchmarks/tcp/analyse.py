"""What the samples say of TCP streams: rates of blocks and retransmits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.tcp import measure
from fairlead.benchmarks.tcp.measure import TcpBlock, TcpCell
from fairlead.display import words
from fairlead.statistics import estimates
from fairlead.statistics.estimates import Estimate, FloatArray
from fairlead.store import Run, Store

GIB = 2.0**30


def blocks(store: Store, run: int) -> dict[TcpCell, list[TcpBlock]]:
    """The blocks of a run by cell, in the order taken."""
    parts: dict[tuple[int, int, int], dict[str, Any]] = {}
    for series in store.series(run):
        name = "received_B" if series.name == "sent_B" else series.name
        if name in ("interval_end_s", "received_B", "retransmits_count"):
            labels = series.labels
            key = (int(labels["streams"]), int(labels["both"]), int(labels["round"]))
            parts.setdefault(key, {"seconds": float(labels["seconds"])})[name] = series.values
    found: dict[TcpCell, list[TcpBlock]] = {}
    for (streams, both, _), part in parts.items():
        if len(part) == 4:  # else it was interrupted between the three series
            block = TcpBlock(part["interval_end_s"], part["received_B"], part["retransmits_count"], part["seconds"])
            found.setdefault(TcpCell(streams, bool(both)), []).append(block)
    return found


def counted_by(run: Run) -> str:
    """Whose bytes a run's are: ``receivers``, or ``senders`` where a file of a client was read."""
    return str(run.plan.get("counted_by", "receivers"))


@dataclass(frozen=True)
class Tcp:
    """One system's newest run of iperf3: rates of blocks, and the blocks, by cell.

    Attributes:
        missing: configurations that were asked for and not measured: the budget was over.
    """

    system: str
    run: Run
    rates_bps: dict[TcpCell, FloatArray]
    blocks: dict[TcpCell, list[TcpBlock]]
    missing: int

    def median(self, of: TcpCell) -> Estimate | None:
        """Of the blocks; None of a single one."""
        rates = self.rates_bps[of]
        return estimates.median_interval(rates) if len(rates) > 1 else None

    def value_bps(self, of: TcpCell) -> float:
        """The median of the blocks."""
        return float(np.median(self.rates_bps[of]))

    def retransmits_per_GiB(self, of: TcpCell) -> float | None:
        """Segments sent again for each GiB received, over all blocks; None where nothing counts them."""
        counted = [np.isfinite(block.retransmits).any(axis=1) for block in self.blocks[of]]
        pairs = list(zip(self.blocks[of], counted, strict=True))
        received_B = sum(float(np.nansum(block.received_B[rows])) for block, rows in pairs)
        if not received_B:
            return None
        return sum(float(np.nansum(block.retransmits[rows])) for block, rows in pairs) / received_B * GIB


def load_tcp(system: System) -> Tcp | None:
    """None where there is no such run."""
    run = system.runs.get(measure.BENCHMARK)
    if run is None:
        return None
    with Store.read(system.directory) as store:
        by_cell = blocks(store, run.id)
    ordered = dict(sorted(by_cell.items(), key=lambda item: (item[0].both, item[0].streams)))
    rates = {one: np.array([block.rate_bps() for block in found]) for one, found in ordered.items()}
    asked = len(run.plan["streams"]) * len(run.plan["directions"]) if "directions" in run.plan else len(rates)
    return Tcp(system.name, run, rates, ordered, asked - len(rates))


def words_of(one: TcpCell) -> str:
    """For legends and tables."""
    return f"{words.count(one.streams, 'stream')}, {'both directions' if one.both else 'one direction'}"


def sent(found: Tcp) -> bool:
    """Whether its rates are what senders sent: of files of clients that only sent."""
    return counted_by(found.run) == "senders"
