"""Which machine goes where, and whether it pays."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace

from fairlead.cloud.inventory import Inventory, Vm
from fairlead.lab.migration.precopy import expected_time_s
from fairlead.manage.migration.diagnosis import Diagnosis
from fairlead.manage.migration.settings import MigrationSettings
from fairlead.manage.migration.traffic import Rate, TrafficRates

_SILENT = Rate(0.0, 0.0)


@dataclass(frozen=True)
class RunProgress:
    """How the run goes.

    Attributes:
        lost_share: of the program's speed that congestion takes.
        rest_s: how long the run is expected to go on as it is.
        usual_in_bps: by machine, what came in while nothing was congested; missing where that was never seen.
    """

    lost_share: float
    rest_s: float
    usual_in_bps: dict[str, float]


@dataclass(frozen=True)
class MigrationSituation:
    """What a choice goes by.

    Attributes:
        inventory: the site's servers and machines.
        traffic: what they send and receive.
        progress: how the run goes.
        congested: servers that nothing is moved to, the one that machines are to leave among them.
        refused: targets that said no.
        settings: of the choice.
    """

    inventory: Inventory
    traffic: TrafficRates
    progress: RunProgress
    congested: Collection[str]
    refused: Collection[str]
    settings: MigrationSettings


@dataclass(frozen=True)
class MigrationCandidate:
    """A move that could be made. Costs are seconds of the program's time."""

    vm: str
    source: str
    target: str
    copy_s: float
    cost_s: float


@dataclass(frozen=True)
class MigrationChoice:
    """What is best for a congested server: a move with its reasons, or why there is none."""

    move: MigrationCandidate | None
    cost_s: float
    why: str


def choose_migration(diagnosis: Diagnosis, situation: MigrationSituation) -> MigrationChoice:
    """The first move of those that bring all the job's machines away from a congested server; none unless all can go.

    The gain is counted for all of them, as a program is as slow as its slowest path: the time that congestion would
    still cost after the last one is gone. So is the cost: copies slow the program, pauses stop it.
    """
    progress, settings = situation.progress, situation.settings
    moves: list[MigrationCandidate] = []
    left = list(diagnosis.vms)
    while left:
        candidates = []
        for name in left:
            candidate = _candidate(situation.inventory.vm(name), situation)
            if isinstance(candidate, str):
                done = f"once {', '.join(f'{each.vm} is on {each.target}' for each in moves)}, " if moves else ""
                return MigrationChoice(None, 0.0, done + candidate)
            candidates.append(candidate)
        moves.append(min(candidates, key=lambda each: (each.cost_s, each.vm)))
        left.remove(moves[-1].vm)
        situation = _after(moves[-1], situation)
    until_s = sum(each.copy_s for each in moves) + (len(moves) - 1) * settings.dwell_s
    gain_s = max(0.0, progress.rest_s - until_s) * progress.lost_share
    cost_s = sum(each.cost_s for each in moves)
    numbers = (
        f"{progress.lost_share:.0%} of its speed is lost, about {progress.rest_s:.0f} s are left: moving {len(moves)}"
        f" gains {gain_s:.1f} s and costs {cost_s:.1f} s"
    )
    if gain_s < settings.worth * cost_s:
        return MigrationChoice(None, cost_s, f"it does not pay: {numbers}")
    return MigrationChoice(moves[0], cost_s, numbers)


def _after(move: MigrationCandidate, situation: MigrationSituation) -> MigrationSituation:
    """The same once a machine has moved and exchanges there what it exchanges now."""
    inventory, traffic = situation.inventory, situation.traffic
    vms = tuple(replace(vm, server=move.target) if vm.name == move.vm else vm for vm in inventory.vms)
    own, servers = traffic.vms.get(move.vm, _SILENT), dict(traffic.servers)
    for name, sign in ((move.source, -1), (move.target, 1)):
        rate = servers.get(name, _SILENT)
        servers[name] = Rate(max(0.0, rate.in_bps + sign * own.in_bps), max(0.0, rate.out_bps + sign * own.out_bps))
    return replace(situation, inventory=replace(inventory, vms=vms), traffic=replace(traffic, servers=servers))


