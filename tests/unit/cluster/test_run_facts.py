"""The MPI that is recorded is the one in use; what needs none asks for none."""

from pathlib import Path

import pytest

from fairlead import config
from fairlead.benchmarks.measuring import records
from fairlead.cluster import run_facts
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import ConfigError, HostError, MissingToolError
from fairlead.experiment.plans import design
from fairlead.experiment.plans.plan import Plan
from fairlead.experiment.running import testbed
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.store import Store

CLUSTER = """
[cluster]
name = "here"
executor = "local"
interface = "lo"
mpirun = "{mpirun}"
[[hosts]]
name = "a"
address = "127.0.0.1"
"""
PLAN = """
[evaluation]
name = "short"
cluster = "{cluster}"
[factors]
number = [1]
[run]
command = ["true"]
"""


def mpirun(directory: Path, version: str) -> str:
    """What says that it is this version of Open MPI."""
    program = directory / f"mpirun-{version}"
    program.write_text(f"#!/bin/sh\necho 'mpirun (Open MPI) {version}'\n")
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    """Its mpirun is 4.1.1."""
    file = tmp_path / "here.toml"
    file.write_text(CLUSTER.format(mpirun=mpirun(tmp_path, "4.1.1")))
    return load_cluster(file)


def test_a_benchmark_records_the_mpi_that_it_used_and_none_if_it_used_none(cluster: Cluster, tmp_path: Path) -> None:
    other = mpirun(tmp_path, "5.0.2")
    found = []
    with Store.open(tmp_path / "results") as store:
        for plan in ({"mpirun": None}, {"mpirun": other}, {"seconds": 1}):
            with records.recorded(store, cluster, "x", plan) as run:
                found.append(store.run(run).facts["software"].get("mpi"))
        without = cluster.with_mpirun(str(tmp_path / "missing"))
        with records.recorded(store, without, "tcp", {"seconds": 1}) as run:
            assert "mpi" not in store.run(run).facts["software"]
        with (
            pytest.raises(MissingToolError, match="missing was not found"),
            records.recorded(store, without, "x", {"mpirun": None}),
        ):
            pass
    assert found == ["mpirun (Open MPI) 4.1.1", "mpirun (Open MPI) 5.0.2", None]


@pytest.mark.parametrize(
    ("more", "recorded"),
    [
        ("", "mpirun (Open MPI) 4.1.1"),
        ('mpirun = "{other}"', "mpirun (Open MPI) 5.0.2"),
        ('launcher = "custom"', None),
    ],
)
def test_an_evaluation_records_the_mpi_of_its_plan(
    cluster: Cluster, tmp_path: Path, more: str, recorded: str | None
) -> None:
    text = PLAN.format(cluster=cluster.source) + more.format(other=mpirun(tmp_path, "5.0.2"))
    plan = config.parse(text, Plan, source="plan.toml")
    with Store.open(tmp_path / "results") as store, testbed.Testbed(plan, store, CleanupLedger(store.directory)) as up:
        row = next(iter(design.planned_rows(plan)))
        up.prepare(row)
        assert up.facts(plan.program_at(row.levels))["software"].get("mpi") == recorded


def test_what_fails_at_the_beginning_of_a_whole_plot_is_what_is_told(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ConfigError("no such level")

    plan = config.parse(PLAN.format(cluster=cluster.source), Plan, source="plan.toml")
    monkeypatch.setattr(Plan, "nics_at", refuse)
    with (
        Store.open(tmp_path / "results") as store,
        pytest.raises(ConfigError, match="no such level"),
        testbed.Testbed(plan, store, CleanupLedger(store.directory)) as up,
    ):
        up.prepare(next(iter(design.planned_rows(plan))))


def test_each_program_of_a_plan_has_the_mpi_that_launches_it(cluster: Cluster, tmp_path: Path) -> None:
    other = mpirun(tmp_path, "5.0.2")
    programs = '[[programs]]\nname = "one"\ncommand = ["true"]\nranks = 1\n'
    programs += f'[[programs]]\nname = "two"\ncommand = ["true"]\nranks = 1\nmpirun = "{other}"\n'
    text = PLAN.format(cluster=cluster.source).replace("number = [1]", 'program = ["one", "two"]')
    text = text.replace('command = ["true"]', 'program = "{program}"') + programs
    plan = config.parse(text, Plan, source="plan.toml")
    with Store.open(tmp_path / "results") as store, testbed.Testbed(plan, store, CleanupLedger(store.directory)) as up:
        up.prepare(design.planned_rows(plan)[0])
        found = {levels["program"]: up.facts(plan.program_at(levels)) for levels in plan.combinations()}
    assert {name: each["software"]["mpi"] for name, each in found.items()} == {
        "one": "mpirun (Open MPI) 4.1.1",
        "two": "mpirun (Open MPI) 5.0.2",
    }


def test_a_host_whose_shell_greets_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_facts, "run_on", lambda *_: "Welcome to node 7\nkernel\t6.1.0\n")
    cluster = Cluster("c", "ssh", (Host("h1", "10.0.0.1"),))
    with pytest.raises(HostError, match="h1: printed 'Welcome to node 7' instead of an answer") as told:
        run_facts.collect(cluster, None)
    assert "only in interactive shells" in told.value.hint
