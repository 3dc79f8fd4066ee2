"""Clusters from MPI hostfiles."""

import json
import os
from pathlib import Path

import pytest

from fairlead.cluster.cluster_file import load_cluster, parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.inventory.choose import cluster_file
from fairlead.cluster.inventory.found import to_toml
from fairlead.cluster.inventory.hostfile import Entry, from_hostfile, parse
from fairlead.cluster.inventory.site import Site, places
from fairlead.errors import ConfigError, FairleadError, HostError, MissingToolError

PODS = {f"pi-worker-{index}.pi.default.svc": f"10.244.{index}.7" for index in range(3)}
# As the operator of MPIJobs writes it with mpiImplementation OpenMPI and with MPICH.
OF_OPEN_MPI = "".join(f"{name} slots=2\n" for name in PODS)
OF_MPICH = "".join(f"{name}:2\n" for name in PODS)
NAMED = Site({"interface": "eth0"})


def found(tmp_path: Path, text: str, site: Site = NAMED, known: dict[str, str] = PODS) -> Cluster:
    path = tmp_path / "hostfile"
    path.write_text(text)

    def resolve(name: str) -> str:
        if name not in known:
            raise HostError(f"{name}: no IPv4 address is known for it")
        return known[name]

    return from_hostfile(path, site, resolve=resolve)


@pytest.mark.parametrize("text", [OF_OPEN_MPI, OF_MPICH])
def test_the_workers_of_an_mpijob_become_a_cluster(tmp_path: Path, text: str) -> None:
    cluster = found(tmp_path, text)
    assert [(host.name, host.address, host.slots, host.reach, host.interface) for host in cluster.hosts] == [
        (f"pi-worker-{index}", f"10.244.{index}.7", 2, f"pi-worker-{index}.pi.default.svc", "eth0")
        for index in range(3)
    ]
    assert cluster.executor == "ssh"
    assert cluster.launches_from_here()
    assert not cluster.ssh.shared_files
    loaded = parse_cluster(to_toml(cluster, NAMED))
    assert (loaded.name, loaded.hosts, loaded.ssh) == (cluster.name, cluster.hosts, cluster.ssh)
    assert loaded.launches_from_here()


def test_what_may_stand_in_a_hostfile() -> None:
    text = """
# names, with or without slots
n1
n2   slots = 4  max_slots=8   # the big one
ann@n3:2 ifname=ib0
n4:3 user=bob
10.0.0.5 slots=1 max-slots=1
n1
n1 slots=2
"""
    assert parse(text, "hosts") == [
        Entry("n1", 4, 3),  # each line that names it adds its slots, as with mpirun
        Entry("n2", 4, 4),
        Entry("n3", 2, 5, user="ann", interface="ib0"),
        Entry("n4", 3, 6, user="bob"),
        Entry("10.0.0.5", 1, 7),
    ]


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("n1\nn2 slots=two\n", 2, "slots is 'two'; it must be a whole number of 1 or more"),
        ("n1 slots=0\n", 1, "slots is '0'; it must be"),
        ("n1 slots=\n", 1, "slots is ''; it must be"),
        ("n1:\n", 1, "slots is ''; it must be"),
        ("n1:-2\n", 1, "slots is '-2'; it must be"),
        ("\n\nn1:2 slots=3\n", 3, "n1 gives its slots twice, :2 and slots=3; omit one"),
        ("n1 slots=3 slots=3\n", 1, "slots= appears twice; omit one"),
        ("n1 slots=3 max_slots=2\n", 1, "n1 has slots=3, more than its max_slots=2"),
        ("n1 sluts=2\n", 1, "'sluts=2' is not understood; known here: slots=, max_slots=, user=, username=, ifname=;"),
        ("n1 2\n", 1, "'2' is not understood"),
        ("n1 n2\n", 1, "'n2' is not understood"),
        ("fe80::1 slots=2\n", 1, "'fe80::1': mpirun knows no host by its IPv6 address; give a name that leads to it"),
        ("-oProxyCommand=id\n", 1, "'-oProxyCommand=id' is not the name or IPv4 address of a host"),
        ("n1\n+n0\n", 2, "'+n0' is not the name or IPv4 address of a host"),
        ("^n1\n", 1, "'^n1' is not the name or IPv4 address of a host"),
        ("n1,n2\n", 1, "'n1,n2' is not the name or IPv4 address of a host"),
        ("ann@n1 user=bob\n", 1, "n1 gives its user twice, ann@ and user=bob; omit one"),
        ("@n1\n", 1, "'' is not the name of a user"),
        ("n1 user=-l\n", 1, "'-l' is not the name of a user"),
        ("n1 ifname=a/b\n", 1, "'a/b' is not the name of an interface"),
        ("ann@n1\nn2\nn1\n", 3, "n1 has another user here than in line 1"),
    ],
)
def test_mistakes_are_told_with_file_line_and_the_way_out(text: str, line: int, cause: str) -> None:
    with pytest.raises(ConfigError) as told:
        parse(text, "/etc/mpi/hostfile")
    assert told.value.message.startswith(f"/etc/mpi/hostfile:{line}: {cause}")
    assert told.value.hint == "write one host per line: `n1`, `n1 slots=2` (Open MPI) or `n1:2` (MPICH, Intel MPI)"


