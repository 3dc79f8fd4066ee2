"""A leaf-spine network whose leafs choose a spine for each connection by a hash: while one spine is congested, cg's
pair takes another, without a third host."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from managed_runs import (
    Command,
    cluster_file,
    nothing_left,
    processes,
    rerouted_routes,
    run,
    wait_for,
)

from fairlead import lab as labs
from fairlead import programs
from fairlead.config import parse
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams
from fairlead.lab.description import Description

SEED = "net.ipv4.fib_multipath_hash_seed"
pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(os.geteuid() != 0, reason="kernel state is looked at as root"),
    pytest.mark.skipif(
        not Path("/proc/sys", *SEED.split(".")).exists(),
        reason="before Linux 6.11 nobody can choose which connections take which spine",
    ),
]
TEXT = """
[lab]
name = "{name}"
topology = "leaf-spine"
leafs = 3
spines = 2
ecmp = true
hosts_per_leaf = 1
neighbours_per_leaf = 1
[host_link]
rate = "1gbit"
queue = "10ms"
[trunk]
rate = "40mbit"
queue = "20ms"
"""
WAYS = 7  # of two spines all miss a free one with a probability below 1 %
CG = ["cg", "--class", "A", "--iterations", "25"]
FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4)
OVER = "h0→h1 rerouted over another equal-cost path"


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    text = TEXT.format(name=f"equal-cost-{os.getpid()}")
    lab = labs.up(parse(text, Description, source="equal-cost.toml"), share=[tmp_path_factory.getbasetemp()])
    try:
        yield lab
    finally:
        lab.down()


def on(lab: labs.Lab, node: str, *command: str) -> str:
    return subprocess.run(lab.enter_command(node, list(command)), capture_output=True, text=True, check=True).stdout


def sent_to_spines_B(lab: labs.Lab, leaf: str = "leaf0") -> dict[str, int]:
    links = json.loads(on(lab, leaf, "ip", "-json", "-stats", "link", "show"))
    return {link["ifname"]: link["stats64"]["tx"]["bytes"] for link in links if link["ifname"].startswith("spine")}


def busier_spine(lab: labs.Lab, seconds: float = 0.5) -> str:
    """The one that leaf 0 sends more to."""
    before = sent_to_spines_B(lab)
    time.sleep(seconds)
    after = sent_to_spines_B(lab)
    return max(after, key=lambda spine: after[spine] - before[spine])


def have_on(lab: labs.Lab, spine: str) -> None:
    """Draw hashes anew until the program's connection takes this spine."""
    for seed in count(1):
        for leaf in lab.plan.leafs:
            on(lab, leaf, "sysctl", "-qw", f"{SEED}={seed}")
        time.sleep(0.1)
        if busier_spine(lab) == spine:
            return
        assert seed < 20, "the connection keeps the other spine whatever the hash"


def started(cluster: Path, results: Path, *options: str) -> Command:
    """On h0 and h1."""
    return run(cluster, "-n", "2", "--set", f"ways.count={WAYS}", *options, program=CG, results=results)


def of_hosts(lab: labs.Lab, number: int, directory: Path) -> Path:
    """The lab's cluster file with its first hosts only; the third could relay."""
    path = cluster_file(lab, directory)
    path.write_text(path.read_text().partition(f'\n[[hosts]]\nname = "h{number}"')[0])
    return path


def verified(lab: labs.Lab, command: Command) -> None:
    assert command.end(300) == 0, command.text()
    assert programs.verdict("".join(command.output).encode()).verified, command.output
    assert command.record()[0].status == "ok"
    wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)


@pytest.mark.parametrize("hosts", [3, 2])
def test_a_pair_on_the_congested_spine_takes_the_other(lab: labs.Lab, tmp_path: Path, hosts: int) -> None:
    congested = f"spine{lab.plan.spine_of[0][1]}"
    with started(of_hosts(lab, hosts, tmp_path), tmp_path) as command:
        wait_for(lambda: processes(lab, "h0", "cg") and processes(lab, "h1", "cg"), "the ranks' start")
        wait_for(lambda: len(command.events("base_learnt")) >= 2, "both paths being known")
        have_on(lab, congested)
        with congestion.make(lab, FOREIGN):
            command.wait_to_hear(OVER)
            wait_for(lambda: rerouted_routes(lab, "h0"), "a route that lasts", 10)  # the first may have been given back
            (route,) = rerouted_routes(lab, "h0")
            assert " dev f" in route and " dev fl-" not in route, route
        verified(lab, command)
    moved = [event.data for event in command.events("rerouted")]
    (taken, *_) = [data for data in moved if (data["source"], data["relay"]) == ("h0", data["destination"])]
    assert "over equal-cost path" in taken["reason"]


def test_a_pair_takes_an_equal_cost_path_by_hand(lab: labs.Lab, tmp_path: Path) -> None:
    options = ["--no-detection", "--reroute", "h0:h1:way:2"]
    with started(of_hosts(lab, 2, tmp_path), tmp_path, *options) as command:
        command.wait_to_hear(f"{OVER}: by hand: equal-cost path 2")
        wait_for(lambda: processes(lab, "h0", "cg") and processes(lab, "h1", "cg"), "the ranks' start")
        (route,) = rerouted_routes(lab, "h0")
        assert " dev f2-" in route, route
        assert rerouted_routes(lab, "h1") == []
        verified(lab, command)
