"""What is known of a cluster before it is judged: plain data, as the probe sends it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor import answers
from fairlead.cluster.launchers.detect import Mpi

AUTO, RELAY = "auto", "relay"


@dataclass(frozen=True)
class ClockOffset:
    """How far a host's clock is ahead of this machine's: ``offset_s``, known to within ``error_s``."""

    offset_s: float
    error_s: float


@dataclass(frozen=True)
class HostFacts:
    """One host.

    Attributes:
        host: as the cluster file has it.
        unreachable: why the executor did not get there or the probe did not run, or None.
        without_python: why only a shell was asked there, or None.
        deploy_error: why agent and guardian could not be brought there, or None.
        facts: what the probe said (see `probe.facts`), or the shell (`plain`); empty where unreachable.
        clock: how far the clock is ahead of this machine's, or None where that is not known.
        ports: ``agent_port`` and ``any_port`` it listened on, or ``error``;
            empty where only a shell was asked.
        paths: by peer name, what `probing.paths` found.
    """

    host: Host
    unreachable: str | None = None
    without_python: str | None = None
    deploy_error: str | None = None
    facts: answers.Facts = field(default_factory=answers.Facts)
    clock: ClockOffset | None = None
    ports: answers.Ports = field(default_factory=answers.Ports)
    paths: Mapping[str, answers.Path] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.host.name

    @property
    def reached(self) -> bool:
        return self.unreachable is None

    def interface(self, name: str | None = None) -> answers.Interface | None:
        """The interface of that name (default: the one that MPI shall use), or None if there is none."""
        wanted = name or self.host.interface
        return next((item for item in self.facts.get("interfaces", ()) if item["name"] == wanted), None)

    def tool(self, name: str) -> answers.Tool | None:
        """Path and version of a program, or None where it is missing."""
        return self.facts.get("tools", {}).get(name)


@dataclass(frozen=True)
class LaunchFacts:
    """This machine, where mpirun reaches the hosts from it.

    Attributes:
        mpi: what mpirun is; None where that is not known.
        problem: why no rank can be started from here, with the way out in a second line, or None.
        address: by which hosts connect to mpirun, where this machine is none of them.
        blind: hosts that could not connect to it.
    """

    mpi: Mpi | None = None
    problem: str | None = None
    address: str | None = None
    blind: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClusterFacts:
    """A whole cluster: hosts in the file's order (managed ones only), and what is true of all of it.

    ``launch`` is None where mpirun runs on a host, or this machine is all there is. ``plane`` is what runs will be told
    to use: a name of `fairlead.manage.data_planes`, or ``auto``.
    """

    cluster: Cluster
    hosts: tuple[HostFacts, ...]
    launch: LaunchFacts | None = None
    plane: str = AUTO

    def reached(self) -> tuple[HostFacts, ...]:
        """Hosts whose facts are known."""
        return tuple(host for host in self.hosts if host.reached)


def addresses_of(interface: answers.Interface) -> list[str]:
    """Addresses of an interface, of the cluster's version of IP and without their prefix lengths."""
    return [entry.split("/")[0] for entry in interface["addresses"]]