def _target(vm: Vm, situation: MigrationSituation) -> tuple[str | None, str]:
    """The server with most rate left that can take the machine, or why none can."""
    inventory, progress, settings = situation.inventory, situation.progress, situation.settings
    network = inventory.server(vm.server).network
    now_bps = situation.traffic.vms.get(vm.name, _SILENT).in_bps  # the least that it needs, where more was never seen
    left: dict[str, float] = {}
    problems = []
    for server in inventory.servers:
        if server.name == vm.server or server.network != network:
            continue
        busiest_bps = _usual_bps(server.name, situation) + progress.usual_in_bps.get(vm.name, now_bps)
        bars = inventory.bars(server.name, vm)
        if server.name in situation.congested:
            problems.append(f"{server.name} is congested itself")
        elif server.name in situation.refused:
            problems.append(f"{server.name} refused")
        elif bars:
            problems.append(f"{server.name} {bars}")
        elif server.uplink_bps and busiest_bps > settings.target_share * server.uplink_bps:
            problems.append(
                f"{server.name} would carry {busiest_bps / 1e6:.0f} of {server.uplink_bps / 1e6:.0f} Mbit/s"
            )
        else:
            left[server.name] = (server.uplink_bps or 0.0) - busiest_bps
    if not left:
        return None, "; ".join(problems) or "there is no other server in its network"
    return max(left, key=lambda name: (left[name], name)), ""


def _usual_bps(server: str, situation: MigrationSituation) -> float:
    """What a server's uplink carries, with its machines of the job as busy as they are without congestion."""
    traffic, usual_in_bps = situation.traffic, situation.progress.usual_in_bps
    rate = traffic.servers.get(server, _SILENT)
    held_back_bps = sum(
        max(0.0, usual_in_bps.get(vm.name, 0.0) - traffic.vms.get(vm.name, _SILENT).in_bps)
        for vm in situation.inventory.vms_on(server)
    )
    return max(rate.in_bps, rate.out_bps) + held_back_bps


def _candidate(vm: Vm, situation: MigrationSituation) -> MigrationCandidate | str:
    """A machine's best move, or why it has none.

    Expected cost: the copy slows the program, the pause stops it, and what the machine exchanges is in the way of both,
    so that of machines alike the one with least traffic goes first.
    """
    inventory, traffic, settings = situation.inventory, situation.traffic, situation.settings
    target, why_not = _target(vm, situation)
    if target is None:
        return f"no server can take {vm.name}: {why_not}"
    if vm.dirty_Bps is None:
        return f"it is not known how fast {vm.name} writes to its memory"
    source = inventory.server(vm.server)
    rates = []
    for server, used_bps in (
        (source, traffic.servers.get(source.name, _SILENT).out_bps),
        (inventory.server(target), traffic.servers.get(target, _SILENT).in_bps),
    ):
        if server.uplink_bps:
            rates.append(max(server.uplink_bps - used_bps, settings.copy_share * server.uplink_bps))
    rate_Bps = min(rates, default=0.0) / 8
    copy_s = expected_time_s(vm.memory_B, vm.dirty_Bps, rate_Bps, vm.downtime_s)
    if math.isinf(copy_s):
        return f"{vm.name} writes to its memory too fast for its copy to end"
    own = traffic.vms.get(vm.name, _SILENT)
    brought = (own.in_bps + own.out_bps) / source.uplink_bps if source.uplink_bps else 0.0
    cost_s = settings.copy_slows * copy_s * (1.0 + brought) + vm.downtime_s + settings.restart_s
    return MigrationCandidate(vm.name, vm.server, target, copy_s, cost_s)
