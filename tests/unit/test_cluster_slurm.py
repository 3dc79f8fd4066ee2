"""Hosts of a Slurm allocation, from a captured environment."""

from pathlib import Path

import pytest

from fairlead.cluster.choose import cluster_file
from fairlead.cluster.description import Cluster
from fairlead.cluster.slurm import from_slurm, tasks_per_node
from fairlead.errors import ConfigError

# salloc -N 4 --ntasks-per-node=2, Slurm 22.05: the variables that matter.
ENVIRONMENT = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NODELIST": "node[01-03],big1", "SLURM_TASKS_PER_NODE": "2(x3),8"}
NODES = {"node01": "10.1.0.1", "node02": "10.1.0.2", "node03": "10.1.0.3", "big1": "10.1.0.9"}


def test_allocation_becomes_a_cluster() -> None:
    asked = []

    def expand(text: str) -> list[str]:
        asked.append(text)
        return list(NODES)

    cluster = from_slurm(ENVIRONMENT, interface="ib0", expand=expand, resolve=NODES.__getitem__)
    assert asked == ["node[01-03],big1"]
    assert cluster.name == "slurm-4711"
    assert cluster.executor == "ssh"
    assert [(host.name, host.address, host.slots, host.interface) for host in cluster.hosts] == [
        ("node01", "10.1.0.1", 2, "ib0"),
        ("node02", "10.1.0.2", 2, "ib0"),
        ("node03", "10.1.0.3", 2, "ib0"),
        ("big1", "10.1.0.9", 8, "ib0"),
    ]
    assert cluster.launch_from is None


@pytest.mark.parametrize(("text", "counts"), [("1", [1]), ("4(x2)", [4, 4]), ("2(x3),1,16(x2)", [2, 2, 2, 1, 16, 16])])
def test_tasks_per_node(text: str, counts: list[int]) -> None:
    assert tasks_per_node(text) == counts


def test_nonsense_is_not_guessed_at() -> None:
    with pytest.raises(ConfigError, match="is not understood"):
        tasks_per_node("2(y3)")
    with pytest.raises(ConfigError, match="of 2 nodes"):
        from_slurm(
            ENVIRONMENT | {"SLURM_TASKS_PER_NODE": "1,2"},
            interface="x",
            expand=lambda _: list(NODES),
            resolve=NODES.__getitem__,
        )


def test_outside_of_an_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(ConfigError, match="no Slurm allocation"):
        cluster_file("slurm")


def test_an_allocation_becomes_a_cluster_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allocation = from_slurm(ENVIRONMENT, interface="ib0", expand=lambda _: list(NODES), resolve=NODES.__getitem__)
    monkeypatch.setattr("fairlead.cluster.choose.from_slurm", lambda: allocation)
    path = cluster_file("slurm", tmp_path)
    assert path == tmp_path / f"{allocation.name}.cluster.toml"
    loaded = Cluster.load(path)
    assert (loaded.hosts, loaded.executor, loaded.ssh) == (allocation.hosts, "ssh", allocation.ssh)
    assert cluster_file("own.toml") == Path("own.toml")
    assert cluster_file("slurm", tmp_path) == path  # again, in the same allocation
    edited = path.read_text() + "# edited\n"
    path.write_text(edited)
    with pytest.raises(ConfigError, match="is there already, and is not what Slurm says now"):
        cluster_file("slurm", tmp_path)
    assert path.read_text() == edited
