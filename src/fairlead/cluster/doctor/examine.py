"""Gather the facts of a cluster: every host at the same time, then pairs of hosts."""

import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile

from fairlead import descriptors
from fairlead.cluster.cache import local_cache
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor import plain
from fairlead.cluster.doctor.answers import Settings
from fairlead.cluster.doctor.facts import AUTO, ClockOffset, ClusterFacts, HostFacts, LaunchFacts
from fairlead.cluster.doctor.findings import Finding, judge
from fairlead.cluster.doctor.partners import partners
from fairlead.cluster.doctor.probing.paths import family_of
from fairlead.cluster.doctor.session import PYTHON, NoPythonError, ProbeSession
from fairlead.cluster.executors import Executor, executor_of
from fairlead.cluster.guardian.places import PLACES
from fairlead.cluster.host_binaries import OVERLAY_PORTS, bring, guardian_tool
from fairlead.cluster.jobs.launch import launcher_address_on
from fairlead.cluster.launchers import ask
from fairlead.cluster.launchers.detect import parse_version
from fairlead.cluster.remote.execute import attempt, on_all
from fairlead.errors import FairleadError
from fairlead.progress import Progress, unseen

SERVE_TIMEOUT_S = 10.0
PAIRS_TIMEOUT_S = 60.0
RATE_TIMEOUT_S = 30.0
MOST_HOSTS_FOR_RATES = 32  # every ordered pair, half of the hosts at a time
CLOCK_QUESTIONS = 3
_CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5)"


def examine(cluster: Cluster, progress: Progress = unseen, plane: str = AUTO) -> list[Finding]:
    """Everything that will go wrong or slow on ``cluster``, worst first. Never raises for what a host does wrong.

    Args:
        plane: see `ClusterFacts`.
    """
    return judge(replace(gather(cluster, progress), plane=plane))


def gather(cluster: Cluster, progress: Progress = unseen) -> ClusterFacts:
    """Facts of all managed hosts and of the paths between them; in large clusters of some (see `partners`)."""
    executor = executor_of(cluster)
    hosts = {host.name: host for host in cluster.managed_hosts()}
    descriptors.make_room(descriptors.OF_A_HOST * len(hosts))
    sessions: dict[str, ProbeSession] = {}
    with ExitStack() as stack:
        note = stack.enter_context(_shared_note()) if executor.shares_files else None
        count = _Counter(progress, "looking at hosts", len(hosts))
        known = on_all(hosts, lambda name: count(_look(cluster, executor, hosts[name], note, sessions, stack)))
        reached = [facts for facts in known.values() if facts.reached and "any_port" in facts.ports]
        count = _Counter(progress, "trying paths", len(reached))
        others = partners([facts.name for facts in reached])
        tried = on_all(others, lambda name: count(_try(known, others[name], sessions, name)))
        if len(reached) <= MOST_HOSTS_FOR_RATES:
            tried = _with_rates(tried, sessions, progress)
    facts = tuple({**known, **tried}[name] for name in hosts)
    return ClusterFacts(cluster, facts, _launch(cluster, executor, _that_can_connect(facts)))


