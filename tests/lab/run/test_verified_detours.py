"""Detours whose way breaks while a program uses it, or never worked: traffic is back, the program ends as it should.

On hosts with IPv4 addresses, and on hosts with IPv6 addresses.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from managed_runs import (
    PROGRAM,
    REROUTED,
    Command,
    assert_all_gone,
    assert_unharmed,
    cluster_file,
    hit,
    kernel_state,
    mesh,
    nothing_left,
    once,
    processes,
    rerouted_routes,
    run,
    talking,
    traffic,
    wait_for,
)
from packet_filters import NOT_FORWARDED, OVERLAY_BLOCKED, refusing

from fairlead import lab as labs
from fairlead import programs
from fairlead.ip import Family
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="kernel state is looked at as root"),
]
BACK = "h0→h1 back on its direct path"
LIMIT_S = 3.0  # 1 s by design; the machine may be loaded


IPV6 = pytest.mark.skipif(
    not Path("/proc/sys/net/ipv6/conf/all/force_forwarding").exists(),
    reason="before Linux 6.17 a host forwards IPv6 on all devices or on none",
)
FAMILIES = [pytest.param(4, id="ipv4"), pytest.param(6, id="ipv6", marks=[IPV6, pytest.mark.drawn])]


@pytest.fixture(scope="module", params=FAMILIES)
def lab(
    private_runtime: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[labs.Lab]:
    """Three hosts joined pairwise."""
    with mesh(f"verified-ipv{request.param}", tmp_path_factory.getbasetemp(), family=request.param) as lab:
        yield lab


@pytest.fixture
def cluster(lab: labs.Lab, tmp_path: Path) -> Iterator[Path]:
    """The cluster file; a test that leaves something on the hosts fails, and the next one does not find it."""
    path = cluster_file(lab, tmp_path)
    yield path
    assert_all_gone(lab, path)


def away(lab: labs.Lab) -> None:
    """Wait until the program runs on every host, and its pair is away."""
    talking(lab)
    wait_for(lambda: rerouted_routes(lab, "h0"), "the pair's reroute")  # once an echo has come over the relay
    time.sleep(0.5)


def reasons(command: Command) -> list[str]:
    return [event.data["reason"] for event in command.events("restored")]


def test_the_destinations_agent_is_killed(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        away(lab)
        killed_s = hit(lab, "h1", "fairlead-agent")
        assert command.told_after(BACK, killed_s) < LIMIT_S
        wait_for(lambda: command.text().count("h0→h1 rerouted over h2") == 2, "the manual reroute, made again")
        assert_unharmed(lab, command)
    assert reasons(command)[0] == "destination_lost"
    assert command.heard(f"{BACK}: the destination host does not accept rerouted traffic")


def test_the_destinations_agent_is_stopped(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        away(lab)
        stopped_s = hit(lab, "h1", "fairlead-agent", signal.SIGSTOP)
        try:
            assert command.told_after(BACK, stopped_s) < LIMIT_S
        finally:
            hit(lab, "h1", "fairlead-agent", signal.SIGCONT)
        assert_unharmed(lab, command)
    assert reasons(command) == ["destination_lost"]


def test_the_destinations_guardian_is_killed(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        away(lab)
        killed_s = hit(lab, "h1", "fairlead-guardian")
        assert command.told_after(BACK, killed_s) < LIMIT_S
        wait_for(lambda: not kernel_state(lab, "h1"), "the end of what the guardian left", 5)
        assert_unharmed(lab, command)
    assert reasons(command)[0] == "destination_lost"
    order = [event.kind for event in command.record()[1] if event.kind in ("restored", "plane_cleaned")]
    assert order[:2] == ["restored", "plane_cleaned"]


@pytest.fixture
def h1_without_guardian(lab: labs.Lab, unprivileged: str) -> str:
    """Native programs of which the guardian may change the network of every host but h1."""
    guardian = Path(unprivileged) / "bin" / "fairlead-guardian"
    found = re.search(r"^exec (.*) (\S+) \"\$@\"$", guardian.read_text(), re.MULTILINE)
    assert found is not None
    less, program = found.groups()
    address = lab.plan.host_by_name["h1"].address
    guardian.write_text(
        f'#!/bin/sh\nip -o address | grep -qwF "{address}" && exec {less} {program} "$@"\nexec {program} "$@"\n'
    )
    return unprivileged


def test_no_detour_to_a_host_without_a_guardian(
    lab: labs.Lab, cluster: Path, tmp_path: Path, h1_without_guardian: str
) -> None:
    route = ["--plane", "route"]  # left to itself, the run takes the relay plane
    with run(
        cluster, *route, *REROUTED, program=traffic(5), results=tmp_path, FAIRLEAD_NATIVE_DIR=h1_without_guardian
    ) as command:
        assert command.end() == 1
    assert command.heard("1 of 3 hosts cannot reroute traffic (first: h1: ")
    assert command.heard("h0: `reroute` failed: the destination has no data plane")
    other_way = [*route, "--no-detection", "--reroute", "h0:h2:h1"]
    with run(
        cluster, *other_way, program=traffic(5), results=tmp_path, FAIRLEAD_NATIVE_DIR=h1_without_guardian
    ) as command:
        assert command.end() == 1
    assert command.heard("h0: `reroute` failed: the relay has no data plane")


LARGE_BLOCKED = ("input priority 0", "udp dport 20000-29999 meta length 1000-65535 drop;")
TCP_NOT_FORWARDED = ("forward priority 0", "meta l4proto tcp drop;")
WAYS = [
    pytest.param("h2", OVERLAY_BLOCKED, id="overlay-port-at-relay"),
    pytest.param("h1", OVERLAY_BLOCKED, id="overlay-port-at-destination"),
    pytest.param("h2", NOT_FORWARDED, id="forward-policy-at-relay"),
    pytest.param("h1", LARGE_BLOCKED, id="large-packets-at-destination"),
]


@pytest.mark.parametrize(("host", "filter_"), WAYS)
def test_a_detour_that_stops_carrying_is_left(
    lab: labs.Lab, cluster: Path, tmp_path: Path, host: str, filter_: tuple[str, ...]
) -> None:
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        away(lab)
        with refusing(lab, host, *filter_) as since_s:
            assert command.told_after(BACK, since_s) < LIMIT_S
            assert rerouted_routes(lab, "h0") == []
            assert_unharmed(lab, command)
    assert reasons(command) == ["detour_broken"]
    assert command.heard(f"{BACK}: the detour no longer delivers packets")


def test_a_detour_that_carries_echoes_and_no_connection_is_left(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    """As where a packet filter wants to see both directions of a connection (`ct state invalid drop`)."""
    with run(cluster, *REROUTED, program=traffic(), results=tmp_path) as command:
        away(lab)
        with refusing(lab, "h2", *TCP_NOT_FORWARDED) as since_s:
            assert command.told_after(BACK, since_s) < LIMIT_S
            assert rerouted_routes(lab, "h0") == []
            assert_unharmed(lab, command)
    assert reasons(command) == ["detour_broken"]


def busy_ports_to(lab: labs.Lab, host: str, peer: str) -> list[int]:
    """Ports on a host of the program's connections to another one that have carried more than a few messages."""
    address = lab.plan.host_by_name[peer].address
    destination = f"[{address}]" if ":" in address else address
    done = subprocess.run(
        lab.enter_command(host, ["ss", "-HOtnpi", "state", "established", "dst", destination]),
        capture_output=True,
        text=True,
        check=True,
    )
    busy = re.compile(rf":(\d+) +{re.escape(destination)}:\d+ .*{PROGRAM}.* bytes_acked:\d{{6,}} ")
    return [int(found[1]) for found in map(busy.search, done.stdout.splitlines()) if found]


