"""One more of each kind, as files of a source tree, and what says that it is there."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Added:
    """One more of a kind.

    Attributes:
        files: by path in the package, what its new files hold; each is all that has to be written.
        there: Python code that fails where it is not known.
    """

    files: dict[str, str]
    there: str

    def write(self, package: Path) -> None:
        """Add it to a copy of the package."""
        for name, text in self.files.items():
            path = package / name
            assert not path.exists(), "one more takes new files only"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


EXECUTOR = Added(
    {
        "cluster/executors/telepathy.py": """
from fairlead.cluster.executors.base import Executor, register


@register("telepathy")
class TelepathyExecutor(Executor):
    passes_signals = False

    def command(self, host, argv, env=None, cwd=None):
        return ["think", host, *argv]

    def rsh_agent(self):
        return None
"""
    },
    """
from fairlead.cluster import executors
from fairlead.cluster.cluster_file import parse_cluster

text = '[cluster]\\nname = "c"\\nexecutor = "telepathy"\\ninterface = "eth0"\\n'
text += '[[hosts]]\\nname = "h0"\\naddress = "10.0.0.1"\\n'
assert executors.executor_of(parse_cluster(text)).command("h0", ["true"]) == ["think", "h0", "true"]
""",
)
LAUNCHER = Added(
    {
        "cluster/launchers/quickmpi.py": """
from fairlead.cluster.launchers.base import Launcher, Mpi, register


@register("quickmpi7")
class QuickMpi(Launcher):
    family = "mpich"

    @classmethod
    def recognise(cls, version_text):
        found = version_text.startswith("Quick")
        return Mpi("quickmpi", version_text.split()[1], label="Quick MPI") if found else None

    def command(self, job):
        return ["quickrun", *job.argv]
"""
    },
    """
from fairlead.cluster.launchers import get, parse_version

mpi = parse_version("Quick 7.2")
assert str(mpi) == "Quick MPI 7.2"
assert get(mpi.launcher).__name__ == "QuickMpi"
""",
)
CHECK = Added(
    {
        "cluster/doctor/checks/power.py": """
from fairlead.cluster.doctor.findings import check, note


@check
def plugged_in(facts):
    yield note((), "the cluster is plugged in")
"""
    },
    """
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor.facts import ClusterFacts
from fairlead.cluster.doctor.findings import CHECKS

assert CHECKS.names()[0] == "reachable" and CHECKS.names()[-1] == "plugged_in"
(finding,) = CHECKS.get("plugged_in")(None)
assert finding.text == "the cluster is plugged in"
""",
)
DRIVER = Added(
    {
        "cloud/nimbus.py": """
from fairlead.cloud.driver import DRIVERS


@DRIVERS.register("nimbus")
def driver(cluster):
    return f"the driver of {cluster.name}"
"""
    },
    """
from types import SimpleNamespace

from fairlead import cloud

cluster = SimpleNamespace(name="c", cloud=SimpleNamespace(driver="nimbus"))
assert cloud.of(cluster) == "the driver of c"
""",
)
PLANE = Added(
    {
        "manage/data_planes/pigeon.py": """
from fairlead.manage.data_planes.base import PLANES, Plane

PLANES.register("pigeon")(Plane())
"""
    },
    """
from fairlead.cli import compare, run
from fairlead.manage.data_planes import PLANES

assert PLANES.names() == ("route", "pigeon", "relay")
of_run = next(each for each in run.command.params if each.name == "plane")
assert tuple(of_run.type.choices) == ("auto", "route", "pigeon", "relay")
of_compare = next(each for each in compare.command.params if each.name == "planes")
assert tuple(of_compare.type.choices) == ("route", "pigeon", "relay")
""",
)
BENCHMARK = Added(
    {
        "benchmarks/dice/__init__.py": '''
"""``fairlead measure CLUSTER dice``: numbers that are thrown."""

import click

from fairlead.benchmarks.registration import LAYERS, Benchmark, SuiteShare, asked, register


@click.option("--throws", default=3, help="How many.")
def command(**options):
    """Throw dice."""
    return asked(__name__, options)


register(
    Benchmark(
        "dice",
        __name__,
        LAYERS + 200,
        command,
        SuiteShare(90, 1, lambda suite, seconds: {"throws": int(seconds)}),
        compared="throw",
        interval_over="throws",
    )
)
''',
        "benchmarks/dice/measure.py": """
