"""What must hold before a managed program starts, so that a mistake is an answer at once and not a time-out later."""

from collections.abc import Mapping, Sequence

from fairlead import __version__
from fairlead.agents.agent_thread import AgentThread
from fairlead.cluster.description import Cluster
from fairlead.display.words import first_of
from fairlead.errors import AgentError, ConfigError, HostError
from fairlead.protocol import answers, commands

PROBES = 3
PROBE_INTERVAL_S = 0.02


def check_versions(cluster: Cluster, ready: Sequence[answers.Ready | None]) -> None:
    """The agents are of our version, and so is the libfairlead that lies beside them, which ranks preload.

    Libraries of different versions would meet in different collective calls in MPI_Init. Of a host whose agent did not
    start the version is not known.

    Args:
        ready: see `check_interfaces`.

    Raises:
        AgentError: one is not.
    """
    hosts_of: dict[str, list[str]] = {}
    for host, said in zip(cluster.managed_hosts(), ready, strict=True):
        if said is not None and said.version != __version__:
            hosts_of.setdefault(said.version, []).append(host.name)
    if hosts_of:
        others = "; ".join(f"version {version} on {first_of(names)}" for version, names in hosts_of.items())
        raise AgentError(
            f"{cluster.source}: fairlead is of {others}; here it is {__version__}",
            hint=f"install the same version everywhere, or set shared_files = false under [{cluster.executor}]",
        )


def check_interfaces(cluster: Cluster, ready: Sequence[answers.Ready | None]) -> None:
    """The hosts' addresses are on the interfaces that the cluster file names.

    Args:
        ready: the agents' first answers, by host index; None: it did not start.

    Raises:
        ConfigError: one is not; the message says what to write.
    """
    for host, said in zip(cluster.managed_hosts(), ready, strict=True):
        if said is not None and (found := said.interface) != host.interface:
            raise ConfigError(
                f"{cluster.source}: {host.name}: {host.address} is on {found}, not on {host.interface}",
                hint=f'write interface = "{found}" for it; `fairlead doctor {cluster.source}` shows more',
            )


def unreachable(agents: AgentThread, hosts: Sequence[int]) -> list[int]:
    """Those of the hosts, by index, whose agent gets no answer from any other's.

    Each probes its neighbour in a ring; who is on a silent edge then tries everybody. An agent that has ended is left
    out, with its edges: that is told elsewhere, and it is started again.
    """
    began = agents.living()
    hosts = _still(agents, began, hosts)
    if len(hosts) < 2:
        return []
    ring = _answered(agents, {host: [after] for host, after in zip(hosts, [*hosts[1:], hosts[0]], strict=True)})
    hosts = _still(agents, began, hosts)
    silent = {host for edge in ring if not ring[edge] for host in edge}.intersection(hosts)
    if len(hosts) < 2:
        return []
    asked = _answered(agents, {host: [peer for peer in hosts if peer != host] for host in silent})
    living = set(_still(agents, began, hosts))
    edges = {host: [edge for edge in asked if host in edge and living.issuperset(edge)] for host in silent}
    return [host for host in sorted(silent) if edges[host] and not any(asked[edge] for edge in edges[host])]


def check_reachable(cluster: Cluster, agents: AgentThread, started: Sequence[int]) -> None:
    """Every agent that started, by host index, reaches some other one.

    Raises:
        HostError: one does not.
    """
    hosts = cluster.managed_hosts()
    lost = [hosts[index] for index in unreachable(agents, started)]
    if lost:
        first, last = cluster.ports
        names = ", ".join(f"{host.name} ({host.address})" for host in lost)
        raise HostError(
            f"{names}: no answer from or to the other hosts over the cluster's network (UDP {first}-{last})",
            hint=f"`fairlead doctor {cluster.source}` shows what is wrong; --no-agents runs the program unmanaged",
        )


def _still(agents: AgentThread, began: Mapping[int, int | None], hosts: Sequence[int]) -> list[int]:
    """Those of the hosts whose agent is the one that it was in the beginning, and lives."""
    now = agents.living()
    return [host for host in hosts if host in began and host in now and now[host] == began[host]]


def _answered(agents: AgentThread, plan: dict[int, list[int]]) -> dict[tuple[int, int], bool]:
    """(who asked, whom) -> whether any probe came back."""
    told = agents.command_each(
        {
            host: commands.Probe(peers=tuple(peers), count=PROBES, interval_s=PROBE_INTERVAL_S)
            for host, peers in plan.items()
        }
    )
    answered = {(host, peer): False for host, peers in plan.items() for peer in peers}
    for host, answer in told.items():
        if isinstance(answer, AgentError):
            continue  # nobody answered this one, or it is dead
        if isinstance(answer, BaseException):
            raise answer
        answered |= {(host, result.peer): bool(result.round_trip_s) for result in answer.results}
    return answered
