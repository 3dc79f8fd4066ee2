"""An MPI program to start: what, how many ranks, which rank on which host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from fairlead.cluster.addresses import LauncherAddress
from fairlead.cluster.description import MOST_RANKS, TCP, Cluster, Transport
from fairlead.errors import ConfigError
from fairlead.ip import Family, covering_network, family_of

MARK = "FAIRLEAD_JOB"  # environment variable of every rank: how ranks are told from everything else on a host
LAUNCH_MARK = "FAIRLEAD_LAUNCH"  # of mpirun and what it starts on its own host, such as ssh


@dataclass(frozen=True)
class Job:
    """One start of an MPI program. Pure data: launchers turn it into a command line.

    Attributes:
        id: 8 hexadecimal digits, unique; every rank has it in its environment as ``FAIRLEAD_JOB``.
        argv: the program and its arguments; for a launch line of the user's own, that whole line.
        hosts: the host of every rank, in rank order; len(hosts) is the number of ranks.
        interfaces: names of the interfaces that MPI may use, each once (one name where all hosts agree).
        network: the hosts' addresses as one network ("10.64.0.0/16"), for where names differ.
        transport: ``tcp``, over those interfaces; ``native``: launchers leave it to the library what carries messages.
        launcher_address: how the hosts see this machine, where mpirun runs here and here is none of them.
        env: environment of the ranks. It stands in command lines: no secrets.
        cwd: working directory of the ranks, or None for the launcher's own.
        cores_shared: there are more ranks than cores, or hosts share cores: bind nothing, yield when idle.
        rsh_agent: path of the program that mpirun calls in place of ssh, or None.
        by_agent_alone: mpirun is in a batch job that it could start ranks by, too, and that has not all of the hosts.
        options: more options for mpirun, placed last, so that they win.
    """

    id: str
    argv: tuple[str, ...]
    hosts: tuple[str, ...]
    interfaces: tuple[str, ...] = ()
    network: str | None = None
    transport: Transport = TCP
    launcher_address: LauncherAddress | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    cores_shared: bool = False
    rsh_agent: str | None = None
    by_agent_alone: bool = False
    options: tuple[str, ...] = ()

    @property
    def family(self) -> Family:
        """The version of IP that MPI shall use."""
        return family_of(self.network or "")

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.hosts)

    def environment(self) -> dict[str, str]:
        """What every rank gets: ``env`` and the job's mark."""
        return {**self.env, MARK: self.id}

    def blocks(self) -> list[tuple[str, int]]:
        """Consecutive ranks on the same host as (host, number), in rank order."""
        return [(host, len(list(run))) for host, run in groupby(self.hosts)]

    def ranks_on(self) -> dict[str, int]:
        """Number of ranks by host."""
        counts: dict[str, int] = {}
        for host in self.hosts:
            counts[host] = counts.get(host, 0) + 1
        return counts


def place_ranks(cluster: Cluster, ranks: int) -> tuple[str, ...]:
    """The host of every rank: slots are filled host by host; what is left over goes round again.

    Ranks of a host are consecutive, also where there are more ranks than slots.

    Raises:
        ConfigError: fewer than one rank, or more than `MOST_RANKS`.
    """
    if not 1 <= ranks <= MOST_RANKS:
        raise ConfigError(f"{ranks} ranks cannot run", hint=f"give a number of ranks (-n) from 1 to {MOST_RANKS}")
    hosts = cluster.compute_hosts()
    counts = {host.name: 0 for host in hosts}
    left = ranks
    while left:
        for host in hosts:
            taken = min(left, host.slots)
            counts[host.name] += taken
            left -= taken
    return tuple(name for name, count in counts.items() for _ in range(count))


def make_job(
    cluster: Cluster,
    argv: Sequence[str],
    ranks: int,
    *,
    job_id: str,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    hosts: Sequence[str] | None = None,
    options: Sequence[str] = (),
) -> Job:
    """A job on a cluster: placement by slots unless ``hosts`` gives the host of every rank, interface from the file.

    Raises:
        ConfigError: no program, no ranks, or a placement that names unknown hosts or another number of ranks.
    """
    if not argv:
        raise ConfigError("no program to run", hint="give it after --, for example: -- ./program --its-option")
    placement = tuple(hosts) if hosts is not None else place_ranks(cluster, ranks)
    if len(placement) != ranks:
        raise ConfigError(f"the placement has {len(placement)} ranks, but {ranks} were requested")
    used = [cluster.host(name) for name in dict.fromkeys(placement)]
    full = any(placement.count(host.name) > host.slots for host in used)
    return Job(
        id=job_id,
        argv=tuple(argv),
        hosts=placement,
        interfaces=tuple(dict.fromkeys(host.interface for host in used)),
        network=covering_network([host.address for host in used]),
        transport=cluster.transport or TCP,
        env=dict(env or {}),
        cwd=cwd,
        cores_shared=cluster.cores_shared or full,
        options=tuple(options),
    )