from dataclasses import asdict, dataclass

from fairlead.benchmarks.measuring import records


@dataclass(frozen=True)
class DiceSettings:
    throws: int = 3

    def lasts_s(self):
        return 90.0


SETTINGS = DiceSettings


def measure(cluster, store, settings, progress):
    run = store.begin_run(records.KIND, {"benchmark": "dice", "cluster": cluster.name}, plan=asdict(settings))
    store.add_series(run, "throw_count", [4.0] * settings.throws, "count", {})
    store.finish_run(run)
    return run
""",
        "benchmarks/dice/analyse.py": """
from dataclasses import dataclass
from typing import Any

from fairlead.store import Store


@dataclass(frozen=True)
class Dice:
    system: str
    throws: Any


def load_dice(system):
    run = system.runs.get("dice")
    if run is None:
        return
    with Store.read(system.directory) as store:
        for series in store.series(run.id):
            yield Dice(system.name, series.values)
""",
        "benchmarks/dice/draw.py": """
from fairlead.benchmarks.dice.analyse import load_dice
from fairlead.benchmarks.page import boxes
from fairlead.benchmarks.page.headlines import Headline
from fairlead.benchmarks.page.section import Section
from fairlead.benchmarks.page.verdicts import Verdict

SECTION = Section(
    load=load_dice,
    drawings=lambda found, report: [
        boxes.draw("dice", "Throws of dice", "All.", [(each.system, "red", each.throws) for each in found])
    ],
    verdicts=lambda part: [Verdict("good", f"{len(part.throws)} dice were thrown")],
    headlines=lambda part: [Headline(part.system, "dice", "throw", part.throws, False)],
)
""",
    },
    """
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from fairlead.benchmarks.measuring.suite import _steps
from fairlead.benchmarks.measuring.suite_settings import SuiteSettings
from fairlead.cli.main import command
from fairlead.cluster.cluster_file import load_cluster

CLUSTER = '[cluster]\\nname = "one"\\nexecutor = "local"\\ninterface = "lo"\\n'
CLUSTER += '[[hosts]]\\nname = "h0"\\naddress = "127.0.0.1"\\n'


def fairlead(*words):
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


with TemporaryDirectory() as name:
    here = Path(name)
    (here / "one.toml").write_text(CLUSTER)
    (here / "plan.toml").write_text('title = "p"\\nsteps = ["dice --throws 2", "timer"]\\n')
    assert "dice            Throw dice." in fairlead("measure", "--help")
    planned = fairlead("measure", here / "one.toml", "plan", here / "plan.toml", "--dry-run")
    assert "dice --throws 2" in planned, planned
    steps = _steps(load_cluster(here / "one.toml"), None, SuiteSettings(), lambda *_: None)
    assert steps[-1].name == "dice"
    for results in ("old", "new"):
        fairlead("measure", here / "one.toml", "dice", "--throws", 12, "--results", here / results)
    said = fairlead("report", here / "new", here / "old")
    assert "12 dice were thrown" in said, said
    assert "Throws of dice" in said
    assert "dice (1 figure): 1 not significantly different" in said
    assert "Throws of dice" in (here / "new" / "benchmarks.html").read_text()
""",
)

KINDS = {
    "benchmark": BENCHMARK,
    "executor": EXECUTOR,
    "launcher": LAUNCHER,
    "check": CHECK,
    "cloud driver": DRIVER,
    "data plane": PLANE,
}
