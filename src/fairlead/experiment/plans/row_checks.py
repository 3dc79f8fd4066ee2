"""Whether the rows of a plan can run, judged before the first one: programs, ranks, files, congestion and memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from fairlead.cluster import memory
from fairlead.cluster.cluster_file import load_cluster, parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import place_ranks
from fairlead.config_findings import Findings
from fairlead.config_mistakes import Location
from fairlead.display import words
from fairlead.errors import ConfigError, LabError
from fairlead.experiment.factors.program import Program
from fairlead.experiment.factors.transport import CANNOT_REROUTE, WAY_OUT, is_out_of_reach
from fairlead.experiment.plans import comparison_form
from fairlead.experiment.plans.comparison import Case, ComparisonPlan
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.plans.templates import Levels, fill_template
from fairlead.lab import congestion, topology
from fairlead.lab import description as lab_description
from fairlead.lab.congestion import CongestionDescription
from fairlead.lab.lab import cluster_file_text
from fairlead.lab.resolve import resolve_lab
from fairlead.manage.agent_settings import settings_for
from fairlead.placement import placed
from fairlead.programs import needs

RowT = TypeVar("RowT")
_SMALLER = "use a smaller class or more hosts"
ONLY_HERE = "only labs and local clusters share processors by control groups; omit it"


@dataclass(frozen=True)
class Start:
    """A program that a row starts, once or again and again.

    Attributes:
        table: of the plan, which has its ``command`` and ``ranks``.
        cluster: what it runs on; None: not known.
    """

    table: Location
    program: Program
    cluster: Cluster | None

    @property
    def argv(self) -> tuple[str, ...]:
        """Its command."""
        return self.program.command

    @property
    def ranks(self) -> int:
        """How many there are."""
        return self.program.ranks


@dataclass(frozen=True)
class RowCluster:
    """What rows run on. ``lab``: it is made of this description."""

    cluster: Cluster
    lab: topology.ResolvedLab | None = None


class Networks:
    """The labs and clusters that a plan names, each read once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._read: dict[Path, RowCluster | ConfigError] = {}

    def at(self, levels: Levels) -> RowCluster | ConfigError:
        """What a row runs on, or why that is not known."""
        path = self.path(levels)
        if path not in self._read:
            try:
                self._read[path] = self._load(path)
            except ConfigError as error:
                self._read[path] = error
        return self._read[path]

    def path(self, levels: Levels) -> Path:
        """Its file."""
        table = self._plan.evaluation
        return Path(fill_template(table.lab or table.cluster or "", levels))

    def _load(self, path: Path) -> RowCluster:
        if self._plan.evaluation.lab is None:
            return RowCluster(load_cluster(path))
        lab = resolve_lab(lab_description.load(path))
        return RowCluster(parse_cluster(cluster_file_text(lab), source=str(path)), lab)


@dataclass(frozen=True)
class Keys(Generic[RowT]):
    """Where a file says what a row of a plan is made of.

    Attributes:
        row: what a row is told by.
        network, program, congestion, placement, settings, transport: keys or tables, by a row's levels.
    """

    row: Callable[[Levels], RowT]
    network: Callable[[Levels], Location]
    program: Callable[[Levels], Location]
    congestion: Callable[[Levels], Location]
    placement: Callable[[Levels], Location]
    settings: Callable[[Levels], Location]
    transport: Callable[[Levels], Location]


def findings(plan: Plan, path: Path) -> Findings[Levels]:
    """What keeps rows of an evaluation from running.

    Args:
        path: the plan's file.
    """
    found = Findings[Levels](path, partial(_describe_rows, plan))
    _add(found, plan, _keys(plan))
    return found


def of_comparison(plan: ComparisonPlan, path: Path) -> Findings[str]:
    """What keeps cases of a comparison from running.

    Args:
        path: the plan's file.
    """
    cases = {case.name: case for case in plan.all_cases()}
    found = Findings[str](path, partial(_describe_cases, len(cases)))
    for part in comparison_form.parts(plan).values():
        _add(found, part, _keys_of_comparison(plan, cases))
    return found


