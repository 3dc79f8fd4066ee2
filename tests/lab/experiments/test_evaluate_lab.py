"""``fairlead evaluate`` in a lab, with MPI programs and neighbours; killed in the midst of it and run on."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from managed_runs import mesh_text

from fairlead import lab
from fairlead.analysis.evaluations import aggregation, dataset
from fairlead.bonding import parse
from fairlead.experiment.running.cleanup_ledger import FILE_NAME
from fairlead.store import Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]  # six labs and twelve runs

COMMAND = [sys.executable, "-c", "from fairlead.cli.main import main; main()", "evaluate"]
LAB = """
[lab]
name = "evaluate-{name}"
topology = "star"
hosts_per_leaf = 2
[host_link]
rate = "{name}"
queue = "20ms"
"""
PLAN = """
[evaluation]
name = "labs"
lab = "{network}.toml"
[factors]
network = ["50mbit", "200mbit"]
neighbours = ["none", "one"]
[run]
command = ["is", "--class", "S"]
ranks = 2
timeout_s = 60
value = "timed_section_s"
[replications]
count = 3
[whole_plot]
factors = ["network"]
[neighbours]
factor = "neighbours"
levels = { none = [], one = ["is"] }
[neighbours.programs.is]
command = ["is", "--class", "S"]
ranks = 2
"""


def left() -> list[str]:
    return [each.name for each in lab.running_labs() if each.name.startswith("evaluate-")]


def test_a_killed_evaluation_goes_on_in_a_new_lab(tmp_path: Path):
    for name in ("50mbit", "200mbit"):
        (tmp_path / f"{name}.toml").write_text(LAB.replace("{name}", name))
    file = tmp_path / "plan.toml"
    file.write_text(PLAN)
    line = [*COMMAND, str(file), "--results", str(tmp_path / "results")]
    first = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    assert first.stderr is not None
    for text in first.stderr:
        if "row 3 of 12" in text:
            break
    time.sleep(0.5)
    first.kill()
    first.wait()
    noted = json.loads((tmp_path / "results" / FILE_NAME).read_text())
    assert left() == [noted["lab"]]
    second = subprocess.run(line, capture_output=True, text=True, check=True)
    assert f"cleaned up after an earlier start: lab {noted['lab']}" in second.stderr
    assert left() == []
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == [
        *("evaluation.html", "results.lock", "results.numbers", "results.sqlite")
    ]
    with Store.read(tmp_path / "results") as store:
        rows = store.runs(dataset.ROW)
        assert [row.position for row in rows] == list(range(12))
        assert {row.status for row in rows} == {"ok"}
        for row in rows:
            events = [event.kind for event in store.events(row.id)]
            beside = row.labels["neighbours"] == "one"
            assert (events.count("neighbour_runs"), events.count("neighbour_gone")) == ((1, 1) if beside else (0, 0))
        data = dataset.load(store, dataset.find(store))
    assert (len(data.cells), data.series) == (4, "timed_section_s")
    assert all(cell.n == 3 and sorted(cell.blocks) == [0, 1, 2] for cell in data.cells)


BONDS = """
[evaluation]
name = "bonds"
lab = "lab.toml"
[factors]
network = ["none", "two"]
[run]
command = ["is", "--class", "S"]
ranks = 4
timeout_s = 60
value = "timed_section_s"
[network]
factor = "network"
levels = { none = {}, two = { nics = 2, bond = { mode = "802.3ad", hash = "layer3+4" } } }
[replications]
count = 3
[whole_plot]
factors = ["network"]
"""


def test_networks_are_a_factor_and_what_nics_carry_is_what_the_formula_says(tmp_path: Path):
    (tmp_path / "lab.toml").write_text(LAB.replace("{name}", "50mbit").replace("= 2", "= 2\nslots = 2", 1))
    (tmp_path / "plan.toml").write_text(BONDS)
    line = [*COMMAND, str(tmp_path / "plan.toml"), "--results", str(tmp_path / "results")]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert "Networks beside theory" in done.stdout
    with Store.read(tmp_path / "results") as store:
        data = dataset.load(store, dataset.find(store))
        rows = store.runs(dataset.ROW)
        networks = aggregation.load(store, data)
    assert {row.labels["network"]: row.facts["network"]["nics"] for row in rows} == {"none": 1, "two": 2}
    assert {row.facts["network"]["way"] for row in rows} == {"emulated"}
    assert networks.ways == ("emulated",)
    one, two = networks.cells["none",], networks.cells["two",]
    assert one.predicted == one.counted == 1
    assert one.sends == (1, 1)
    assert two.predicted is not None
    assert two.off_share is not None
    assert two.off_share < 0.02  # address resolution, and what queues drop of one flow more than of another
    assert two.flows >= 4
    assert 1 <= two.sends[0] <= two.sends[1] <= 2
    assert "not made by the kernel's driver" in (tmp_path / "results" / "evaluation.html").read_text().replace(
        "&#39;", "'"
    )


SILENT = """
[evaluation]
name = "silent"
lab = "lab.toml"
[factors]
neighbours = ["none", "is", "silent is"]
[run]
command = ["ep", "--class", "S"]
ranks = 4
timeout_s = 60
value = "timed_section_s"
[replications]
count = 2
[neighbours]
factor = "neighbours"
levels = { none = [], is = ["is"] }
silent = { "silent is" = "is" }
[neighbours.programs.is]
command = ["is", "--class", "S"]
ranks = 4
"""


def test_silent_neighbours_run_on_every_host_and_send_nothing_between_hosts(tmp_path: Path):
    text = LAB.replace("{name}", "50mbit").replace("= 2", "= 2\nslots = 2\ncount_flows = true", 1)
    (tmp_path / "lab.toml").write_text(text)
    (tmp_path / "plan.toml").write_text(SILENT)
    line = [*COMMAND, str(tmp_path / "plan.toml"), "--results", str(tmp_path / "results")]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert "What neighbours cost" in done.stdout
    sent_B: dict[str, float] = {}
    with Store.read(tmp_path / "results") as store:
        for row in store.runs(dataset.ROW):
            assert row.status == "ok"
            level = str(row.labels["neighbours"])
            sent_B[level] = sum(float(series.values.sum()) for series in store.series(row.id, "nic_sent_B"))
            began = [event.data for event in store.events(row.id) if event.kind == "neighbour_runs"]
            about = {"instance": 1, "program": "is"}
            hosts = [about | {"host": "h0"}, about | {"host": "h1"}]
            began.sort(key=lambda data: str(data.get("host")))  # either may be seen first
            assert began == {"none": [], "is": [about], "silent is": hosts}[level]
    assert sent_B["silent is"] < 2 * sent_B["none"]
    assert sent_B["is"] > 10 * sent_B["none"]


CONTAINERS = """
[lab]
name = "evaluate-containers"
topology = "star"
hosts_per_leaf = 4
slots = 2
[host_link]
rate = "1gbit"
[servers]
per_leaf = 2
vms_per_server = 2
[servers.uplink]
rate = "50mbit"
"""


def test_instances_in_containers_share_their_servers_bond(tmp_path: Path):
    """h0 and h1 are on server 0, h2 and h3 on server 1: main on h0 and h2, the neighbour on h1 and h3."""
    (tmp_path / "lab.toml").write_text(CONTAINERS)
    beside = """
