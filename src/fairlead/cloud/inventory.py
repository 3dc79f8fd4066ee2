"""What a cloud manager says of a site: its servers, the virtual machines on them, and their traffic until now."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from fairlead.display import words

_ROOM: tuple[tuple[str, Callable[[int], str]], ...] = (("cpus", str), ("memory_B", words.size), ("disk_B", words.size))
"""What servers have and machines need, and how it is shown."""


@dataclass(frozen=True)
class Load:
    """Counters of a network interface at a time of the clock of `time.monotonic`; both only grow."""

    t_s: float
    received_B: int
    sent_B: int


@dataclass(frozen=True)
class Server:
    """A machine that virtual machines run on.

    Attributes:
        network: machines keep their address only where they move within it.
        uplink_bps: rate of the link that its machines share; None where the cloud does not tell.
        load: of that link; None where the cloud does not tell.
        closed: why it takes no machines ("is disabled"); None if it does.
    """

    name: str
    network: str
    cpus: int
    memory_B: int
    disk_B: int
    uplink_bps: float | None = None
    load: Load | None = None
    closed: str | None = None


@dataclass(frozen=True)
class Vm:
    """A virtual machine.

    Attributes:
        dirty_Bps: how fast it writes to memory; None where nobody tells.
        downtime_s: how long a move may pause it.
    """

    name: str
    server: str
    cpus: int
    memory_B: int
    disk_B: int
    dirty_Bps: float | None
    downtime_s: float
    load: Load | None = None


@dataclass(frozen=True)
class AffinityGroup:
    """Machines that their owner wants apart or together.

    Attributes:
        most: how many of them may be on one server; None: all must be on the same one.
    """

    name: str
    vms: frozenset[str]
    most: int | None


@dataclass(frozen=True)
class Inventory:
    """A whole site at one time."""

    servers: tuple[Server, ...]
    vms: tuple[Vm, ...]
    groups: tuple[AffinityGroup, ...] = ()

    def server(self, name: str) -> Server:
        """KeyError if there is none of that name."""
        return next((each for each in self.servers if each.name == name), None) or _missing(name)

    def vm(self, name: str) -> Vm:
        """KeyError if there is none of that name."""
        return next((each for each in self.vms if each.name == name), None) or _missing(name)

    def vms_on(self, server: str) -> list[Vm]:
        return [vm for vm in self.vms if vm.server == server]

    def lacks(self, server: str, incoming: Iterable[Vm]) -> str | None:
        """What a server has too little of for further machines, in words; None if it has room."""
        target, all_vms = self.server(server), [*self.vms_on(server), *incoming]
        for what, shown in _ROOM:
            needed, there = sum(getattr(vm, what) for vm in all_vms), getattr(target, what)
            if needed > there:
                return f"{shown(needed)} of {shown(there)} {what.removesuffix('_B')} would be in use"
        return None

    def bars(self, server: str, vm: Vm) -> str | None:
        """What keeps a server from taking a further machine, in words that its name begins; None if nothing does."""
        if closed := self.server(server).closed:
            return closed
        if lacks := self.lacks(server, [vm]):
            return f"has no room ({lacks})"
        for group in self.groups:
            mates = sorted(group.vms - {vm.name}) if vm.name in group.vms else []
            there = [each for each in mates if any(other.name == each for other in self.vms_on(server))]
            if group.most is not None and len(there) >= group.most:
                return f"has {', '.join(there)}, which group {group.name} keeps apart from {vm.name}"
            away = [each for each in mates if each not in there]
            if group.most is None and away:
                return f"is not where {', '.join(away)} is, which group {group.name} keeps together with {vm.name}"
        return None


def _missing(name: str) -> NoReturn:
    raise KeyError(name)
