"""Gather the facts of a cluster: every host at the same time, then every pair of hosts."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from fairlead.cluster.cache import local_cache
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor.facts import ClusterFacts, HostFacts, LaunchFacts
from fairlead.cluster.doctor.findings import Finding, judge
from fairlead.cluster.doctor.session import PYTHON, ProbeSession
from fairlead.cluster.execute import attempt, on_all
from fairlead.cluster.executors import Executor, of
from fairlead.cluster.launch import outlook_on
from fairlead.cluster.launchers import ask
from fairlead.cluster.launchers.detect import parse_version
from fairlead.cluster.parts import OVERLAY_PORTS, bring, guardian_tool
from fairlead.errors import FairleadError

SERVE_TIMEOUT_S = 10.0
PAIRS_TIMEOUT_S = 60.0
_CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5)"
Progress = Callable[[str, int, int], None]  # what is being done, how many are done, of how many


def nobody_watches(what: str, done: int, total: int) -> None:
    """A progress callback for when nobody is to be told."""


def examine(cluster: Cluster, progress: Progress = nobody_watches) -> list[Finding]:
    """Everything that will go wrong or slow on ``cluster``, worst first. Never raises for what a host does wrong."""
    return judge(gather(cluster, progress))


def gather(cluster: Cluster, progress: Progress = nobody_watches) -> ClusterFacts:
    """Facts of all managed hosts and of all ordered pairs of them."""
    executor = of(cluster)
    hosts = {host.name: host for host in cluster.managed_hosts()}
    sessions: dict[str, ProbeSession] = {}
    with ExitStack() as stack:
        note = stack.enter_context(_shared_note()) if executor.shares_files else None
        count = _Counter(progress, "looking at hosts", len(hosts))
        known = on_all(hosts, lambda name: count(_look(cluster, executor, hosts[name], note, sessions, stack)))
        reached = [facts for facts in known.values() if facts.reached and "error" not in facts.ports]
        count = _Counter(progress, "trying paths", len(reached))
        tried = on_all((facts.name for facts in reached), lambda name: count(_try(known, reached, sessions, name)))
    facts = tuple({**known, **tried}[name] for name in hosts)
    return ClusterFacts(cluster, facts, _launch(cluster, executor, [each.name for each in facts if each.reached]))


class _Counter:
    """Passes results through and tells how many have passed."""

    def __init__(self, progress: Progress, what: str, total: int) -> None:
        self._progress, self._what, self._done, self._total = progress, what, 0, total
        progress(what, 0, total)

    def __call__(self, result: HostFacts) -> HostFacts:
        self._done += 1
        self._progress(self._what, self._done, self._total)
        return result


@contextmanager
def _shared_note() -> Iterator[Path]:
    """A file where fairlead keeps its own, which hosts that share files must see."""
    directory = local_cache()
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=directory, prefix="doctor-") as note:
        yield Path(note.name)


def _look(
    cluster: Cluster,
    executor: Executor,
    host: Host,
    note: Path | None,
    sessions: dict[str, ProbeSession],
    stack: ExitStack,
) -> HostFacts:
    """Facts of one host; its session stays open in ``sessions``."""
    settings: dict[str, Any] = {
        "address": host.address,
        "interface": host.interface,
        "tools": [cluster.mpirun, "iperf3"],
        "shared_note": str(note) if note else None,
    }
    known = HostFacts(host)
    try:
        parts = bring(cluster, host.name)
        settings |= {"agent": [parts.agent], "guardian": guardian_tool(parts.guardian)}
    except FairleadError as error:
        known = replace(known, deploy_error=str(error))
    try:
        session = stack.enter_context(ProbeSession(executor, host.name, settings))
        facts = session.facts()
        ranges = {"agent": list(cluster.ports), "overlay": list(OVERLAY_PORTS)}
        ports = session.ask({"serve": ranges}, SERVE_TIMEOUT_S)
    except FairleadError as error:
        return replace(known, unreachable=str(error))
    sessions[host.name] = session
    return replace(known, facts=facts, ports=ports)


def _launch(cluster: Cluster, executor: Executor, hosts: list[str]) -> LaunchFacts | None:
    """Facts of this machine, where mpirun reaches the hosts from it."""
    if not cluster.launches_from_here():
        return None
    try:
        text, _ = ask(None, "this machine", cluster.mpirun)
        mpi = parse_version(text, mpirun=cluster.mpirun)
        outlook = outlook_on(cluster, cluster.compute_hosts()[0])
    except FairleadError as problem:
        return LaunchFacts(problem=str(problem))
    if outlook is None:
        return LaunchFacts(mpi)
    with socket.create_server((outlook.address, 0), backlog=len(cluster.hosts)) as listener:
        words = [PYTHON, "-c", _CONNECT, outlook.address, str(listener.getsockname()[1])]
        connected = on_all(hosts, lambda name: _succeeds(executor, name, words))
    return LaunchFacts(mpi, address=outlook.address, blind=tuple(name for name in hosts if not connected[name]))


def _succeeds(executor: Executor, host: str, argv: list[str]) -> bool:
    try:
        return attempt(executor, host, argv).returncode == 0
    except FairleadError:
        return False


def _try(
    known: dict[str, HostFacts], reached: list[HostFacts], sessions: dict[str, ProbeSession], name: str
) -> HostFacts:
    """Facts of one host with its paths to all others."""
    interface = known[name].interface()
    peers = [
        {
            "name": peer.name,
            "address": peer.host.address,
            "mtu_B": interface["mtu_B"] if interface else 1500,
            **peer.ports,
        }
        for peer in reached
        if peer.name != name
    ]
    try:
        return replace(known[name], paths=sessions[name].ask({"try": peers}, PAIRS_TIMEOUT_S))
    except FairleadError as error:
        return replace(known[name], unreachable=str(error))
