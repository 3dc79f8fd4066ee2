"""A cluster: which hosts there are, how to reach them, and which interface carries MPI.

`ClusterFile` is what a person wrote; `Cluster` is what the rest of fairlead works with: checked, with defaults filled
in and paths made absolute.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from fairlead.cluster.cloud_table import CloudTable
from fairlead.errors import ConfigError
from fairlead.ip import Family, family_of

Role = Literal["compute", "relay", "other"]
Transport = Literal["tcp", "native"]
"""TCP over the hosts' interfaces, or what the MPI library chooses by itself."""
TCP: Transport = "tcp"
NATIVE: Transport = "native"
MOST_RANKS = 2**20
"""Of a job, and of a host: far more than any cluster has, and few enough to be listed."""
# Not those that Linux gives to connections (32768 to 60999), nor the overlay's (20000 to 29999); registered for nobody.
DEFAULT_PORTS = (19600, 19699)


@dataclass(frozen=True)
class Host:
    """A host of a cluster.

    Attributes:
        name: unique in the cluster; what reports, mpirun's host lists and error messages say.
        address: IPv4 or IPv6 address on ``interface``, in the form of `fairlead.ip.canonical`.
        slots: ranks that it takes before it counts as full.
        role: compute, relay (no ranks, may forward) or other (not managed, for example a lab's neighbours).
        reach: what the executor calls it.
        interface: the network interface that MPI and the agents use there.
        memory_B: what the file says that it has; None: not known.
    """

    name: str
    address: str
    slots: int = 1
    role: Role = "compute"
    reach: str = ""
    interface: str = "eth0"
    memory_B: int | None = None


@dataclass(frozen=True)
class Ssh:
    """Options of the ssh executor, resolved: paths are absolute."""

    user: str | None = None
    port: int | None = None
    identity: Path | None = None
    config: Path | None = None
    options: tuple[str, ...] = ()
    shared_files: bool = True


@dataclass(frozen=True)
class Lxc:
    """Options of the lxc executor, resolved."""

    path: Path | None = None
    shared_files: bool = False


@dataclass(frozen=True)
class Slurm:
    """Options of the slurm executor."""

    shared_files: bool = True


@dataclass(frozen=True)
class Command:
    """Options of the command executor."""

    run: tuple[str, ...] = ()
    terminal: tuple[str, ...] | None = None
    by_shell: bool = False
    failed: tuple[int, ...] = ()
    shared_files: bool = False


@dataclass(frozen=True)
class Cluster:
    """Hosts and how to use them.

    Attributes:
        name: for reports and stored results.
        executor: name of the executor that runs commands on hosts (`fairlead.cluster.executors`).
        hosts: in the file's order; agents number them by it.
        lab: name of the lab, for executor ``lab``.
        ports: first and last port for agents, inclusive.
        mpirun: the mpirun to use unless a command names another; a name in PATH or an absolute path.
        launch_from: name of the host that runs mpirun, or None for this machine, be it one of the hosts or not.
        cores_shared: hosts share processor cores, so that no rank may be bound to one nor spin on one.
        guardian: command line of the guardian that is installed on every host; None: see `guardian.places`.
        ssh: options of the ssh executor, and of the lxc executor's way to other servers.
        lxc: options of the lxc executor.
        slurm: options of the slurm executor.
        command: options of the command executor.
        cloud: the cloud manager whose virtual machines the hosts are; None: unknown, or a lab's.
        transport: what carries messages of MPI programs between hosts, see `Transport`. None: nobody asked, which is
            TCP, but for programs that are run or profiled (`fairlead.cluster.fabric`).
        settings: those of its agents that differ from their defaults, by name (docs/reference/agent-settings.md).
        source: the file, or what stands for it in messages.
    """

    name: str
    executor: str
    hosts: tuple[Host, ...]
    lab: str | None = None
    ports: tuple[int, int] = DEFAULT_PORTS
    mpirun: str = "mpirun"
    launch_from: str | None = None
    cores_shared: bool = False
    guardian: tuple[str, ...] | None = None
    ssh: Ssh = field(default_factory=Ssh)
    lxc: Lxc = field(default_factory=Lxc)
    slurm: Slurm = field(default_factory=Slurm)
    command: Command = field(default_factory=Command)
    cloud: CloudTable | None = None
    transport: Transport | None = None
    settings: Mapping[str, int | float] = field(default_factory=dict)
    source: str = "cluster"

    @property
    def family(self) -> Family:
        """The version of IP that all hosts' addresses belong to."""
        return family_of(self.hosts[0].address)

    def compute_hosts(self) -> tuple[Host, ...]:
        """Hosts that take ranks, in the file's order."""
        return tuple(host for host in self.hosts if host.role == "compute")

    def compute_names(self) -> list[str]:
        """Names of the `compute_hosts`."""
        return [host.name for host in self.compute_hosts()]

    def slots(self) -> int:
        """How many ranks fill the cluster."""
        return sum(host.slots for host in self.compute_hosts())

    def managed_hosts(self) -> tuple[Host, ...]:
        """Hosts that run an agent: those with ranks and those that may forward, in the file's order."""
        return tuple(host for host in self.hosts if host.role != "other")

    def managed_names(self) -> list[str]:
        """Names of the `managed_hosts`."""
        return [host.name for host in self.managed_hosts()]

    def host(self, name: str) -> Host:
        """The host of that name.

        Raises:
            ConfigError: there is none.
        """
        for host in self.hosts:
            if host.name == name:
                return host
        raise ConfigError(
            f"{self.source}: no host is called {name!r}", hint="hosts: " + ", ".join(host.name for host in self.hosts)
        )

    def launches_from_here(self) -> bool:
        """Whether mpirun runs on this machine and reaches the hosts from it, be it one of them or not."""
        return self.launch_from is None and self.executor != "local"

    def interfaces(self) -> tuple[str, ...]:
        """Names of the interfaces that managed hosts use, each once."""
        return tuple(dict.fromkeys(host.interface for host in self.managed_hosts()))

    def with_mpirun(self, mpirun: str) -> "Cluster":
        """The same cluster, used with another mpirun."""
        return replace(self, mpirun=mpirun)

    def with_transport(self, transport: Transport) -> "Cluster":
        """The same cluster, whose MPI programs send their messages another way."""
        return replace(self, transport=transport)

    def only(self, names: Sequence[str]) -> "Cluster":
        """The same cluster with these hosts only, in this order; mpirun runs on the first of them if it ran on a host.

        Raises:
            ConfigError: there is no such host.
        """
        hosts = tuple(self.host(name) for name in names)
        return replace(self, hosts=hosts, launch_from=self.launch_from and hosts[0].name)

    def nothing_to_manage(self, ways: int = 0) -> str | None:
        """Why there is no traffic to manage here, in words; None where there is some.

        Args:
            ways: equal-cost paths that agents may take: with these a pair needs no third host.
        """
        if len(self.compute_hosts()) == 1:
            return f"{self.name} has one compute host: all traffic stays inside it, so there is nothing to manage"
        if len(self.managed_hosts()) == 2 and not ways:
            return f"{self.name} has two hosts: traffic is monitored, but there is no third host to reroute it over"
        return None
