"""``fairlead measure`` over the hosts of a lab: what is kept, also when it ends early, and whether it is right."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lab_fixtures import tcp_rate_bps
from managed_runs import COMMAND, Command, cluster_file, mesh, once, processes, start, wait_for

from fairlead.benchmarks.all_pairs import analyse as all_pairs_analysis
from fairlead.benchmarks.measuring import probe
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.measuring.samples import padded
from fairlead.benchmarks.noise import analyse as noise_analysis
from fairlead.benchmarks.noise import periodic
from fairlead.benchmarks.point_to_point import analyse as point_to_point_analysis
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT
from fairlead.benchmarks.stress import analyse as stress_analysis
from fairlead.benchmarks.tcp import analyse as tcp_analysis
from fairlead.benchmarks.tcp import measure as tcp
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.jobs import launch
from fairlead.lab import Lab, congestion
from fairlead.lab.congestion.description import Delay, Streams
from fairlead.native import mpi_program
from fairlead.store import Run, Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi]


@pytest.fixture
def cluster(lab: Lab, tmp_path: Path) -> Path:
    return cluster_file(lab, tmp_path)


def benchmark(results: Path, name: str) -> tuple[Run, dict[MessageCell, list[Any]]]:
    with Store.read(results) as store:
        run = store.runs("benchmark", benchmark=name)[-1]
        return run, point_to_point_analysis.blocks(store, run.id, name)


def test_every_sample_is_kept_with_where_it_was_taken(lab: Lab, cluster: Path, tmp_path: Path) -> None:
    options = ["--sizes", "1,64KiB", "--pairs", "1,2", "--blocks", "2", "--precision", "100000", "--results", tmp_path]
    done = once("measure", cluster, "mpi-latency", *options)
    assert done.returncode == 0, done.stderr
    run, blocks = benchmark(tmp_path, LATENCY)
    assert (run.status, run.labels["cluster"], run.plan["between"]) == ("ok", lab.name, [["h0", "h1"]])
    assert {cell: len(found) for cell, found in blocks.items()} == {
        MessageCell(size_B, pairs): 2 for size_B in (1, 65536) for pairs in (1, 2)
    }
    assert all(block.shape[0] == cell.pairs for cell, found in blocks.items() for block in found)
    with Store.read(tmp_path) as store:
        ranks = [event.data for event in store.events(run.id, "rank")]
        assert [rank["host"] for rank in ranks] == ["h0", "h0", "h1", "h1"]
        assert [rank["own_name"] for rank in ranks] == ["h0", "h0", "h1", "h1"]
        assert all(rank["cpu"] in rank["allowed_cpus"] for rank in ranks)
        assert "Open MPI" in store.events(run.id, "library")[0].data["library"]
        clocked = store.series(run.id, point_to_point.FORWARD_SERIES)
        whole = store.series(run.id, point_to_point.SERIES[LATENCY])
    assert len(clocked) == len(whole) == 8
    for forward, both in zip(clocked, whole, strict=True):
        error_s = float(forward.labels["clock_error_s"])
        counted = np.isfinite(both.values)
        assert 0 < error_s < np.nanmax(both.values)
        assert (forward.values[counted] >= -error_s).all()
        assert (forward.values[counted] <= both.values[counted] + error_s).all()
    assert "with 2 pairs, a message of 1\u00a0B takes" in done.stdout
    assert "MPI latency, one way" in done.stdout
    assert (tmp_path / "benchmarks.html").is_file()
    assert not processes(lab, "h0", "mpi-latency") and not processes(lab, "h1", "mpi-latency")


def test_a_queue_in_one_direction_is_told_from_one_in_the_other(lab: Lab, cluster: Path) -> None:
    request = {"pairs": [[0, 1]], "size_B": 1, "least": 50, "most": 1000, "limit_s": 0.5, "one_way": True}
    there = Streams(kind="streams", between=("leaf0", "leaf1"), streams=4, both_directions=False)
    with probe.running(load_cluster(cluster), LATENCY, ["h0", "h1"]) as started:
        started.introduction()
        for _ in range(3):  # the clocks are compared while the network is quiet
            started.ask(request, 60, "round trips")
        quiet_s = time.monotonic()
        with congestion.make(lab, there):
            time.sleep(2)
            clock_error_s, whole, forward = point_to_point.told_apart(started.ask(request, 60, "round trips"))
            unknown_s = time.monotonic() - quiet_s
    there_s, back_s = np.array(forward[0]), np.array(whole[0]) - np.array(forward[0])
    assert np.median(there_s) > 0.005
    # A clock may drift by 1 ms/s since the last exchange on the quiet network.
    assert clock_error_s < 0.001 + 0.001 * unknown_s
    assert clock_error_s < np.median(there_s) / 2, "else the two directions cannot be told apart"
    # What waits for a processor takes longer, none is faster.
    assert np.quantile(back_s, 0.25) < np.median(there_s) / 5


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_what_was_measured_before_the_end_is_kept(
    lab: Lab, cluster: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with start("measure", cluster, "mpi-latency", "--sizes", "1", "--blocks", "1000", "--results", tmp_path,
               results=tmp_path) as command:  # fmt: skip
        command.wait_to_hear("round 4")
        command.process.send_signal(number)
        code = command.end()
    run, blocks = benchmark(tmp_path, LATENCY)
    assert len(blocks[MessageCell(1)]) >= 3
    assert run.status == ("aborted" if number == signal.SIGINT else "interrupted")
    if number == signal.SIGINT:
        assert code == 130
        assert f"as run {run.id} in {tmp_path}" in command.text()
    wait_for(lambda: not processes(lab, "h1", "mpi-latency"), "the ranks' end")


@pytest.mark.slow
def test_a_rank_that_dies_ends_it_with_one_line(lab: Lab, cluster: Path, tmp_path: Path) -> None:
    with _endless(cluster, tmp_path) as command:
        command.wait_to_hear("round 3")
        subprocess.run(["kill", "-9", *map(str, processes(lab, "h1", "mpi-latency"))], check=True)
        assert command.end() == 1
    run, blocks = benchmark(tmp_path, LATENCY)
    assert run.status == "failed" and run.error is not None
    assert run.error.startswith("mpi-latency ended during 1 B, 1 pairs")
    assert len(blocks[MessageCell(1)]) >= 2
    assert "mpi-latency ended during" in command.text()


@pytest.mark.slow
def test_a_rank_that_hangs_is_ended_after_the_limit(lab: Lab, cluster: Path, tmp_path: Path) -> None:
    with _endless(cluster, tmp_path, "--timeout", "3") as command:
        command.wait_to_hear("round 3")
        subprocess.run(["kill", "-STOP", *map(str, processes(lab, "h1", "mpi-latency"))], check=True)
        assert command.end() == 1
    run, blocks = benchmark(tmp_path, LATENCY)
    assert run.status == "failed" and "was not done within 3 s" in str(run.error)
    assert len(blocks[MessageCell(1)]) >= 2
    assert not processes(lab, "h0", "mpi-latency") and not processes(lab, "h1", "mpi-latency")


def _endless(cluster: Path, results: Path, *options: str) -> Command:
    arguments = ["mpi-latency", "--sizes", "1", "--blocks", "1000", "--results", results, *options]
    return start("measure", cluster, *arguments, results=results)


@pytest.mark.slow
def test_tcp_is_measured_one_way_and_both_ways(lab: Lab, cluster: Path, tmp_path: Path) -> None:
    options = ["--seconds", "3", "--blocks", "2", "--precision", "1000", "--directions", "one,both", "--streams", "1,2"]
    done = once("measure", cluster, "tcp", *options, "--results", tmp_path)
    assert done.returncode == 0, done.stderr
    with Store.read(tmp_path) as store:
        run = store.runs("benchmark", benchmark="tcp")[-1]
        found = tcp_analysis.blocks(store, run.id)
    assert {cell: len(blocks) for cell, blocks in found.items()} == {
        tcp.TcpCell(streams, both): 2 for streams in (1, 2) for both in (False, True)
    }
    assert all(len(block.end_s) == cell.streams * (1 + cell.both) for cell, blocks in found.items() for block in blocks)
    assert not processes(lab, "h0", "iperf3") and not processes(lab, "h1", "iperf3")


@pytest.mark.slow
def test_slow_pairs_and_slow_hosts_are_told_and_nothing_else(tmp_path: Path) -> None:
    """A delay on a trunk is one slow pair (each leaf has one host), a delay on a host's link a slow host."""
    with mesh("four", tmp_path, leafs=4) as four:
        path = cluster_file(four, tmp_path)
        assert _slow(path, tmp_path / "none") == ([], [])
        with congestion.make(four, Delay(kind="delay", link=("leaf1", "leaf2"), delay="500us")):
            assert _slow(path, tmp_path / "pair") == ([], [("h1", "h2")])
        with congestion.make(four, Delay(kind="delay", link=("h3", "leaf3"), delay="500us")):
            assert _slow(path, tmp_path / "host") == (["h3"], [])


