"""Export: every sample unrounded in CSV and Parquet, and the command."""

import csv

import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from fairlead.cli.export import command
from fairlead.errors import StoreError
from fairlead.store import Store, export
from fairlead.store.facts import SCRIPT, collect, host_facts, parse


@pytest.fixture
def results(tmp_path):
    with Store.open(tmp_path / "results") as store:
        first = store.begin_run("run", {"program": "cg", "ranks": 8, "mixed": 1}, seed=3, position=0)
        store.add_series(first, "time_s", [1 / 3, 2.0], "s")
        store.add_event(first, 12.25, "rerouted", {"source": "h0"})
        store.attach(first, "stdout", b"a,b\n")
        store.finish_run(first, "ok", 0)
        second = store.begin_run("characterization", {"mixed": "x"})
        matrix = np.array([[np.nan, 5e-5], [7e-5, np.nan]])
        store.add_series(second, "latency_s", matrix, "s", {"size_B": 64}, missing=True)
    return tmp_path / "results"


def test_csv_holds_every_sample(results, tmp_path):
    done = CliRunner().invoke(command, [str(results), "--output", str(tmp_path / "out")])
    assert done.exit_code == 0
    names = {line.rsplit("/out/")[1] for line in done.output.splitlines()}
    assert names == {"runs.csv", "events.csv", "series.time_s.csv", "series.latency_s.csv", "attachments/1/stdout"}

    def rows(name):
        with (tmp_path / "out" / name).open(newline="") as file:
            return list(csv.DictReader(file))

    times = rows("series.time_s.csv")
    assert [float(row["value"]) for row in times] == [1 / 3, 2.0]
    assert [row["i0"] for row in times] == ["0", "1"]
    latencies = rows("series.latency_s.csv")
    assert [float(row["value"]) if row["value"] else None for row in latencies] == [None, 5e-5, 7e-5, None]
    assert [(row["i0"], row["i1"], row["label.size_B"]) for row in latencies][1] == ("0", "1", "64")
    runs = rows("runs.csv")
    assert [row["status"] for row in runs] == ["ok", "interrupted"]
    assert [row["label.mixed"] for row in runs] == ["1", "x"]
    assert runs[0]["label.ranks"] == "8"
    assert (tmp_path / "out/attachments/1/stdout").read_bytes() == b"a,b\n"


def test_parquet_keeps_types(results, tmp_path):
    done = CliRunner().invoke(command, [str(results), "--format", "parquet", "--output", str(tmp_path / "out")])
    assert done.exit_code == 0
    table = pyarrow.parquet.read_table(tmp_path / "out/series.latency_s.parquet").to_pydict()
    assert table["value"] == [None, 5e-5, 7e-5, None]
    assert table["run"] == [2, 2, 2, 2]
    runs = pyarrow.parquet.read_table(tmp_path / "out/runs.parquet").to_pydict()
    assert runs["label.ranks"] == [8, None]
    assert runs["seed"] == [3, None]


def test_nothing_is_overwritten(results):
    done = CliRunner().invoke(command, [str(results), "--output", str(results)])
    assert done.exit_code == 1
    assert "not an empty directory" in str(done.exception)


@pytest.mark.parametrize(
    ("error", "told"), [(OSError(28, "full"), StoreError), (KeyboardInterrupt(), KeyboardInterrupt)]
)
@pytest.mark.parametrize("where", ["tables", "attachments"])
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_left_of_an_export_that_does_not_end(results, tmp_path, monkeypatch, error, told, where, there):
    """Part of one looks like all of it, and the same command again would find a directory that is not empty."""
    target = tmp_path / "out"
    if there:
        target.mkdir()

    def write(table, path):
        path.write_text("run,t")
        if where == "tables" and "series" in path.name:
            raise error

    def write_attachment(path, content):
        path.parent.mkdir(parents=True)
        raise error

    with monkeypatch.context() as patched, Store.read(results) as store:
        patched.setitem(export._WRITERS, "csv", write)
        patched.setattr(export.files, "write", write_attachment)
        with pytest.raises(told):
            export.export(store, target, "csv")
    assert target.exists() == there and not list(tmp_path.glob("out/*"))
    done = CliRunner().invoke(command, [str(results), "--output", str(target)])
    assert done.exit_code == 0 and (target / "attachments/1/stdout").is_file()


def test_facts_name_the_kernel_and_hold_no_secrets(monkeypatch):
    monkeypatch.setenv("FAIRLEAD_TEST_SECRET", "hunter2")
    facts = collect()
    assert facts["here"]["kernel"].split(".")[0].isdigit()
    assert int(facts["here"]["cpus"]) >= 1
    assert int(facts["here"]["memory_B"]) > 10**8
    assert facts["software"]["fairlead"]
    assert "hunter2" not in str(facts)
    assert "env" not in SCRIPT.replace("environment", "").split()


def test_facts_of_a_host_are_parsed():
    assert parse("kernel\t6.1\nnic.eth0.mtu_B\t1500\n") == {"kernel": "6.1", "nic.eth0.mtu_B": "1500"}
    with pytest.raises(Exception, match="is not name, tab, value"):
        parse("no tab here\n")
    assert set(host_facts()) >= {"kernel", "machine", "cpus", "memory_B"}


def test_a_fact_in_another_encoding_is_one(monkeypatch):
    monkeypatch.setattr("fairlead.store.facts.SCRIPT", r"printf 'cpu\tK\344rn\n'")
    assert host_facts() == {"cpu": "K\N{REPLACEMENT CHARACTER}rn"}
