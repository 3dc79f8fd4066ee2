"""Evaluations that run: nothing lost, nothing doubled, failures recorded, all of it without MPI."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.analysis.evaluations import dataset
from fairlead.cli.evaluate import command
from fairlead.cli.main import main
from fairlead.cluster import cgroups
from fairlead.errors import ConfigError, FairleadError, HostError, PrivilegeError
from fairlead.experiment.evaluations.experiment import Evaluation
from fairlead.experiment.plans import plan_file
from fairlead.experiment.running import runner
from fairlead.experiment.running.cleanup_ledger import FILE_NAME, CleanupLedger
from fairlead.net import apply as net
from fairlead.net.state import BondState, HostNetwork
from fairlead.store import Attachment, Store

from ..prices.test_prices import INSTANCE, book

COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
CLUSTER = (
    '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
)
PLAN = """
[evaluation]
name = "short"
cluster = "here.cluster.toml"
seed = 11
[factors]
text = ["a", "b"]
number = [1, 2]
[run]
command = ["sh", "-c", "{script}"]
launcher = "custom"
[replications]
count = 3
"""


def write(directory: Path, script: str, more: str = "", count: int = 3) -> Path:
    (directory / "here.cluster.toml").write_text(CLUSTER)
    file = directory / "plan.toml"
    file.write_text(PLAN.replace("{script}", script).replace("count = 3", f"count = {count}") + more)
    return file


def evaluate(directory: Path, script: str, more: str = "", count: int = 3) -> list[str]:
    said: list[str] = []
    with Store.open(directory / "results") as store:
        Evaluation(plan_file.read(write(directory, script, more, count)), store).run(
            lambda done, total, text: said.append(text)
        )
    return said


def started(directory: Path, script: str, more: str = "") -> tuple["subprocess.Popen[bytes]", str]:
    """An evaluation whose program, which writes its number into the file ``pid``, runs; with that number."""
    file = write(directory, script, more)
    process = subprocess.Popen([*COMMAND, "evaluate", str(file), "--results", "results"], cwd=directory)
    pid = directory / "pid"
    deadline_s = time.monotonic() + 30
    while not (pid.is_file() and pid.read_text()):
        assert time.monotonic() < deadline_s and process.poll() is None, "the program does not run"
        time.sleep(0.02)
    return process, pid.read_text()


def is_running(pid: str) -> bool:
    """Not so a dead process that nobody has waited for."""
    try:
        return Path("/proc", pid.strip(), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def content(results: Path) -> list[tuple[object, ...]]:
    """All that a store holds but for times and the numbers of its runs: a kill can leave one that no run has."""
    with Store.read(results) as store:
        place = {run.id: number for number, run in enumerate(store.runs())} | {None: None}
        return [
            (
                *(place[run.id], place[run.parent], run.kind, dict(run.labels), run.plan, run.seed, run.position),
                *(run.status, run.error, run.exit_code),
                [
                    (series.name, series.unit, dict(series.labels), series.values.shape)
                    for series in store.series(run.id)
                ],
                [(each.name, each.content) for each in store.attachments(run.id)],
                [event.kind for event in store.events(run.id)],
            )
            for run in store.runs()
        ]


def test_every_row_is_one_sample_in_the_order_of_the_plan(tmp_path):
    evaluate(tmp_path, "echo {text}{number}")
    with Store.read(tmp_path / "results") as store:
        experiment = dataset.find(store, "short")
        assert experiment.status == "ok"
        rows = store.runs(dataset.ROW, parent=experiment.id)
        assert [row.position for row in rows] == list(range(12))
        assert {row.status for row in rows} == {"ok"}
        assert all(row.seed == 11 and row.labels["cluster"] == "here" and "here" in row.facts for row in rows)
        for row in rows:
            assert store.attachments(row.id)[0].content == f"{row.labels['text']}{row.labels['number']}\n".encode()
        data = dataset.load(store, experiment)
        assert (len(data.cells), data.n, data.unit) == (4, 12, "s")
        assert all(sorted(cell.blocks) == [0, 1, 2] for cell in data.cells)
    assert not (tmp_path / "results" / FILE_NAME).exists()


def test_cells_are_in_the_order_of_the_plan_and_not_in_that_of_the_runs(tmp_path):
    evaluate(tmp_path, "true", count=1)
    with Store.read(tmp_path / "results") as store:
        experiment = dataset.find(store, "short")
        data = dataset.load(store, experiment)
        ran = [tuple(row.labels[name] for name in data.factors) for row in store.runs(dataset.ROW)]
    planned = [experiment.plan["factors"][name] for name in data.factors]
    wanted = list(product(*planned))
    assert [cell.levels for cell in data.cells] == wanted
    assert ran != wanted


def test_the_same_command_again_runs_nothing(tmp_path):
    evaluate(tmp_path, "true")
    before = content(tmp_path / "results")
    assert evaluate(tmp_path, "true") == []
    assert content(tmp_path / "results") == before


def test_the_report_is_of_the_plan_that_was_named(tmp_path):
    """Another plan of the same name was run after it."""
    evaluate(tmp_path, "true", count=1)
    other = tmp_path / "other.toml"
    other.write_text((tmp_path / "plan.toml").read_text().replace("number = [1, 2]", "number = [1, 2, 3]"))
    with Store.open(tmp_path / "results") as store:
        Evaluation(plan_file.read(other), store).run()
    line = [str(tmp_path / "plan.toml"), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(command, line, catch_exceptions=False)
    assert done.stdout.splitlines()[0] == "4 samples of time_s in 4 cells."


PRICED = INSTANCE + '[systems.here]\ninstance = "big"\nhosts = 1\n'


def test_the_report_has_the_cost_of_runs_by_the_plan_s_price_book_which_the_store_keeps(tmp_path):
    book(tmp_path / "prices.toml", PRICED)
    file = write(tmp_path, "true", count=2)
    file.write_text(file.read_text().replace("seed = 11", 'seed = 11\nprices = "prices.toml"'))
    line = [str(file), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(command, line, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "3.000\u00a0EUR" in done.stdout
    (tmp_path / "prices.toml").unlink()
    done = CliRunner().invoke(command, ["report", str(tmp_path / "results")], catch_exceptions=False)
    assert "3.000\u00a0EUR" in done.stdout
    with Store.read(tmp_path / "results") as store:
        assert dataset.find(store).plan["prices"]["systems"]["here"]["hosts"] == 1
        assert {run.facts["compute_hosts"] for run in store.runs(dataset.ROW)} == {1}


def test_prices_do_not_make_another_evaluation(tmp_path):
    evaluate(tmp_path, "true", count=1)
    path = book(tmp_path / "prices.toml", PRICED)
    line = [str(tmp_path / "plan.toml"), "--results", str(tmp_path / "results"), "--prices", str(path)]
    for price in ("3.000", "4.000"):
        path.write_text(path.read_text().replace("= 3.0", f"= {price}"))
        done = CliRunner().invoke(command, line, catch_exceptions=False)
        assert f"{price}\u00a0EUR" in done.stdout
    with Store.read(tmp_path / "results") as store:
        assert len(store.runs(dataset.KIND)) == 1
        assert len(store.runs(dataset.ROW)) == 4


def test_a_book_without_what_the_plan_runs_on_is_refused_before_anything_runs(tmp_path):
    file = write(tmp_path, "true")
    path = book(tmp_path / "prices.toml", INSTANCE)
    for prices, words in ((str(path), r"prices\.toml: no \[systems\.here\]"), ("absent.toml", "no such file")):
        line = [str(file), "--results", str(tmp_path / "results"), "--prices", prices]
        with pytest.raises(ConfigError, match=words):
            CliRunner().invoke(command, line, catch_exceptions=False)
    assert not (tmp_path / "results").exists()
    file.write_text(file.read_text().replace("seed = 11", 'prices = "prices.toml"'))
    with pytest.raises(ConfigError, match=r"no \[systems\.here\]"):
        CliRunner().invoke(command, ["plan", str(file)], catch_exceptions=False)


def test_a_plan_says_what_its_rows_will_cost_on_what_each_runs_on(tmp_path):
    systems = INSTANCE + INSTANCE.replace("big", "dear").replace("3.0", "6.0")
    systems += '[systems.a]\ninstance = "big"\nhosts = 1\n[systems.b]\ninstance = "dear"\nhosts = 1\n'
    prices = book(tmp_path / "prices.toml", systems)
    file = write(tmp_path, "true")
    for name in "ab":
        (tmp_path / f"{name}.cluster.toml").write_text(CLUSTER.replace("here", name))
    text = file.read_text().replace("here.cluster", "{text}.cluster")
    text += '[whole_plot]\nfactors = ["text"]\nblocks = 3\n'
    file.write_text(text.replace('launcher = "custom"', 'launcher = "custom"\nexpected_s = 30'))
    shown = CliRunner().invoke(command, ["plan", str(file), "--prices", str(prices)])
    assert shown.exit_code == 0, shown.output
    # six rows of 30 s on each: 180 s at 3 an hour, and at 6
    assert shown.output.replace("\u00a0", " ").splitlines()[-1] == "  cost: about 0.45 EUR"
    assert "cost" not in CliRunner().invoke(command, ["plan", str(file)]).output
    file.write_text(text)
    shown = CliRunner().invoke(command, ["plan", str(file), "--prices", str(prices)])
    assert shown.output.splitlines()[-1] == "  cost: not known without the time of a row: --set run.expected_s=SECONDS"


def test_an_evaluation_prints_its_figures_as_json_at_its_end(tmp_path):
    file = write(tmp_path, "true")
    done = CliRunner().invoke(command, [str(file), "--results", str(tmp_path / "results"), "--json"])
    assert done.exit_code == 0, done.output
    read = json.loads(done.stdout)
    assert (read["schema"], read["name"], read["complete"]) == ("fairlead.evaluation", "short", True)
    assert [(each["levels"], each["n"]) for each in read["cells"]] == [
        ({"text": text, "number": number}, 3) for text, number in product("ab", (1, 2))
    ]
    assert "report: " in done.stderr


def test_another_network_under_the_same_name_makes_another_evaluation(tmp_path):
    evaluate(tmp_path, "true", count=1)
    file = tmp_path / "here.cluster.toml"
    file.write_text(f"# a remark\n{CLUSTER}")
    plan = plan_file.read(tmp_path / "plan.toml")
    with Store.open(tmp_path / "results") as store:
        assert Evaluation(plan, store).finished
        file.write_text(CLUSTER.replace('"127.0.0.1"', '"127.0.0.1"\nslots = 2'))
        other = Evaluation(plan, store)
        assert not other.finished
        other.run()
        first, second = store.runs(dataset.KIND)
        assert [len(store.runs(dataset.ROW, parent=run.id)) for run in (first, second)] == [4, 4]
        hosts = [run.plan["networks"][str(file)]["hosts"] for run in (first, second)]
    assert hosts == [
        [{"name": "a", "address": "127.0.0.1"}],
        [{"name": "a", "address": "127.0.0.1", "slots": 2}],
    ]


def test_a_failed_row_is_recorded_with_its_output_and_tried_again_as_often_as_the_plan_says(tmp_path):
    script = "echo try >> {text}{number}; echo said; test {text} = b || test $(wc -l < {text}{number}) -ge 3"
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        evaluate(tmp_path, script, "retries = 1\n")
    finally:
        os.chdir(here)
    with Store.read(tmp_path / "results") as store:
        rows = store.runs(dataset.ROW)
        of_a = [row for row in rows if row.labels["text"] == "a" and row.labels["number"] == 1]
        assert [(row.status, row.labels["attempt"], row.labels["replication"]) for row in of_a] == [
            *(("failed", 0, 0), ("failed", 1, 0)),
            *(("ok", 0, 1), ("ok", 0, 2)),
        ]
        assert of_a[0].error == "exit code 1"
        assert store.attachments(of_a[0].id)[0].content == b"said\n"
        assert store.series(of_a[0].id) == []
        data = dataset.load(store, dataset.find(store))
        assert {cell.levels: cell.n for cell in data.cells} == {("a", 1): 2, ("a", 2): 2, ("b", 1): 3, ("b", 2): 3}
        assert data.failed == {("a", 1): 2, ("a", 2): 2}


def test_a_row_that_has_a_sample_has_not_failed_however_many_tries_it_took(tmp_path, monkeypatch):
    """Also where the plan now allows fewer."""
    monkeypatch.chdir(tmp_path)
    script = "echo try >> {text}{number}; test $(wc -l < {text}{number}) -ge 3"
    evaluate(tmp_path, script, "retries = 3\n", count=1)
    with Store.open(tmp_path / "results") as store:
        evaluation = Evaluation(plan_file.read(write(tmp_path, script, count=1)), store)
        assert (evaluation.stored_rows, evaluation.failed_rows, evaluation.empty_cells) == (4, 0, 0)


def test_a_full_disk_is_no_reason_not_to_say_how_to_go_on(tmp_path, monkeypatch):
    def fill(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Evaluation, "run", fill)
    line = [str(write(tmp_path, "true")), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(command, line)
    assert isinstance(done.exception, OSError)
    assert done.stderr.startswith("stopped with no rows stored; repeat the command to continue: fairlead evaluate ")


@pytest.mark.parametrize(("script", "code"), [("test {text} = a -o {number} = 1", 1), ("true", 0)])
def test_the_exit_code_tells_of_rows_without_a_sample(tmp_path, monkeypatch, script, code):
    monkeypatch.setattr(sys, "argv", ["fairlead", "evaluate", str(write(tmp_path, script, count=2))])
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # the second time nothing is run
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == code
    with Store.read(tmp_path / "results") as store:
        failed = [row for row in store.runs(dataset.ROW) if row.status == "failed"]
    assert len(failed) == 2 * code


def test_a_program_may_time_itself(tmp_path):
    file = write(tmp_path, 'echo \'{\\"verified\\": true, \\"seconds\\": {number}.5}\'', count=1)
    file.write_text(file.read_text().replace('launcher = "custom"', 'launcher = "custom"\nvalue = "timed_section_s"'))
    with Store.open(tmp_path / "results") as store:
        Evaluation(plan_file.read(file), store).run()
        data = dataset.load(store, dataset.find(store))
    assert {cell.levels[1]: cell.mean for cell in data.cells} == {1: 1.5, 2: 2.5}


def test_seconds_that_are_no_time_fail_their_row_alone(tmp_path):
    # 10 for the level 1, and -1 for the level 2.
    file = write(tmp_path, "printf '{\\\"seconds\\\": %d}\\n' $((21 - 11 * {number}))", count=1)
    file.write_text(file.read_text().replace('launcher = "custom"', 'launcher = "custom"\nvalue = "timed_section_s"'))
    with Store.open(tmp_path / "results") as store:
        Evaluation(plan_file.read(file), store).run()
        rows = store.runs(dataset.ROW)
        data = dataset.load(store, dataset.find(store))
    assert {cell.levels[1]: cell.mean for cell in data.cells} == {1: 10}
    assert all("prints -1 as its own seconds" in row.error for row in rows if row.status == "failed")
    assert {row.status for row in rows} == {"ok", "failed"}


def test_replications_end_when_intervals_are_narrow_or_the_budget_is_spent(tmp_path):
    plan = write(tmp_path, "sleep 0.02", "half_width = 0.5\nat_most = 8\n", count=5)
    with Store.open(tmp_path / "narrow") as store:
        Evaluation(plan_file.read(plan), store).run()
        narrow = dataset.load(store, dataset.find(store))
    for cell in narrow.cells:
        assert 5 <= cell.n <= 8
    plan = write(tmp_path, "sleep 0.02", "budget_s = 0.1\n")
    with Store.open(tmp_path / "budget") as store:
        Evaluation(plan_file.read(plan), store).run()
        experiment = dataset.find(store)
        rows = store.runs(dataset.ROW)
    assert experiment.ended_s is None
    assert 0 < len(rows) < 12
    assert sum(row.ended_s - row.started_s for row in rows[:-1]) < 0.1


def test_a_larger_budget_goes_on_with_the_same_evaluation(tmp_path):
    plan = write(tmp_path, "sleep 0.05", "budget_s = 0.04\n")
    words = ["run", str(plan), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.return_value == 1
    assert "the budget is spent, 3 cells without a sample: a larger budget_s in the plan continues it" in done.output
    assert "3 of 4 planned cells have no sample." in done.output
    plan = write(tmp_path, "sleep 0.05", "budget_s = 100\n")
    assert CliRunner().invoke(command, words, standalone_mode=False).return_value == 0
    with Store.read(tmp_path / "results") as store:
        (experiment,) = store.runs(dataset.KIND)
        rows = [store.run(run.id).plan for run in store.runs(dataset.ROW)]
    assert experiment.status == "ok"
    assert len({json.dumps(row) for row in rows}) == len(rows) == 12


def test_rows_that_failed_are_tried_again_with_more_retries(tmp_path):
    plan = write(tmp_path, f"test -e {tmp_path}/there")
    words = ["run", str(plan), "--results", str(tmp_path / "results")]
    assert CliRunner().invoke(command, words, standalone_mode=False).exception.args[0].endswith("time_s yet")
    (tmp_path / "there").touch()
    write(tmp_path, f"test -e {tmp_path}/there", "retries = 1\n")
    assert CliRunner().invoke(command, words, standalone_mode=False).return_value == 0
    with Store.read(tmp_path / "results") as store:
        (experiment,) = store.runs(dataset.KIND)
        ended = [run.status for run in store.runs(dataset.ROW)]
    assert (experiment.status, ended.count("failed"), ended.count("ok")) == ("ok", 12, 12)


def test_what_is_set_up_once_a_block_stops_by_blocks(tmp_path):
    """The k-th set-up makes every row last k s: 1, 1, 2, 2, 3, 3, then one row a block.

    The interval of 6 samples is within half of their mean; that of block means is, once there are 7 blocks.
    """
    more = f"""
