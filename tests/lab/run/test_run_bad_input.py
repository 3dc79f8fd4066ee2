"""``fairlead run`` on a cluster that is not as its file says, or lacks something: told at once, with the way out."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from managed_runs import (
    PROGRAM,
    REROUTED,
    cluster_file,
    finish,
    nothing_left,
    once,
    processes,
    run,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead.config import parse
from fairlead.lab.description import Description

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
STAR = """
[lab]
name = "{name}"
topology = "star"
hosts_per_leaf = 3
[host_link]
rate = "200mbit"
queue = "20ms"
"""


def on(lab: labs.Lab, host: str, command: str) -> None:
    subprocess.run(lab.enter_command(host, ["sh", "-c", command]), check=True)


def test_an_unreachable_host_is_named_before_the_program_starts(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    on(lab, "h1", "ip route save table main >/tmp/routes; ip link set eth0 down")
    begin_s = time.monotonic()
    try:
        with run(cluster, *REROUTED, program=traffic(5), results=tmp_path) as command:
            assert command.end() == 1
    finally:
        on(lab, "h1", "ip link set eth0 up; ip route restore </tmp/routes 2>/dev/null || true")
    assert time.monotonic() - begin_s < 20
    assert "fairlead: h1 (10.64.1.1): no answer from or to the other hosts over the cluster's network" in command.text()
    assert f"`fairlead doctor {cluster}` shows what is wrong" in command.text()
    assert "Traceback" not in command.text()
    failed, _ = command.record()
    assert failed.status == "failed" and failed.error is not None and failed.error.startswith("h1 (10.64.1.1)")
    assert nothing_left(lab)


def test_a_wrong_interface_is_told_with_the_right_one(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path, 'interface = "eth0"', 'interface = "ens5"')
    with run(cluster, *REROUTED, program=traffic(5), results=tmp_path) as command:
        assert command.end() == 2
    assert f"fairlead: {cluster}: h0: 10.64.0.1 is on eth0, not on ens5" in command.text()
    assert 'write interface = "eth0"' in command.text()
    assert nothing_left(lab)


@pytest.mark.slow
def test_hosts_where_everybody_has_low_ports_are_told(lab: labs.Lab, tmp_path: Path) -> None:
    """What others can put into the rerouted traffic is not seen where it arrives: each host's own setting counts."""
    on(lab, "h1", "sysctl -qw net.ipv4.ip_unprivileged_port_start=600")
    try:
        with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(1), results=tmp_path) as command:
            assert command.end() == 0
        assert command.heard("every user of h1 (first port 600) can inject packets into rerouted traffic")
    finally:
        on(lab, "h1", "sysctl -qw net.ipv4.ip_unprivileged_port_start=1024")
    with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(1), results=tmp_path) as command:
        assert command.end() == 0
    assert not command.heard("inject packets")


TWO_PORTS = 'interface = "eth0"', 'interface = "eth0"\nports = [19650, 19651]'
HOLD = "import socket; s = socket.socket(type=socket.{kind}); s.bind(('', {port})); print(1, flush=True); input()"


@contextmanager
def held(lab: labs.Lab, host: str, kind: str, port: int) -> Iterator[None]:
    """Somebody else's socket."""
    command = lab.enter_command(host, [sys.executable, "-c", HOLD.format(kind=kind, port=port)])
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.communicate(b"\n")


def test_a_run_starts_where_no_port_is_free_on_all_hosts(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path, *TWO_PORTS)
    with (
        held(lab, "h1", "SOCK_STREAM", 19650),
        held(lab, "h2", "SOCK_DGRAM", 19651),
        run(cluster, *REROUTED, program=traffic(1), results=tmp_path) as command,
    ):
        assert command.end() == 0, command.text()
    (told,) = command.events("port")
    assert (told.data["host"], told.data["port"]) in (("h1", 19651), ("h2", 19650))
    taken = 39301 - told.data["port"]
    assert command.heard(f"{told.data['host']}: port {taken} is in use there; its agent listens on {told.data['port']}")
    assert [event.kind for event in command.record()[1] if event.kind in ("rerouted", "plane")] == ["rerouted"]
    assert nothing_left(lab)


