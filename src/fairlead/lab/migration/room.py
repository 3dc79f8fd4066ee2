"""Whether a server can take a virtual machine, as a cloud manager would check it (DMCBM 3.4.3)."""

from fairlead.lab.topology import ResolvedLab


def refusal(plan: ResolvedLab, vm: str, server: str) -> str | None:
    """Why ``vm`` cannot be moved to ``server``, in words; None if it can."""
    if plan.vm is None:
        return f"lab {plan.name} has no servers: its hosts are machines of their own"
    host, target = plan.host_by_name.get(vm), plan.server_by_name.get(server)
    movable = [each.name for each in plan.hosts if each.server]
    if host is None or not host.server:
        return f"{vm} is not a virtual machine of lab {plan.name}, which has {', '.join(movable)}"
    if target is None:
        return f"lab {plan.name} has no server {server!r}, it has {', '.join(plan.server_by_name)}"
    if host.server == server:
        return f"{vm} is already on {server}"
    if host.leaf != target.leaf:
        return f"{server} is in another network ({plan.leafs[target.leaf]}): {vm} would lose its address there"
    count = len(plan.vms_on(server)) + 1
    for what, unit in (("cpus", ""), ("memory_B", " B"), ("disk_B", " B")):
        needed, there = count * getattr(plan.vm, what), getattr(target, what)
        if needed > there:
            name = what.removesuffix("_B")
            return f"{server} has no room: {count} virtual machines need {needed}{unit} of {name}, it has {there}{unit}"
    return None
