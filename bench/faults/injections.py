"""How each fault is made, and how it is taken back."""

import os
import re
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from bench.faults import cells, ssh_hosts, stepped_clock
from bench.faults.cells import DESTINATION, RELAYED, ROUTE, SOURCE, FaultCell
from bench.faults.hosts import ENDS, RELAYS, Hosts, kill_all
from bench.faults.programs import LENGTH_S
from bench.faults.runs import Run
from fairlead.agents.group import LEASE_S
from fairlead.cluster.host_binaries import OVERLAY_PORTS
from fairlead.errors import MeasurementError

Undo = Callable[[], None]
TABLE = "inet faults"
STEP_S = 10.0
BEFORE_S = 2.5  # from a program's start to its fault
BETWEEN_S = 2.0  # from a fault's end to the next one of the same run
FASTER = 1.6  # so much a rerouted program may be than on the direct path, where both of its directions meet
HOLD_S = 2.0
RELAYED_HOLD_S = 3.5
LEASE_HOLD_S = LEASE_S + 5.0  # agents end when nothing was heard of their supervisor for a lease
CUT_OFF_HOLD_S = 20.0  # ssh gives a silent host up after 15 s


@dataclass(frozen=True)
class Scene:
    """Where a fault is made.

    Attributes:
        host: the one that is hurt; that of the destination where the run as a whole is.
        run: the run; of two jobs, one that has rerouted the pair.
    """

    hosts: Hosts
    host: str
    plane: str
    run: Run

    def agent(self) -> int:
        """The agent of the run on the host; there is no other job."""
        return self.hosts.process(self.host, "fairlead-agent")


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    Attributes:
        make: returns what takes the fault back, or None where nothing can.
        hold_s: how long it lasts.
        length: of the program, as a multiple of the usual one.
    """

    make: Callable[[Scene], Undo | None]
    hold_s: float = HOLD_S
    length: float = 1.0


def _kill_agent(scene: Scene) -> None:
    os.kill(scene.agent(), signal.SIGKILL)


def _stop_agent(scene: Scene) -> Undo:
    agent = scene.agent()
    os.kill(agent, signal.SIGSTOP)
    return lambda: kill_all([agent], signal.SIGCONT)


def _kill_guardian(scene: Scene) -> None:
    os.kill(scene.hosts.process(scene.host, "fairlead-guardian"), signal.SIGKILL)


def _kill_agent_and_guardian(scene: Scene) -> None:
    """Neither has the time to do anything about the other's end."""
    kill_all([scene.hosts.process(scene.host, name) for name in ("fairlead-guardian", "fairlead-agent")])


def _silence(scene: Scene) -> Undo:
    """The switch's end of the host's link goes down."""
    plan = scene.hosts.lab.plan
    leaf = plan.leafs[plan.host_by_name[scene.host].leaf]
    scene.hosts.run(leaf, f"ip link set {scene.host} down")
    return lambda: _quietly(scene.hosts, leaf, f"ip link set {scene.host} up")


def _filter(scene: Scene, chains: str, *, hits: bool = True) -> Undo:
    """A packet filter on the host, whose rules count what they drop.

    Args:
        hits: it must drop something before it is taken back: else its packets go another way than was thought.
    """
    scene.hosts.run(scene.host, f"nft -f - <<'END'\ntable {TABLE} {{\n{chains}\n}}\nEND")

    def undo() -> None:
        if not scene.hosts.lab.is_alive():
            return
        listed = scene.hosts.run(scene.host, f"nft list table {TABLE} && nft delete table {TABLE}")
        if hits and counted(listed) == 0:
            raise MeasurementError(f"the packet filter on {scene.host} met nothing to drop")

    return undo


def counted(listed: str) -> int:
    """Packets that the counters of a listed packet filter have seen."""
    return sum(int(number) for number in re.findall(r"counter packets (\d+)", listed))


def _both_ways(rule: str) -> str:
    """Chains that apply a rule to what comes in and what goes out."""
    return "".join(f"chain {hook} {{ type filter hook {hook} priority 0; {rule} }}\n" for hook in ("input", "output"))


def _quietly(hosts: Hosts, node: str, script: str) -> None:
    if hosts.lab.is_alive():
        hosts.run(node, script)


def _block_port(scene: Scene) -> Undo:
    """What carries the rerouted pair's traffic: the overlay's UDP port, or the connections between agents."""
    if scene.plane == RELAYED:
        first, last = scene.hosts.cluster.ports
        rule = f"tcp dport {first}-{last} counter drop; tcp sport {first}-{last} counter drop;"
    else:
        rule = f"udp dport {OVERLAY_PORTS[0]}-{OVERLAY_PORTS[1]} counter drop;"
    return _filter(scene, _both_ways(rule))


def _drop_forwarded(scene: Scene) -> Undo:
    """An end of the pair forwards nothing, and so has nothing to drop."""
    chain = "chain forward { type filter hook forward priority 0; counter drop; }"
    return _filter(scene, chain, hits=scene.host in RELAYS)


