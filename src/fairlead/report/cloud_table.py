"""What a cloud manager says of a site, as tables."""

from fairlead.cloud.inventory import Inventory
from fairlead.display.tables import Table, cell, table
from fairlead.lab.units import format_rate


def servers(found: Inventory) -> Table:
    """Room of the servers, and how much of it their machines take."""
    rows = []
    for each in found.servers:
        vms = found.vms_on(each.name)
        cpus, memory_B = sum(vm.cpus for vm in vms), sum(vm.memory_B for vm in vms)
        rows.append(
            [
                cell(each.name),
                cell(len(vms)),
                cell(cpus, f"{cpus} of {each.cpus}"),
                cell(memory_B, f"{_gibibytes(memory_B)} of {_gibibytes(each.memory_B)}"),
                cell(each.uplink_bps, "unknown" if each.uplink_bps is None else format_rate(each.uplink_bps)),
            ]
        )
    columns = [("server", "server"), ("machines", "machines"), ("processors", "cpus_used")]
    return table([*columns, ("memory", "memory_used_B"), ("uplink", "uplink_bps")], rows)


def machines(found: Inventory) -> Table:
    """The virtual machines, server by server."""
    columns = [("machine", "vm"), ("server", "server"), ("processors", "cpus"), ("memory", "memory_B")]
    return table(
        [*columns, ("writes", "dirty_Bps"), ("longest pause", "downtime_s")],
        [
            [
                cell(vm.name),
                cell(vm.server),
                cell(vm.cpus),
                cell(vm.memory_B, _gibibytes(vm.memory_B)),
                cell(vm.dirty_Bps, f"{vm.dirty_Bps / 2**20:.1f} MiB/s"),
                cell(vm.downtime_s, f"{vm.downtime_s * 1e3:.0f} ms"),
            ]
            for vm in sorted(found.vms, key=lambda vm: (vm.server, vm.name))
        ],
    )


def _gibibytes(size_B: int) -> str:
    return f"{size_B / 2**30:.1f} GiB"
