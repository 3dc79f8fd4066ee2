"""``fairlead doctor`` on a real lab: healthy, then with one thing broken at a time."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from managed_runs import COMMAND

from fairlead import lab as labs
from fairlead import native
from fairlead.lab.description import Description

pytestmark = pytest.mark.userns


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    tables = {
        "lab": {"name": f"doctor-{os.getpid()}", "topology": "mesh", "leafs": 3, "hosts_per_leaf": 1},
        "host_link": {"rate": "1gbit", "queue": "20ms"},
        "trunk": {"rate": "200mbit", "queue": "20ms"},
    }
    lab = labs.up(Description.model_validate(tables), share=[tmp_path_factory.getbasetemp()])
    try:
        yield lab
    finally:
        lab.down()


def on(lab: labs.Lab, host: str, command: str) -> None:
    subprocess.run(lab.enter_command(host, ["sh", "-c", command]), check=True)


def consult(
    lab: labs.Lab, tmp_path: Path, *options: str, old: str = "", new: str = "", **env: str
) -> tuple[int, list[Any]]:
    """Exit code and findings for the lab's cluster file with ``old`` replaced by ``new``."""
    path = tmp_path / "lab.cluster.toml"
    path.write_text(lab.cluster_file_text().replace(old, new, 1) if old else lab.cluster_file_text())
    done = subprocess.run(
        [*COMMAND, "doctor", str(path), "--json", "--mpirun", "mpirun.openmpi", *options],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def errors(findings: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Check -> texts, with the hosts in front."""
    found: dict[str, list[str]] = {}
    for item in findings:
        if item["severity"] == "error":
            found.setdefault(item["check"], []).append(f"{' '.join(item['hosts'])}: {item['text']}")
    return found


@contextmanager
def undone(lab: labs.Lab, host: str, command: str, undo: str) -> Iterator[None]:
    on(lab, host, command)
    try:
        yield
    finally:
        on(lab, host, undo)


ONE_PORT = {"old": 'interface = "eth0"', "new": 'interface = "eth0"\nports = [47050, 47050]'}


def test_healthy(lab: labs.Lab, tmp_path: Path) -> None:
    code, findings = consult(lab, tmp_path, **ONE_PORT)
    assert errors(findings) == {}
    assert code == 0
    said = {item["check"]: item["text"] for item in findings if item["severity"] == "ok"}
    assert said["paths"] == "all 6 directed paths work, TCP and UDP"
    assert said["mtu"] == "packets of 1500 B arrive whole on every path"
    assert "will use eth0 only" in said["chosen_interface"]
    assert "can be rerouted" in said["route_plane"]


def table_for_people(lab: labs.Lab, tmp_path: Path) -> str:
    path = tmp_path / "lab.cluster.toml"
    path.write_text(lab.cluster_file_text())
    done = subprocess.run(
        [*COMMAND, "doctor", str(path), "--mpirun", "mpirun.openmpi"], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_interface_down_and_up_again(lab: labs.Lab, tmp_path: Path) -> None:
    # Taking it down loses its routes, which the lab made: they are put back as they were.
    save = "ip route save table main >/tmp/routes; ip link set eth0 down"
    restore = "ip link set eth0 up; ip route restore </tmp/routes 2>/dev/null || true"
    with undone(lab, "h1", save, restore):
        code, findings = consult(lab, tmp_path)
    assert code == 1
    assert errors(findings)["interface"] == ["h1: interface eth0 is down"]
    assert any(text.startswith("h0 h2: to h1: nothing gets there") for text in errors(findings)["paths"])
    table = table_for_people(lab, tmp_path)
    assert "all 6 directed paths work" in table
    assert "no errors" in table


def test_wrong_interface_name(lab: labs.Lab, tmp_path: Path) -> None:
    code, findings = consult(lab, tmp_path, old='interface = "eth0"', new='interface = "ens5"')
    assert code == 1
    (found,) = [item for item in findings if item["check"] == "interface" and item["hosts"] == ["h0"]]
    assert found["text"].startswith("there is no interface ens5: it has ")
    assert found["fix"] == '10.64.0.1 is on eth0: write interface = "eth0" in the cluster file'


def test_wrong_address(lab: labs.Lab, tmp_path: Path) -> None:
    code, findings = consult(lab, tmp_path, old='"10.64.1.1"', new='"10.64.1.77"')
    assert code == 1
    assert errors(findings)["interface"] == ["h1: interface eth0 does not have address 10.64.1.77; it has 10.64.1.1/24"]
    assert "cannot listen on 10.64.1.77" in errors(findings)["agent_ports"][0]


def test_mtu_mismatch(lab: labs.Lab, tmp_path: Path) -> None:
    with undone(lab, "h1", "ip link set eth0 mtu 1400", "ip link set eth0 mtu 1500"):
        code, findings = consult(lab, tmp_path)
    assert code == 1
    said = errors(findings)["mtu"]
    assert any(
        text.startswith("h0 h2: packets of 1500 B do not arrive at h1; the largest tested that do have 1400 B")
        for text in said
    )
    assert any("1400 B on h1; 1500 B on h0, h2" in item["text"] for item in findings if item["severity"] == "warning")


def test_a_firewall_that_knows_agents_but_not_the_overlay(lab: labs.Lab, tmp_path: Path) -> None:
    rules = "add table ip wall; add chain ip wall in { type filter hook input priority 0; }; "
    rules += "add rule ip wall in udp dport 20000-29999 drop"
    with undone(lab, "h1", f"nft '{rules}'", "nft delete table ip wall"):
        code, findings = consult(lab, tmp_path)
    assert code == 1
    said = "h0 h2: to h1: UDP on the overlay's ports: no answer: traffic rerouted there by kernel routes would be lost"
    assert errors(findings) == {"overlay": [said]}


def test_missing_iperf3_and_mpirun(lab: labs.Lab, tmp_path: Path) -> None:
    hide = "for tool in /usr/bin/iperf3 /usr/bin/mpirun.openmpi; do mount --bind /dev/null $tool; done"
    with undone(lab, "h2", hide, "umount /usr/bin/iperf3 /usr/bin/mpirun.openmpi"):
        code, findings = consult(lab, tmp_path)
    assert code == 1
    assert errors(findings)["mpirun"] == ["h2: mpirun.openmpi was not found"]
    (missing,) = [item for item in findings if item["check"] == "iperf3"]
    assert (missing["severity"], missing["hosts"]) == ("note", ["h2"])


@contextmanager
def running_python(lab: labs.Lab, host: str, code: str) -> Iterator[None]:
    """``code`` on a host, from when it has run to its end until the block is left."""
    code = f"import socket, time; {code}; print(flush=True); time.sleep(60)"
    with subprocess.Popen(lab.enter_command(host, ["python3", "-c", code]), stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()


def test_no_free_port_for_agents(lab: labs.Lab, tmp_path: Path) -> None:
    with running_python(lab, "h2", "s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('', 47050))"):
        code, findings = consult(lab, tmp_path, **ONE_PORT)
    assert code == 1
    (said,) = errors(findings)["agent_ports"]
    assert said.startswith("h2: cannot listen on 10.64.2.1, ports 47050 to 47050: ")
    assert "Address already in use" in said


def test_ports_below_1024_are_for_everybody(lab: labs.Lab, tmp_path: Path) -> None:
    setting = "sysctl -qw net.ipv4.ip_unprivileged_port_start="
    with undone(lab, "h1", f"{setting}80", f"{setting}1024"):
        code, findings = consult(lab, tmp_path)
    assert code == 0
    (found,) = [item for item in findings if "ip_unprivileged_port_start" in item["text"]]
    assert (found["severity"], found["check"], found["hosts"]) == ("warning", "route_plane", ["h1"])
    assert found["fix"] == "sysctl -w net.ipv4.ip_unprivileged_port_start=1024"


def test_no_privileges(lab: labs.Lab, tmp_path: Path) -> None:
    """A guardian without the right to change routes: root's rights, less this one."""
    staged = tmp_path / "native"
    (staged / "bin").mkdir(parents=True)
    for name in ("fairlead-agent", "fairlead-enter"):
        (staged / "bin" / name).symlink_to(native.program(name))
    guardian = staged / "bin" / "fairlead-guardian"
    less = "setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
    guardian.write_text(f'#!/bin/sh\nexec {less} {native.program("fairlead-guardian")} "$@"\n')
    guardian.chmod(0o755)
    code, findings = consult(lab, tmp_path, "--plane", "route", FAIRLEAD_NATIVE_DIR=str(staged))
    assert code == 1
    said = errors(findings)["route_plane"]
    assert any("cap_net_admin: not held" in text for text in said)
    assert any("fairlead guardian install" in item["fix"] for item in findings if item["check"] == "route_plane")
    code, findings = consult(lab, tmp_path, FAIRLEAD_NATIVE_DIR=str(staged))  # a run would choose the relay plane
    assert code == 0
    assert {item["severity"] for item in findings if item["check"] == "route_plane"} == {"warning"}
    guardian.unlink()
    code, findings = consult(lab, tmp_path, FAIRLEAD_NATIVE_DIR=str(staged))
    assert code == 1
    assert "fairlead-guardian was not built" in errors(findings)["agent"][0]


def test_a_lab_that_is_down(lab: labs.Lab, tmp_path: Path) -> None:
    code, findings = consult(lab, tmp_path, old=f'lab = "{lab.name}"', new='lab = "nowhere"')
    assert code == 1
    assert "no lab 'nowhere' of yours is running" in errors(findings)["reachable"][0]


def test_two_jobs_at_once(lab: labs.Lab, tmp_path: Path) -> None:
    with running_python(lab, "h1", "s = socket.socket(socket.AF_UNIX); s.bind('\\0fairlead-guardian-1f3a9c02-17')"):
        _, findings = consult(lab, tmp_path)
    (found,) = [item for item in findings if item["check"] == "other_jobs"]
    assert found["hosts"] == ["h1"]
    assert "managed job 1f3a9c02 is running" in found["text"]