def _cut_direct(scene: Scene) -> Undo:
    """What comes from the source by no overlay: the agents' own packets, and a pair's that is not on a detour.

    Only the way there: the way back is a pair of its own, which is rerouted or not.
    """
    rule = f'iifname != "fl-*" ip saddr {scene.hosts.address(ENDS[SOURCE])} counter drop;'
    return _filter(scene, f"chain input {{ type filter hook input priority 0; {rule} }}")


def _step_clock(scene: Scene) -> Undo:
    directory = scene.hosts.directory
    stepped_clock.step(directory, scene.host, STEP_S)

    def undo() -> None:
        with suppress(FileNotFoundError, ConnectionRefusedError):  # an agent that has ended has no clock any more
            stepped_clock.step(directory, scene.host, -STEP_S)

    return undo


def _exhaust_files(scene: Scene) -> Undo:
    """The agent may open nothing any more; what it has open stays."""
    agent = scene.agent()
    taken = {int(name) for name in os.listdir(f"/proc/{agent}/fd")}  # noqa: PTH208  # as numbers
    lowest = next(number for number in range(len(taken) + 1) if number not in taken)
    soft, hard = resource.prlimit(agent, resource.RLIMIT_NOFILE)
    resource.prlimit(agent, resource.RLIMIT_NOFILE, (lowest, hard))

    def undo() -> None:
        try:
            resource.prlimit(agent, resource.RLIMIT_NOFILE, (soft, hard))
        except ProcessLookupError:
            return  # the fault may have ended it

    return undo


def _drop_ssh(scene: Scene) -> None:
    found = ssh_hosts.connections(scene.run.process.pid, scene.hosts.address(scene.host), "fairlead-agent")
    if not found:
        raise MeasurementError(f"no ssh session of the agent of {scene.host} was found")
    kill_all(found)


def _cut_off(scene: Scene) -> Undo:
    port = ssh_hosts.PORT
    return _filter(scene, _both_ways(f"tcp dport {port} counter drop; tcp sport {port} counter drop;"))


def _kill_supervisor(scene: Scene) -> None:
    scene.run.process.kill()


def _stop_supervisor(scene: Scene) -> Undo:
    process = scene.run.process
    process.send_signal(signal.SIGSTOP)
    return lambda: process.send_signal(signal.SIGCONT)


def _kill_rank(scene: Scene) -> None:
    name = "cg" if scene.hosts.processes(ENDS[DESTINATION], "cg") else "nbody"
    kill_all(scene.hosts.processes(ENDS[DESTINATION], name))


def _kill_agent_of_run(scene: Scene) -> None:
    os.kill(scene.hosts.process(scene.host, "fairlead-agent", under=scene.run.process.pid), signal.SIGKILL)


FAULTS: dict[str, Fault] = {
    cells.AGENT_KILLED: Fault(_kill_agent),
    cells.AGENT_STOPPED: Fault(_stop_agent),
    cells.SSH_DROPPED: Fault(_drop_ssh),
    cells.GUARDIAN_KILLED: Fault(_kill_guardian),
    cells.BOTH_KILLED: Fault(_kill_agent_and_guardian),
    cells.HOST_SILENT: Fault(_silence),
    cells.PORT_BLOCKED: Fault(_block_port),
    cells.FORWARDING_DROPPED: Fault(_drop_forwarded),
    cells.CLOCK_STEPPED: Fault(_step_clock),
    cells.FILES_EXHAUSTED: Fault(_exhaust_files),
    cells.SUPERVISOR_KILLED: Fault(_kill_supervisor),
    cells.SUPERVISOR_SILENT: Fault(_stop_supervisor, LEASE_HOLD_S, length=5.0),
    cells.SUPERVISOR_CUT_OFF: Fault(_cut_off, CUT_OFF_HOLD_S, length=6.0),
    cells.PROGRAM_KILLED: Fault(_kill_rank),
    cells.TWO_JOBS: Fault(_kill_agent_of_run, length=2.0),  # the first must last until both are rerouted
    cells.DIRECT_CUT: Fault(_cut_direct),
}


def length(cell: FaultCell, places: int = 1) -> float:
    """How long a cell's program is, as a multiple of the usual one: it has to outlast the fault, at each place."""
    held_s = places * hold_s(cell) + (places - 1) * BETWEEN_S
    return max(FAULTS[cell.fault].length, FASTER * (BEFORE_S + held_s) / LENGTH_S)


def hold_s(cell: FaultCell) -> float:
    """How long a cell's fault lasts: longer than traffic may need to flow again in spite of it.

    An end that is silent itself is so for as long as where TCP was watched alone.
    """
    own_s = FAULTS[cell.fault].hold_s
    if cell.plane == ROUTE or (cell.fault == cells.HOST_SILENT and cell.place != cells.RELAY):
        return own_s
    return max(own_s, RELAYED_HOLD_S)


def make(fault: str, scene: Scene) -> tuple[float, Undo | None]:
    """Make a fault; when it was there, by time.monotonic(), and what takes it back."""
    undo = FAULTS[fault].make(scene)
    return time.monotonic(), undo