def listening(lab: labs.Lab, host: str) -> set[int]:
    """TCP ports of agents on a host."""
    done = subprocess.run(
        lab.enter_command(host, ["ss", "-Hltn"]), stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    ports = {int(line.split()[3].rpartition(":")[2]) for line in done.splitlines()}
    return ports & {19650, 19651}


@pytest.mark.slow
def test_two_runs_at_once_start_on_the_same_hosts(lab: labs.Lab, tmp_path: Path) -> None:
    """Of two ports, which the cluster has, each takes one."""
    cluster = cluster_file(lab, tmp_path, *TWO_PORTS)
    with (
        run(cluster, *REROUTED, program=traffic(60, seed=1), results=tmp_path / "one") as one,
        run(cluster, *REROUTED, program=traffic(60, seed=2), results=tmp_path / "two") as two,
    ):
        for command in (one, two):
            command.wait_to_hear("h0→h1 rerouted over h2")
        assert listening(lab, "h0") == {19650, 19651}
        for seed, command in ((1, one), (2, two)):
            finish(lab, seed)
            assert command.end() == 0, command.text()
    assert nothing_left(lab)


def test_reroutes_by_hand_need_privileges(lab: labs.Lab, tmp_path: Path, unprivileged: str) -> None:
    words = ["--plane", "route", *REROUTED]
    with run(
        cluster_file(lab, tmp_path), *words, program=traffic(5), results=tmp_path, FAIRLEAD_NATIVE_DIR=unprivileged
    ) as command:
        assert command.end() == 1
    assert command.heard("3 of 3 hosts cannot reroute traffic (first: h0: ")
    assert "CAP_NET_ADMIN" in command.text()
    assert "h0: `reroute` failed: there is no route plane" in command.text()
    assert [event.data["plane"] for event in command.events("plane")] == ["none"] * 3
    assert nothing_left(lab)


@pytest.mark.slow
def test_without_privileges_the_program_runs_and_the_user_is_told(
    lab: labs.Lab, tmp_path: Path, unprivileged: str
) -> None:
    cluster = cluster_file(lab, tmp_path)
    measured = once("characterize", cluster, "--results", tmp_path, "--sizes", "64,64KiB")
    assert measured.returncode == 0, measured.stderr
    words = ["--plane", "route"]
    with run(cluster, *words, program=traffic(1), results=tmp_path, FAIRLEAD_NATIVE_DIR=unprivileged) as command:
        assert command.end() == 0, command.text()
    assert command.heard("3 of 3 hosts cannot reroute traffic (first: h0: ")
    assert command.heard("`fairlead doctor` shows how to give the guardian its privilege")
    assert command.record()[0].status == "ok"
    program = tmp_path / "static"
    subprocess.run(["gcc", "-static", "-x", "c", "-o", program, "-"], input=b"int main(void) { return 0; }", check=True)
    with run(cluster, program=[str(program)], results=tmp_path, FAIRLEAD_NATIVE_DIR=unprivileged) as command:
        assert command.end() == 0, command.text()
    why = f"and agents cannot carry the program's messages: {program} is linked statically. To change that: "
    assert command.heard("plane: none, so congestion is only reported: the guardian cannot set routes on 3 of 3 hosts")
    assert command.heard(why)


@pytest.mark.slow
def test_a_star_has_no_detours_and_costs_no_guardians(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = STAR.format(name=f"input-star-{os.getpid()}")
    lab = labs.up(parse(text, Description, source="star.toml"), share=[tmp_path_factory.getbasetemp()])
    try:
        cluster = cluster_file(lab, tmp_path)
        measured = once("characterize", cluster, "--results", tmp_path, "--sizes", "64,64KiB")
        assert measured.returncode == 0, measured.stderr
        assert "no detour for every pair" in " ".join(measured.stdout.split())
        with run(cluster, program=traffic(1.5), results=tmp_path) as command:
            wait_for(lambda: processes(lab, "h1", PROGRAM), "the ranks' start")
            assert processes(lab, "h1", "fairlead-agent")
            assert processes(lab, "h1", "fairlead-guardian") == []
            assert command.end() == 0
        assert command.heard("there is no detour around any bottleneck on ")
        assert command.heard("no reroutes")
        assert command.events("rerouted") == []
    finally:
        lab.down()


def without(directory: Path, *names: str) -> str:
    """A PATH that has everything that this one has, but for some programs."""
    directory.mkdir()
    for folder in os.environ["PATH"].split(":"):
        for program in Path(folder).glob("*") if Path(folder).is_dir() else ():
            link = directory / program.name
            if program.name not in names and not link.is_symlink():
                link.symlink_to(program)
    return str(directory)


def test_a_missing_mpirun_is_told_with_its_host(lab: labs.Lab, tmp_path: Path) -> None:
    path = without(tmp_path / "bin", "mpirun.openmpi")
    with run(cluster_file(lab, tmp_path), program=traffic(5), results=tmp_path / "r", PATH=path) as command:
        assert command.end() == 1
    assert "fairlead: h0: mpirun.openmpi was not found\n  install an MPI" in command.text()
    assert not (tmp_path / "r").exists()


PLAN = """
[comparison]
name = "short"
cluster = "lab.cluster.toml"

[congestion]
bottlenecks = [{ kind = "streams", between = ["leaf0", "leaf1"], streams = 2 }]

[[programs]]
name = "traffic"
command = ["random-traffic", "--seconds", "2", "--bytes", "16384"]
ranks = 3
"""


def test_a_missing_mpirun_is_told_before_anything_is_measured(lab: labs.Lab, tmp_path: Path) -> None:
    cluster_file(lab, tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    path = without(tmp_path / "bin", "mpirun.openmpi")
    done = once("compare", tmp_path / "plan.toml", "--results", tmp_path / "r", PATH=path)
    assert (done.returncode, "h0: mpirun.openmpi was not found" in done.stderr) == (1, True), done.stderr
    assert "quiet network" not in done.stderr and "Traceback" not in done.stderr


def test_a_cluster_of_one_host_runs_and_says_that_there_is_nothing_to_manage(tmp_path: Path) -> None:
    cluster = tmp_path / "one.toml"
    cluster.write_text(
        '[cluster]\nname = "one"\nexecutor = "local"\ninterface = "lo"\nmpirun = "mpirun.openmpi"\n'
        '[[hosts]]\nname = "localhost"\naddress = "127.0.0.1"\n'
    )
    with run(cluster, program=["sh", "-c", "exit 7"], results=tmp_path / "r") as command:
        assert command.end() == 7, command.text()
    assert command.heard(
        "fairlead: one has one compute host: all traffic stays inside it, so there is nothing to manage"
    )
    assert command.record()[0].exit_code == 7
    done = once("run", cluster, "--results", tmp_path / "r", "--reroute", "a:b:c", "--", "true")
    assert (done.returncode, "a cluster of at least three hosts" in done.stderr) == (2, True)
    done = once("characterize", cluster, "--results", tmp_path / "r")
    assert (done.returncode, "one has a single host" in done.stderr) == (2, True)
    done = once("doctor", cluster, "--json")
    assert any(item["check"] == "enough_hosts" for item in json.loads(done.stdout))
