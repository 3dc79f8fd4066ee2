"""Traffic of servers by that of their machines, for clouds that count only the machines'."""

from dataclasses import replace

from fairlead.cloud.inventory import Load, Vm


class Uplinks:
    """Counters of servers that only grow, though machines come, go, and begin anew with their counters.

    What machines of one server send each other counts too, and what the server itself sends does not.
    """

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], Load] = {}
        self._sums: dict[str, Load] = {}

    def see(self, server: str, vms: list[Vm], t_s: float) -> Load:
        """The server's counters, after its machines were looked at; the first look is where they begin."""
        total = replace(self._sums.get(server, Load(t_s, 0, 0)), t_s=t_s)
        for vm in vms:
            if vm.load is None:
                continue
            old = self._last.get((server, vm.name))
            if old is not None:
                total = Load(
                    t_s,
                    total.received_B + _grown(old.received_B, vm.load.received_B),
                    total.sent_B + _grown(old.sent_B, vm.load.sent_B),
                )
        here = {vm.name: vm.load for vm in vms if vm.load is not None}
        self._last = {key: load for key, load in self._last.items() if key[0] != server}
        self._last |= {(server, name): load for name, load in here.items()}
        self._sums[server] = total
        return total


def _grown(old: int, new: int) -> int:
    """By how much a counter grew; a smaller one has begun anew."""
    return new - old if new >= old else new
