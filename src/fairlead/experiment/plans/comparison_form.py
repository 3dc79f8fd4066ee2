"""A comparison as plans in the general form: one a network, with the factors case, network and management. Pure."""

from collections.abc import Mapping
from typing import Any, get_args

from fairlead.analysis.evaluations.settings import Level
from fairlead.experiment.factors.congestion import CongestionTable
from fairlead.experiment.factors.management import ManagementLevel, ManagementTable, Stage
from fairlead.experiment.plans import design
from fairlead.experiment.plans.comparison import CLEAN, Case, ComparisonPlan, ComparisonTable, NetworkPlan
from fairlead.experiment.plans.design import Row
from fairlead.experiment.plans.plan import EvaluationTable, Plan, Replications, RunTable

CASE, NETWORK, MANAGEMENT = "case", "network", "management"
CONGESTED = "congested"
UNMANAGED, MANAGED = "none", "managed"


def parts(plan: ComparisonPlan) -> dict[NetworkPlan, Plan]:
    """By network, what is run on it; networks come one after the other."""
    cases = plan.all_cases()
    networks = dict.fromkeys(case.network for case in cases)
    return {network: _part(plan, network, [each for each in cases if each.network == network]) for network in networks}


def _part(plan: ComparisonPlan, network: NetworkPlan, cases: list[Case]) -> Plan:
    table = plan.comparison
    congestions = {congestion_name(plan, case): case.congestion for case in cases}
    others = {case.name: tuple(name for name in congestions if name != congestion_name(plan, case)) for case in cases}
    managements = managements_of(table)
    return Plan(
        evaluation=EvaluationTable(
            name=table.name,
            lab=str(network.lab) if network.lab else None,
            cluster=str(network.cluster) if network.cluster else None,
            seed=table.seed,
        ),
        factors={
            CASE: tuple(case.name for case in cases),
            NETWORK: (CLEAN, *congestions),
            MANAGEMENT: tuple(managements),
        },
        run=RunTable(program=f"{{{CASE}}}", transport=table.transport),
        programs=tuple(case.program.model_copy(update={"name": case.name}) for case in cases),
        replications=Replications(count=table.replications),
        congestion=CongestionTable(factor=NETWORK, levels={CLEAN: "none", **congestions}),
        management=ManagementTable(factor=MANAGEMENT, levels=dict(managements)),
        exclude=tuple({CASE: case, NETWORK: names} for case, names in others.items() if names),
    )


def congestion_name(plan: ComparisonPlan, case: Case) -> str:
    """What a case's congestion is called: as the plan calls it, where it has several."""
    return next((name for name, each in plan.congestions.items() if each == case.congestion), CONGESTED)


def managements_of(table: ComparisonTable) -> dict[str, ManagementLevel]:
    """The levels of management: none, and managed; of several planes one each; or stage by stage (DMCBM table 4.1)."""

    def level(components: Stage, plane: str = table.planes[0]) -> ManagementLevel:
        return ManagementLevel(
            components=components,
            plane=plane,
            monitor=table.monitor,
            acknowledge=table.acknowledge,
            benefit=table.benefit,
            settings=table.settings,
        )

    if table.stages:
        stages = [stage for stage in get_args(Stage) if stage != "migration" or table.migrate]
        return {stage: level(stage) for stage in stages}
    last: Stage = "migration" if table.migrate else "detours"
    if len(table.planes) == 1:
        return {UNMANAGED: level("none"), MANAGED: level(last)}
    return {UNMANAGED: level("none"), **{plane: level(last, plane) for plane in table.planes}}


def rows_of(plan: ComparisonPlan) -> list[Row]:
    """Every row of a comparison in the order they are run."""
    rows: list[Row] = []
    for part in parts(plan).values():
        rows += design.planned_rows(part, len(rows))
    return rows


def scenario(levels: Mapping[str, Level]) -> str:
    """What a row's scenario is called, as the store and the report have it: clean, congested_managed, ..."""
    network = CLEAN if levels[NETWORK] == CLEAN else CONGESTED
    return network if levels[MANAGEMENT] == UNMANAGED else f"{network}_{levels[MANAGEMENT]}"


def key(row: Row) -> str:
    """Names the row for good: what is finished is not run again."""
    return f"{row.levels[CASE]}/{scenario(row.levels)}/{row.replication}"


def labels(row: Row, case: Case) -> dict[str, Any]:
    """What the store selects a row by."""
    return {
        "case": case.name,
        "program": case.program.name,
        "ranks": case.program.ranks,
        "scenario": scenario(row.levels),
        "replication": row.replication,
        "pair": f"{case.name}/{row.replication}",
    }
