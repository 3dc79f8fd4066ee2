"""A comparison from plan to report: the lab, its characterisation, the runs, the files (``fairlead compare``)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fairlead import config, lab
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.lab import congestion
from fairlead.lab import description as lab_description
from fairlead.manage.compare import Comparison, ManagementFor, Progress, Setting
from fairlead.manage.components import STAGES
from fairlead.manage.congestion_schedule import MakeCongestion
from fairlead.manage.plan import ComparisonPlan
from fairlead.manage.run import management_for
from fairlead.manage.scenario import Scenario
from fairlead.manage.supervisor import Management
from fairlead.measure.characterize import characterize
from fairlead.measure.samples import Progress as SurveyProgress
from fairlead.measure.survey import Settings
from fairlead.report import comparison, comparison_report
from fairlead.store import Store, facts

# Enough to manage by: larger messages are judged by throughput.
SIZES_B = (64, 1024, 8192, 65536)


@dataclass(frozen=True)
class Written:
    """Where the evidence is."""

    comparison: comparison.Comparison
    report: Path
    summary: Path


def read(path: Path) -> ComparisonPlan:
    """Read a plan. Relative paths in it start at the plan's own directory.

    Raises:
        ConfigError: see `fairlead.config.load`.
    """
    plan = config.load(path, ComparisonPlan)
    table = plan.comparison
    directory = path.absolute().parent
    paths = {name: directory / given for name in ("lab", "cluster") if (given := getattr(table, name)) is not None}
    return with_table(plan, **paths)


def compare(
    plan: ComparisonPlan,
    results: Path,
    *,
    survey_progress: SurveyProgress,
    progress: Progress,
) -> Written:
    """Run a plan (or what is left of it) and write report.html and summary.json into ``results``.

    Raises:
        FairleadError: the lab, an agent, congestion or the launcher could not be had; what was finished is kept.
    """
    with Store.open(results) as store, _network(plan, results) as (cluster, running):
        # A lab started anew has the same links, but its hosts are new: what was measured before is not relied on.
        characterize(cluster, store, Settings(sizes_B=SIZES_B), survey_progress)
        facts_now = facts.collect(cluster.mpirun)
        setting = Setting(cluster, _management(cluster, store), _congestion(plan, running), facts_now)
        experiment = Comparison(plan, setting, store).run(progress)
        return write(store, results, experiment)


def write(store: Store, results: Path, experiment: int) -> Written:
    """Compute a comparison from the store and write its files."""
    found = comparison.load(store, experiment, stages=list(STAGES))
    written = comparison_report.write(found, results / "report.html")
    return Written(found, written.html, written.summary)


def with_table(plan: ComparisonPlan, **changes: object) -> ComparisonPlan:
    """The same plan with other values in its ``[comparison]`` table."""
    return plan.model_copy(update={"comparison": plan.comparison.model_copy(update=changes)})


def _management(cluster: Cluster, store: Store) -> ManagementFor:
    known: dict[str, Management] = {}

    def of(scenario: Scenario) -> Management:
        if scenario.name not in known:
            known[scenario.name] = management_for(cluster, scenario.components, store, quiet=True)
        return known[scenario.name]

    return of


def _congestion(plan: ComparisonPlan, running: "lab.Lab | None") -> MakeCongestion:
    if running is None:
        raise ConfigError(
            "congestion can be made in a lab only: this cluster is not one",
            hint='compare in a lab, or give the plan `lab = "FILE"` in place of a cluster',
        )
    for place in plan.congestion.places:
        congestion.check(running.plan, place)
    return lambda place: congestion.make(running, plan.congestion.places[place])


@contextmanager
def _network(plan: ComparisonPlan, results: Path) -> Iterator[tuple[Cluster, "lab.Lab | None"]]:
    """The cluster to run on; a lab is started for the comparison and ended with it."""
    table = plan.comparison
    if table.cluster is not None:
        cluster = Cluster.load(table.cluster)
        yield cluster, lab.find(cluster.lab) if cluster.lab else None
        return
    assert table.lab is not None  # the plan has one of the two
    description = lab_description.load(table.lab)
    running = lab.up(description, name=_free_name(description.lab.name))
    try:
        file = results / f"{running.name}.cluster.toml"
        file.write_text(running.cluster_file_text(), encoding="utf-8")
        yield replace(Cluster.load(file), name=description.lab.name), running
    finally:
        running.down()


def _free_name(name: str) -> str:
    taken = {each.name for each in lab.running_labs()}
    number = 1
    while (candidate := name if number == 1 else f"{name}-{number}") in taken:
        number += 1
    return candidate
