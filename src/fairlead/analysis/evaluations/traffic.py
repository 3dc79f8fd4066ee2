"""What hosts or servers of a lab sent while a row ran, as the kernel counted it: by NIC, and by TCP connection."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.bonding import parse
from fairlead.bonding.hashing import Flow
from fairlead.errors import StoreError
from fairlead.lab.nics import Sent
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
