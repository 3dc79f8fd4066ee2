"""What hosts or servers of a lab sent while a row ran, as the kernel counted it: by NIC, and by TCP connection."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fairlead.bonding import parse
from fairlead.bonding.hashing import Flow
from fairlead.cluster.execute import on_all
from fairlead.errors import StoreError
from fairlead.lab import Lab, nics
from fairlead.lab.nics import Nic, Sent
from fairlead.store import Attachment, Run, Series, Store

SENT, RECEIVED, AGAIN, FLOWS = "nic_sent_B", "nic_received_B", "retransmitted_count", "flows"


@dataclass(frozen=True)
class HostTraffic:
    """Of one host and one row, neighbours included.

    Attributes:
        host: its name, or that of a server: then all of it is of the server's virtual machines together.
        sent_B, received_B: by NIC, as frames on the wire.
        retransmitted: segments that TCP sent again.
        flows: what it handed to its interface for each TCP connection; a full queue may have dropped some of it.
    """

    host: str
    sent_B: tuple[int, ...]
    received_B: tuple[int, ...]
    retransmitted: int
    flows: tuple[Sent, ...]


class Watch:
    """From its making until `taken`, what is counted belongs to a row.

    Raises:
        LabError: a host's counters cannot be read.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        plan = lab.plan
        self._nodes = {server.name: [vm.name for vm in plan.vms_on(server.name)] for server in plan.servers}
        if not plan.servers:
            self._nodes = {host.name: [host.name] for host in plan.hosts if host.role == "compute"}
        self._hosts = [host for hosts in self._nodes.values() for host in hosts]
        on_all(self._hosts, partial(nics.forget_sent, lab))
        self._before = on_all(self._nodes, self._read)

    def taken(self) -> list[HostTraffic]:
        """What was counted since. Raises LabError as above."""
        after = on_all(self._nodes, self._read)
        sent = on_all(self._hosts, partial(nics.sent, self._lab))
        found = []
        for node, hosts in self._nodes.items():
            (nics_before, again_before), (nics_after, again_after) = self._before[node], after[node]
            pairs = list(zip(nics_before, nics_after, strict=True))
            inside = {self._lab.plan.host_by_name[host].address for host in hosts}
            flows = [each for host in hosts for each in sent[host]]
            found.append(
                HostTraffic(
                    node,
                    tuple(b.sent_B - a.sent_B for a, b in pairs),
                    tuple(b.received_B - a.received_B for a, b in pairs),
                    again_after - again_before,
                    tuple(each for each in flows if str(each.flow.destination.address) not in inside),
                )
            )
        return found

    def _read(self, node: str) -> tuple[list[Nic], int]:
        again = sum(nics.retransmitted(self._lab, host) for host in self._nodes[node])
        return nics.nics(self._lab, node), again


def series(found: Sequence[HostTraffic]) -> list[Series]:
    """As it is stored."""
    return [
        entry
        for each in found
        for entry in (
            Series(SENT, "B", {"host": each.host}, np.array(each.sent_B)),
            Series(RECEIVED, "B", {"host": each.host}, np.array(each.received_B)),
            Series(AGAIN, "count", {"host": each.host}, np.array([each.retransmitted])),
        )
    ]


def attachment(found: Sequence[HostTraffic]) -> Attachment:
    """All connections as JSON, as `fairlead net explain` reads them: flow, bytes, packets."""
    rows = {
        each.host: [[f"{one.flow.source}>{one.flow.destination}", one.bytes_B, one.packets] for one in each.flows]
        for each in found
    }
    return Attachment(FLOWS, json.dumps(rows, separators=(",", ":")).encode())


def of_rows(store: Store, experiment: int, rows: Sequence[Run]) -> dict[int, list[HostTraffic]]:
    """What was stored, by row; rows without are left out.

    Raises:
        StoreError: what is stored is not understood.
    """
    counted = {name: store.series_of_children(experiment, name) for name in (SENT, RECEIVED, AGAIN)}
    found = {}
    for row in rows:
        if row.id not in counted[SENT]:
            continue
        content = next((each.content for each in store.attachments(row.id) if each.name == FLOWS), b"{}")
        values = {name: {str(s.labels["host"]): s.values for s in counted[name][row.id]} for name in counted}
        try:
            flows = json.loads(content)
            found[row.id] = [
                HostTraffic(
                    host,
                    tuple(map(int, sent)),
                    tuple(map(int, values[RECEIVED][host])),
                    int(values[AGAIN][host][0]),
                    tuple(Sent(_flow(text), int(bytes_B), int(packets)) for text, bytes_B, packets in flows[host]),
                )
                for host, sent in values[SENT].items()
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{store.directory}: run {row.id}: its flows are not understood: {error}") from error
    return found


def _flow(text: str) -> Flow:
    return parse.flow(text)