@pytest.mark.parametrize("text", ["", "\n# n1\n"])
def test_a_hostfile_without_hosts(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^hosts: lists no host\n  write one host per line"):
        parse(text, "hosts")


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FairleadError, match="absent: the hostfile cannot be read: No such file"):
        from_hostfile(tmp_path / "absent")
    with pytest.raises(FairleadError, match="the hostfile cannot be read: Is a directory"):
        from_hostfile(tmp_path)
    (tmp_path / "binary").write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(ConfigError, match="binary: is not UTF-8 text"):
        from_hostfile(tmp_path / "binary")
    with pytest.raises(ConfigError, match="hostfile: names no file\n  add its path"):
        cluster_file("hostfile:")


def test_a_name_without_an_address(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"hostfile:2: n9: no IPv4 address is known for it") as told:
        found(tmp_path, f"{next(iter(PODS))}\nn9\n")
    assert "launcherCreationPolicy: WaitForWorkersReady" in told.value.hint


def test_two_names_of_one_host(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"hostfile:2: b has the address of a in line 1, 10\.0\.0\.1\n  use one name per host"
    ):
        found(tmp_path, "a\nb\n", known={"a": "10.0.0.1", "b": "10.0.0.1"})


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (["a.x", "b.x"], ["a", "b"]),
        (["n1.rack1", "n1.rack2"], ["n1.rack1", "n1.rack2"]),
        (["10.0.0.1", "n2.x"], ["10.0.0.1", "n2.x"]),
    ],
)
def test_hosts_are_called_by_their_first_label_where_that_tells_them_apart(
    tmp_path: Path, names: list[str], called: list[str]
) -> None:
    cluster = found(tmp_path, "\n".join(names), known={name: f"10.0.0.{i}" for i, name in enumerate(names, start=1)})
    assert [host.name for host in cluster.hosts] == called
    assert [host.reach for host in cluster.hosts] == names