def _slow(cluster: Path, results: Path) -> tuple[list[str], list[tuple[str, ...]]]:
    done = once(
        "measure", cluster, "all-pairs", "--size", "1KiB", "--blocks", "4", "--budget", "15", "--results", results
    )
    assert done.returncode == 0, done.stderr
    with Store.read(results) as store:
        found = all_pairs_analysis.matrix(store, store.runs("benchmark")[-1].id)
    judged = found.slow_by_latency()
    hosts = [found.hosts[slow.places[0]] for slow in judged.hosts]
    return hosts, [tuple(found.hosts[place] for place in slow.places) for slow in judged.pairs]


@pytest.mark.slow
def test_a_dip_is_found_where_others_load_the_path(lab: Lab, cluster: Path, tmp_path: Path) -> None:
    arguments = ["stress", "--seconds", "20", "--size", "256KiB", "--results", tmp_path]
    with start("measure", cluster, *arguments, results=tmp_path) as command:
        command.wait_to_hear("sending")
        begin_s = time.time()
        time.sleep(7)
        streams = Streams(kind="streams", pairs=(("n0", "n1"),), streams=4, both_directions=False)
        with congestion.make(lab, streams):
            loaded_s = time.time() - begin_s
            time.sleep(5)
        assert command.end() == 0
    with Store.read(tmp_path) as store:
        found = stress_analysis.dips(*stress_analysis.rates(store, store.runs("benchmark")[-1].id))
    longest = max(found, key=lambda dip: dip.length_s)
    assert longest.start_s == pytest.approx(loaded_s, abs=1.5)
    assert longest.length_s == pytest.approx(5, abs=1.5)
    assert longest.share < 0.5


