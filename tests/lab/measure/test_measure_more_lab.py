"""Collectives, impact, network noise, LogGP, noise and messages at once, clocks: over the hosts of a lab."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from lab_fixtures import RATE_BPS, STAR, running
from managed_runs import cluster_file, once, processes, start, wait_for

from fairlead.benchmarks.collectives import analyse as collectives_analysis
from fairlead.benchmarks.collectives import measure as collectives
from fairlead.benchmarks.impact import analyse as impact_analysis
from fairlead.benchmarks.impact import measure as impact
from fairlead.benchmarks.loggp import analyse as loggp_analysis
from fairlead.benchmarks.network_noise import analyse as network_noise_analysis
from fairlead.benchmarks.noise_effect import analyse as noise_effect_analysis
from fairlead.benchmarks.timer import analyse as timer_analysis
from fairlead.errors import StoreError
from fairlead.lab import Lab
from fairlead.store import Run, Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]


@pytest.fixture(scope="module")
def four() -> Iterator[Lab]:
    with running(STAR.replace("hosts_per_leaf = 3", "hosts_per_leaf = 4"), user_namespace=True, name="four") as lab:
        yield lab


def measured(lab: Lab, directory: Path, *words: str) -> tuple[Run, str]:
    """The run that a benchmark made, and what it printed."""
    done = once("measure", cluster_file(lab, directory), *words, "--results", directory / "r")
    assert done.returncode == 0, done.stderr
    with Store.read(directory / "r") as store:
        run = store.runs("benchmark")[-1]
    assert (run.status, run.labels["benchmark"]) == ("ok", words[0])
    return run, done.stdout


def test_every_operation_and_number_of_ranks(four: Lab, tmp_path: Path) -> None:
    options = ["--sizes", "1KiB", "--ranks", "2,4", "--blocks", "2", "--precision", "1000", "--budget", "80"]
    run, said = measured(four, tmp_path, "collectives", *options)
    with Store.read(tmp_path / "r") as store:
        blocks = collectives_analysis.blocks(store, run.id)
    assert set(blocks) == {
        collectives.CollectiveCell(operation, 1024, ranks) for operation in collectives.OPERATIONS for ranks in (2, 4)
    }
    assert all(len(found) >= 2 for found in blocks.values())
    assert all(block.shape[0] == cell.ranks for cell, found in blocks.items() for block in found)
    assert "results verified" in said


def test_victims_are_measured_alone_and_beside_others(four: Lab, tmp_path: Path) -> None:
    options = ["--size", "16KiB", "--blocks", "2", "--precision", "1000", "--budget", "120"]
    run, said = measured(four, tmp_path, "impact", *options)
    with Store.read(tmp_path / "r") as store:
        blocks = impact_analysis.blocks(store, run.id)
    assert set(blocks) == {
        impact.ImpactCell(victim, congestor)
        for victim in impact.VICTIMS
        for congestor in (impact.ALONE, *impact.CONGESTORS)
    }
    assert all(len(rounds) >= 2 and rounds[0].shape[0] == 2 for rounds in blocks.values())
    assert len(impact_analysis.factors(blocks)) == 9
    assert "rounds of hosts drawn with seed 1" in said


def test_the_gap_of_a_byte_is_that_of_the_link(four: Lab, tmp_path: Path) -> None:
    sizes = "8KiB,16KiB,24KiB,32KiB,48KiB,64KiB,96KiB,128KiB"
    run, _ = measured(four, tmp_path, "loggp", "--sizes", sizes, "--blocks", "3", "--budget", "30")
    with Store.read(tmp_path / "r") as store:
        found = loggp_analysis.parameters(loggp_analysis.medians(store, run.id))
    # Of the link's rate, headers of TCP/IP and Ethernet take 5 %.
    largest = max(found.message_gap_s)
    assert 8 * largest / found.message_gap_s[largest] == pytest.approx(0.95 * RATE_BPS, rel=0.1)


def test_network_noise_noise_and_messages_and_clocks(four: Lab, tmp_path: Path) -> None:
    run, said = measured(four, tmp_path, "network-noise", "--seconds", "6", "--every", "0.5", "--bulk-size", "64KiB")
    with Store.read(tmp_path / "r") as store:
        parts = network_noise_analysis.parts(store, run.id)
    assert 2 <= len(parts.rates_bps) <= 12 and len(parts.latencies_s) == len(parts.rates_bps)
    assert f"in {len(parts.rates_bps)} parts" in said
    run, said = measured(four, tmp_path, "noise-effect", "--seconds", "3")
    with Store.read(tmp_path / "r") as store:
        watched = noise_effect_analysis.parts(store, run.id)
    assert len(watched) >= 2 and all(part.messages_s.shape[1] == 2 for part in watched)
    assert "noise on the cores of the two ranks explains" in said
    run, _ = measured(four, tmp_path, "timer")
    with Store.read(tmp_path / "r") as store:
        clocks = {clock.name: clock for clock in timer_analysis.clocks(store, run.id)}
    assert clocks["CLOCK_MONOTONIC"].steps_s.shape == (1000,)
    assert (clocks["processor"].steps_s > 0).all()


DISTURBANCE = """
import os, sys, time
cpu, length, period = int(sys.argv[1]), *map(float, sys.argv[2:])
os.sched_setaffinity(0, {cpu})
if os.geteuid() == 0:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
print("ready", flush=True)
while True:
    time.sleep(period)
    end = time.monotonic() + length
    while time.monotonic() < end:
        pass
