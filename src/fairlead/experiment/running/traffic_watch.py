"""Counts what the hosts or servers of a lab send while a row runs, as the kernel does: by NIC, and by connection."""

from functools import partial

from fairlead.analysis.evaluations.traffic import HostTraffic
from fairlead.cluster.remote.execute import on_all
from fairlead.lab import Lab, nics
from fairlead.lab.nics import NicCounters


class TrafficWatch:
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

    def _read(self, node: str) -> tuple[list[NicCounters], int]:
        again = sum(nics.retransmitted(self._lab, host) for host in self._nodes[node])
        return nics.nics(self._lab, node), again
