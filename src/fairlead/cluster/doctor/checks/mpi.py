"""Checks of the MPI library and what it will send messages over."""

from collections.abc import Iterable

from fairlead.cluster.doctor.checks.packet_filters import iptables_of, networks
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts
from fairlead.cluster.doctor.findings import Finding, check, error, note, ok, warning
from fairlead.cluster.fabric import is_left_to_library
from fairlead.cluster.launchers.detect import Mpi, parse_version
from fairlead.errors import ConfigError


def mpis(facts: ClusterFacts) -> dict[str, Mpi]:
    """MPI by host name, where there is one that fairlead launches."""
    found = {}
    for host in with_ranks(facts):
        tool = host.tool(facts.cluster.mpirun)
        if tool is not None:
            try:
                found[host.name] = parse_version(tool["output"], mpirun=facts.cluster.mpirun)
            except ConfigError:
                continue  # told by `mpirun`
    return found


def with_ranks(facts: ClusterFacts) -> list[HostFacts]:
    """Hosts that ranks run on."""
    return [host for host in facts.reached() if host.host.role == "compute"]


@check
def mpirun(facts: ClusterFacts) -> Iterable[Finding]:
    """The launcher is on every host with ranks, and is one that fairlead knows."""
    wanted = facts.cluster.mpirun
    for host in with_ranks(facts):
        tool = host.tool(wanted)
        if tool is None:
            yield error(
                [host.name],
                f"{wanted} was not found",
                "install the same MPI on all hosts (Debian: apt install openmpi-bin), or name another: cluster.mpirun",
            )
            continue
        try:
            parse_version(tool["output"], mpirun=wanted)
        except ConfigError as problem:
            text, _, hint = str(problem).partition("\n")
            yield error([host.name], text, hint.strip())


@check
def launching(facts: ClusterFacts) -> Iterable[Finding]:
    """Where mpirun runs on this machine, it can, and the hosts reach it."""
    launch = facts.launch
    if launch is None:
        return
    if launch.problem is not None:
        text, _, hint = launch.problem.partition("\n")
        yield error([], text, hint.strip())
    elif launch.blind:
        yield error(
            launch.blind,
            f"cannot connect to {launch.address}, the address where mpirun waits for them on this machine",
            f"{iptables_of(facts.cluster.family)} -I INPUT -s {','.join(networks(facts))} -j ACCEPT on this machine; "
            f'or start mpirun on a host: launch_from = "{facts.cluster.compute_hosts()[0].name}" under [cluster]',
        )
    elif launch.address is not None:
        yield ok([], f"{launch.mpi} starts ranks from this machine; all hosts connect to {launch.address}")


@check
def same_mpi(facts: ClusterFacts) -> Iterable[Finding]:
    """It is the same everywhere: daemons and ranks of different versions do not talk to each other."""
    groups: dict[Mpi, list[str]] = {}
    for name, mpi in mpis(facts).items():
        groups.setdefault(mpi, []).append(name)
    if facts.launch is not None and facts.launch.mpi is not None:
        groups.setdefault(facts.launch.mpi, []).append("this machine")
    if len(groups) > 1:
        words = "; ".join(f"{mpi} on {', '.join(hosts)}" for mpi, hosts in groups.items())
        yield error(
            list(mpis(facts)),
            f"{facts.cluster.mpirun} differs between hosts: {words}",
            "install one version on all hosts (apt install openmpi-bin=VERSION, or a module), and name its absolute "
            "path: mpirun under [cluster]",
        )


def _chosen_by_library(facts: ClusterFacts) -> bool:
    """Whether `fairlead run` leaves the transport to the MPI library."""
    devices = {
        host.name: [device["name"] for device in host.facts["infiniband"] if device["usable"]]
        for host in with_ranks(facts)
    }
    return is_left_to_library(facts.cluster, devices)


@check
def chosen_interface(facts: ClusterFacts) -> Iterable[Finding]:
    """What each MPI will use on each host."""
    known = mpis(facts)
    for host in with_ranks(facts):
        found = host.interface()
        if host.name in known and found is not None and found["up"]:
            text = f"{known[host.name]} will use {host.host.interface} only (each host's own address on it)"
            if _chosen_by_library(facts):
                text = f"{known[host.name]} chooses its own transport, such as RDMA devices"
            yield ok([host.name], text)


@check
def mpich_finalize(facts: ClusterFacts) -> Iterable[Finding]:
    """MPICH 4.0 over UCX hangs in MPI_Finalize: ranks that close first wait where they make no progress for others."""
    for name, mpi in mpis(facts).items():
        if mpi.family == "mpich" and mpi.version.startswith("4.0") and "ucx" in (mpi.device or ""):
            yield warning(
                [name],
                f"{mpi} over TCP is known to hang in MPI_Finalize, more often with more ranks and busier cores",
                "use Open MPI or MPICH 5 (pip install mpich), and set a time limit for runs",
            )


@check
def openmpi_stdin(facts: ClusterFacts) -> Iterable[Finding]:
    """Open MPI 5.0 does not tell ranks that standard input has ended (openpmix pull request 4024, July 2026)."""
    for name, mpi in mpis(facts).items():
        if mpi.family == "openmpi" and mpi.version.startswith("5.0."):
            yield note(
                [name],
                f"{mpi} does not forward the end of standard input: a program that reads to end-of-file waits forever",
                "give such a program a file as an argument, or use Open MPI 4.1",
            )


@check
def unsteered_transports(facts: ClusterFacts) -> Iterable[Finding]:
    """Hardware that moves messages without the kernel's routes, so that fairlead cannot lead them elsewhere."""
    if _chosen_by_library(facts):
        decision = "`fairlead run` lets the MPI library choose its transport"
        other = '`fairlead run --transport tcp`, or transport = "tcp" in [cluster], makes MPI use TCP'
    else:
        decision = "`fairlead run` makes MPI use TCP instead"
        other = '`fairlead run --transport native`, or transport = "native" in [cluster], lets the MPI library choose'
    for host in facts.reached():
        for device in host.facts["infiniband"]:
            efa = device["driver"] == "efa"
            label = "EFA" if efa else "verbs (InfiniBand or RoCE)"
            text = f"{label} device {device['name']}: messages over it bypass the kernel and cannot be rerouted"
            yield warning([host.name], f"{text}; {decision}", other)
        if host.host.slots > 1:
            yield note(
                [host.name],
                "ranks on the same host use shared memory, which congestion does not affect and fairlead does "
                "not manage",
            )


@check
def iperf3(facts: ClusterFacts) -> Iterable[Finding]:
    """iperf3 is there: `fairlead measure tcp` needs it, and nothing else."""
    for host in facts.reached():
        if host.tool("iperf3") is None:
            yield note(
                [host.name],
                "iperf3 is missing: `fairlead measure tcp` cannot run",
                "install it (Debian: apt install iperf3)",
            )
