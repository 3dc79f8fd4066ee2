"""What agents cost while nothing happens: 16 hosts, a program whose ranks are connected and sleep."""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import laboratory
from bench.figures import Figure
from bench.laboratory import Network
from bench.session import Session
from fairlead.agents.agent_thread import AgentThread
from fairlead.cluster.executors import executor_of
from fairlead.cluster.jobs import launch
from fairlead.cluster.remote.execute import run_on
from fairlead.errors import MeasurementError
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.manage.supervisor import supervise

CPU_TARGET = 0.0005
MEMORY_TARGET_MB = 20.0
DURATION_S, QUICK_DURATION_S = 60.0, 5.0
PROGRAM = ProgramPlan(name="cg", command=("cg", "--class", "S", "--iterations", "1000000"), ranks=16)
CONNECTED_S = 5.0  # until the ranks have met
SETTLE_S = 5.0
OURS = ("fairlead-agent", "fairlead-guardian", "route-keeper")


@dataclass(frozen=True)
class Cost:
    """Of one host's agent and guardian together: CPU time so far, and the most memory that was resident."""

    cpu_s: float
    peak_MB: float


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``idle.cpu`` (share of a core) and ``idle.memory`` (MB), each of the worst host."""
    duration_s = session.size(DURATION_S, QUICK_DURATION_S)
    with laboratory.network(session, laboratory.MESH16) as net:
        net.characterize()
        started: list[AgentThread] = []
        shares: list[float] = []
        peaks_MB: list[float] = []

        def run(_: launch.Course) -> int:
            _with_sleeping_ranks(net, lambda: _observe(started[0], duration_s, shares, peaks_MB))
            return 0

        management = net.management()
        supervise(net.cluster, management, run, argv=PROGRAM.command, quiet=True, with_agents=started.append)
    session.record(duration_s=duration_s, cpu_share=shares, peak_MB=peaks_MB)
    hosts = len(shares)
    note = f"worst of {hosts} hosts over {duration_s:g} s, agent and guardian; mean {sum(shares) / hosts:.4f}"
    yield Figure("idle.cpu", max(shares), "1", hosts, CPU_TARGET, note=note)
    note = f"worst of {hosts} hosts, peak, agent and guardian; mean {sum(peaks_MB) / hosts:.1f} MB"
    yield Figure("idle.memory", max(peaks_MB), "MB", hosts, MEMORY_TARGET_MB, note=note)


def _with_sleeping_ranks(net: Network, during: Callable[[], None]) -> None:
    """Run something while the ranks of a program are connected to each other and stopped."""
    launcher, job = net.job(PROGRAM, job_id=secrets.token_hex(4))
    running = launch.start(
        net.cluster,
        launcher,
        job,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(CONNECTED_S)
        ranks = running.ranks()
        missing = [host for host, pids in ranks.items() if not pids]
        if missing or running.poll() is not None:
            raise MeasurementError(f"no rank of {PROGRAM.name} runs on {', '.join(missing) or 'any host'}")
        _signal(net, ranks, signal.SIGSTOP)
        try:
            during()
        finally:
            _signal(net, ranks, signal.SIGCONT)
    finally:
        running.stop()


def _signal(net: Network, ranks: dict[str, list[int]], number: signal.Signals) -> None:
    executor = executor_of(net.cluster)
    for host, pids in ranks.items():
        run_on(executor, host, ["kill", "-s", number.name.removeprefix("SIG"), *map(str, pids)])


def _observe(agents: AgentThread, duration_s: float, shares: list[float], peaks_MB: list[float]) -> None:
    time.sleep(SETTLE_S)
    begin_s = time.monotonic()
    before = [cost_of(pid) for pid in agents.group.pids]
    time.sleep(duration_s)
    after = [cost_of(pid) for pid in agents.group.pids]
    elapsed_s = time.monotonic() - begin_s
    shares += [(b.cpu_s - a.cpu_s) / elapsed_s for a, b in zip(before, after, strict=True)]
    peaks_MB += [cost.peak_MB for cost in after]


def cost_of(pid: int | None) -> Cost:
    """Cost of the agent that was started as ``pid``, and of the guardian that it started.

    Raises:
        MeasurementError: there is no agent among that process's descendants.
    """
    ours = [each for each in _descendants(pid) if _status(each)["Name"] in {name[:15] for name in OURS}]
    if not ours:
        raise MeasurementError(f"process {pid} started no agent")
    return Cost(sum(map(_cpu_s, ours)), sum(int(_status(each)["VmHWM"].split()[0]) * 1024 / 1e6 for each in ours))


def _descendants(pid: int | None) -> list[int]:
    if pid is None:
        return []
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in _descendants(int(child)))]


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _cpu_s(pid: int) -> float:
    """CPU time of all threads, to the nanosecond where the kernel counts it so (schedstat), else in clock ticks."""
    schedstat = list(Path(f"/proc/{pid}/task").glob("*/schedstat"))
    if schedstat:
        return sum(int(path.read_text().split()[0]) for path in schedstat) * 1e-9
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
