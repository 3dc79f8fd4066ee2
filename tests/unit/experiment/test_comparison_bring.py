"""``fairlead compare --bring``: files go to the hosts once, before the first run. The "ssh" and mpirun are shells."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.cli.compare import command
from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.job import Job
from fairlead.cluster.launchers.custom import Custom
from fairlead.cluster.remote import brought
from fairlead.cluster.remote.brought import Brought
from fairlead.errors import ConfigError
from fairlead.experiment.comparisons import experiment, session
from fairlead.experiment.comparisons.experiment import ComparisonExperiment
from fairlead.experiment.factors.program import Program
from fairlead.experiment.plans import comparison_form
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.running import testbed, trial
from fairlead.experiment.running.trial import Taken, Trial
from fairlead.manage.supervisor import Outcome
from fairlead.programs import own_files
from fairlead.store import Store

from ..programs.site import make_site

PLAN = """
[comparison]
name = "own"
lab = "{lab}"
replications = 1

[congestion]
[[congestion.bottlenecks]]
kind = "delay"
link = ["leaf0", "leaf1"]

[[programs]]
name = "solver"
command = ["./solver", "--mode", "fast", "{{plan_directory}}/in.dat"]
ranks = 4

[[programs]]
name = "other"
command = ["/bin/true", "solver-not"]
ranks = 2
"""
LAB = Path(__file__).parents[3] / "examples/mesh8.toml"
FILES = (Path("solver"), Path("in.dat"))


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory that commands are called in, with a plan, a program and its input."""
    site = make_site(tmp_path, monkeypatch)
    (site / "plan.toml").write_text(PLAN.format(lab=LAB))
    return site


def parse(site: Path) -> ComparisonPlan:
    return config.load(site / "plan.toml", ComparisonPlan).under(site)


def two_hosts(directory: Path) -> Cluster:
    addresses = {"a": "10.0.0.1", "b": "10.0.0.2"}
    hosts = tuple(Host(name, address, 2, reach=name, interface="lo") for name, address in addresses.items())
    ssh = Ssh(shared_files=True)
    return Cluster("two", "ssh", hosts, ssh=ssh, mpirun=str(directory / "bin/mpirun"), source="c.toml")


def test_all_runs_use_copies_that_hosts_got_once(tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    started: list[Job] = []
    bring = brought.bring

    def counted(cluster: Cluster, hosts: Iterable[str], files: Sequence[Path]) -> dict[Path, Brought]:
        asked.append(list(hosts))
        return bring(cluster, hosts, files)

    def prepared(bed: testbed.Testbed, row: object) -> bool:
        anew = not hasattr(bed, "cluster")
        bed.cluster = two_hosts(tmp_path)
        return anew

    def run(tried: Trial, *_: object) -> Taken:
        started.append(tried.job)
        return Taken(Outcome(0, 1.0, 0.0), b"")

    monkeypatch.setattr(brought, "bring", counted)
    monkeypatch.setattr(testbed.Testbed, "prepare", prepared)
    monkeypatch.setattr(testbed.Testbed, "congestion", lambda *_: None)
    monkeypatch.setattr(testbed.Testbed, "management", lambda *_: None)
    monkeypatch.setattr(testbed.Testbed, "facts", lambda *_: {})
    monkeypatch.setattr(trial, "run", run)
    told: list[str] = []
    with Store.open(tmp_path / "results") as store:
        made = ComparisonExperiment(parse(site), store, bring=FILES)
        made.run(announce=told.append)
        assert [each.status for each in store.runs("run", parent=made.experiment)] == ["ok"] * 10
    assert asked == [["a", "b"]]
    assert told == ["copied solver to a", "copied in.dat to a"]
    assert len(started) == 2 * (1 + 4)  # a pilot and each scenario
    own, other = ({job.argv for job in started if job.ranks == ranks} for ranks in (4, 2))
    assert other == {("/bin/true", "solver-not")}
    ((program, *options, data),) = own
    assert options == ["--mode", "fast"]
    for copy, file in ((program, "solver"), (data, "in.dat")):
        assert Path(copy).parents[1] == tmp_path / "home/.cache/fairlead/brought"
        assert (Path(copy).name, Path(copy).read_text()) == (file, (site / file).read_text())


def test_trials_use_the_copies(tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {Path("solver"): "/there/solver"}
    used: list[object] = []

    def prepared(_: Cluster, program: Program, job_id: str) -> tuple[Custom, Job]:
        used.append(program.copies)
        return Custom(), Job(job_id, (), ("a",))

    monkeypatch.setattr(own_files, "copies", lambda *_: found)
    monkeypatch.setattr(experiment, "prepare_program", prepared)
    monkeypatch.setattr(trial, "run", lambda *_: Taken(Outcome(0, 1.0, 0.0), b""))
    plan = parse(site)
    lab = SimpleNamespace(plan=SimpleNamespace(scale=1.0))
    bed: Any = SimpleNamespace(
        cluster=two_hosts(tmp_path), lab=lab, facts=lambda program: {}, congestion=lambda bottleneck: None
    )
    (part,) = comparison_form.parts(plan).values()
    with Store.open(tmp_path / "results") as store:
        made = ComparisonExperiment(plan, store, bring=FILES[:1])
        made._check(part, bed)
        made._try(plan.all_cases()[0], bed, None, False)
    assert used == [found] * 3  # both cases are looked at before


def test_a_comparison_goes_on_only_with_the_same_files(tmp_path: Path, site: Path) -> None:
    plan = parse(site)

    def number(*files: Path) -> int:
        with Store.open(tmp_path / "results") as store:
            return ComparisonExperiment(plan, store, bring=files).experiment

    assert number(*FILES) == 1
    assert number(*FILES[::-1]) == 1
    assert number() == 2
    (site / "in.dat").write_text("4 5 6\n")
    assert number(*FILES) == 3
    (site / "in.dat").write_text("1 2 3\n")
    assert number(site / "in.dat", Path("./solver")) == 1
    with Store.read(tmp_path / "results") as store:
        kept = store.run(1).plan["brought"]
        assert kept == {str(site / file): identity for file, identity in own_files.identities(FILES).items()}
        assert "brought" not in store.run(2).plan


def test_the_command_hands_its_files_on(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Sequence[Path]] = []

    def stopped(plan: object, store: object, only: object, *, bring: Sequence[Path]) -> None:
        given.append(bring)
        raise ConfigError("enough")

    monkeypatch.setattr(session, "ComparisonExperiment", stopped)
    done = CliRunner().invoke(command, ["plan.toml", "--bring", "solver", "--bring", "in.dat"])
    assert isinstance(done.exception, ConfigError)
    assert done.exception.message == "enough"
    assert given == [FILES]


def test_what_cannot_be_brought_is_told_before_anything_runs(site: Path) -> None:
    (site / "unused.dat").touch()
    for file, said in (
        ("unused.dat", "--bring unused.dat: no command of the plan names this file, so nothing would use the copy"),
        ("nothing", "--bring nothing: no such file"),
    ):
        done = CliRunner().invoke(command, ["plan.toml", "--show-plan", "--bring", file])
        assert isinstance(done.exception, ConfigError)
        assert done.exception.message == said
    assert CliRunner().invoke(command, ["plan.toml", "--show-plan", "--bring", "./solver"]).exit_code == 0
