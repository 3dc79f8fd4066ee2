"""Every row of every plan in examples/ can run: programs, classes, ranks and files are there."""

import itertools
import os
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

from fairlead import config, demo
from fairlead.cli import compare, evaluate
from fairlead.cli.measuring.plan import PlanFile
from fairlead.cluster.cluster_file import load_cluster
from fairlead.config_changes import ConfigChange
from fairlead.errors import ConfigError
from fairlead.experiment.comparisons import session
from fairlead.experiment.plans import design, plan_file, row_checks
from fairlead.lab import description as lab_description
from fairlead.programs import BUNDLED, needs
from fairlead.programs.benchmarks import BENCHMARKS
from fairlead.published.columns import ColumnMap

INSTALLED = ("lmp", "pw.x", str(Path(__file__).parents[3] / "examples/evaluate/applications/hpcc.sh"))
"""Programs of plans that do not come with fairlead."""
EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = {str(path.relative_to(EXAMPLES)): path for path in sorted(EXAMPLES.rglob("*.toml"))}


def of_kind(*tables: str) -> list[str]:
    """Names of the files that have one of these tables or keys at their top."""
    return [name for name, path in FILES.items() if set(tables) & tomllib.loads(path.read_text()).keys()]


EVALUATIONS, COMPARISONS = of_kind("evaluation"), of_kind("comparison")


def test_every_file_is_of_a_known_kind() -> None:
    known = {*EVALUATIONS, *COMPARISONS, *of_kind("lab", "cluster", "dataset", "steps")}
    assert set(FILES) - known == {"prices.toml"}
    assert len(EVALUATIONS) >= 9
    assert len(COMPARISONS) >= 6


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of `INSTALLED` are on the path, whatever this machine has."""
    for name in ("lmp", "pw.x", "hpcc"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", EVALUATIONS)
def test_every_row_of_an_evaluation_can_run(name: str) -> None:
    plan = plan_file.read(FILES[name])
    networks = row_checks.Networks(plan)
    rows = design.planned_rows(plan)
    assert len(rows) == len(plan.combinations()) * plan.replications.count
    for row in rows:
        there = networks.at(row.levels)
        assert not isinstance(there, ConfigError), there
        for start in row_checks.starts(plan, row.levels, there.cluster):
            assert start.argv[0] in (*BUNDLED, *INSTALLED)
            assert not [word for word in start.argv if "{" in word]
            assert needs.mistake(start.argv, start.ranks) is None
            assert (needs.memory_B(start.argv, start.ranks) is not None) == (start.argv[0] in BENCHMARKS)
    assert row_checks.findings(plan, FILES[name]).lines() == []


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_case_of_a_comparison_can_run(name: str) -> None:
    plan = session.read(FILES[name])
    assert row_checks.of_comparison(plan, FILES[name]).lines() == []
    for case in plan.all_cases():
        assert case.program.command[0] in BUNDLED
        assert case.network.lab is not None


def test_the_plan_that_comes_with_the_package_can_run() -> None:
    plan = session.read(demo.PLAN)
    assert row_checks.of_comparison(plan, demo.PLAN).lines() == []
    assert [(case.program.command[0], case.network.lab) for case in plan.all_cases()] == [("cg", demo.LAB)]
    assert lab_description.load(demo.LAB) == lab_description.load(EXAMPLES / "mesh8.toml")


def test_a_copy_of_it_can_run_and_replaces_nothing(tmp_path: Path) -> None:
    written = demo.write(tmp_path / "here")
    assert [path.name for path in written] == ["demo.toml", "mesh8.toml"]
    assert [case.network.lab for case in session.read(written[0]).all_cases()] == [written[1]]
    written[0].unlink()
    with pytest.raises(ConfigError, match=r"mesh8\.toml exists already"):
        demo.write(tmp_path / "here")
    assert not written[0].exists()


@pytest.mark.parametrize("name", of_kind("lab"))
def test_every_lab_is_read(name: str) -> None:
    assert lab_description.load(FILES[name]).lab.name


@pytest.mark.parametrize("name", of_kind("cluster"))
def test_every_cluster_is_read(name: str) -> None:
    assert load_cluster(FILES[name]).slots() > 0


@pytest.mark.parametrize("name", of_kind("dataset"))
def test_every_map_of_columns_is_read(name: str) -> None:
    assert config.load(FILES[name], ColumnMap).values


@pytest.mark.parametrize("name", of_kind("steps"))
def test_every_plan_of_measurements_is_read(name: str) -> None:
    assert config.load(FILES[name], PlanFile).steps


@pytest.mark.parametrize("name", ["802.3ad", "interconnection", "clouds"])
def test_plans_for_servers_run_in_another_class_and_have_a_small_one_for_a_lab(name: str) -> None:
    file = FILES[f"evaluate/{name}.toml"]
    small = plan_file.read(file, [ConfigChange.parse("class=A")])
    assert small.factors["class"] == ("A",)
    assert row_checks.findings(small, file).lines() == []
    here = plan_file.read(FILES[f"evaluate/{name}-lab.toml"])
    assert here.evaluation.lab is not None
    assert here.factors["program"] == small.factors["program"]
    assert f"{name}-lab.toml" in file.read_text()


@pytest.mark.parametrize("name", [*EVALUATIONS, *COMPARISONS])
def test_a_header_says_how_it_is_run(name: str) -> None:
    header = FILES[name].read_text().split("\n[", 1)[0]
    command = "evaluate" if name in EVALUATIONS else "compare"
    assert f"fairlead {command} examples/{name}" in header or f"{Path(name).stem}-lab.toml" in header


@pytest.mark.parametrize("command", [evaluate.run, compare.command], ids=["evaluate", "compare"])
def test_the_changes_that_help_texts_show_can_be_made(command: click.Command) -> None:
    shown = re.findall(r"fairlead \w+ examples/(\S+\.toml) (.*--set .*)", command.help or "")
    assert shown
    for name, options in shown:
        words = shlex.split(options)
        changes = [ConfigChange.parse(text) for option, text in itertools.pairwise(words) if option == "--set"]
        if name in EVALUATIONS:
            plan = plan_file.read(FILES[name], changes)
            assert row_checks.findings(plan, FILES[name]).lines() == []
        else:
            session.read(FILES[name], changes)