def answering(directory: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Have this script in place of ssh: its last words are the host's reach and the command."""
    (directory / "ssh").write_text(f"#!/bin/sh\n{script}\n")
    (directory / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(directory), prepend=os.pathsep)


def test_each_host_is_asked_for_its_interface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def links(name: str, address: str) -> str:
        other = {"ifname": "lo", "addr_info": [{"local": "127.0.0.1"}]}
        return json.dumps([other, {"ifname": name, "addr_info": [{"local": address}]}])

    cases = [
        f"case \"$*\" in *bob@'n{index}'*|*'bob@n{index} '*) echo '{links(name, f'10.0.0.{index}')}' ;; esac"
        for index, name in ((1, "eth0"), (2, "net1"))
    ]
    answering(tmp_path, monkeypatch, "\n".join(cases))
    known = {"n1": "10.0.0.1", "n2": "10.0.0.2", "n3": "10.0.0.3"}
    cluster = found(tmp_path, "n1\nn2\nn3 ifname=ib0\n", Site(ssh={"user": "bob"}), known)
    assert [host.interface for host in cluster.hosts] == ["eth0", "net1", "ib0"]
    assert [host.interface for host in parse_cluster(to_toml(cluster)).hosts] == ["eth0", "net1", "ib0"]
    with pytest.raises(ConfigError, match=r"n1: no interface there has its address, 10\.0\.0\.9"):
        found(tmp_path, "n1", Site(ssh={"user": "bob"}), {"n1": "10.0.0.9"})


def test_a_host_that_has_no_ip_or_is_not_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(tmp_path, monkeypatch, "echo 'ip: not found' >&2; exit 127")
    with pytest.raises(MissingToolError, match=r"n1: `ip` does not work there.*: ip: not found") as told:
        found(tmp_path, "n1", Site(), {"n1": "10.0.0.1"})
    assert told.value.hint.startswith("install iproute2 there; or give a cluster file, or name the interface")
    answering(tmp_path, monkeypatch, "echo 'Connection refused' >&2; exit 255")
    with pytest.raises(HostError, match="n1: ssh could not reach the host: Connection refused"):
        found(tmp_path, "n1", Site(), {"n1": "10.0.0.1"})


def test_a_host_whose_shell_prints_something_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(tmp_path, monkeypatch, "echo 'Welcome to n1'; echo '[]'")
    with pytest.raises(HostError, match="n1: printed 'Welcome to n1' instead of an answer") as told:
        found(tmp_path, "n1", Site(), {"n1": "10.0.0.1"})
    assert told.value.hint.startswith("~/.bashrc and similar files must print only in interactive shells")


def test_a_hostfile_becomes_a_cluster_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hosts").write_text("10.0.0.1 slots=2\n10.0.0.2\n")
    (tmp_path / "site.toml").write_text('[cluster]\ninterface = "ib7"\nmpirun = "mpirun.openmpi"\n[ssh]\nport = 2222\n')
    monkeypatch.setenv("FAIRLEAD_SITE", str(tmp_path / "site.toml"))
    path = cluster_file(f"hostfile:{tmp_path / 'hosts'}", tmp_path)
    loaded = load_cluster(path)
    assert path.name == f"{loaded.name}.cluster.toml"
    assert [(host.name, host.slots, host.interface) for host in loaded.hosts] == [
        ("10.0.0.1", 2, "ib7"),
        ("10.0.0.2", 1, "ib7"),
    ]
    assert (loaded.mpirun, loaded.ssh.port, loaded.ssh.shared_files) == ("mpirun.openmpi", 2222, False)
    assert cluster_file(f"hostfile:{tmp_path / 'hosts'}", tmp_path) == path
    path.write_text(path.read_text() + "# edited\n")
    with pytest.raises(ConfigError, match=r"exists, and differs from what the hostfile .*/hosts says now") as told:
        cluster_file(f"hostfile:{tmp_path / 'hosts'}", tmp_path)
    assert "instead of `hostfile:" in told.value.hint
    # The same pods again, with other addresses, are another cluster.
    (tmp_path / "hosts").write_text("10.0.0.1 slots=2\n10.0.0.3\n")
    assert cluster_file(f"hostfile:{tmp_path / 'hosts'}", tmp_path) != path


def test_the_site_file_of_hostfiles_is_another_than_slurms() -> None:
    assert places({"HOME": "/home/ann"}, "hostfile") == [
        Path("/home/ann/.config/fairlead/hostfile.toml"),
        Path("/etc/fairlead/hostfile.toml"),
    ]