def _keys(plan: Plan) -> Keys[Levels]:
    def congestion_of(levels: Levels) -> Location:
        assert plan.congestion is not None  # it is asked of rows with congestion
        return ("congestion", "levels", str(levels[plan.congestion.factor]))

    def placement_of(levels: Levels) -> Location:
        if plan.placement is not None:
            return ("placement", "levels", str(levels[plan.placement.factor]))
        return (*program_of(levels), "placement")

    def program_of(levels: Levels) -> Location:
        table = plan.program_table(levels)
        return ("run",) if table is None else ("programs", plan.programs.index(table))

    def settings_of(levels: Levels) -> Location:
        assert plan.management is not None  # it is asked of rows with settings
        return ("management", "levels", str(levels[plan.management.factor]), "settings")

    kind = "cluster" if plan.evaluation.lab is None else "lab"
    return Keys(
        dict,
        lambda levels: ("evaluation", kind),
        program_of,
        congestion_of,
        placement_of,
        settings_of,
        lambda levels: ("run", "transport"),
    )


def _keys_of_comparison(plan: ComparisonPlan, cases: dict[str, Case]) -> Keys[str]:
    def case_of(levels: Levels) -> Case:
        return cases[str(levels[comparison_form.CASE])]

    def network_of(levels: Levels) -> Location:
        network = case_of(levels).network
        if plan.cases:
            return ("labs", network.name)
        return ("comparison", "cluster" if network.lab is None else "lab")

    def program_of(levels: Levels) -> Location:
        return ("programs", plan.programs.index(case_of(levels).program))

    def congestion_of(levels: Levels) -> Location:
        name = comparison_form.congestion_name(plan, case_of(levels))
        return ("congestions", name) if name in plan.congestions else ("congestion",)

    return Keys(
        lambda levels: case_of(levels).name,
        network_of,
        program_of,
        congestion_of,
        lambda levels: (*program_of(levels), "placement"),
        lambda levels: ("comparison", "settings"),
        lambda levels: ("comparison", "transport"),
    )


def _add(found: Findings[RowT], plan: Plan, keys: Keys[RowT]) -> None:
    networks = Networks(plan)
    hint = "use a smaller class, more hosts or fewer neighbours" if plan.neighbours else _SMALLER
    for levels in plan.combinations():
        row, there = keys.row(levels), networks.at(levels)
        if isinstance(there, ConfigError):
            _add_missing(found, row, keys.network(levels), networks.path(levels), there)
        cluster = None if isinstance(there, ConfigError) else there.cluster
        try:
            started = list(starts(plan, levels, cluster, keys.program(levels)))
        except ConfigError as error:  # ranks of a neighbour, hosts that the cluster does not have
            found.add(row, ("neighbours",), error.message, error.hint or "correct the table")
            continue
        for each in started:
            _add_mistakes(found, row, each)
        if isinstance(there, ConfigError):
            continue
        _add_shortage(found, row, there.cluster, started, hint)
        _add_placement(found, row, keys.placement(levels), there.cluster, started[0].program)
        _add_settings(found, row, plan, keys, levels, there.cluster)
        _add_transport(found, row, plan, keys, levels, there.cluster, networks.path(levels))
        if why := unshared_processors(plan, there.cluster):
            found.add(row, ("neighbours", "processors"), why, ONLY_HERE)
        if (congested := plan.congestion_at(levels)) is not None:
            where = keys.congestion(levels), keys.network(levels)
            _add_congestion(found, row, *where, there, networks.path(levels), congested.bottlenecks)


def starts(plan: Plan, levels: Levels, cluster: Cluster | None, table: Location = ("run",)) -> Iterator[Start]:
    """The main program of a row, and its neighbours.

    Args:
        table: that says the main program.

    Raises:
        ConfigError: a number of ranks is none, or the cluster has not the hosts that the plan names.
    """
    neighbours = plan.neighbours
    clusters = [cluster] * (1 + len(plan.neighbours_at(levels)))
    if cluster is not None and neighbours is not None and neighbours.hosts:
        clusters = [cluster.only(hosts) for hosts in neighbours.hosts]
    yield Start(table, plan.program_at(levels), clusters[0])
    for number, name in enumerate(plan.neighbours_at(levels), start=1):
        program, beside = plan.neighbour_at(name, levels), clusters[number]
        at = ("neighbours", "programs", name)
        if not plan.silent_at(levels) or beside is None:
            yield Start(at, program, beside)
            continue
        hosts = place_ranks(beside, program.ranks)
        for host in dict.fromkeys(hosts):
            yield Start(at, plan.neighbour_at(name, levels, hosts.count(host)), beside.only([host]))


def unshared_processors(plan: Plan, cluster: Cluster) -> str | None:
    """Why a row's instances cannot share processors on this cluster as the plan says; None: they can."""
    table = plan.neighbours
    if table is None or table.processors == "system" or memory.shares_this_machine(cluster):
        return None
    return f"the ranks of {cluster.name} are not processes of this machine"


