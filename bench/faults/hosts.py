"""The network of the matrix: four switches joined pairwise; the program on two hosts, two more that may relay."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from bench.faults.cells import DESTINATION, SOURCE
from fairlead import lab as labs
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.errors import MeasurementError
from fairlead.lab.congestion.base import run_on
from fairlead.lab.description import Description

ENDS = {SOURCE: "h0", DESTINATION: "h1"}
RELAYS = ("h2", "h3")
MANAGED = ("h0", "h1", *RELAYS)
OURS = ("fairlead-agent", "fairlead-guardian", "route-keeper")
PROGRAMS = ("cg", "nbody", "orted", "mpirun.openmpi")
# In the environment of all that a run starts, wherever that is; those that others started on this machine have none.
MARK, MARK_VALUE = "FAULTS_RUN", str(os.getpid())
# Trunks slow enough for the network, and not two processors, to limit the program.
LAB = {"topology": "mesh", "leafs": 4, "hosts_per_leaf": 1, "neighbours_per_leaf": 1}
DESCRIPTION = {
    "host_link": {"rate": "1gbit", "queue": "10ms"},
    "trunk": {"rate": "100mbit", "queue": "20ms"},
}
KERNEL_STATE = """
ip -o link show | grep -o 'fl-[0-9a-f]*' | sort -u | sed 's/^/device /'
ip rule show | grep 'proto 70' | sed 's/^/rule /'
ip route show table all proto 70 2>/dev/null | sed 's/^/route /'
nft list tables | grep fairlead | sed 's/^/filter /'
find /dev/shm /tmp -maxdepth 1 -name 'fairlead*' | sed 's/^/file /'
true
"""


class Hosts:
    """A running lab, and what is looked at in it from outside."""

    def __init__(self, lab: labs.Lab, directory: Path) -> None:
        self.lab = lab
        self.directory = directory
        self.cluster_file = directory / "faults.cluster.toml"
        self.cluster_file.write_text(cluster_text(lab))
        self._network: dict[str, str] = {}

    @cached_property
    def cluster(self) -> Cluster:
        return load_cluster(self.cluster_file)

    def address(self, host: str) -> str:
        return self.lab.plan.host_by_name[host].address

    def run(self, node: str, script: str) -> str:
        """Output of a shell script on a host or switch. Raises LabError if it fails."""
        return run_on(self.lab, node, ["sh", "-ec", script])

    def processes(self, host: str, name: str) -> list[int]:
        """Process ids, as this machine numbers them, of programs called ``name`` on a host."""
        if host not in self._network:
            self._network[host] = self.run(host, "readlink /proc/self/ns/net").strip()
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if (path / "comm").read_text().strip() != name[:15]:
                    continue
                state = (path / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX" and str((path / "ns/net").readlink()) == self._network[host]:
                    found.append(int(path.name))
            except OSError:
                continue  # it ended meanwhile
        return sorted(found)

    def process(self, host: str, name: str, under: int | None = None) -> int:
        """The one process of that name on a host.

        Args:
            under: it must descend from this process.

        Raises:
            MeasurementError: there is none, or several.
        """
        found = [pid for pid in self.processes(host, name) if under is None or under in ancestors(pid)]
        if len(found) != 1:
            raise MeasurementError(f"{len(found)} processes called {name} on {host}, not one")
        return found[0]

    def left_behind(self) -> list[str]:
        """What is there though nothing runs: kernel state, processes and files on the hosts, and a run's processes."""
        found = [f"of the run: process {name}" for name in sorted(marked().values())]
        for host in MANAGED:
            found += [f"{host}: {line.strip()}" for line in self.run(host, KERNEL_STATE).splitlines()]
            found += [f"{host}: process {name}" for name in (*OURS, *PROGRAMS) for _ in self.processes(host, name)]
        return found


def marked() -> dict[int, str]:
    """Names by process id of what a run started, or what these started."""
    line = f"{MARK}={MARK_VALUE}".encode()
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if line in (path / "environ").read_bytes().split(b"\0"):
                found[int(path.name)] = (path / "comm").read_text().strip()
        except OSError:
            continue  # it ended meanwhile
    return found


def ancestors(pid: int) -> list[int]:
    """Parents of a process, the nearest first."""
    found: list[int] = []
    while pid > 1:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return found
        pid = int(fields[1])
        found.append(pid)
    return found


def cluster_text(lab: labs.Lab) -> str:
    """The lab's cluster file: Open MPI launches, ranks only at the two ends."""
    head, *hosts = lab.cluster_file_text().split("\n[[hosts]]\n")
    text = head + 'mpirun = "mpirun.openmpi"\n'
    for host in hosts:
        relay = any(f'name = "{name}"' in host for name in RELAYS)
        text += "\n[[hosts]]\n" + (host.replace('role = "compute"', 'role = "relay"') if relay else host)
    return text


@contextmanager
def network(directory: Path) -> Iterator[Hosts]:
    """The lab for the length of a block.

    Raises:
        LabError: it could not be made.
    """
    tables = {**DESCRIPTION, "lab": {**LAB, "name": f"faults-{os.getpid()}"}}
    lab = labs.up(Description.model_validate(tables), share=[directory])
    try:
        yield Hosts(lab, directory)
    finally:
        lab.down()


def kill_all(pids: list[int], number: signal.Signals = signal.SIGKILL) -> None:
    """Signal processes that may be gone already."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
