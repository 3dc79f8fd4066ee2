"""The lab as a cloud: `fairlead.lab.migration` moves, the kernel's counters tell the traffic."""

import subprocess
import time

from fairlead import lab as labs
from fairlead.cloud.driver import DRIVERS, Creation, Moved, Progress
from fairlead.cloud.inventory import Inventory, Load, Server, Vm
from fairlead.cluster.description import Cluster
from fairlead.errors import CloudError, CreationRefusedError, LabError, MigrationRefusedError
from fairlead.lab import Lab
from fairlead.lab.migration import Migration, refusal

_TIMEOUT_S = 10.0


class LabMigration:
    """See `fairlead.cloud.driver.Migration`."""

    def __init__(self, lab: Lab, vm: str, server: str) -> None:
        self._lab, self._vm = lab, vm
        self._servers = lab.plan.host_by_name[vm].server, server
        self._migration = Migration(lab, vm, server)

    def poll(self) -> Moved | Progress:
        try:
            moved = self._migration.poll()
        except LabError as error:
            raise CloudError(f"{self._where()}: {error}") from error
        if moved is not None:
            return Moved(moved.time_s, moved.paused_s, moved.copied_B)
        seen = self._migration.progress
        return Progress("starting" if seen is None else f"round {seen.round} {seen.phase}, {seen.left_B} B left")

    def abort(self) -> None:
        self._migration.abort()

    def close(self) -> None:
        self._migration.close()

    def _where(self) -> str:
        """The kernel's view counts: what carried it out may have died before it could write it down."""
        try:
            found = [each for each in self._servers if each and self._vm in _counters(self._lab, each)]
        except (CloudError, LabError) as unknown:
            return f"where {self._vm} runs is not known ({unknown})"
        return f"{self._vm} runs on {found[0]}" if found else f"{self._vm} is being migrated right now"


class LabDriver:
    """See `fairlead.cloud.driver.Driver`; ``name`` is the running lab's."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def site(self) -> str:
        return f"lab-{self._name}"

    def inventory(self) -> Inventory:
        lab = self._lab()
        plan = lab.plan
        if plan.vm is None:
            raise CloudError(f"lab {self._name} has no servers", hint="its description needs a [servers] table")
        counters = {server.name: _counters(lab, server.name) for server in plan.servers}
        servers = []
        for server in plan.servers:
            leaf = plan.leafs[server.leaf]
            uplink_bps = plan.rate_by_link[server.name, leaf]
            room = (server.cpus, server.memory_B, server.disk_B)
            servers.append(Server(server.name, leaf, *room, uplink_bps, counters[server.name].get(leaf)))
        vm = plan.vm
        vms = [
            Vm(host.name, host.server, vm.cpus, vm.memory_B, vm.disk_B, vm.dirty_Bps, vm.downtime_s, _of(load))
            for host in plan.hosts
            if host.server and (load := counters[host.server].get(host.name)) is not None
        ]
        return Inventory(tuple(servers), tuple(vms))

    def migrate(self, vm: str, server: str) -> LabMigration:
        lab = self._lab()
        if why := refusal(lab.plan, vm, server):
            raise MigrationRefusedError(why)
        try:
            return LabMigration(lab, vm, server)
        except LabError as error:
            raise CloudError(str(error)) from error

    def create(self, name: str, like: str, server: str) -> Creation:
        raise CreationRefusedError(
            f"lab {self._lab().name} has the machines of its description and no others",
            hint="hosts_per_leaf in the lab file sets their number",
        )

    def _lab(self) -> Lab:
        try:
            return labs.find_lab(self._name)
        except LabError as error:
            raise CloudError(str(error)) from error


@DRIVERS.register("lab")
def driver(cluster: Cluster) -> LabDriver:
    """The driver of a lab with servers, which needs no ``[cloud]``."""
    assert cluster.lab is not None
    return LabDriver(cluster.lab)


def _of(port: Load) -> Load:
    """A machine's own counters from those of its server's end of the link."""
    return Load(port.t_s, port.sent_B, port.received_B)


def _counters(lab: Lab, server: str) -> dict[str, Load]:
    """Counters of a server's interfaces, by the name of what is at the other end."""
    try:
        done = subprocess.run(
            lab.enter_command(server, ["cat", "/proc/net/dev"]),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise CloudError(f"{server} of lab {lab.name} did not answer within {_TIMEOUT_S:g} s") from error
    now_s = time.monotonic()
    if done.returncode != 0:
        raise CloudError(f"{server} of lab {lab.name} cannot be read: {done.stderr.strip()}")
    found = {}
    for line in done.stdout.splitlines()[2:]:
        name, _, rest = line.partition(":")
        fields = rest.split()
        found[name.strip()] = Load(now_s, int(fields[0]), int(fields[8]))
    return found
