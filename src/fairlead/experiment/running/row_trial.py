"""What a row of a plan runs on what was set up: the trial, put together."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from fairlead.cluster.description import Cluster
from fairlead.errors import LaunchError
from fairlead.experiment.factors.congestion import CongestionPlan, Episode, episodes
from fairlead.experiment.factors.program import Program, prepare_program
from fairlead.experiment.factors.transport import CANNOT_REROUTE, WAY_OUT, is_out_of_reach
from fairlead.experiment.plans.design import Row
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.neighbours import Neighbour
from fairlead.experiment.running.testbed import Testbed
from fairlead.experiment.running.trial import Trial
from fairlead.manage.management import Management
from fairlead.manage.migration import movers

CleanTime = Callable[[], float]


def of(
    plan: Plan,
    row: Row,
    testbed: Testbed,
    ledger: CleanupLedger,
    program: Program,
    *,
    drawn_by: str,
    clean_time_s: CleanTime,
    alone: bool = False,
) -> Trial:
    """The trial of a row.

    Args:
        program: the main program.
        drawn_by: names rows that face the same congestion in each replication.
        clean_time_s: the program's run time on a clean network; asked for where it is needed.
        alone: without congestion and management, as pilots are.

    Raises:
        LaunchError: see `can_manage`.
        FairleadError: something of it is missing, or the network cannot be characterized.
    """
    if not alone and not can_manage(plan, row, testbed, program):
        raise LaunchError(CANNOT_REROUTE, hint=WAY_OUT)
    cluster = _hosts_of(plan, 0, testbed.cluster)
    # Before neighbours are there: the network is characterized quiet.
    management = None if alone else _management(plan, row, testbed, clean_time_s)
    watched = management is not None and management.in_ranks
    launcher, job = prepare_program(cluster, program, secrets.token_hex(4), watched=watched)
    instances = _neighbours(plan, row, testbed, ledger)
    testbed.share_processors(1 + len(plan.neighbours_at(row.levels)))
    testbed.restore()
    congestion = None if alone else plan.congestion_at(row.levels)
    bottlenecks = congestion.bottlenecks if congestion else ()
    return Trial(
        cluster,
        testbed.cluster,
        launcher,
        job,
        program.timeout_s,
        management=management,
        instances=instances,
        episodes=_episodes(plan, row, congestion, drawn_by, clean_time_s) if congestion else (),
        bottlenecks=bottlenecks,
        congest=(lambda bottleneck: testbed.congestion(bottlenecks[bottleneck])) if congestion else None,
        in_lab=testbed.lab is not None,
        traffic=testbed.watch(),
        prefix=testbed.prefix(0),
    )


def can_manage(plan: Plan, row: Row, testbed: Testbed, program: Program) -> bool:
    """Whether what the row's management moves goes over a transport that it can move."""
    return not is_out_of_reach(plan.managed_at(row.levels).components, program.transport_on(testbed.cluster))


def needs_pilot(plan: Plan, row: Row) -> bool:
    """Whether the program's run time on a clean network has to be known first."""
    congestion = plan.congestion_at(row.levels)
    return (congestion is not None and not _at_once(congestion)) or plan.managed_at(row.levels).components.migration


def _at_once(congestion: CongestionPlan) -> bool:
    """Whether it is there from the start to the end."""
    return congestion.onset == (0.0, 0.0) and not congestion.moves


def _management(plan: Plan, row: Row, testbed: Testbed, clean_time_s: CleanTime) -> Management | None:
    managed = plan.managed_at(row.levels)
    if not managed.components.agents:
        return None
    found = testbed.management(managed)
    if not managed.components.migration:
        return found
    return replace(found, mover=movers.maker(testbed.cluster, clean_time_s()))


def _episodes(
    plan: Plan, row: Row, congestion: CongestionPlan, drawn_by: str, clean_time_s: CleanTime
) -> list[Episode]:
    return episodes(
        seed=plan.evaluation.seed,
        case=drawn_by,
        replication=row.replication,
        clean_time_s=0.0 if _at_once(congestion) else clean_time_s(),
        bottlenecks=len(congestion.bottlenecks),
        onset=congestion.onset,
        moves=congestion.moves,
    )


def _hosts_of(plan: Plan, instance: int, cluster: Cluster) -> Cluster:
    """What an instance runs on; the main program is the first."""
    table = plan.neighbours
    return cluster.only(table.hosts[instance]) if table and table.hosts else cluster


def _neighbours(plan: Plan, row: Row, testbed: Testbed, ledger: CleanupLedger) -> list[Neighbour]:
    instances = []
    for number, name in enumerate(plan.neighbours_at(row.levels), start=1):
        cluster, prefix = _hosts_of(plan, number, testbed.cluster), testbed.prefix(number)
        launcher, job = prepare_program(cluster, plan.neighbour_at(name, row.levels), secrets.token_hex(4))
        if not plan.silent_at(row.levels):
            instances.append(Neighbour(number, name, cluster, launcher, job, ledger, prefix))
            continue
        for host, ranks in job.ranks_on().items():
            alone, program = cluster.only([host]), plan.neighbour_at(name, row.levels, ranks)
            launcher, job = prepare_program(alone, program, secrets.token_hex(4))
            instances.append(Neighbour(number, name, alone, launcher, job, ledger, prefix, host))
    return instances