def test_a_detour_that_loses_one_of_several_connections_is_left(lab: labs.Lab, cluster: Path, tmp_path: Path) -> None:
    """As where one link of a bundle loses everything: what goes over the others hides that nothing comes back."""
    cluster.write_text(cluster.read_text().replace("slots = 1", "slots = 2"))
    one_round = [PROGRAM, "--seconds", "60", "--bytes", "16384", "--interval", "60"]
    pairs = ["--seed", "15"]  # 0 with 2 and 1 with 3, between h0 and h1; 4 with 5, on h2
    with run(cluster, *REROUTED, "-n", "6", program=[*one_round, *pairs], results=tmp_path) as command:
        away(lab)
        port, other = busy_ports_to(lab, "h0", "h1")
        assert port != other
        with refusing(lab, "h2", "forward priority 0", f"tcp sport {port} drop;") as since_s:
            assert command.told_after(BACK, since_s) < LIMIT_S
            assert rerouted_routes(lab, "h0") == []
            time.sleep(0.5)
            for rank in [*processes(lab, "h1", PROGRAM), *processes(lab, "h2", PROGRAM)]:  # one of each pair at least
                os.kill(rank, signal.SIGUSR1)
            assert command.end() == 0, command.text()
        assert any("verification passed" in line for line in command.output)
    assert reasons(command) == ["detour_broken"]


@pytest.mark.parametrize(("host", "filter_"), WAYS)
def test_a_detour_that_never_carried_is_not_taken(
    lab: labs.Lab, cluster: Path, tmp_path: Path, host: str, filter_: tuple[str, ...]
) -> None:
    with (
        refusing(lab, host, *filter_),
        run(cluster, *REROUTED, program=traffic(5), results=tmp_path) as command,
    ):
        assert command.end() == 1
    assert command.heard("h0: `reroute` failed: the detour does not carry packets")
    assert command.events("rerouted") == []


RING = ["nbody", "--particles", "256", "--payload", "8192", "--steps", "8"]  # blocks of 1 MiB


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("blocked", [True, False], ids=["ports-blocked", "ports-open"])
def test_detection_takes_no_detour_that_does_not_carry(
    private_runtime: None, tmp_path: Path, blocked: bool, family: Family
) -> None:
    """Blocked at the only relay before the start, as by a security group. Open, the same program is rerouted."""
    with ExitStack() as stack:
        # Trunks slow enough for the network to limit the program.
        lab = stack.enter_context(mesh("closed" if blocked else "open", tmp_path, trunk="40mbit", family=family))
        file = cluster_file(lab, tmp_path)
        done = once("characterize", file, "--results", tmp_path)
        assert done.returncode == 0, done.stderr
        if blocked:
            stack.enter_context(refusing(lab, "h2", *OVERLAY_BLOCKED))
        stack.enter_context(congestion.make(lab, Streams(kind="streams", between=("leaf0", "leaf1"), streams=2)))
        command = stack.enter_context(run(file, "-n", "2", program=RING, results=tmp_path))
        assert command.end(120) == 0, command.text()
        assert programs.verdict("".join(command.output).encode()).verified
        assert bool(command.events("rerouted")) is not blocked, command.text()
        reasons_to_keep = {event.data["reason"] for event in command.events("kept")}
        assert ("not_carried" in reasons_to_keep) is blocked, command.text()
        wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)
