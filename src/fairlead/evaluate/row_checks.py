"""Whether the rows of a plan can run, judged before the first one: commands, classes, ranks, files and memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.cluster import memory
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import place
from fairlead.config_findings import Findings
from fairlead.config_mistakes import Location
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.evaluate.plan import Levels, Plan, fill, fill_ranks
from fairlead.lab import description as lab_description
from fairlead.lab.lab import cluster_file_text
from fairlead.lab.resolve import resolve
from fairlead.programs import needs


@dataclass(frozen=True)
class Start:
    """A program that a row starts, once or again and again.

    Attributes:
        table: of the plan, which has its ``command`` and ``ranks``.
        cluster: what it runs on; None: not known.
    """

    table: Location
    argv: tuple[str, ...]
    ranks: int
    cluster: Cluster | None


class Networks:
    """The labs and clusters that a plan names, each read once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._read: dict[Path, Cluster | ConfigError] = {}

    def at(self, levels: Levels) -> Cluster | ConfigError:
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
        return Path(fill(table.lab or table.cluster or "", levels))

    def _load(self, path: Path) -> Cluster:
        if self._plan.evaluation.lab is None:
            return Cluster.load(path)
        return Cluster.parse(cluster_file_text(resolve(lab_description.load(path))), source=str(path))


def findings(plan: Plan, path: Path) -> Findings[Levels]:
    """What keeps rows from running.

    Args:
        path: the plan's file.
    """
    networks = Networks(plan)
    found = Findings[Levels](path, lambda rows: _rows_in_words(plan, rows))
    for levels in plan.combinations():
        cluster = networks.at(levels)
        if isinstance(cluster, ConfigError):
            _add_missing(found, plan, levels, networks.path(levels), cluster)
        try:
            started = list(starts(plan, levels, None if isinstance(cluster, ConfigError) else cluster))
        except ConfigError as error:  # ranks of a neighbour, hosts that the cluster does not have
            found.add(levels, ("neighbours",), error.message, error.hint or "correct the table")
            continue
        for each in started:
            _add_mistakes(found, plan, levels, each)
        if not isinstance(cluster, ConfigError):
            _add_shortage(found, levels, cluster, started)
    return found


def starts(plan: Plan, levels: Levels, cluster: Cluster | None) -> Iterator[Start]:
    """The main program of a row, and its neighbours.

    Raises:
        ConfigError: a number of ranks is none, or the cluster has not the hosts that the plan names.
    """

    def words_of(command: Sequence[str]) -> tuple[str, ...]:
        return tuple(fill(word, levels) for word in command)

    table = plan.neighbours
    clusters = [cluster] * (1 + len(plan.neighbours_at(levels)))
    if cluster is not None and table is not None and table.hosts:
        clusters = [cluster.only(hosts) for hosts in table.hosts]
    yield Start(("run",), words_of(plan.run.command), fill_ranks(plan.run.ranks, levels), clusters[0])
    for number, name in enumerate(plan.neighbours_at(levels), start=1):
        assert table is not None  # it named the neighbours
        program, beside = table.programs[name], clusters[number]
        ranks = fill_ranks(program.ranks, levels)
        at = ("neighbours", "programs", name)
        if not plan.silent_at(levels) or beside is None:
            yield Start(at, words_of(program.command), ranks, beside)
            continue
        hosts = place(beside, ranks)
        for host in dict.fromkeys(hosts):
            yield Start(at, words_of(program.command), hosts.count(host), beside.only([host]))


def needed_B(started: Sequence[Start]) -> list[dict[str, float]]:
    """What each program whose memory is known takes, by host, in B."""
    found = []
    for each in started:
        memory_B = needs.memory_B(each.argv, each.ranks)
        if memory_B is not None and each.cluster is not None:
            found.append(memory.by_host(each.cluster, each.ranks, memory_B))
    return found


def _add_missing(found: Findings[Levels], plan: Plan, levels: Levels, file: Path, error: ConfigError) -> None:
    kind = "cluster" if plan.evaluation.lab is None else "lab"
    if file.exists():
        found.add(levels, ("evaluation", kind), error.message, error.hint or f"correct {file.name}")
        return
    guide = "docs/guides/clusters.md" if kind == "cluster" else "docs/guides/lab.md"
    message = f"{file.name} is not there, in {file.parent}"
    found.add(levels, ("evaluation", kind), message, f"write it ({guide}), or leave out the level that needs it: --set")


def _add_mistakes(found: Findings[Levels], plan: Plan, levels: Levels, start: Start) -> None:
    custom = plan.run.launcher == "custom"
    mistake = None if custom else needs.mistake(start.argv, start.ranks)
    here = start.cluster is not None and memory.shares_this_machine(start.cluster)
    if mistake is None and here:
        mistake = needs.missing_here(start.argv)
    if mistake is not None:
        key = "ranks" if mistake.of_ranks else "command"
        found.add(levels, (*start.table, key), mistake.message, mistake.hint)


def _add_shortage(found: Findings[Levels], levels: Levels, cluster: Cluster, started: Sequence[Start]) -> None:
    short = memory.short(cluster, needed_B(started))
    if short is None:
        return
    who, needed, there = short
    programs = words.listing(list(dict.fromkeys(needs.in_words(each.argv, each.ranks) for each in started)))
    message = f"{programs}: needs {words.size(needed)} of memory on {who}, which has {words.size(there)}"
    found.add(levels, ("run", "command"), message, "take a smaller class, more hosts or fewer neighbours")


def _rows_in_words(plan: Plan, rows: Sequence[Levels]) -> str:
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
