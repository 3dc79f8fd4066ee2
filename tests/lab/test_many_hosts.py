"""A managed program of 64 ranks on 64 hosts: congested pairs leave, the result is right, and few things cost much."""

import json
import os
import time
from pathlib import Path

import pytest
from managed_runs import Command, cluster_file, run

from fairlead import lab as labs
from fairlead.lab import congestion, processors
from fairlead.lab import description as lab_description
from fairlead.lab.congestion import Streams

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="the guardian makes routes as root"),
]
EXAMPLE = Path(__file__).parents[2] / "examples" / "leaf-spine64.toml"
PROGRAM = ["nbody", "--particles", "1024", "--payload", "200", "--steps", "40"]
HOSTS = 64
MOST_B = 20_000_000  # of an agent's memory
UNDISTURBED_S = 10.0
"""Before the streams: agents learn how long the paths take that the program uses."""
LIMIT_S = 200.0


def test_pairs_of_64_hosts_leave_a_congested_trunk(tmp_path: Path) -> None:
    lab = labs.up(lab_description.load(EXAMPLE), name=f"many-hosts-{os.getpid()}", share=[tmp_path])
    try:
        begin_s = time.monotonic()
        with run(cluster_file(lab, tmp_path), program=PROGRAM, results=tmp_path) as command:
            command.wait_to_hear("program started")
            print(f"agents ready after {time.monotonic() - begin_s:.1f} s")
            time.sleep(UNDISTURBED_S)
            streams = Streams(kind="streams", between=("leaf0", "leaf1"))
            with congestion.make(lab, streams), processors.watched(watch := processors.Watch()):
                assert command.end(LIMIT_S) == 0, command.text()
        check(lab, command, watch.use())
    finally:
        lab.down()


def check(lab: labs.Lab, command: Command, use: processors.Use) -> None:
    result = json.loads(next(line for line in command.output if line.startswith("{")))
    assert result["ranks"] == HOSTS and result["verified"]
    assert not command.events("died") and not command.events("not_started"), command.text()
    stats = command.events("stats")
    assert {event.data["host"] for event in stats} == {f"h{k}" for k in range(HOSTS)}
    assert max(event.data["rss_B"] for event in stats) < MOST_B
    rerouted = [(event.data["source"], event.data["destination"]) for event in command.events("rerouted")]
    print(f"processors {use.busy:.0%} busy; {result['seconds']:.1f} s; rerouted: {rerouted}")
    if not rerouted and use.limited:
        pytest.skip(f"processors were {use.busy:.0%} busy: the network was not the limit, so nothing can be said")
    loaded = {link for ends in (("h0", "h8"), ("h8", "h0")) for link in lab.path(*ends)[1:-1]}
    assert any(loaded & set(lab.path(*pair)) for pair in rerouted), command.text()
