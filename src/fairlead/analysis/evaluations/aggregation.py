"""What theory gives for the flows that were counted, beside what the NICs carried.

If the network is what takes the time, a run lasts as long as its busiest NIC sends or receives. With one NIC that is
the busiest host's bytes; with several, the busiest NIC's. Their ratio is as many NICs as are really of use: 4 if all
flows spread evenly over four, 1 if they share one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from fairlead.analysis.evaluations import traffic
from fairlead.analysis.evaluations.dataset import Dataset, Levels
from fairlead.analysis.evaluations.traffic import HostTraffic
from fairlead.bonding.explain import HASHING, Bond, explain
from fairlead.bonding.hashing import POLICIES, link_of
from fairlead.lab.aggregate import ROUND_ROBIN
from fairlead.lab.nics import Sent
from fairlead.store import Store

KERNEL = (6, 1)
"""Whose formulas emulated bonds have, and later kernels."""
Loads = list[float]


@dataclass(frozen=True)
class Observed:
    """One row: theory and counters.

    Attributes:
        flows: TCP connections that a host sent on, mean of hosts.
        sends: the most that a host sends, as `net explain` says of its flows, in NICs: least and greatest, mean of
            hosts.
        predicted: NICs of use by the formula; None: it cannot be told.
        counted: the same by the NICs' counters.
        off_share: bytes on another NIC than the formula says, of all; None: it cannot be told.
        retransmitted: segments that TCP sent again, all hosts.
    """

    flows: float
    sends: tuple[float, float]
    predicted: float | None
    counted: float
    off_share: float | None
    retransmitted: int


@dataclass(frozen=True)
class ObservedNetworks:
    """What was observed of the cells of an evaluation, means of their rows; and which ways their bonds came about."""

    cells: Mapping[Levels, Observed] = field(default_factory=dict)
    ways: tuple[str, ...] = ()


def load(store: Store, data: Dataset) -> ObservedNetworks:
    """From the rows of an evaluation; nothing where no traffic was counted.

    Raises:
        StoreError: what is stored is not understood.
    """
    counted = traffic.of_rows(store, data.record.id, data.rows)
    facts = {row.id: row.facts.get("network", {}) for row in data.rows if row.id in counted}
    found = {}
    for each in data.cells:
        own = [observe(facts[run], counted[run]) for run in map(int, each.runs) if run in counted]
        known = [one for one in own if one is not None]
        if known:
            found[each.levels] = _mean(known)
    return ObservedNetworks(found, tuple(sorted({str(each["way"]) for each in facts.values() if "way" in each})))


def _mean(rows: Sequence[Observed]) -> Observed:
    predicted = [row.predicted for row in rows if row.predicted is not None]
    off = [row.off_share for row in rows if row.off_share is not None]
    return Observed(
        flows=fmean(row.flows for row in rows),
        sends=(fmean(row.sends[0] for row in rows), fmean(row.sends[1] for row in rows)),
        predicted=fmean(predicted) if predicted else None,
        counted=fmean(row.counted for row in rows),
        off_share=fmean(off) if off else None,
        retransmitted=round(fmean(row.retransmitted for row in rows)),
    )


def observe(network: Mapping[str, Any], hosts: Sequence[HostTraffic]) -> Observed | None:
    """Of one row; None: nothing was sent between hosts.

    Args:
        network: as `fairlead.experiment.factors.network.facts`.
    """
    mode, nics = network.get("mode", "active-backup"), int(network["nics"])
    policy, switch = network.get("hash", ""), network.get("switch", "")
    addresses = {each.host: {one.flow.source.address for one in each.flows} for each in hosts}
    sent = [list(each.flows) for each in hosts]
    received = [
        [one for other in hosts for one in other.flows if one.flow.destination.address in addresses[each.host]]
        for each in hosts
    ]
    copies = nics if mode == "broadcast" else 1
    counters = [list(map(float, each.sent_B)) for each in hosts] + [list(map(float, each.received_B)) for each in hosts]
    formula = [_loads(flows, mode, policy, nics) for flows in sent]
    formula += [_back(flows, switch, nics, copies) for flows in received]
    known = [loads for loads in formula if loads is not None]
    if not any(map(sum, counters)) or not any(map(len, sent)):
        return None
    complete = len(known) == len(formula)
    return Observed(
        flows=sum(map(len, sent)) / len(hosts),
        sends=_sends(mode, policy, nics, sent),
        predicted=_of_use(known, copies) if complete else None,
        counted=_of_use(counters, copies),
        off_share=_apart(known, counters) if complete else None,
        retransmitted=sum(each.retransmitted for each in hosts),
    )


def _of_use(loads: Sequence[Loads], copies: int) -> float:
    """Bytes of the busiest host and direction over those of the busiest NIC."""
    return max(map(sum, loads)) / copies / max(map(max, loads))


def _apart(formula: Sequence[Loads], counters: Sequence[Loads]) -> float:
    """Share of what was counted that took another NIC; how much was counted is not judged: full queues drop."""
    wrong_B = 0.0
    for own, seen in zip(formula, counters, strict=True):
        scale = sum(seen) / sum(own) if sum(own) else 0.0
        wrong_B += sum(abs(a * scale - b) for a, b in zip(own, seen, strict=True)) / 2
    return wrong_B / sum(map(sum, counters))


def _sends(mode: str, policy: str, nics: int, sent: Sequence[Sequence[Sent]]) -> tuple[float, float]:
    spans = [
        explain(Bond(mode, policy, nics, 1.0, KERNEL), [one.flow for one in flows]).total_bps for flows in sent if flows
    ]
    return sum(low for low, _ in spans) / len(spans), sum(high for _, high in spans) / len(spans)


def _loads(flows: Sequence[Sent], mode: str, policy: str, nics: int) -> Loads | None:
    """Bytes that leave by each NIC, by the mode and its formula; None: it cannot be told."""
    total_B = float(sum(one.bytes_B for one in flows))
    if mode == "balance-rr":
        return [total_B / nics] * nics
    if mode == "broadcast":
        return [total_B] * nics
    return _hashed(flows, policy, nics) if mode in HASHING else [total_B, *[0.0] * (nics - 1)]


def _back(flows: Sequence[Sent], switch: str, nics: int, copies: int) -> Loads | None:
    """Bytes that come in by each NIC."""
    total_B = float(sum(one.bytes_B for one in flows))
    if switch == ROUND_ROBIN:
        return [total_B / nics] * nics
    return _hashed(flows, switch, nics) if switch in POLICIES else [total_B * copies, *[0.0] * (nics - 1)]


def _hashed(flows: Sequence[Sent], policy: str, nics: int) -> Loads | None:
    loads = [0.0] * nics
    for one in flows:
        link = link_of(one.flow, policy, nics, KERNEL).link
        if link is None:
            return None
        loads[link] += one.bytes_B
    return loads