def needed_B(started: Sequence[Start]) -> list[dict[str, float]]:
    """What each program whose memory is known takes, by host, in B."""
    found = []
    for each in started:
        memory_B = needs.memory_B(each.argv, each.ranks)
        if memory_B is not None and each.cluster is not None:
            found.append(memory.by_host(each.cluster, each.ranks, memory_B))
    return found


def _add_missing(found: Findings[RowT], row: RowT, location: Location, file: Path, error: ConfigError) -> None:
    if file.exists():
        found.add(row, location, error.message, error.hint or f"correct {file.name}")
        return
    message = f"{file.name} is missing in {file.parent}"
    found.add(row, location, message, "write it, or omit the level that needs it: --set")


def _add_mistakes(found: Findings[RowT], row: RowT, start: Start) -> None:
    known = not start.program.custom
    mistake = needs.mistake(start.argv, start.ranks) or needs.not_built(start.argv) if known else None
    here = start.cluster is not None and memory.shares_this_machine(start.cluster)
    if mistake is None and here:
        mistake = needs.missing_here(start.argv)
    if mistake is not None:
        key = "ranks" if mistake.of_ranks else "command"
        found.add(row, (*start.table, key), mistake.message, mistake.hint)


def _add_shortage(found: Findings[RowT], row: RowT, cluster: Cluster, started: Sequence[Start], hint: str) -> None:
    short = memory.short(cluster, needed_B(started))
    if short is None:
        return
    who, needed, there = short
    programs = words.listing(list(dict.fromkeys(needs.describe(each.argv, each.ranks) for each in started)))
    message = f"{programs}: needs {words.size(needed)} of memory on {who}, which has {words.size(there)}"
    found.add(row, (*started[0].table, "command"), message, hint)


def _add_placement(found: Findings[RowT], row: RowT, location: Location, cluster: Cluster, program: Program) -> None:
    if program.placement is None:
        return
    try:
        placed.hosts(program.placement, cluster, program.ranks)
    except ConfigError as error:
        found.add(row, location, error.message, error.hint or "compute it again with `fairlead placement`")


def _add_settings(
    found: Findings[RowT], row: RowT, plan: Plan, keys: Keys[RowT], levels: Levels, cluster: Cluster
) -> None:
    settings = dict(plan.managed_at(levels).settings)
    try:
        settings_for(cluster, settings)
    except ConfigError as error:
        location = keys.settings(levels) if settings else keys.network(levels)
        found.add(row, location, error.message, "docs/reference/agent-settings.md has limits and defaults")


def _add_transport(
    found: Findings[RowT], row: RowT, plan: Plan, keys: Keys[RowT], levels: Levels, cluster: Cluster, file: Path
) -> None:
    """As far as plan and cluster file say it: what hosts have is seen when they are asked."""
    program = plan.program_at(levels)
    if not is_out_of_reach(plan.managed_at(levels).components, program.transport_on(cluster)):
        return
    if program.transport is not None:
        found.add(row, keys.transport(levels), CANNOT_REROUTE, WAY_OUT)
    else:
        found.add(row, keys.network(levels), f"{CANNOT_REROUTE}, which {file.name} asks for", WAY_OUT)


def _add_congestion(
    found: Findings[RowT],
    row: RowT,
    table: Location,
    network: Location,
    there: RowCluster,
    file: Path,
    bottlenecks: Sequence[CongestionDescription],
) -> None:
    if there.lab is None:
        if not there.cluster.lab:
            message = "congestion can only be created in a lab, and this cluster is not one"
            found.add(row, network, message, 'give the plan `lab = "FILE"` instead of a cluster')
        return
    for number, each in enumerate(bottlenecks):
        try:
            congestion.check(there.lab, each)
        except LabError as error:
            hint = error.hint or "name links and hosts that the lab has (`fairlead lab show`)"
            found.add(row, (*table, "bottlenecks", number), f"on {file.name}: {error.message}", hint)


def _describe_rows(plan: Plan, rows: Sequence[Levels]) -> str:
    """Which cells they are: the levels of every factor that not all of its levels are among."""
    every = plan.combinations()
    if len(rows) == len(every):
        return ""
    told = []
    for factor, levels in plan.factors.items():
        among = [str(level) for level in levels if any(row[factor] == level for row in rows)]
        if len(among) < len(levels):
            told.append(f"{factor} {words.listing(among)}")
    return f"(in {len(rows)} of {len(every)} cells: {', '.join(told)})" if told else f"(in {len(rows)} of {len(every)})"


def _describe_cases(every: int, cases: Sequence[str]) -> str:
    return "" if len(cases) == every else f"(in {len(cases)} of {every} cases: {words.listing(list(cases))})"
