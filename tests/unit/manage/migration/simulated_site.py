"""A site of servers, a job on its virtual machines, and neighbours: to drive the migration controller through time."""

import random
from dataclasses import dataclass, field

from fairlead.cloud.inventory import Inventory, Load, Server, Vm
from fairlead.manage.migration.choice import MigrationCandidate
from fairlead.manage.migration.controller import Decision, MigrationController

MIB = 2**20
STEP_S = 0.5
UPLINK_BPS = 200e6
VM_BPS = 20e6  # into a machine of the job at full speed


@dataclass
class Site:
    """Servers s0, s1, ... with two machines of the job on each but the last, which is empty.

    Attributes:
        flooded_bps: by server, what neighbours send into it.
        slow: directed pairs that are slow whatever the servers carry (a congested path).
        incast_bps: by server, what the job itself sends into its first machine.
        waits: whether all machines are as slow as the slowest; else only those of a flooded server are.
    """

    servers: int = 4
    seed: int = 1
    flooded_bps: dict[str, float] = field(default_factory=dict)
    slow: set[tuple[str, str]] = field(default_factory=set)
    incast_bps: dict[str, float] = field(default_factory=dict)
    tells_traffic: bool = True
    waits: bool = True
    now_s: float = 0.0
    done_s: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.place = {f"h{k}": f"s{k // 2}" for k in range(2 * (self.servers - 1))}
        self.received_B = dict.fromkeys([*self.place, *(f"s{k}" for k in range(self.servers))], 0.0)
        self.levels: dict[tuple[str, str], str] = {}

    @property
    def job(self) -> list[str]:
        return list(self.place)

    def speed(self) -> float:
        """Of the program, 0 to 1: its slowest server's share of the uplink that it needs."""
        shares = [1.0]
        for server in set(self.place.values()):
            flood = self.flooded_bps.get(server, 0.0)
            if flood:
                shares.append(max(0.1, 1 - flood / UPLINK_BPS))
        return min(shares)

    def inventory(self) -> Inventory:
        def load(name: str) -> Load | None:
            return Load(self.now_s, int(self.received_B[name]), 0) if self.tells_traffic else None

        servers = [Server(f"s{k}", "net", 8, 512 * MIB, 2**34, UPLINK_BPS, load(f"s{k}")) for k in range(self.servers)]
        vms = [Vm(name, server, 2, 32 * MIB, 2**30, 2.5e6, 0.3, load(name)) for name, server in self.place.items()]
        return Inventory(tuple(servers), tuple(vms))

    def advance(self, controller: MigrationController) -> None:
        """Half a second of traffic, and what the agents say of it."""
        self.now_s += STEP_S
        speed = self.speed()
        self.done_s += STEP_S * speed
        for vm, server in self.place.items():
            own = speed if self.waits or server in self.flooded_bps else 1.0
            bps = VM_BPS * own * self.random.uniform(0.9, 1.1) + self._incast(vm, server)
            self.received_B[vm] += bps * STEP_S / 8
            self.received_B[server] += bps * STEP_S / 8
        for server, bps in self.flooded_bps.items():
            self.received_B[server] += bps * STEP_S / 8
        for source in self.place:
            for vm, server in self.place.items():
                if source != vm and self.place[source] != server:
                    self._tell(controller, (source, vm), self._is_slow(source, vm, server))

    def _incast(self, vm: str, server: str) -> float:
        first = min(name for name, at in self.place.items() if at == server)
        return self.incast_bps.get(server, 0.0) if vm == first else 0.0

    def _is_slow(self, source: str, vm: str, server: str) -> bool:
        full = self.flooded_bps.get(server, 0.0) + self.incast_bps.get(server, 0.0) > 0.7 * UPLINK_BPS
        noise = self.random.random() < 0.02
        return full or (source, vm) in self.slow or noise

    def _tell(self, controller: MigrationController, path: tuple[str, str], slow: bool) -> None:
        level = "high" if slow else "low"
        if self.levels.get(path, "low") != level:
            self.levels[path] = level
            controller.level(*path, level, self.now_s)

    def migrate(self, move: MigrationCandidate, controller: MigrationController) -> None:
        """It succeeds after the expected time."""
        self.now_s += move.copy_s
        self.place[move.vm] = move.target
        self.levels = {path: level for path, level in self.levels.items() if move.vm not in path}
        controller.moved(move, self.now_s)


@dataclass
class Record:
    """What a controller did on a site: decisions with the time of each, and moves that it made."""

    decisions: list[tuple[float, Decision]] = field(default_factory=list)
    moves: list[tuple[float, str, str]] = field(default_factory=list)

    def reasons(self) -> str:
        return "\n".join(decision.why for _, decision in self.decisions)


def drive(site: Site, controller: MigrationController, until_s: float) -> Record:
    """Let time pass, and carry out what the controller decides."""
    record = Record()
    last_s = record.moves[-1][0] if record.moves else None
    while site.now_s < until_s:
        site.advance(controller)
        controller.see(site.inventory(), site.now_s)
        for decision in controller.step(site.now_s, last_s):
            record.decisions.append((site.now_s, decision))
            if decision.move is not None:
                site.migrate(decision.move, controller)
                last_s = site.now_s
                record.moves.append((site.now_s, decision.move.vm, decision.move.target))
    return record


def controller_of(site: Site, expected_s: float | None = None) -> MigrationController:
    return MigrationController(site.job, site.now_s, expected_s)
