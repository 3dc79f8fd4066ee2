"""What carries the messages of a plan's rows between hosts: as the plan says, else the cluster, else its hosts."""

from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from fairlead.analysis.evaluations import dataset
from fairlead.cli.evaluate import command
from fairlead.cluster.description import Cluster
from fairlead.experiment.evaluations.experiment import Evaluation
from fairlead.experiment.factors.transport import is_out_of_reach
from fairlead.experiment.plans import design, plan_file, row_transports
from fairlead.experiment.running import row_trial, testbed, trial
from fairlead.experiment.running.cleanup_ledger import CleanupLedger
from fairlead.experiment.running.trial import Taken, Trial
from fairlead.manage.components import FULL, MIGRATING, NONE, STAGES, Components
from fairlead.manage.supervisor import Outcome
from fairlead.store import Store

CLUSTER = """
[cluster]
name = "c"
executor = "{executor}"
interface = "lo"
mpirun = "{mpirun}"
{transport}
[[hosts]]
name = "a"
address = "127.0.0.1"
[[hosts]]
name = "b"
address = "127.0.0.2"
"""
PLAN = """
[evaluation]
name = "p"
cluster = "c.toml"
[factors]
wanted = ["tcp", "native"]
beside = ["none", "one"]
[run]
command = ["true"]
ranks = 2
{run}
[replications]
count = 1
[neighbours]
factor = "beside"
levels = { none = [], one = ["is"] }
[neighbours.programs.is]
command = ["true"]
"""
BY_FACTOR = 'transport = "{wanted}"'
MANAGED = """
[evaluation]
name = "p"
cluster = "c.toml"
[factors]
management = ["none", "watched", "detours"]
[run]
command = ["true"]
ranks = 2
[replications]
count = 1
[management]
factor = "management"
[management.levels]
none = "none"
watched = { components = "none", monitor = true }
detours = "detours"
"""


def write(directory: Path, plan: str, executor: str = "local", transport: str = "") -> Path:
    mpirun = directory / "mpirun"
    mpirun.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.1'\n")
    mpirun.chmod(0o755)
    text = CLUSTER.format(executor=executor, mpirun=mpirun, transport=transport)
    (directory / "c.toml").write_text(text)
    file = directory / "plan.toml"
    file.write_text(plan)
    return file


def lines(directory: Path, run: str, executor: str = "ssh", transport: str = "") -> list[str]:
    return row_transports.summary(plan_file.read(write(directory, PLAN.replace("{run}", run), executor, transport)))


def test_it_is_shown_where_the_plan_says_it_or_it_may_not_be_tcp(tmp_path: Path) -> None:
    assert lines(tmp_path, "") == ["  transport: native where every host has an active RDMA device, else tcp"]
    assert lines(tmp_path, "", transport='transport = "native"') == ["  transport: native"]
    assert lines(tmp_path, 'transport = "tcp"', transport='transport = "native"') == ["  transport: tcp"]
    assert lines(tmp_path, BY_FACTOR) == ["  transport: tcp; native"]
    for told in (
        lines(tmp_path, "", transport='transport = "tcp"'),
        lines(tmp_path, "", executor="local"),
        lines(tmp_path, 'launcher = "custom"'),
    ):
        assert told == []


def test_evaluate_plan_shows_it(tmp_path: Path) -> None:
    shown = CliRunner().invoke(command, ["plan", str(write(tmp_path, PLAN.replace("{run}", BY_FACTOR)))])
    assert "\n  transport: tcp; native\n" in shown.output


def test_what_a_plan_asks_for_is_what_main_programs_and_neighbours_are_started_with(tmp_path: Path) -> None:
    plan = plan_file.read(write(tmp_path, PLAN.replace("{run}", BY_FACTOR), transport='transport = "tcp"'))
    ledger = CleanupLedger(tmp_path)
    found = []
    with Store.open(tmp_path / "results") as store, testbed.Testbed(plan, store, ledger) as up:
        for row in design.planned_rows(plan):
            up.prepare(row)
            program = plan.program_at(row.levels)
            made = row_trial.of(plan, row, up, ledger, program, drawn_by="", clean_time_s=lambda: 0.0)
            carried = {made.job.transport, *(each.job.transport for each in made.instances)}
            found.append((row.levels["wanted"], row.levels["beside"], len(made.instances), carried))
            assert up.facts(program)["transport"] == row.levels["wanted"]
            label = trial._result_labels(made).get("transport")
            assert label == {"native": "native", "tcp": None}[str(row.levels["wanted"])]
    assert sorted(found) == [
        ("native", "none", 0, {"native"}),
        ("native", "one", 1, {"native"}),
        ("tcp", "none", 0, {"tcp"}),
        ("tcp", "one", 1, {"tcp"}),
    ]


