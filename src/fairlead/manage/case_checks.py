"""Whether the cases of a comparison can run, judged before the first: programs, ranks, files, congestion, memory."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from fairlead.cluster import memory
from fairlead.cluster.description import Cluster
from fairlead.config_findings import Findings
from fairlead.config_mistakes import Location
from fairlead.display import words
from fairlead.errors import ConfigError, LabError
from fairlead.lab import congestion
from fairlead.lab import description as lab_description
from fairlead.lab.lab import cluster_file_text
from fairlead.lab.resolve import resolve
from fairlead.lab.topology import Plan as Lab
from fairlead.manage.plan import Case, ComparisonPlan, NetworkPlan
from fairlead.programs import needs


def findings(plan: ComparisonPlan, path: Path) -> Findings[str]:
    """What keeps cases from running.

    Args:
        path: the plan's file.
    """
    cases = plan.all_cases()
    found = Findings[str](path, partial(_cases_in_words, len(cases)))
    hosts: dict[NetworkPlan, Cluster | None] = {}
    for network in dict.fromkeys(case.network for case in cases):
        hosts[network] = _add_network(found, plan, [case for case in cases if case.network == network])
    for case in cases:
        _add_program(found, plan, case, hosts[case.network])
    return found


def _add_network(found: Findings[str], plan: ComparisonPlan, cases: Sequence[Case]) -> Cluster | None:
    """What is wrong with the network of these cases, or with their congestion on it; returns its hosts, if any."""
    network = cases[0].network
    try:
        if network.lab is None:
            assert network.cluster is not None  # the plan has either
            return Cluster.load(network.cluster)
        lab = resolve(lab_description.load(network.lab))
    except ConfigError as error:
        file = network.lab or network.cluster
        for case in cases:
            hint = error.hint or f"write or correct {file.name if file else 'it'}"
            found.add(case.name, _network(plan, case), error.message, hint)
        return None
    for case in cases:
        _add_congestion(found, plan, case, lab)
    return Cluster.parse(cluster_file_text(lab), source=str(network.lab))


def _add_program(found: Findings[str], plan: ComparisonPlan, case: Case, cluster: Cluster | None) -> None:
    table = ("programs", plan.programs.index(case.program))
    argv, ranks = case.program.command, case.program.ranks
    mistake = needs.mistake(argv, ranks)
    if mistake is None and cluster is not None and memory.shares_this_machine(cluster):
        mistake = needs.missing_here(argv)
    if mistake is not None:
        found.add(case.name, (*table, "ranks" if mistake.of_ranks else "command"), mistake.message, mistake.hint)
    elif cluster is not None and (short := _short(case, cluster)):
        found.add(case.name, (*table, "command"), short, "take a smaller class or more hosts")


def _network(plan: ComparisonPlan, case: Case) -> Location:
    """The key that names a case's network."""
    if plan.cases:
        return ("labs", case.network.name)
    return ("comparison", "cluster" if case.network.lab is None else "lab")


def _short(case: Case, cluster: Cluster) -> str | None:
    argv, ranks = case.program.command, case.program.ranks
    needed_B = needs.memory_B(argv, ranks)
    if needed_B is None:
        return None
    short = memory.short(cluster, [memory.by_host(cluster, ranks, needed_B)])
    if short is None:
        return None
    who, needed, there = short
    return (
        f"{needs.in_words(argv, ranks)}: needs {words.size(needed)} of memory on {who}, which has {words.size(there)}"
    )


def _congestion(plan: ComparisonPlan, case: Case) -> Location:
    """The table that says a case's congestion."""
    names = [name for name, congestion in plan.congestions.items() if congestion == case.congestion]
    return ("congestions", names[0]) if names else ("congestion",)


def _add_congestion(found: Findings[str], plan: ComparisonPlan, case: Case, lab: Lab) -> None:
    table = _congestion(plan, case)
    for number, place in enumerate(case.congestion.places):
        try:
            congestion.check(lab, place)
        except LabError as error:
            file = case.network.lab.name if case.network.lab else case.network.name
            found.add(
                case.name,
                (*table, "places", number),
                f"on {file}: {error.message}",
                error.hint or "name links and hosts that the lab has (`fairlead lab show`)",
            )


def _cases_in_words(every: int, cases: Sequence[str]) -> str:
    return "" if len(cases) == every else f"(in {len(cases)} of {every} cases: {words.listing(list(cases))})"