half_width = 0.5
at_most = 20
[whole_plot]
factors = ["text"]
on = "here"
set_up = [["sh", "-c", "echo >> {tmp_path}/{{text}}"]]
"""
    (tmp_path / "row").write_text('printf \'{"verified": true, "seconds": %d}\' $(wc -l < $1)')
    plan = write(tmp_path, f"sh {tmp_path}/row {tmp_path}/{{text}}", more, count=6)
    text = plan.read_text().replace("number = [1, 2]", "number = [1]")
    plan.write_text(text.replace('launcher = "custom"', 'launcher = "custom"\nvalue = "timed_section_s"'))
    with Store.open(tmp_path / "results") as store:
        Evaluation(plan_file.read(plan), store).run()
        data = dataset.load(store, dataset.find(store))
    for cell in data.cells:
        assert sorted(cell.values.tolist()) == [1, 1, 2, 2, 3, 3, 4, 5, 6, 7]
        assert sorted(cell.blocks.tolist()) == [0, 0, 1, 1, 2, 2, 3, 4, 5, 6]


def test_whole_plots_are_set_up_read_back_and_undone(tmp_path):
    log = tmp_path / "log"
    plot = f"""
[whole_plot]
factors = ["text"]
on = "here"
set_up = [["sh", "-c", "echo set {{text}} >> {log}"]]
read_back = [["echo", "is {{text}}"]]
undo = [["sh", "-c", "echo undo {{text}} >> {log}"]]
reset = [["sh", "-c", "echo reset >> {log}"]]
"""
    evaluate(tmp_path, f"echo row {{text}} >> {log}", plot)
    with Store.read(tmp_path / "results") as store:
        rows = store.runs(dataset.ROW)
        assert all(row.facts["read_back"] == {"": [f"is {row.labels['text']}\n"]} for row in rows)
        kinds = [event.kind for row in rows for event in store.events(row.id)]
    assert (kinds.count("set_up"), kinds.count("reset")) == (6, 2)
    lines = log.read_text().splitlines()
    state = None
    for line in lines:
        what, _, text = line.partition(" ")
        assert what == "reset" or (state is None) == (what == "set")
        state = {"set": text, "undo": None}.get(what, state)
    assert state is None
    assert [line for line in lines if line.startswith("row")] == [f"row {row.labels['text']}" for row in rows]


BONDS = """
[network]
factor = "text"
interfaces = ["eth1"]
levels = { a = { nics = 1, bond = { mode = "balance-rr" } }, b = { nics = 1, bond = { mode = "balance-rr" } } }
[whole_plot]
factors = ["text"]
on = "here"
"""


def test_what_was_not_begun_is_not_undone(tmp_path, monkeypatch):
    restored = []

    def refuse(*_):
        raise HostError("a: eth1 has no link")

    monkeypatch.setattr(net, "apply", refuse)
    monkeypatch.setattr(net, "restore", lambda executor, hosts: restored.append(list(hosts)))
    with pytest.raises(HostError, match="eth1 has no link"):
        evaluate(tmp_path, "true", BONDS + f'undo = [["touch", "{tmp_path}/undone"]]\n')
    assert restored == [["a"]]
    assert not (tmp_path / "undone").exists()
    assert not (tmp_path / "results" / FILE_NAME).exists()


def test_a_row_during_which_a_lease_ended_fails_and_is_tried_again_on_a_new_bond(tmp_path, monkeypatch):
    left_s = iter([0, *[1000] * 6])  # for each of two levels in three blocks, and once more

    def bonded(*_):
        bond = BondState("fairlead0", "balance-rr", "", 100, "", ("eth1",), None)
        return {"a": HostNetwork({}, {"fairlead0": bond}, True, True, (), 5000, 5000 + next(left_s))}

    monkeypatch.setattr(net, "apply", bonded)
    monkeypatch.setattr(net, "restore", lambda *_: [])
    evaluate(tmp_path, "true", "retries = 1\n" + BONDS)
    assert list(left_s) == []
    with Store.read(tmp_path / "results") as store:
        rows = store.runs(dataset.ROW)
    assert [row.status for row in rows] == ["failed", *["ok"] * 12]
    assert "DHCP lease ended while this ran" in str(rows[0].error)


def test_a_bond_whose_lease_was_renewed_stays_for_the_next_rows(tmp_path, monkeypatch):
    made = []

    def bonded(*_, left_s=0):
        bond = BondState("fairlead0", "balance-rr", "", 100, "", ("eth1",), None)
        return {"a": HostNetwork({}, {"fairlead0": bond}, True, True, (), 5000, 5000 + left_s, "dhclient")}

    monkeypatch.setattr(net, "apply", lambda *_: made.append(1) or bonded())
    monkeypatch.setattr(net, "show", lambda *_: bonded(left_s=1000))
    monkeypatch.setattr(net, "restore", lambda *_: [])
    evaluate(tmp_path, "true", BONDS)
    with Store.read(tmp_path / "results") as store:
        assert {row.status for row in store.runs(dataset.ROW)} == {"ok"}
    assert len(made) == 6  # for each of two levels in three blocks


def test_an_undo_that_fails_leaves_no_bonds_and_is_tried_again_by_the_next_start(tmp_path, monkeypatch):
    restored = []
    monkeypatch.setattr(net, "apply", lambda *_: {})
    monkeypatch.setattr(net, "restore", lambda executor, hosts: restored.append(list(hosts)))
    more = BONDS + f'undo = [["test", "-e", "{tmp_path}/mended"]]\n'
    results = tmp_path / "results"
    with pytest.raises(FairleadError, match=rf"the leftovers cannot be(.|\n)*remove {results / FILE_NAME}"):
        evaluate(tmp_path, "true", more)
    assert restored == [["a"]]
    noted = json.loads((results / FILE_NAME).read_text())
    assert (noted["undo"], noted["bonded"]) == ([["test", "-e", f"{tmp_path}/mended"]], False)
    with pytest.raises(FairleadError, match="exit code 1"):  # the next start does not measure on it
        evaluate(tmp_path, "true", more)
    (tmp_path / "mended").touch()
    evaluate(tmp_path, "true", more)
    assert not (results / FILE_NAME).exists()
    assert restored == [["a"]] * 6  # twice a block, in three blocks
    with Store.read(results) as store:
        assert [row.position for row in store.runs(dataset.ROW)] == list(range(12))


def test_what_was_set_up_when_it_was_killed_is_taken_back_by_the_next_start(tmp_path):
    log = tmp_path / "log"
    ledger = CleanupLedger(tmp_path)
    ledger.note_cluster(str(write(tmp_path, "true").with_name("here.cluster.toml")))
    for on in ("here", "hosts"):
        ledger.note_undo([["sh", "-c", f"echo undone {on} >> {log}"]], on)
        assert CleanupLedger(tmp_path).end() == ["what was set up"]
        assert CleanupLedger(tmp_path).end() == []
    assert log.read_text() == "undone here\nundone hosts\n"
    (tmp_path / FILE_NAME).write_text("{")
    with pytest.raises(FairleadError, match="is not a record of what runs"):
        CleanupLedger(tmp_path)


NEIGHBOURS = """
[neighbours]
factor = "number"
levels = { 1 = [], 2 = ["loop", "loop"] }
[neighbours.programs.loop]
command = ["sh", "-c", "echo $$ >> {pids}; sleep 0.05"]
"""


def test_neighbours_loop_only_while_the_main_program_runs(tmp_path):
    pids = tmp_path / "pids"
    script = f"test {{number}} = 1 -o -s {pids} && sleep 1"
    evaluate(tmp_path, script, NEIGHBOURS.replace("{pids}", str(pids)), count=1)
    with Store.read(tmp_path / "results") as store:
        for row in store.runs(dataset.ROW):
            assert row.status == "ok"
            own = store.series(row.id, "neighbour_time_s")
            events = {(event.kind, event.data["instance"]): event.t_s for event in store.events(row.id)}
            if row.labels["number"] == 1:
                assert (own, events) == ([], {})
                continue
            assert [series.labels for series in own] == [{"instance": k, "program": "loop"} for k in (1, 2)]
            assert all(len(series.values) >= 2 for series in own)
            taken_s = store.one_series(row.id, "time_s").scalar()
            for number in (1, 2):
                assert events["neighbour_gone", number] - events["neighbour_runs", number] > taken_s
    assert not [pid for pid in pids.read_text().split() if is_running(pid)]


def test_a_neighbour_that_fails_fails_the_row(tmp_path):
    more = NEIGHBOURS.replace('["sh", "-c", "echo $$ >> {pids}; sleep 0.05"]', '["false"]')
    evaluate(tmp_path, "sleep 0.1", more, count=1)
    with Store.read(tmp_path / "results") as store:
        rows = [row for row in store.runs(dataset.ROW) if row.labels["number"] == 2]
    assert {row.status for row in rows} == {"failed"}
    assert all(row.error.startswith("neighbour") and "(loop): ended with exit code 1" in row.error for row in rows)
    assert not (tmp_path / "results" / FILE_NAME).exists()


@pytest.mark.slow  # it waits until a program that does not listen is killed
def test_what_a_killed_evaluation_had_running_is_ended_by_the_next_start(tmp_path):
    first, pid = started(tmp_path, "echo $$ > pid; trap '' TERM; while :; do sleep 1; done")
    (job,) = json.loads((tmp_path / "results" / FILE_NAME).read_text())["jobs"]
    first.kill()
    first.wait()
    assert CleanupLedger(tmp_path / "results").end() == [f"job {job}"]
    assert not is_running(pid)
    assert not (tmp_path / "results" / FILE_NAME).exists()


@pytest.mark.slow
def test_a_program_does_not_outlive_its_evaluation(tmp_path):
    first, pid = started(tmp_path, "echo $$ > pid; exec sleep 60")
    first.kill()
    first.wait()
    deadline_s = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert not is_running(pid)


def test_a_signal_ends_what_runs_and_leaves_the_row_for_later(tmp_path):
    process, pid = started(tmp_path, "echo $$ > pid; exec sleep 60")
    process.terminate()
    assert process.wait() == 128 + signal.SIGTERM
    assert not is_running(pid)
    with Store.read(tmp_path / "results") as store:
        assert [run.status for run in store.runs()] == ["interrupted"]  # the evaluation; of the row there is nothing


def test_a_row_that_fails_says_why_at_once_and_failures_are_counted_at_the_end(tmp_path):
    script = "test {number} = 1 || { echo no memory; exit 3; }"
    plan = write(tmp_path, script, "retries = 1\n", count=1)
    words = ["run", str(plan), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.return_value == 1
    failed = [line.strip().split("  ", 1)[1] for line in done.output.splitlines() if "FAILED" in line]
    reason = "exit code 3; last output: no memory"
    assert len(failed) == 4
    assert sorted(failed) == sorted(
        f"FAILED text {text}, number 2, replication 1: {reason} ({left} left)"
        for text in "ab"
        for left in ("1 try", "no try")
    ), failed
    lines = done.output.splitlines()
    first = next(k for k, line in enumerate(lines) if "FAILED" in line)
    assert any("  row " in line for line in lines[first:])  # it was told while others were still to run
    (count,) = [k for k, line in enumerate(lines) if line == "2 rows failed, 2 rows have a sample:"]
    assert sorted(lines[count + 1 : count + 3]) == [
        f"  text {text}, number 2, replication 1: {reason}" for text in "ab"
    ]
    assert f"more `retries` in {plan} run them again" in lines[count + 3]


def test_a_plan_whose_rows_all_fail_names_them_before_it_gives_up(tmp_path):
    plan = write(tmp_path, "exit 3", count=1)
    done = CliRunner().invoke(command, ["run", str(plan), "--results", str(tmp_path / "r")], standalone_mode=False)
    assert isinstance(done.exception, FairleadError)
    assert "4 rows failed, no rows have a sample:" in done.output


def test_an_interrupted_plan_says_how_to_go_on(tmp_path):
    file = write(tmp_path, "test {number} = 1 || { echo $$ > pid; exec sleep 60; }", count=1)
    line = [*COMMAND, "evaluate", str(file), "--results", "a directory", "--set", "number=[1, 2]", "--json"]
    process = subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline_s = time.monotonic() + 30
    while not (tmp_path / "pid").exists():
        assert time.monotonic() < deadline_s and process.poll() is None, "the program does not run"
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGINT
    found = re.search(r"stopped with (\w+) rows? stored; repeat the command to continue: (.*)", told)
    assert found is not None, told
    assert found.group(2) == f"fairlead evaluate {file} --results 'a directory' --set 'number=[1, 2]' --json"
    with Store.read(tmp_path / "a directory") as store:
        assert found.group(1) == str(len(store.runs(dataset.ROW)) or "no")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_kills_lose_and_double_nothing(tmp_path):
    """Plans of 200 short rows, killed 200 times in all at random instants, against the same plan undisturbed."""
    plan = PLAN.replace("number = [1, 2]", f"number = {list(range(10))}").replace("count = 3", "count = 10")
    (tmp_path / "here.cluster.toml").write_text(CLUSTER)
    file = tmp_path / "plan.toml"
    file.write_text(plan.replace("{script}", "sleep 0.02; echo {text}{number}"))
    line = [*COMMAND, "evaluate", str(file), "--results"]
    subprocess.run([*line, str(tmp_path / "undisturbed")], check=True, capture_output=True)
    draw = random.Random(200)
    kills, killed = 0, [tmp_path / "killed0"]
    while kills < 200:
        process = subprocess.Popen([*line, str(killed[-1])], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            assert process.wait(draw.uniform(0.3, 1.5)) == 0
            killed.append(tmp_path / f"killed{len(killed)}")  # it has ended: the next one
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    subprocess.run([*line, str(killed[-1])], check=True, capture_output=True)
    for results in killed:
        assert content(results) == content(tmp_path / "undisturbed")


def may_share_processors() -> bool:
    names = cgroups.names(1)
    try:
        cgroups.remove(cgroups.make(names).paths)
    except PrivilegeError:
        return False
    return True


SHARED = """
[neighbours]
factor = "number"
levels = { 1 = [], 2 = ["loop"] }
processors = "fixed"
[neighbours.programs.loop]
command = ["sh", "-c", "cat /proc/self/cgroup >> {log}; sleep 0.05"]
"""


@pytest.mark.skipif(not may_share_processors(), reason="cannot create a control group for processors here")
def test_instances_share_processors_by_control_groups_which_are_removed(tmp_path):
    log = tmp_path / "neighbour"
    evaluate(tmp_path, "cat /proc/self/cgroup; sleep 0.1", SHARED.replace("{log}", str(log)), count=1)
    with Store.read(tmp_path / "results") as store:
        rows = store.runs(dataset.ROW)
        texts = [store.attachments(row.id)[0].content.decode() for row in rows]
    assert {row.status for row in rows} == {"ok"}
    own = {name for text in texts for name in re.findall(r"/(fairlead-\w+-\d)$", text, re.MULTILINE)}
    beside = set(re.findall(r"/(fairlead-\w+-\d)$", log.read_text(), re.MULTILINE))
    assert [name[-1] for name in (*own, *beside)] == ["0", "1"]
    assert not any(path.exists() for path in cgroups.candidates([*own, *beside]))
    assert {row.facts["processors"]["asked"] for row in rows} == {"fixed"}
    assert rows[0].facts["processors"]["way"].startswith("cgroup v")


@pytest.mark.skipif(not may_share_processors(), reason="cannot create a control group for processors here")
def test_control_groups_that_a_killed_evaluation_left_are_removed_with_what_runs_in_them(tmp_path):
    first, pid = started(tmp_path, "echo $$ > pid; exec sleep 60", SHARED.replace("{log}", "log"))
    first.kill()
    first.wait()
    left = [
        path
        for path in map(Path, json.loads((tmp_path / "results" / FILE_NAME).read_text())["groups"])
        if path.is_dir()
    ]
    assert len(left) == 2
    assert CleanupLedger(tmp_path / "results").end()[-1] == "control groups"
    assert not any(path.exists() for path in left)
    assert not is_running(pid)


def test_where_no_control_group_can_be_made_rows_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroups, "places", lambda: iter([(Path("/proc"), 2)]))
    evaluate(tmp_path, "true", SHARED.replace("{log}", "/dev/null"), count=1)
    with Store.read(tmp_path / "results") as store:
        (found,) = {json.dumps(row.facts["processors"]) for row in store.runs(dataset.ROW)}
    assert json.loads(found)["way"] == "none"
    assert "cannot create a control group for processors here: /proc: " in json.loads(found)["reason"]


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (b"reading\nno memory\n\n", "no memory"),
        # LAMMPS says its last command after the error, and mpirun more.
        (b"ERROR: no input\nLast command: (unknown)\nMPI_ABORT was invoked\n", "ERROR: no input"),
        (b"Error: early\n" + 30 * b"it goes on\n", "it goes on"),
        (b"", ""),
    ],
)
def test_of_what_a_failed_row_printed_the_error_is_told(printed: bytes, told: str) -> None:
    assert runner._telling_line([Attachment("output", printed)]) == told


def test_a_plan_of_a_version_without_transports_goes_on() -> None:
    """It left the transport to the cluster, which null says now; another transport is another plan."""
    earlier = {"evaluation": {"name": "e"}, "run": {"program": "ep"}, "comparison": {"seed": 1}}
    now = {**earlier, "run": {"program": "ep", "transport": None}, "comparison": {"seed": 1, "transport": None}}
    assert runner._what_is_run(now) == runner._what_is_run(earlier)
    assert runner._what_is_run({**now, "run": {"program": "ep", "transport": "tcp"}}) != runner._what_is_run(earlier)
