"""What a mover is made of: the cluster's cloud, and how long the program usually takes."""

from dataclasses import replace
from pathlib import Path

import pytest

from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.errors import CloudError, ConfigError
from fairlead.manage.migration import movers
from fairlead.manage.run import usual_time_s
from fairlead.store import Store
from fairlead.store.records import Label

CLUSTER = """
[cluster]
name = "c"
executor = "lab"
lab = "gone"
interface = "eth0"
[[hosts]]
name = "h0"
address = "10.64.0.1"
[[hosts]]
name = "h1"
address = "10.64.0.2"
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "c.toml").write_text(CLUSTER)
    return load_cluster(tmp_path / "c.toml")


def test_a_cluster_without_virtual_machines_is_told_before_the_program_starts(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path / "fairlead"))
    with pytest.raises(ConfigError, match="it does not name the cloud of its hosts"):
        movers.maker(replace(cluster, executor="ssh", lab=None), None)
    with pytest.raises(CloudError, match="no lab 'gone' of yours is running"):
        movers.maker(cluster, None)


def test_the_usual_time_is_the_shortest_of_runs_that_were_alike(tmp_path: Path) -> None:
    labels: dict[str, Label] = {"program": "cg", "ranks": 2, "cluster": "c"}
    with Store.open(tmp_path / "results") as store:
        for own, argv, time_s in (
            (labels, ["cg"], 30.0),
            (labels, ["cg"], 20.0),
            (labels, ["cg", "--class", "S"], 1.0),
            (labels | {"cluster": "d"}, ["cg"], 2.0),
            (labels | {"ranks": 8}, ["cg"], 5.0),
            (labels | {"placement": "better.json"}, ["cg"], 6.0),
        ):
            run = store.begin_run("run", own, plan=argv)
            store.add_series(run, "time_s", [time_s], "s")
            store.finish_run(run, "ok", 0)
        assert usual_time_s(store, ["cg"], labels) == 20.0
        assert usual_time_s(store, ["nbody"], labels) is None