# $1: seconds of work, $2: seconds from one beginning to the next.
DISTURBANCE = """
import os, sys, time
length, period = map(float, sys.argv[1:])
os.sched_setaffinity(0, {0})
if os.geteuid() == 0:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
begin = time.monotonic()
print("ready", flush=True)
for k in range(1, 10**6):
    time.sleep(max(0.0, begin + k * period - time.monotonic()))
    end = time.monotonic() + length
    while time.monotonic() < end:
        pass
"""


@pytest.mark.slow
def test_an_injected_disturbance_is_found_with_its_period_and_length(tmp_path: Path) -> None:
    path = tmp_path / "local.toml"
    path.write_text(
        '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "h"\naddress = "127.0.0.1"\n'
    )
    length_s, period_s = 0.003, 0.05
    # As root, ahead of everything but the disturbance: what else runs on this machine is no part of the test.
    ahead = ["chrt", "--fifo", "5"] if os.geteuid() == 0 else []
    injector = subprocess.Popen(
        [sys.executable, "-c", DISTURBANCE, str(length_s), str(period_s)], stdout=subprocess.PIPE
    )
    try:
        assert injector.stdout is not None and injector.stdout.readline() == b"ready\n"
        options = ["--cpus", "0", "--seconds", "4", "--detours", str(10**6), "--results", str(tmp_path)]
        words = [*ahead, *COMMAND, "measure", str(path), "noise", *options]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    finally:
        injector.kill()
        injector.communicate()
    assert done.returncode == 0, done.stderr
    with Store.read(tmp_path) as store:
        (core,) = noise_analysis.cores(store, store.runs("benchmark")[-1].id)
    found = periodic.find(core.start_s, core.excess_s, core.period_s)
    close = [each for each in found if abs(each.period_s / period_s - 1) < 0.1]
    assert close, found
    assert close[0].length_s == pytest.approx(length_s, rel=0.1), found
    assert core.overhead_share() >= 0.9 * length_s / period_s


