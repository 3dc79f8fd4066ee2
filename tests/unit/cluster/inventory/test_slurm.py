"""Hosts of a Slurm allocation, from a captured environment."""

import json
import os
import socket
from pathlib import Path

import pytest

from fairlead.cluster.addresses import LauncherAddress
from fairlead.cluster.cluster_file import load_cluster, parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.inventory.choose import cluster_file
from fairlead.cluster.inventory.found import to_toml
from fairlead.cluster.inventory.host_addresses import resolved
from fairlead.cluster.inventory.site import Site, places, read
from fairlead.cluster.inventory.slurm import from_slurm, tasks_per_node
from fairlead.errors import ConfigError, HostError

# salloc -N 4 --ntasks-per-node=2, Slurm 22.05: the variables that matter.
ENVIRONMENT = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NODELIST": "node[01-03],big1", "SLURM_TASKS_PER_NODE": "2(x3),8"}
NODES = {"node01": "10.1.0.1", "node02": "10.1.0.2", "node03": "10.1.0.3", "big1": "10.1.0.9"}
IB0 = Site({"interface": "ib0"})


def test_allocation_becomes_a_cluster() -> None:
    asked = []

    def expand(text: str) -> list[str]:
        asked.append(text)
        return list(NODES)

    cluster = from_slurm(ENVIRONMENT, IB0, expand=expand, resolve=NODES.__getitem__)
    assert asked == ["node[01-03],big1"]
    assert cluster.name == "slurm-4711"
    assert cluster.executor == "ssh"
    assert [(host.name, host.address, host.slots, host.interface) for host in cluster.hosts] == [
        ("node01", "10.1.0.1", 2, "ib0"),
        ("node02", "10.1.0.2", 2, "ib0"),
        ("node03", "10.1.0.3", 2, "ib0"),
        ("big1", "10.1.0.9", 8, "ib0"),
    ]
    assert cluster.launch_from == "node01"  # we are on none of them


def test_in_the_job_itself_mpirun_is_started_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlead.cluster.inventory.slurm.own_addresses.is_own", lambda address: address == "10.1.0.3")
    cluster = from_slurm(ENVIRONMENT, IB0, expand=lambda _: list(NODES), resolve=NODES.__getitem__)
    assert cluster.launches_from_here()
    assert parse_cluster(to_toml(cluster)).launches_from_here()
    assert not parse_cluster(to_toml(cluster, Site({"launch_from": "node02"}))).launches_from_here()


