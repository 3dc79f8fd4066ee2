"""What a cloud manager says of a site, as tables."""

from fairlead.cloud.inventory import Inventory
from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.lab.units import format_rate


def servers(found: Inventory) -> Table:
    """Room of the servers, and how much of it their machines take."""
    rows = []
    for each in found.servers:
        vms = found.vms_on(each.name)
        cpus, memory_B, disk_B = (sum(getattr(vm, what) for vm in vms) for what in ("cpus", "memory_B", "disk_B"))
        rows.append(
            [
                cell(each.name),
                cell(len(vms)),
                cell(cpus, f"{cpus} of {each.cpus}"),
                cell(memory_B, f"{words.size(memory_B)} of {words.size(each.memory_B)}"),
                cell(
                    disk_B, f"{words.size(disk_B)} of {words.size(each.disk_B)}" if each.disk_B or disk_B else "shared"
                ),
                cell(each.uplink_bps, "unknown" if each.uplink_bps is None else format_rate(each.uplink_bps)),
                cell(each.closed or "", f"no, it {each.closed}" if each.closed else "yes"),
            ]
        )
    columns = [("server", "server"), ("machines", "machines"), ("processors", "cpus_used")]
    room = [("memory", "memory_used_B"), ("disk", "disk_used_B"), ("uplink", "uplink_bps")]
    return table([*columns, *room, ("takes machines", "closed")], rows)


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
                cell(vm.memory_B, words.size(vm.memory_B)),
                cell(vm.dirty_Bps, "unknown" if vm.dirty_Bps is None else f"{words.size(vm.dirty_Bps)}/s"),
                cell(vm.downtime_s, f"{vm.downtime_s * 1e3:.0f} ms"),
            ]
            for vm in sorted(found.vms, key=lambda vm: (vm.server, vm.name))
        ],
    )
