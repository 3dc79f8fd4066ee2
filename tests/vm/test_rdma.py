"""What fairlead does where there is an RDMA device: soft RoCE (rdma_rxe) in virtual machines, no imitation of it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from virtual_machines import VirtualMachines

from fairlead.benchmarks.infiniband import analyse, measure
from fairlead.benchmarks.infiniband.measure import VerbCell
from fairlead.store import Store

pytestmark = [pytest.mark.vm, pytest.mark.timeout(900)]
FAIRLEAD = str(Path(sys.executable).with_name("fairlead"))
LIMIT_S = 600.0


@pytest.fixture(scope="module")
def cluster(machines: VirtualMachines, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cluster") / "machines.toml"
    path.write_text(machines.cluster_text())
    return path


def fairlead(*words: object, exit_code: int = 0) -> "subprocess.CompletedProcess[str]":
    command = [FAIRLEAD, *(str(word) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == exit_code, done.stdout + done.stderr
    return done


def rate_by_hand_bps(machines: VirtualMachines, size_B: int, messages: int) -> float:
    """Of ib_write_bw itself, started on both machines without fairlead."""
    words = f"ib_write_bw --size {size_B} --iters {messages} --qp 2 --CPU-freq --port 18600"
    machines.run(2, f"{words} >/dev/null 2>&1 </dev/null & sleep 3")
    said = machines.run(1, f"{words} {machines.addresses[1]}")
    found = re.search(rf"^ *{size_B} +{2 * messages} +\S+ +(\S+)", said, re.MULTILINE)
    assert found, said
    return float(found[1]) * 8 * 2.0**20


def test_latency_and_throughput_of_verbs_are_measured(machines: VirtualMachines, cluster: Path, tmp_path: Path) -> None:
    # Few blocks: each logs in three times, which takes an emulated processor seconds.
    asked = ("--sizes", "8,64KiB", "--verbs", "write", "--queue-pairs", 2, "--exactly", 2, "--timeout", 120)
    fairlead("measure", cluster, "infiniband", *asked, "--results", tmp_path / "r")
    with Store.open(tmp_path / "r") as store:
        (run,) = store.runs()
        found = analyse.blocks(store, run.id)
    latencies = {VerbCell("write", measure.LATENCY, size_B) for size_B in (8, 65536)}
    rates = {VerbCell("write", measure.THROUGHPUT, size_B, 2) for size_B in (8, 65536)}
    assert set(found) == latencies | rates
    for cell in latencies:
        assert [len(block) for block in found[cell]] == [measure.EXCHANGES - 1] * 2
        assert 10e-6 < float(np.median(found[cell][0])) < 0.1
    by_hand_bps = rate_by_hand_bps(machines, 65536, 500)
    measured_bps = float(found[VerbCell("write", measure.THROUGHPUT, 65536, 2)][0][0])
    assert 0.2 < measured_bps / by_hand_bps < 5  # of a machine that is emulated


def test_doctor_names_the_device_and_what_it_means(cluster: Path) -> None:
    found = json.loads(fairlead("doctor", cluster, "--json").stdout)
    (finding,) = [each for each in found if "rxe0" in each["text"]]
    assert finding["severity"] == "warning" and sorted(finding["hosts"]) == ["v1", "v2"]
    assert "--transport tcp" in finding["fix"]


def test_a_run_leaves_the_fabric_to_the_library_unless_tcp_is_asked_for(cluster: Path, tmp_path: Path) -> None:
    """Over what Open MPI then sends is its own affair: it does not choose soft RoCE by itself."""
    run = ("run", cluster, "-n", 2, "--results", tmp_path / "r")
    program = ("--", "cg", "--class", "S")
    done = fairlead(*run, *program)
    assert "transport: the MPI library's choice, since every host has an RDMA device (rxe0)" in done.stderr
    done = fairlead(*run, "--transport", "tcp", *program)
    assert "transport:" not in done.stderr
    with Store.open(tmp_path / "r") as store:
        assert [each.facts["transport"] for each in store.runs("run")] == ["native", "tcp"]


PLAN = """
[evaluation]
name = "two ways"
cluster = "{cluster}"
[factors]
management = ["none", "detours"]
[run]
command = ["cg", "--class", "S"]
ranks = 2
[replications]
count = 1
[management]
factor = "management"
levels = {{ none = "none", detours = "detours" }}
"""


def test_an_evaluation_goes_the_same_way_and_says_which_rows_cannot_be_managed(cluster: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(cluster=cluster))
    shown = fairlead("evaluate", "plan", plan).stdout
    assert "  transport: native where every host has an active RDMA device, else tcp\n" in shown
    done = fairlead("evaluate", plan, "--results", tmp_path / "r", exit_code=1)
    assert "transport: the MPI library's choice, since every host has an RDMA device (rxe0)" in done.stderr
    assert "FAILED management detours, replication 1: management cannot reroute messages over native" in done.stderr
    asked = ("--set", 'run.transport="tcp"', "--set", 'management=["none"]')
    done = fairlead("evaluate", plan, "--results", tmp_path / "r", *asked)
    assert "transport:" not in done.stderr
    with Store.open(tmp_path / "r") as store:
        rows = [(row.labels["management"], row.status, row.facts["transport"]) for row in store.runs("evaluation_row")]
    assert sorted(rows[:2]) == [("detours", "failed", "native"), ("none", "ok", "native")]
    assert rows[2:] == [("none", "ok", "tcp")]