def test_beside_the_allocation_its_first_host_tells_the_interface(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where salloc leaves its shell on a login node."""
    links = [{"ifname": "lo", "addr_info": []}, {"ifname": "ens7", "addr_info": [{"local": "10.1.0.1"}]}]
    (tmp_path / "ssh").write_text(f"#!/bin/sh\necho \"$@\" >{tmp_path}/asked\necho '{json.dumps(links)}'\n")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    site = Site(ssh={"port": 2222})
    cluster = from_slurm(ENVIRONMENT, site, expand=lambda _: list(NODES), resolve=NODES.__getitem__)
    assert {host.interface for host in cluster.hosts} == {"ens7"}
    assert cluster.launch_from == "node01"
    asked = (tmp_path / "asked").read_text()
    assert " -p 2222 " in asked and asked.endswith("-- node01 ip -json address\n")


def test_a_requeued_job_may_have_other_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number is the same, and what its first start wrote lies where it starts again."""

    def start(environment: dict[str, str], names: list[str]) -> Path:
        def allocation(site: Site) -> Cluster:
            return from_slurm(ENVIRONMENT | environment, IB0, expand=lambda _: names, resolve=NODES.__getitem__)

        monkeypatch.setattr("fairlead.cluster.inventory.choose.from_slurm", allocation)
        return cluster_file("slurm", tmp_path)

    two = {"SLURM_TASKS_PER_NODE": "2(x2)"}
    first = start(two, ["node01", "node02"])
    again = start(two | {"SLURM_RESTART_COUNT": "1"}, ["node02", "node03"])
    assert [first.name, again.name] == ["slurm-4711.cluster.toml", "slurm-4711-restart1.cluster.toml"]
    assert [host.name for host in load_cluster(again).hosts] == ["node02", "node03"]


# salloc -N 2 --ntasks-per-node=4 : -N 2 --ntasks-per-node=1 : -N 1 -n 2, Slurm 22.05: the variables that matter.
HETEROGENEOUS = {
    "SLURM_HET_SIZE": "3",
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_NODELIST_HET_GROUP_0": "node01,node02",
    "SLURM_TASKS_PER_NODE_HET_GROUP_0": "4(x2)",
    "SLURM_JOB_NODELIST_HET_GROUP_1": "node03,big1",
    "SLURM_TASKS_PER_NODE_HET_GROUP_1": "1(x2)",
    "SLURM_JOB_NODELIST_HET_GROUP_2": "node02",
    "SLURM_TASKS_PER_NODE_HET_GROUP_2": "2",
}


def heterogeneous(without: str = "", **changed: str) -> Cluster:
    environment = {name: value for name, value in {**HETEROGENEOUS, **changed}.items() if name != without}
    return from_slurm(environment, IB0, expand=lambda text: text.split(","), resolve=lambda name: NODES[name])


def slots(cluster: Cluster) -> list[tuple[str, int]]:
    return [(host.name, host.slots) for host in cluster.hosts]


def test_a_heterogeneous_allocation_has_the_nodes_of_all_components() -> None:
    """A node that two components share is one host, with the tasks of both."""
    expected = [("node01", 4), ("node02", 6), ("node03", 1), ("big1", 1)]
    cluster = heterogeneous()
    assert cluster.name == "slurm-4711"
    assert slots(cluster) == expected
    assert [host.address for host in cluster.hosts] == list(NODES.values())
    # A batch script has the first component's variables without an ending, too.
    assert slots(heterogeneous(SLURM_JOB_NODELIST="node01,node02", SLURM_TASKS_PER_NODE="4(x2)")) == expected
    earlier = {name.replace("_HET_", "_PACK_"): value for name, value in HETEROGENEOUS.items()}  # before Slurm 20.11
    named = from_slurm(earlier, IB0, expand=lambda text: text.split(","), resolve=NODES.__getitem__)
    assert slots(named) == expected


def test_components_without_tasks_have_slots_by_their_processors() -> None:
    tasks = "SLURM_TASKS_PER_NODE_HET_GROUP_1"
    by_processors = heterogeneous(
        tasks, SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1="16,7", SLURM_CPUS_PER_TASK_HET_GROUP_1="8"
    )
    assert slots(by_processors)[2:] == [("node03", 2), ("big1", 1)]
    assert slots(heterogeneous(tasks, SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1="16(x2)"))[2:] == [
        ("node03", 16), ("big1", 16),
    ]  # fmt: skip
    with pytest.raises(ConfigError, match=r"SLURM_CPUS_PER_TASK_HET_GROUP_1='0' is not a number of processors"):
        heterogeneous(tasks, SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1="16", SLURM_CPUS_PER_TASK_HET_GROUP_1="0")


@pytest.mark.parametrize(
    ("without", "changed", "said"),
    [
        ("SLURM_JOB_NODELIST_HET_GROUP_1", {}, r"SLURM_JOB_NODELIST_HET_GROUP_1 is not set, though SLURM_HET_SIZE='3'"),
        ("", {"SLURM_HET_SIZE": "4"}, "SLURM_JOB_NODELIST_HET_GROUP_3 is not set, though SLURM_HET_SIZE='4'"),
        ("", {"SLURM_HET_SIZE": "two"}, "SLURM_HET_SIZE='two' is not a number of components"),
        ("", {"SLURM_HET_SIZE": "0"}, "SLURM_HET_SIZE='0' is not a number of components"),
        (
            "SLURM_TASKS_PER_NODE_HET_GROUP_2",
            {},
            "neither SLURM_TASKS_PER_NODE_HET_GROUP_2 nor SLURM_JOB_CPUS_PER_NODE",
        ),
        ("", {"SLURM_TASKS_PER_NODE_HET_GROUP_1": "x"}, "SLURM_TASKS_PER_NODE_HET_GROUP_1='x' is not understood"),
        (
            "",
            {"SLURM_TASKS_PER_NODE_HET_GROUP_0": "1(x3)"},
            r"SLURM_TASKS_PER_NODE_HET_GROUP_0='1\(x3\)' has 3 nodes, SLURM_JOB_NODELIST_HET_GROUP_0='.*' has 2",
        ),
    ],
)
def test_a_variable_of_a_component_that_is_missing_or_wrong_is_named(
    without: str, changed: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        heterogeneous(without, **changed)


@pytest.mark.parametrize(("text", "counts"), [("1", [1]), ("4(x2)", [4, 4]), ("2(x3),1,16(x2)", [2, 2, 2, 1, 16, 16])])
def test_tasks_per_node(text: str, counts: list[int]) -> None:
    assert tasks_per_node(text) == counts


def test_a_name_that_stands_for_the_loopback_device_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Debian writes /etc/hosts: the own name is 127.0.1.1."""
    asked = []

    def towards(address: str) -> LauncherAddress:
        asked.append(address)
        return LauncherAddress("10.1.0.3", "ens6")

    monkeypatch.setattr("fairlead.cluster.inventory.host_addresses.own_addresses.towards", towards)
    looped = NODES | {"node03": "127.0.1.1"}
    cluster = from_slurm(ENVIRONMENT, IB0, expand=lambda _: list(NODES), resolve=looped.__getitem__)
    assert [host.address for host in cluster.hosts] == list(NODES.values())
    assert asked == ["10.1.0.1"]
    looped |= {"big1": "127.0.0.1"}
    with pytest.raises(HostError, match="node03 and big1 have loopback addresses") as told:
        from_slurm(ENVIRONMENT, IB0, expand=lambda _: list(NODES), resolve=looped.__getitem__)
    assert "/etc/hosts" in told.value.hint


SITE = """
[cluster]
guardian = ["sudo", "-n", "/opt/guard"]
ports = [40000, 40099]
interface = "ib7"
[ssh]
shared_files = false
identity = "keys/cluster"
options = ["ConnectTimeout=5", "SetEnv=A=\\"b\\""]
"""


def test_a_site_says_once_what_slurm_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site.toml").write_text(SITE)
    monkeypatch.setenv("FAIRLEAD_SITE", str(tmp_path / "site.toml"))

    def allocation(site: Site) -> Cluster:
        return from_slurm(ENVIRONMENT, site, expand=lambda _: list(NODES), resolve=NODES.__getitem__)

    monkeypatch.setattr("fairlead.cluster.inventory.choose.from_slurm", allocation)
    loaded = load_cluster(cluster_file("slurm", tmp_path))
    assert loaded.guardian == ("sudo", "-n", "/opt/guard")
    assert loaded.ports == (40000, 40099)
    assert {host.interface for host in loaded.hosts} == {"ib7"}
    assert loaded.ssh.identity == tmp_path / "keys/cluster"
    assert loaded.ssh.options == ("ConnectTimeout=5", 'SetEnv=A="b"')
    assert loaded.ssh.shared_files is False


def test_places_of_a_site_file(tmp_path: Path) -> None:
    assert places({"HOME": "/home/ann"}) == [
        Path("/home/ann/.config/fairlead/slurm.toml"),
        Path("/etc/fairlead/slurm.toml"),
    ]
    assert places({"HOME": "/home/ann", "XDG_CONFIG_HOME": "/x"})[0] == Path("/x/fairlead/slurm.toml")
    with pytest.raises(ConfigError, match=r"site\.toml: no such file"):
        read({"FAIRLEAD_SITE": str(tmp_path / "site.toml")})
    (tmp_path / "site.toml").write_text("[cluster]\nhosts = 3\n")
    with pytest.raises(ConfigError, match=r"site\.toml:2: cluster\.hosts"):
        read({"FAIRLEAD_SITE": str(tmp_path / "site.toml")})


def test_nonsense_is_not_guessed_at() -> None:
    with pytest.raises(ConfigError, match="is not understood"):
        tasks_per_node("2(y3)")


@pytest.mark.parametrize(("tasks", "nodes"), [("1,2", 2), ("1", 1)])
def test_a_task_of_a_step_is_told_that_its_variables_are_not_the_jobs(tasks: str, nodes: int) -> None:
    environment = ENVIRONMENT | {"SLURM_TASKS_PER_NODE": tasks}
    with pytest.raises(ConfigError, match=rf"has {nodes} nodes, SLURM_JOB_NODELIST=.* has 4") as told:
        from_slurm(environment, IB0, expand=lambda _: list(NODES), resolve=NODES.__getitem__)
    assert "call fairlead in the batch script, or in the shell of salloc" in told.value.hint


def test_without_a_number_of_tasks_each_node_has_one_slot() -> None:
    environment = {name: value for name, value in ENVIRONMENT.items() if name != "SLURM_TASKS_PER_NODE"}
    cluster = from_slurm(environment, IB0, expand=lambda _: list(NODES), resolve=NODES.__getitem__)
    assert [host.slots for host in cluster.hosts] == [1, 1, 1, 1]


def test_a_node_without_an_address_is_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(HostError) as told:
        resolved("n7")
    assert told.value.message == "n7: no address is known for it: Name or service not known"
    assert told.value.hint.startswith("`getent hosts n7` must print one on this machine")


def test_outside_of_an_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(ConfigError, match="no Slurm allocation"):
        cluster_file("slurm")


def test_an_allocation_becomes_a_cluster_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allocation = from_slurm(ENVIRONMENT, IB0, expand=lambda _: list(NODES), resolve=NODES.__getitem__)
    monkeypatch.setattr("fairlead.cluster.inventory.choose.from_slurm", lambda site: allocation)
    path = cluster_file("slurm", tmp_path)
    assert path == tmp_path / f"{allocation.name}.cluster.toml"
    loaded = load_cluster(path)
    assert (loaded.hosts, loaded.executor, loaded.ssh) == (allocation.hosts, "ssh", allocation.ssh)
    assert cluster_file("own.toml") == Path("own.toml")
    assert cluster_file("slurm", tmp_path) == path  # again, in the same allocation
    edited = path.read_text() + "# edited\n"
    path.write_text(edited)
    with pytest.raises(ConfigError, match="exists, and differs from what the Slurm allocation says now"):
        cluster_file("slurm", tmp_path)
    assert path.read_text() == edited