"""


def test_messages_that_a_disturbance_held_up_are_explained_by_it(four: Lab, tmp_path: Path) -> None:
    length_s = 0.004
    for attempt in range(3):  # what others do to the processors meanwhile is no detour of these ranks' own
        directory = tmp_path / str(attempt)
        directory.mkdir()
        lengths_s, detours_s = _disturbed(four, directory, length_s)
        held_up = lengths_s > 0.8 * length_s
        explained = detours_s[held_up] >= noise_effect_analysis.EXPLAINED * lengths_s[held_up]
        if held_up.sum() >= 20 and explained.mean() >= 0.9:
            break
    assert held_up.sum() >= 20
    assert explained.mean() >= 0.9


def _disturbed(lab: Lab, directory: Path, length_s: float) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of messages, and of the detours within them, while every processor is taken away now and then."""
    injectors = [
        subprocess.Popen([sys.executable, "-c", DISTURBANCE, str(cpu), str(length_s), "0.05"], stdout=subprocess.PIPE)
        for cpu in os.sched_getaffinity(0)
    ]
    try:
        for injector in injectors:
            assert injector.stdout is not None and injector.stdout.readline() == b"ready\n"
        run, _ = measured(lab, directory, "noise-effect", "--seconds", "4")
    finally:
        for injector in injectors:
            injector.kill()
            injector.communicate()
    with Store.read(directory / "r") as store:
        parts = noise_effect_analysis.parts(store, run.id)
    lengths_s = np.concatenate([part.messages_s[:, 1] for part in parts])
    return lengths_s, np.concatenate([part.near_in_message_s() + part.far_in_message_s() for part in parts])


ENDLESS = {
    "collectives": ("mpi-collectives", ["--sizes", "4", "--operations", "allreduce", "--blocks", "1000"]),
    "impact": ("mpi-impact", ["--size", "4KiB", "--blocks", "1000"]),
    "loggp": ("mpi-loggp", ["--sizes", "8,1KiB", "--blocks", "1000"]),
    "network-noise": ("mpi-network-noise", ["--bulk-size", "64KiB"]),
    "noise-effect": ("mpi-noise-effect", ["--seconds", "600"]),
}


@pytest.mark.parametrize(
    ("fault", "benchmark"),
    [
        *[(fault, benchmark) for fault in ("interrupted", "dead") for benchmark in ENDLESS],
        ("hung", "collectives"),  # blocks that are asked for by rounds
        ("hung", "noise-effect"),  # parts, for as long as was said
    ],
)
def test_what_was_measured_before_the_end_is_kept_and_marked(
    four: Lab, tmp_path: Path, fault: str, benchmark: str
) -> None:
    program, options = ENDLESS[benchmark]
    results, cluster = tmp_path / "r", cluster_file(four, tmp_path)
    limit = ["--timeout", "6"] if fault == "hung" else []
    with start("measure", cluster, benchmark, *options, *limit, "--results", results, results=results) as command:
        wait_for(lambda: samples(results) >= 2, "samples")
        victims = processes(four, "h1", program)
        if fault == "interrupted":
            command.process.send_signal(signal.SIGINT)
        else:
            subprocess.run(["kill", "-9" if fault == "dead" else "-STOP", *map(str, victims)], check=True)
        code = command.end()
    with Store.read(results) as store:
        (run,) = store.runs("benchmark")
    assert samples(results) >= 2
    if fault == "interrupted":
        assert (run.status, code) == ("aborted", 130)
        assert f"as run {run.id} in {results}" in command.text()
    else:
        assert (run.status, code) == ("failed", 1)
        said = {"dead": f"{program} ended during", "hung": "was not done within 6 s"}[fault]
        assert said in str(run.error) and said in command.text()
    wait_for(lambda: not any(processes(four, host, program) for host in ("h0", "h1")), "the ranks' end")


def samples(results: Path) -> int:
    """Series of the only run; 0 as long as there is none."""
    try:
        with Store.read(results) as store:
            return sum(len(store.series(run.id)) for run in store.runs("benchmark"))
    except StoreError:
        return 0
