"""What managing 16, 32 and 64 hosts costs: labs, start of the agents, agents and supervisor while nothing happens."""

import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.agents.idle import cost_of
from bench.durations.lab_life import processes_in
from bench.figures import Figure
from bench.session import Session
from fairlead import lab
from fairlead.agents.agent_thread import AgentThread
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.jobs.launch import Course
from fairlead.lab.description import Description
from fairlead.manage.components import FULL
from fairlead.manage.known_network import management_for
from fairlead.manage.supervisor import supervise
from fairlead.protocol.messages import AgentEvent
from fairlead.protocol.recorded_events import EventRecorder
from fairlead.store import Store

LEAFS = {16: 4, 32: 8, 64: 8}
"""By number of hosts."""
UP_TARGET_S, DOWN_TARGET_S, START_TARGET_S = 2.0, 4.0, 10.0
IDLE_TARGET, SUPERVISOR_TARGET, MEMORY_TARGET_MB = 0.001, 0.05, 20.0
SETTLE_S, QUICK_SETTLE_S = 30.0, 2.0  # first contacts with all hosts
DURATION_S, QUICK_DURATION_S = 20.0, 3.0


@dataclass(frozen=True)
class Cost:
    """Of one size: times in seconds, shares of a core, and the most memory of a host's agent and guardian."""

    up_s: float
    down_s: float
    start_s: float
    idle: float
    supervisor: float
    peak_MB: float


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``hosts.N.{up,down,start,idle,supervisor,memory}`` and ``hosts.WHAT.exponent``: how each grows with N."""
    costs = {hosts: _cost(session, hosts) for hosts in LEAFS}
    for hosts, cost in costs.items():
        session.record(hosts=hosts, **vars(cost))
        for name, value, unit, target in (
            ("up", cost.up_s, "s", UP_TARGET_S),
            ("down", cost.down_s, "s", DOWN_TARGET_S),
            ("start", cost.start_s, "s", START_TARGET_S),
            ("idle", cost.idle, "1", IDLE_TARGET),
            ("supervisor", cost.supervisor, "1", SUPERVISOR_TARGET),
            ("memory", cost.peak_MB, "MB", MEMORY_TARGET_MB),
        ):
            yield Figure(f"hosts.{hosts}.{name}", value, unit, 1, target, note=NOTES.get(name, ""))
    for name in ("up_s", "start_s", "idle", "supervisor"):
        values = [getattr(cost, name) for cost in costs.values()]
        what = name.removesuffix("_s")
        yield Figure(f"hosts.{what}.exponent", exponent(list(costs), values), "1", len(values))


NOTES = {
    "down": "until no process of the lab is left",
    "start": "until all agents are ready, have their guardians and reach another",
    "idle": "agent and guardian of a host, mean; no program runs",
    "supervisor": "share of a core; no program runs",
    "memory": "agent and guardian, peak, worst host",
}


def exponent(sizes: Sequence[int], values: Sequence[float]) -> float | None:
    """Least squares of log(value) over log(size); None where a value is not positive."""
    if min(values) <= 0.0:
        return None
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    products = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return products / sum((a - middle_x) ** 2 for a in x)


def description(hosts: int) -> Description:
    """A leaf-spine with two ways between any two leafs."""
    tables = {
        "lab": {
            "name": f"bench-hosts{hosts}-{os.getpid()}",
            "topology": "leaf-spine",
            "leafs": LEAFS[hosts],
            "spines": 2,
            "hosts_per_leaf": hosts // LEAFS[hosts],
        },
        "host_link": {"rate": "100mbit", "queue": "10ms"},
        "trunk": {"rate": "100mbit", "queue": "20ms"},
    }
    return Description.model_validate(tables)


def _cost(session: Session, hosts: int) -> Cost:
    begin_s = time.monotonic()
    running = lab.up(description(hosts))
    up_s = time.monotonic() - begin_s
    try:
        start_s, idle, supervisor, peak_MB = _managed(session, running, hosts)
    finally:
        begin_s = time.monotonic()
        running.down()
    while processes_in(running.record["pid_namespace"]) and time.monotonic() - begin_s < 10 * DOWN_TARGET_S:
        time.sleep(0.005)
    down_s = time.monotonic() - begin_s
    session.say(
        f"{hosts} hosts: lab up {up_s:.2f} s, down {down_s:.2f} s; agents started in {start_s:.2f} s; at rest "
        f"{idle:.3%} of a core a host, supervisor {supervisor:.2%}, {peak_MB:.1f} MB"
    )
    return Cost(up_s, down_s, start_s, idle, supervisor, peak_MB)


def _managed(session: Session, running: lab.Lab, hosts: int) -> tuple[float, float, float, float]:
    """Agents' start in seconds; shares of a core of the mean host and of the supervisor; peak memory in MB."""
    cluster = parse_cluster(running.cluster_file_text())
    settle_s = session.size(SETTLE_S, QUICK_SETTLE_S)
    duration_s = session.size(DURATION_S, QUICK_DURATION_S)
    started: list[AgentThread] = []
    start_s: list[float] = []
    found: list[float] = []

    def ready(agents: AgentThread) -> None:
        start_s.append(time.monotonic() - begin_s)
        started.append(agents)

    def rest(_: Course) -> int:
        time.sleep(settle_s)
        pids = started[0].group.pids
        before = [cost_of(pid).cpu_s for pid in pids]
        own_s, from_s = time.process_time(), time.monotonic()
        time.sleep(duration_s)
        own_s, elapsed_s = time.process_time() - own_s, time.monotonic() - from_s
        after = [cost_of(pid) for pid in pids]
        # Those that are read later have rested longer, before as after.
        found.append(sum(b.cpu_s - a for a, b in zip(before, after, strict=True)) / hosts / elapsed_s)
        found.extend((own_s / elapsed_s, max(each.peak_MB for each in after)))
        return 0

    with Store.open(session.directory / f"hosts{hosts}") as store:
        management = management_for(cluster, FULL, store, quiet=True)
        recorder = EventRecorder(store, store.begin_run("run", {}), cluster.managed_names())

        def record(host: int, event: AgentEvent) -> None:
            recorder(host, event, time.time())

        begin_s = time.monotonic()
        supervise(cluster, management, rest, argv=["rest"], sinks=[record], quiet=True, with_agents=ready)
    return start_s[0], found[0], found[1], found[2]
