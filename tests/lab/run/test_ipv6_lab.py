"""A cluster whose hosts have IPv6 addresses and no others: programs, agents, and detours by the relay plane."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from managed_runs import (
    REROUTED,
    cluster_file,
    finish,
    mesh,
    nothing_left,
    processes,
    rerouted_routes,
    run,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    with mesh("ipv6", tmp_path_factory.getbasetemp(), trunk="40mbit", family=6) as found:
        yield found


def connections(lab: labs.Lab, host: str) -> str:
    """As ss(8) lists them."""
    words = ["ss", "-Htn", "state", "established"]
    return subprocess.run(lab.enter_command(host, words), capture_output=True, text=True, check=True).stdout


def bytes_on(lab: labs.Lab, host: str, prefix: str) -> int:
    """Received by a host's devices whose names begin so."""
    words = ["ip", "-json", "-stats", "link", "show"]
    listed = subprocess.run(lab.enter_command(host, words), capture_output=True, text=True, check=True).stdout
    return sum(link["stats64"]["rx"]["bytes"] for link in json.loads(listed) if link["ifname"].startswith(prefix))


def test_a_program_alone_uses_ipv6(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), "--no-agents", program=traffic(), results=tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        wait_for(lambda: "fd00:64:1::1" in connections(lab, "h0"), "connections of the ranks")
        assert "10.64" not in connections(lab, "h0")
        finish(lab)
        assert command.end() == 0, command.text()


def test_messages_of_a_rerouted_pair_are_relayed(lab: labs.Lab, tmp_path: Path) -> None:
    def told() -> dict[str, Any]:
        """What the agents last said of frames and messages, by host."""
        return {str(event.data["host"]): event.data["relay"] for event in command.events("stats")}

    with run(
        cluster_file(lab, tmp_path), "--plane", "relay", *REROUTED, program=traffic(), results=tmp_path
    ) as command:
        wait_for(lambda: processes(lab, "h0", "random-traffic"), "the ranks' start")
        wait_for(lambda: "h0" in told() and told()["h0"]["ranks"]["relayed"] > 0, "relayed messages", 20)
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    assert told()["h0"]["ranks"]["relayed"] > 0
    assert told()["h2"]["passed"] >= told()["h0"]["ranks"]["relayed"]
    assert nothing_left(lab)


@pytest.mark.skipif(
    not Path("/proc/sys/net/ipv6/conf/all/force_forwarding").exists(),
    reason="before Linux 6.17 a host forwards IPv6 on all devices or on none",
)
def test_packets_of_a_rerouted_pair_take_kernel_routes(lab: labs.Lab, tmp_path: Path) -> None:
    with run(cluster_file(lab, tmp_path), *REROUTED, program=traffic(), results=tmp_path) as command:
        command.wait_to_hear("plane: route, by kernel routes (the guardian has its privilege on all 3 hosts)")
        wait_for(lambda: rerouted_routes(lab, "h0"), "the reroute")
        (route,) = rerouted_routes(lab, "h0")
        assert route.startswith("fd00:64:1::1 via fe80::246:4c00:2 dev fl-")
        wait_for(lambda: bytes_on(lab, "h2", "fl-") > 1_000_000, "traffic over h2")
        finish(lab)
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    assert len(command.events("rerouted")) == 1
    assert nothing_left(lab)


@pytest.mark.slow
@pytest.mark.parametrize("plane", ["auto", "relay"])
def test_a_congested_trunk_is_left(lab: labs.Lab, tmp_path: Path, plane: str) -> None:
    with (
        congestion.make(lab, FOREIGN),
        run(cluster_file(lab, tmp_path), "--plane", plane, program=traffic(), results=tmp_path) as command,
    ):
        command.wait_to_hear("rerouted over h2")
        finish(lab)
        assert command.end() == 0, command.text()
    first = command.events("rerouted")[0].data
    assert {first["source"], first["destination"]} == {"h0", "h1"}
    assert any("verification passed" in line for line in command.output)
    assert nothing_left(lab)
