"""Ranks of a benchmark run where they were to, by what their systems call themselves; else nothing is measured."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from fairlead.benchmarks.measuring import places, probe
from fairlead.benchmarks.stress import measure as stress
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.errors import HostError, MeasurementError
from fairlead.store import Store

HOSTS = "".join(f'[[hosts]]\nname = "h{k}"\naddress = "127.0.0.{k + 1}"\n' for k in range(3))
CLUSTER = parse_cluster(f'[cluster]\nname = "three"\nexecutor = "local"\ninterface = "lo"\n{HOSTS}')
OWN = {"h0": "node-a", "h1": "node-b", "h2": "node-c"}


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "run_on", lambda executor, host, argv: f"{OWN[host]}\n")


@pytest.mark.usefixtures("named")
def test_hosts_may_call_themselves_otherwise_than_the_cluster_file() -> None:
    places.check(CLUSTER, ["h0", "h0", "h2"], ["node-a", "node-a", "node-c"])


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize(
    ("asked", "found", "message"),
    [
        (["h0", "h1"], ["node-a", "node-a"], "rank 1 was to run on h1, which calls itself node-b, and runs on node-a"),
        (["h0", "h0", "h1"], ["node-a", "node-b", "node-b"], "rank 1 was to run on h0, .* on node-b, which is h1"),
        (["h0", "h1"], ["node-b", "node-a"], "rank 0 was to run on h0, .* on node-b, which is h1"),
        (["h0", "h1"], ["node-a", "login"], "rank 1 was to run on h1, .* and runs on login\n"),
    ],
)
def test_a_rank_elsewhere_is_refused(asked: list[str], found: list[str], message: str) -> None:
    with pytest.raises(MeasurementError, match=message):
        places.check(CLUSTER, asked, found)


def test_hosts_of_one_machine_have_its_name() -> None:
    own = os.uname().nodename
    assert places.own_names(CLUSTER, ["h0", "h1", "h0"]) == {"h0": own, "h1": own}
    places.check(CLUSTER, ["h0", "h1"], [own, own])


def test_an_answer_that_is_no_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "run_on", lambda executor, host, argv: "Welcome!\nnode-a\n")
    with pytest.raises(HostError, match="h0: printed 'Welcome!' instead of an answer"):
        places.own_names(CLUSTER, ["h0"])


@pytest.mark.usefixtures("named")
def test_nothing_is_measured_where_the_launcher_placed_ranks_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Misplaced:
        def introduction(self) -> probe.Introduction:
            rank = {"host": "node-a", "cpu": 0, "allowed_cpus": [0]}
            return probe.Introduction("an MPI library", 1e-9, (rank, rank))

    monkeypatch.setattr(probe, "running", lambda *_, **__: nullcontext(Misplaced()))
    monkeypatch.setattr("fairlead.cluster.run_facts.collect", lambda *_: {})
    with Store.open(tmp_path) as store, pytest.raises(MeasurementError, match="rank 1 was to run on h1"):
        stress.measure(CLUSTER, store, stress.StressSettings(between=(("h0", "h1"),)), lambda *_: None)
    with Store.read(tmp_path) as store:
        (run,) = store.runs("benchmark")
        assert run.status == "failed" and not store.events(run.id, "rank")
