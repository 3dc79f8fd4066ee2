"""The migration controller at work: neighbours flood a server, its machine of the job moves, the program goes on."""

import os
import sys
from pathlib import Path

import pytest
from managed_runs import once

from fairlead import lab as labs
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.score import score
from fairlead.cloud.lab import LabDriver
from fairlead.cluster.cluster_file import load_cluster
from fairlead.config import parse
from fairlead.lab.description import Description
from fairlead.lab.migration import replug
from fairlead.manage.migration.grouped import GroupedSharing
from fairlead.manage.migration.relation import Places, Relation
from fairlead.store import Store

LAB = """
[lab]
name = "flooded"
topology = "star"
hosts_per_leaf = 3
share = ["{share}"]
neighbours_per_leaf = 2
[host_link]
rate = "1gbit"
queue = "10ms"
[servers]
per_leaf = 4
others_per_server = 1
[servers.uplink]
rate = "100mbit"
queue = "20ms"
[servers.vm]
memory = "4MiB"
dirty_rate = "5mbit"
"""
PLAN = """
[comparison]
name = "flooded"
lab = "lab.toml"
replications = 1
migrate = true
[congestion]
onset = [0.2, 0.2]
[[congestion.bottlenecks]]
kind = "streams"
pairs = [["n0", "v0"], ["n1", "v0"]]
streams = 4
both_directions = false
[[programs]]
name = "traffic"
command = ["{program}"]
ranks = 3
mpirun = "mpirun.openmpi"
"""
# No MPI, so that processors stay free: ranks 1 and 2 send to rank 0 on h0, message by message, and wait for answers.
PROGRAM = """#!{python}
import os, socket, threading, time
def serve(connection):
    while connection.recv(MESSAGE_B, socket.MSG_WAITALL):
        connection.sendall(b"+")
MESSAGE_B = 32768
if os.environ["OMPI_COMM_WORLD_RANK"] == "0":
    with socket.create_server(("", 7000)) as server:
        threads = [threading.Thread(target=serve, args=(server.accept()[0],)) for _ in range(2)]
    for thread in threads:
        thread.start()
else:
    deadline_s = time.monotonic() + 10
    while True:
        try:
            connection = socket.create_connection(("10.64.0.1", 7000))
            break
        except ConnectionRefusedError:
            assert time.monotonic() < deadline_s
            time.sleep(0.05)
    for _ in range(600):
        connection.sendall(bytes(MESSAGE_B))
        assert connection.recv(1) == b"+"
        time.sleep(0.02)
"""


@pytest.mark.root
@pytest.mark.mpi
@pytest.mark.slow
def test_a_comparison_moves_the_machine_of_a_flooded_server_and_nothing_on_a_clean_network(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(PROGRAM.replace("{python}", sys.executable))
    program.chmod(0o755)
    (tmp_path / "lab.toml").write_text(LAB.replace("{share}", str(tmp_path)))
    (tmp_path / "plan.toml").write_text(PLAN.replace("{program}", str(program)))
    done = once("compare", tmp_path / "plan.toml", "--results", tmp_path / "results")
    assert done.returncode == 0, done.stderr
    with Store.read(tmp_path / "results") as store:
        runs = {str(run.labels["scenario"]): run for run in store.runs("run") if "scenario" in run.labels}
        decided = {
            name: [event.data for event in store.events(run.id) if event.kind == "migration"]
            for name, run in runs.items()
        }
    assert {run.status for run in runs.values()} == {"ok"}
    moved = [event for event in decided["congested_managed"] if event["action"] == "moved"]
    assert [(event["vm"], event["server"], event["to"]) for event in moved] == [("h0", "server0", "server3")]
    assert set(moved[0]["round_trips_s"]) == {"h1", "h2"}
    assert not [event for event in decided["clean_managed"] if event["action"] == "begins"]
    assert "Time of live migrations" in (tmp_path / "results" / "report.html").read_text()


@pytest.mark.root
@pytest.mark.mpi
@pytest.mark.slow
def test_a_full_trunk_is_led_around_and_a_flooded_server_is_left(tmp_path: Path) -> None:
    """Both kinds of congestion at once: streams fill the trunk between two leafs, others the uplink of server4."""
    text = (Path(__file__).parents[3] / "examples" / "mesh-servers8.toml").read_text(encoding="utf-8")
    text = text.replace('"mesh-servers8"', f'"both-{os.getpid()}"')
    lab = labs.up(parse(text, Description, source="mesh-servers8.toml"))
    try:
        cluster = tmp_path / "both.cluster.toml"
        cluster.write_text(lab.cluster_file_text())
        results = ["--results", tmp_path / "results"]
        assert once("characterize", cluster, *results).returncode == 0
        for place in (["--between", "leaf0", "leaf1"], ["--pair", "n4", "v4", "--pair", "n5", "v4", "--one-way"]):
            once("lab", "congest", lab.name, "streams", *place, "--streams", "2", "--background")
        program = ["cg", "--class", "A", "--iterations", "80"]
        done = once("run", cluster, "-n", "8", "--migrate", *results, "--", *program)
    finally:
        lab.down()
    assert done.returncode == 0, done.stderr
    with Store.read(tmp_path / "results") as store:
        (run,) = store.runs("run")
        events = store.events(run.id)
    migrated = [event.data for event in events if event.kind == "migration" and event.data["action"] == "moved"]
    assert sorted((each["vm"], each["server"], each["to"]) for each in migrated) == [
        ("h4", "server4", "server5"),
        ("h5", "server4", "server5"),
    ]
    led = {frozenset((event.data["source"], event.data["destination"])) for event in events if event.kind == "rerouted"}
    assert led & {frozenset((a, b)) for a in ("h0", "h1") for b in ("h2", "h3")}


@pytest.mark.root
@pytest.mark.slow
def test_what_agents_are_told_after_a_move_is_what_a_characterization_finds(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "examples" / "servers8.toml").read_text(encoding="utf-8")
    lab = labs.up(parse(text.replace('"servers8"', f'"shares-{os.getpid()}"'), Description, source="servers8.toml"))
    try:
        cluster = tmp_path / "shares.cluster.toml"
        cluster.write_text(lab.cluster_file_text())
        found = []
        for move in (None, ("h0", "server4")):
            if move is not None:
                replug(lab, *move)
            results = tmp_path / f"results{len(found)}"
            done = once("characterize", cluster, "--results", results)
            assert done.returncode == 0, done.stderr
            with Store.read(results) as store:
                characterization = Characterization.latest(store, load_cluster(cluster))
            assert characterization is not None
            inventory = LabDriver(lab.name).inventory()
            found.append((characterization.sensitivity, Places.of(inventory, characterization.hosts)))
    finally:
        lab.down()
    (before, there), (measured, here) = found
    derived = Relation(GroupedSharing.characterized(before), there).after(here)
    told, stale = (score(each.dense(), measured.dense()) for each in (derived, before))
    assert told.recall > 0.97 and told.precision > 0.97, told
    assert stale.recall < 0.95 or stale.precision < 0.95, "the move had changed nothing"