# Smaller ones take as long as the processors do, larger ones TCP carries in one of two ways, by chance.
SIZES_B = (8192, 16384, 32768)
ROUNDS = 16


@pytest.mark.slow
def test_latency_and_throughput_agree_with_a_plain_loop_and_with_iperf3(lab: Lab, cluster: Path) -> None:
    """Within 3 %: medians of ratios of measurements that alternate within one launch."""
    described = load_cluster(cluster)
    ratios: dict[int, list[float]] = {size_B: [] for size_B in SIZES_B}
    with probe.running(described, LATENCY, ["h0", "h1"]) as own, _pingpong(described) as plain:
        own.introduction()
        for number in range(ROUNDS):
            taken = [_own(own), _plain(plain)] if number % 2 else [_plain(plain), _own(own)][::-1]
            for size_B in SIZES_B:
                ratios[size_B].append(taken[0][size_B] / taken[1][size_B])
    assert {size_B: np.median(found) for size_B, found in ratios.items()} == pytest.approx(
        dict.fromkeys(SIZES_B, 1.0), rel=0.03
    )
    with probe.running(described, THROUGHPUT, ["h0", "h1"]) as trains:
        trains.introduction()
        request = {"pairs": [[0, 1]], "size_B": 65536, "window": 32, "least": 5, "most": 20, "warmup": 1}
        rates = []
        for _ in range(4):
            samples_s = padded(trains.ask(request, 60, "a train"))
            rates.append(point_to_point.rate_bps(MessageCell(65536, 1, 32), samples_s) / tcp_rate_bps(lab, "h0", "h1"))
    assert np.median(rates) == pytest.approx(1.0, rel=0.03)


def _own(own: probe.RunningProbe) -> dict[int, float]:
    request = {"pairs": [[0, 1]], "most": 40, "warmup": 5}
    return {size_B: float(np.median(own.ask({**request, "size_B": size_B}, 60, "own"))) for size_B in SIZES_B}


def _plain(plain: "subprocess.Popen[bytes]") -> dict[int, float]:
    assert plain.stdin is not None and plain.stdout is not None
    plain.stdin.write(b"\n")
    plain.stdin.flush()
    line = next(line for line in plain.stdout if line.startswith(b"{"))
    return {each["size_B"]: float(np.median(each["round_trip_s"])) for each in json.loads(line)["results"]}


@contextmanager
def _pingpong(cluster: Cluster) -> Iterator["subprocess.Popen[bytes]"]:
    options = ["--on-request", "--sizes", ",".join(map(str, SIZES_B)), "--repetitions", "40", "--warmup", "5"]
    argv = [str(mpi_program("openmpi", "pingpong")), *options]
    launcher, job = launch.prepare(cluster, argv, 2, job_id=secrets.token_hex(4), hosts=["h0", "h1"])
    running = launch.start(cluster, launcher, job, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield running.process
    finally:
        running.stop()