[neighbours]
factor = "beside"
levels = { is = ["is"] }
hosts = [["h0", "h2"], ["h1", "h3"]]
[neighbours.programs.is]
command = ["is", "--class", "S"]
ranks = 4
"""
    plan = BONDS.replace("[run]", 'beside = ["is"]\n[run]').replace("none = {}, two", "two")
    (tmp_path / "plan.toml").write_text(plan.replace('["none", "two"]', '["two"]') + beside)
    line = [*COMMAND, str(tmp_path / "plan.toml"), "--results", str(tmp_path / "results")]
    subprocess.run(line, capture_output=True, text=True, check=True)
    with Store.read(tmp_path / "results") as store:
        data = dataset.load(store, dataset.find(store))
        rows = store.runs(dataset.ROW)
        networks = aggregation.load(store, data)
        stored = [{each.name: each.content for each in store.attachments(row.id)} for row in rows]
    assert {row.status for row in rows} == {"ok"}
    for each in [json.loads(attachments["flows"]) for attachments in stored]:
        assert list(each) == ["server0", "server1"]
        found = [parse.flow(name) for name, _, _ in each["server0"]]
        ends = {(str(flow.source.address), str(flow.destination.address)) for flow in found}
        assert ends == {("10.64.0.1", "10.64.0.3"), ("10.64.0.2", "10.64.0.4")}
    (seen,) = networks.cells.values()
    assert seen.off_share is not None
    assert seen.off_share < 0.02


MANAGED = """
[evaluation]
name = "managed"
lab = "lab.toml"
[factors]
congestion = ["clean", "congested"]
management = ["none", "route", "relay"]
[run]
command = ["random-traffic", "--seconds", "2", "--bytes", "16384"]
ranks = 3
mpirun = "mpirun.openmpi"
timeout_s = 60
[replications]
count = 2
[congestion]
factor = "congestion"
[congestion.levels]
clean = "none"
[congestion.levels.congested]
onset = [0.1, 0.2]
bottlenecks = [{ kind = "streams", between = ["leaf0", "leaf1"], streams = 2 }]
[management]
factor = "management"
[management.levels]
none = "none"
route = "detours"
relay = { components = "detours", plane = "relay", monitor = true }
[report]
configurations = ["management"]
baseline = { management = "none" }
"""


def test_congestion_and_management_with_its_planes_and_monitor_are_factors(tmp_path: Path):
    (tmp_path / "lab.toml").write_text(mesh_text("evaluate-managed"))
    (tmp_path / "plan.toml").write_text(MANAGED)
    line = [*COMMAND, str(tmp_path / "plan.toml"), "--results", str(tmp_path / "results")]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert "random-traffic: pilot on a clean network" in done.stderr
    for title in ("What management did", "What management gains"):
        assert title in done.stdout
    with Store.read(tmp_path / "results") as store:
        (pilot,) = store.runs("pilot")
        assert store.one_series(pilot.id, "time_s").scalar() > 2
        rows = store.runs(dataset.ROW)
        assert [(row.status, row.facts["lab"]["scale"]) for row in rows] == [("ok", 1.0)] * 12
        for row in rows:
            level, congested = row.labels["management"], row.labels["congestion"] == "congested"
            events = store.events(row.id)
            assert sum(event.kind == "congestion" for event in events) == congested
            stats = [event.data for event in events if event.kind == "stats"]
            assert {each["host"] for each in stats} == (set() if level == "none" else {"h0", "h1", "h2"})
            assert any("relay" in each for each in stats) == (level == "relay")
            assert any(event.kind == "communication" for event in events) == (level == "relay")
            assert store.one_series(row.id, "processors_busy").scalar() > 0
        began = {
            (row.labels["management"], row.labels["replication"]): [
                event.t_s - start.t_s
                for event in store.events(row.id, "congestion")
                for start in store.events(row.id, "started")
            ]
            for row in rows
            if row.labels["congestion"] == "congested"
        }
    for replication in (0, 1):  # the same congestion, whatever the management; agents' start is not in it
        times_s = [began[level, replication][0] for level in ("none", "route", "relay")]
        assert max(times_s) - min(times_s) < 1.5
        assert min(times_s) > 0
    assert "What management did" in (tmp_path / "results" / "evaluation.html").read_text()
    assert left() == []
