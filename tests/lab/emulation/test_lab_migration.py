"""Virtual machines that move from server to server while their processes go on."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab_fixtures import is_empty, private_runtime, run, running

from fairlead import lab as labs
from fairlead.errors import LabError
from fairlead.lab import Lab
from fairlead.lab.migration import Migration, replug

__all__ = ["private_runtime"]
FAIRLEAD = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]
SERVERS = """
[lab]
name = "servers"
topology = "star"
hosts_per_leaf = 2
[host_link]
rate = "1gbit"
[servers]
per_leaf = 3
[servers.uplink]
rate = "100mbit"
[servers.vm]
memory = "4MiB"
dirty_rate = "10mbit"
"""
SLOW = SERVERS.replace('"4MiB"', '"16MiB"').replace('"100mbit"', '"40mbit"')
# Counts up, one number a datagram's worth, over one connection; the receiver prints what it got.
STREAM = """
import socket, sys, time
if sys.argv[1] == "receive":
    server = socket.create_server(("", 7000)); print("ready", flush=True)
    stream = server.accept()[0].makefile("rb")
    numbers = [int(line) for line in stream]
    assert numbers == list(range(len(numbers))), "numbers are missing"
    print(len(numbers))
else:
    s = socket.create_connection((sys.argv[2], 7000)); end = time.monotonic() + float(sys.argv[3]); k = 0
    while time.monotonic() < end:
        s.sendall(b"%d\\n" % k); k += 1; time.sleep(0.001)
"""


def ports_of(lab: Lab, server: str) -> list[str]:
    """Names of what is plugged into a server's bridge."""
    said = json.loads(run(lab, server, "ip", "-json", "link", "show", "master", "br0"))
    return sorted(port["ifname"] for port in said)


@pytest.mark.userns
def test_a_connection_lives_on_while_its_machine_moves() -> None:
    with running(SERVERS, user_namespace=True) as lab:
        receiver = subprocess.Popen(
            lab.enter_command("h0", ["python3", "-c", STREAM, "receive"]), stdout=subprocess.PIPE, text=True
        )
        assert receiver.stdout is not None and receiver.stdout.readline() == "ready\n"
        address = lab.plan.host_by_name["h0"].address
        sender = subprocess.Popen(lab.enter_command("h1", ["python3", "-c", STREAM, "send", address, "1.5"]))
        time.sleep(0.1)
        moved = json.loads(
            subprocess.run(
                [*FAIRLEAD, "lab", "migrate", lab.name, "h0", "server2", "--json"],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )
        assert (moved["vm"], moved["source"], moved["target"]) == ("h0", "server0", "server2")
        assert moved["rounds"][0]["size_B"] == 4 * 2**20
        assert 4 * 2**20 / moved["rounds"][0]["time_s"] < 100e6 / 8 * 1.1  # over the uplinks, which hold 100 Mbit/s
        assert 0 < moved["paused_s"] < moved["time_s"]
        assert sender.wait(20) == 0
        assert int(receiver.communicate(timeout=20)[0]) > 100
        assert receiver.returncode == 0
        assert (ports_of(lab, "server0"), ports_of(lab, "server2")) == (["switch"], ["h0", "switch"])
        found = labs.find_lab(lab.name)
        assert found.plan.host_by_name["h0"].server == "server2"
        shaped = json.loads(run(lab, "server2", "tc", "-json", "qdisc", "show", "dev", "h0"))
        assert [each["kind"] for each in shaped] == ["tbf"]
        assert is_empty(lab)
        replug(found, "h0", "server0")
        assert (ports_of(lab, "server0"), ports_of(lab, "server2")) == (["h0", "switch"], ["switch"])
        with pytest.raises(LabError, match="h0 is already on server0"):
            Migration(labs.find_lab(lab.name), "h0", "server0")


@pytest.mark.root
def test_a_killed_command_leaves_the_machine_where_it_was_and_nothing_behind() -> None:
    with running(SLOW, user_namespace=False) as lab:
        command = subprocess.Popen(
            [*FAIRLEAD, "lab", "migrate", lab.name, "h0", "server2"], stderr=subprocess.PIPE, text=True
        )
        assert command.stderr is not None
        assert "round 1 copying" in command.stderr.readline()
        with pytest.raises(LabError, match="another migration is in progress"):
            Migration(lab, "h1", "server2").wait()
        command.send_signal(signal.SIGKILL)
        command.wait()
        assert is_empty(lab)
        assert ports_of(lab, "server0") == ["h0", "switch"]
        assert labs.find_lab(lab.name).plan == lab.plan
        with Migration(lab, "h0", "server2") as migration:
            while migration.progress is None:
                migration.poll(0.1)
            migration.abort()
            with pytest.raises(LabError, match="h0 to server2 was aborted: by request"):
                migration.wait()
        assert is_empty(lab)


@pytest.mark.root
@pytest.mark.slow
def test_a_machine_whose_carrier_is_killed_in_the_pause_goes_on() -> None:
    text = SLOW + 'downtime = "3s"\n'
    with running(text, user_namespace=False) as lab:
        ticking = subprocess.Popen(
            lab.enter_command("h0", ["sh", "-c", "while :; do echo tick; sleep 0.05; done"]), stdout=subprocess.PIPE
        )
        with Migration(lab, "h0", "server2") as migration:
            while migration.progress is None or migration.progress.phase != "paused":
                assert migration.poll(0.05) is None
            assert is_stopped(lab), "nothing is paused"
            run(lab, "server0", "sh", "-c", "kill -9 $(pgrep -o -f migration.carrier)")
            with pytest.raises(LabError, match="the process that carried it out died"):
                migration.wait()
        assert goes_on(lab, ticking)
        assert ports_of(lab, labs.find_lab(lab.name).plan.host_by_name["h0"].server) == ["h0", "switch"]
        ticking.kill()
        ticking.wait()
        assert ticking.stdout is not None
        ticking.stdout.close()


def is_stopped(lab: Lab) -> bool:
    return any(line.split()[0].startswith("T") for line in run(lab, "server0", "ps", "-eo", "stat=").splitlines())


def goes_on(lab: Lab, ticking: "subprocess.Popen[bytes]") -> bool:
    deadline_s = time.monotonic() + 5
    while is_stopped(lab):
        if time.monotonic() > deadline_s:
            return False
        time.sleep(0.02)
    return ticking.poll() is None


@pytest.mark.root
@pytest.mark.mpi
@pytest.mark.slow
def test_an_mpi_program_verifies_across_migrations(tmp_path: Path) -> None:
    with running(SERVERS, user_namespace=False, share=[tmp_path]) as lab:
        cluster = tmp_path / "cluster.toml"
        cluster.write_text(lab.cluster_file_text())
        line = ["run", str(cluster), "--no-agents", "--results", str(tmp_path / "results"), "-n", "2", "--"]
        program = subprocess.Popen(
            [*FAIRLEAD, *line, "cg", "--class", "W", "--iterations", "120"], stdout=subprocess.PIPE, text=True
        )
        time.sleep(1.5)
        for vm, server in (("h0", "server2"), ("h1", "server0"), ("h0", "server1")):
            assert program.poll() is None, "the program ended before its machines had moved"
            with Migration(labs.find_lab(lab.name), vm, server) as migration:
                assert migration.wait().target == server
        said = program.communicate(timeout=120)[0]
        assert program.returncode == 0
        assert '"verified":true' in said
