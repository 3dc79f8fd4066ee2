"""What the message monitor changes: from onset to moved, processor time of agents, run times without congestion."""

import random
import secrets
import subprocess
import tempfile
from collections.abc import Iterator

from bench import laboratory, onset
from bench.figures import AT_MOST, Figure, ends, median_figure
from bench.laboratory import Network
from bench.session import Session
from fairlead.cluster import launch
from fairlead.errors import LaunchError
from fairlead.manage import programs
from fairlead.manage.agents import Message
from fairlead.manage.monitor import monitored
from fairlead.manage.supervisor import supervise
from fairlead.report import statistics

ONSETS, QUICK_ONSETS = 16, 4
PAIRS, QUICK_PAIRS = 15, 2
PROGRAMS = ("cg", "nbody")
OVERHEAD_TARGET = 0.03


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``monitor.onset.*``, ``monitor.agent.*`` (of a core, median of the hosts) and ``monitor.measured.*``."""
    with laboratory.network(session, laboratory.MESH8) as net:
        net.characterise()
        yield from reactions(session, net)
        for name in PROGRAMS:
            yield overhead(session, net, name)


def reactions(session: Session, net: Network) -> Iterator[Figure]:
    """Onsets without and with the monitor, the same ones."""
    for name, monitor in (("without", False), ("with", True)):
        cost = AgentCost()
        onsets = onset.reactions(net, session.size(ONSETS, QUICK_ONSETS), monitor=monitor, sinks=[cost])
        yield onset.figure(f"monitor.onset.{name}", onsets)
        yield median_figure(f"monitor.agent.{name}", cost.shares(), "1")


def overhead(session: Session, net: Network, program: str) -> Figure:
    """Managed runs on a clean network in pairs, with and without the monitor: its upper end, as `bench.overhead`'s."""
    draw = random.Random(f"{session.seed} {program}")
    times_s: dict[bool, list[float]] = {False: [], True: []}
    for number in range(session.size(PAIRS, QUICK_PAIRS)):
        for monitor in draw.sample([False, True], 2):
            times_s[monitor].append(run_time_s(session, net, program, monitor=monitor))
            session.record(program=program, pair=number, monitor=monitor, time_s=times_s[monitor][-1])
    found = statistics.paired_ratio(times_s[True], times_s[False], statistics.DEFAULT_LEVEL)
    low, high = (None if end is None else end - 1 for end in ends(found))
    note = f"upper end of the interval of paired runs; median {found.value - 1:+.4f}"
    return Figure(
        f"monitor.measured.{program}", found.high - 1, "1", found.n, OVERHEAD_TARGET, AT_MOST, (low, high), note
    )


def run_time_s(session: Session, net: Network, program: str, *, monitor: bool) -> float:
    """Run time of a managed run, by the program's own clock.

    Raises:
        LaunchError: the program failed.
    """
    plan = next(each for each in laboratory.plan(session).programs if each.name == program)
    launcher, plain_job = net.job(plan, job_id=secrets.token_hex(4))
    with (
        monitored(net.cluster, plain_job, net.management(monitor=monitor)) as (job, management),
        tempfile.TemporaryFile() as output,
    ):

        def run() -> int:
            return launch.run(
                net.cluster,
                launcher,
                job,
                stdin=subprocess.DEVNULL,
                stdout=output.fileno(),
                stderr=subprocess.STDOUT,
                timeout_s=plan.timeout_s,
                on_signal=None,
            )

        outcome = supervise(net.cluster, management, run, argv=plan.command, quiet=True)
        output.seek(0)
        said = programs.verdict(output.read())
    if outcome.exit_code != 0 or said.timed_s is None:
        raise LaunchError(f"{program} ended with exit code {outcome.exit_code}")
    return said.timed_s


class AgentCost:
    """What agents spent between their first and their last report."""

    def __init__(self) -> None:
        self._first: dict[int, tuple[float, float]] = {}
        self._last: dict[int, tuple[float, float]] = {}

    def __call__(self, host: int, event: Message) -> None:
        if event["type"] == "stats":
            now = (event["t_s"], event["cpu_s"])
            self._first.setdefault(host, now)
            self._last[host] = now

    def shares(self) -> list[float]:
        """Processor time over time, by host."""
        return [
            (cpu_s - self._first[host][1]) / (t_s - self._first[host][0])
            for host, (t_s, cpu_s) in self._last.items()
            if t_s > self._first[host][0]
        ]