def rounds(names: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Ordered pairs of hosts in rounds in which no host takes part twice (the circle method of tournaments)."""
    players: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    found = []
    for _ in range(len(players) - 1):
        half = len(players) // 2
        met = zip(players[:half], reversed(players[half:]), strict=True)
        pairs = [(one, other) for one, other in met if one is not None and other is not None]
        found += [pairs, [(other, one) for one, other in pairs]]
        players = [players[0], players[-1], *players[1:-1]]
    return [pairs for pairs in found if pairs]


def _with_rates(
    tried: dict[str, HostFacts], sessions: dict[str, ProbeSession], progress: Progress
) -> dict[str, HostFacts]:
    """The same facts, with the rate of every path over which MPI could connect. Pairs do not disturb each other."""
    paths = {name: {peer: path.copy() for peer, path in facts.paths.items()} for name, facts in tried.items()}
    schedule = rounds([name for name, facts in tried.items() if facts.reached])
    silent = set()  # an answer that comes too late would be taken for that of the next question

    def measure(pair: tuple[str, str]) -> None:
        name, peer = pair
        path = paths[name].get(peer)
        if path is None or path["tcp_any"] or name in silent:
            return
        ports = tried[peer].ports
        message = {"rate": {"address": tried[peer].host.address, "any_port": ports["any_port"]}}
        try:
            path |= sessions[name].ask(message, RATE_TIMEOUT_S)
        except FairleadError:
            silent.add(name)  # its other facts stand

    for number, pairs in enumerate(schedule):
        progress("measuring rates", number, len(schedule))
        with ThreadPoolExecutor(len(pairs)) as pool:
            list(pool.map(measure, pairs))
    if schedule:
        progress("measuring rates", len(schedule), len(schedule))
    return {name: replace(facts, paths=paths[name]) for name, facts in tried.items()}


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
    settings: Settings = {
        "address": host.address,
        "interface": host.interface,
        "tools": [cluster.mpirun, "iperf3"],
        "shared_note": str(note) if note else None,
    }
    known = HostFacts(host)
    try:
        parts = bring(cluster, host.name)
        settings["agent"] = [parts.agent]
        settings["guardian"] = guardian_tool(parts.guardian)
        settings["guardian_places"] = list(PLACES)
    except FairleadError as error:
        known = replace(known, deploy_error=str(error))
    try:
        session = stack.enter_context(ProbeSession(executor, host.name, settings))
        facts = session.facts()
        offset = _clock_offset(session)
        ranges = {"agent": list(cluster.ports), "overlay": list(OVERLAY_PORTS)}
        ports = session.ask({"serve": ranges}, SERVE_TIMEOUT_S)
    except NoPythonError as problem:
        return _look_without_python(known, executor, settings, problem)
    except FairleadError as error:
        return replace(known, unreachable=str(error))
    sessions[host.name] = session
    return replace(known, facts=facts, clock=offset, ports=ports)


def _look_without_python(known: HostFacts, executor: Executor, settings: Settings, problem: NoPythonError) -> HostFacts:
    """What a shell can say of a host."""
    try:
        facts = plain.facts(executor, known.name, settings)
    except FairleadError as error:
        return replace(known, unreachable=str(error))
    return replace(known, facts=facts, without_python=problem.message.partition(": ")[2].partition(",")[0])


def _clock_offset(session: ProbeSession) -> ClockOffset:
    """From the question that was answered soonest: the host's clock was read between asking and hearing."""
    found = []
    for _ in range(CLOCK_QUESTIONS):
        asked_s = time.time()
        told_s = session.ask({"clock": True}, SERVE_TIMEOUT_S)["time_s"]
        heard_s = time.time()
        found.append(ClockOffset(told_s - (asked_s + heard_s) / 2, (heard_s - asked_s) / 2))
    return min(found, key=lambda each: each.error_s)


def _that_can_connect(facts: Sequence[HostFacts]) -> list[str]:
    """Hosts that can try to reach this machine: it takes Python."""
    return [each.name for each in facts if each.reached and not each.without_python]


def _launch(cluster: Cluster, executor: Executor, hosts: list[str]) -> LaunchFacts | None:
    """Facts of this machine, where mpirun reaches the hosts from it."""
    if not cluster.launches_from_here():
        return None
    try:
        text, _ = ask(None, "this machine", cluster.mpirun)
        mpi = parse_version(text, mpirun=cluster.mpirun)
        launcher_address = launcher_address_on(cluster, cluster.compute_hosts()[0])
    except FairleadError as problem:
        return LaunchFacts(problem=str(problem))
    if launcher_address is None:
        return LaunchFacts(mpi)
    family = family_of(launcher_address.address)
    with socket.create_server((launcher_address.address, 0), family=family, backlog=len(cluster.hosts)) as listener:
        words = [PYTHON, "-c", _CONNECT, launcher_address.address, str(listener.getsockname()[1])]
        connected = on_all(hosts, lambda name: _succeeds(executor, name, words))
    return LaunchFacts(
        mpi, address=launcher_address.address, blind=tuple(name for name in hosts if not connected[name])
    )


def _succeeds(executor: Executor, host: str, argv: list[str]) -> bool:
    try:
        return attempt(executor, host, argv).returncode == 0
    except FairleadError:
        return False


def _try(known: dict[str, HostFacts], others: list[str], sessions: dict[str, ProbeSession], name: str) -> HostFacts:
    """Facts of one host with its paths to some others."""
    interface = known[name].interface()
    peers = [
        {
            "name": other,
            "address": known[other].host.address,
            "mtu_B": interface["mtu_B"] if interface else 1500,
            **known[other].ports,
        }
        for other in others
    ]
    try:
        return replace(known[name], paths=sessions[name].ask({"try": peers}, PAIRS_TIMEOUT_S))
    except FairleadError as error:
        return replace(known[name], unreachable=str(error))