def test_results_of_launch_lines_of_one_s_own_have_no_transport(tmp_path: Path) -> None:
    text = PLAN.replace("{run}", 'launcher = "custom"')
    plan, ledger = plan_file.read(write(tmp_path, text, transport='transport = "native"')), CleanupLedger(tmp_path)
    with Store.open(tmp_path / "results") as store, testbed.Testbed(plan, store, ledger) as up:
        row = design.planned_rows(plan)[0]
        up.prepare(row)
        program = plan.program_at(row.levels)
        made = row_trial.of(plan, row, up, ledger, program, drawn_by="", clean_time_s=lambda: 0.0)
    assert "transport" not in trial._result_labels(made)


@pytest.mark.parametrize(
    ("run", "in_file", "expected"),
    [("", "", "tcp"), ("", 'transport = "native"', "native"), ('launcher = "custom"', 'transport = "native"', None)],
)
def test_what_no_plan_says_is_the_cluster_s(tmp_path: Path, run: str, in_file: str, expected: str | None) -> None:
    plan = plan_file.read(write(tmp_path, PLAN.replace("{run}", run), transport=in_file))
    with Store.open(tmp_path / "results") as store, testbed.Testbed(plan, store, CleanupLedger(tmp_path)) as up:
        row = design.planned_rows(plan)[0]
        up.prepare(row)
        assert up.facts(plan.program_at(row.levels)).get("transport") == expected
        remark = up.take_remark()
        assert (remark is not None) == (expected == "native")
        assert up.take_remark() is None
    if remark:
        assert 'transport = "tcp" in the plan makes MPI use TCP' in remark


@pytest.mark.parametrize(
    ("components", "moves"),
    [
        (NONE, False),
        (STAGES["agents"], False),
        (STAGES["detection"], False),
        (Components(agents=True, detection=False, detours=False, monitor=True), False),
        (FULL, True),
        (MIGRATING, True),
        (Components(agents=True, detection=True, detours=False, migration=True), True),
    ],
)
def test_what_moves_traffic_needs_tcp(components: Components, moves: bool) -> None:
    assert is_out_of_reach(components, "native") == moves
    assert not is_out_of_reach(components, "tcp")
    assert not is_out_of_reach(components, None)


def test_where_only_the_hosts_tell_rows_that_cannot_be_managed_say_so_and_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts with RDMA devices, which a stand-in finds; of the detours' row nothing is characterized or started."""
    ran: list[str] = []
    said: list[str] = []
    managed: list[bool] = []

    def by_devices(cluster: Cluster, *, other: str) -> tuple[Cluster, str]:
        return cluster.with_transport("native"), f"every host has an RDMA device; {other}"

    def run(made: Trial, *_: object) -> Taken:
        ran.append(made.job.transport)
        return Taken(Outcome(0, 1.0, 0.0), b"")

    monkeypatch.setattr(testbed, "with_chosen_transport", by_devices)
    monkeypatch.setattr(testbed.Testbed, "management", lambda _, asked: managed.append(asked.components.monitor))
    monkeypatch.setattr(trial, "run", run)
    plan = plan_file.read(write(tmp_path, MANAGED))
    with Store.open(tmp_path / "results") as store:
        Evaluation(plan, store).run(announce=said.append)
        rows = {row.labels["management"]: row for row in store.runs(dataset.ROW)}
    assert ran == ["native", "native"]
    assert managed and all(managed)  # the watched row's alone
    assert {level: row.status for level, row in rows.items()} == {"none": "ok", "watched": "ok", "detours": "failed"}
    assert {row.facts["transport"] for row in rows.values()} == {"native"}
    error = str(rows["detours"].error)
    assert error.startswith("management cannot reroute messages over native transport\n")
    assert 'transport = "tcp" in the plan makes MPI use TCP' in error and "[[exclude]]" in error
    assert said[0] == 'every host has an RDMA device; transport = "tcp" in the plan'
    (failed,) = said[1:]
    assert failed.startswith("FAILED management detours, replication 1: management cannot reroute")


def test_hosts_are_not_asked_where_the_plan_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a host was asked")

    monkeypatch.setattr(testbed, "with_chosen_transport", refuse)
    for run in (BY_FACTOR, 'launcher = "custom"'):
        plan = plan_file.read(write(tmp_path, PLAN.replace("{run}", run)))
        with Store.open(tmp_path / "results") as store, testbed.Testbed(plan, store, CleanupLedger(tmp_path)) as up:
            up.prepare(design.planned_rows(plan)[0])
            assert up.take_remark() is None
