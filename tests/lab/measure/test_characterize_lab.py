"""`fairlead characterize` on real labs: against the topology's truth, against ping-pongs' arithmetic, under faults."""

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from managed_runs import COMMAND

from fairlead import lab as labs
from fairlead import native
from fairlead.agents.group import AgentGroup, JobOptions
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.characterize import characterize
from fairlead.characterize.score import Score, score, truth_of
from fairlead.characterize.survey import SurveySettings
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.lab.description import Description
from fairlead.store import Store

pytestmark = pytest.mark.userns

TRUNK_BPS = 200e6
SMALL = SurveySettings(sizes_B=(64, 65536))


@contextmanager
def lab_of(topology: str, **lab: Any) -> Iterator[tuple[labs.Lab, Cluster]]:
    tables: dict[str, Any] = {
        "lab": {"name": f"char-{topology}-{os.getpid()}", "topology": topology, **lab},
        "host_link": {"rate": "200mbit" if topology == "star" else "400mbit", "queue": "20ms"},
    }
    if topology != "star":
        tables["trunk"] = {"rate": "200mbit", "queue": "20ms"}
    lab_ = labs.up(Description.model_validate(tables))
    try:
        yield lab_, parse_cluster(lab_.cluster_file_text())
    finally:
        lab_.down()


def measured(cluster: Cluster, results: Path, settings: SurveySettings = SMALL) -> Characterization:
    with Store.open(results) as store:
        return characterize(cluster, store, settings, lambda what, done, total: None)


def scored(found: Characterization, lab: labs.Lab) -> Score:
    result = score(found.sensitivity.dense(), truth_of(lab.shared_bottlenecks(), found.hosts))
    print(f"{lab.name}: precision {result.precision:.3f}, recall {result.recall:.3f}, {result}, {found.notes}")
    return result


def measured_well(
    lab: labs.Lab, cluster: Cluster, results: Path, check: Callable[[Characterization], None]
) -> Characterization:
    """What passes a check: measured up to three times, since others' load on this machine's processors slows single
    streams and hides what they share. How good the first time is, `make bench` says."""
    for last in (False, False, True):
        found = measured(cluster, results)
        result = scored(found, lab)
        try:
            assert result.precision >= 0.95 and result.recall >= 0.95
            check(found)
            break
        except AssertionError:
            if last:
                raise
    return found


def agents_of(lab: labs.Lab) -> list[int]:
    """Processes that run an agent of this lab."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(lab.directory) in words and any(word.endswith("fairlead-agent") for word in words):
            found.append(int(path.parent.name))
    return found


def wait_for(condition: Any, what: str, limit_s: float = 20.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {limit_s} s"
        time.sleep(0.05)


@pytest.mark.timeout(300)
def test_mesh_is_found_as_it_is(tmp_path: Path) -> None:
    with lab_of("mesh", leafs=3, hosts_per_leaf=2) as (lab, cluster):
        found = measured_well(lab, cluster, tmp_path, is_as_the_mesh)
        asyncio.run(agents_take_the_tables(cluster, found))


def is_as_the_mesh(found: Characterization) -> None:
    apart = [(i, j) for i in range(6) for j in range(6) if i // 2 != j // 2]
    for pair in apart:
        # Of the trunk's rate, headers and the start of the stream take their part.
        assert 0.6 * TRUNK_BPS < found.rates_bps[pair] < TRUNK_BPS
        # 64 KiB cannot be faster than the trunk allows beyond its burst of 16 KiB.
        assert found.latency.median_s[1][pair] > 8 * (65536 - 16384) / TRUNK_BPS
        assert found.latency.median_s[1][pair] > found.latency.median_s[0][pair] > 0
        assert found.latency.count[0][pair] == 30
    # A detour leads over a host of the third leaf; one error of the relation may hide or invent some.
    right = sum(
        {c.relay // 2 for c in found.candidates(pair) if not c.shares_bottleneck} == third(pair) for pair in apart
    )
    assert right >= 0.9 * len(apart)


async def agents_take_the_tables(cluster: Cluster, found: Characterization) -> None:
    program = str(native.program("fairlead-agent"))
    async with AgentGroup.of_cluster(cluster, program, JobOptions(manage=found.manage_tables())) as group:
        assert len(group.ready) == len(cluster.managed_hosts())


def third(pair: tuple[int, int]) -> set[int]:
    """The leafs of three, with two hosts each, that neither host is on."""
    return {0, 1, 2} - {pair[0] // 2, pair[1] // 2}


@pytest.mark.timeout(300)
def test_star_has_no_detours(tmp_path: Path) -> None:
    with lab_of("star", hosts_per_leaf=3) as (lab, cluster):
        measured_well(lab, cluster, tmp_path, has_no_detours)


def has_no_detours(found: Characterization) -> None:
    assert found.path_table_words()[-1].startswith("no detour for every pair")


def test_command_ctrl_c_and_dead_agent(tmp_path: Path) -> None:
    with lab_of("star", hosts_per_leaf=3) as (lab, _cluster):
        file = tmp_path / "cluster.toml"
        file.write_text(lab.cluster_file_text())
        results = tmp_path / "results"
        argv = [*COMMAND, "characterize", str(file), "--results", str(results), "--sizes", "64"]

        def started() -> subprocess.Popen[str]:
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert process.stderr is not None
            while "injecting traffic" not in (line := process.stderr.readline()):
                assert line, "it ended early"
            return process

        process = started()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "fairlead: interrupted" in errors and "marked incomplete, as run 1" in errors
        assert "Traceback" not in errors
        wait_for(lambda: not agents_of(lab), "the agents' end")

        process = started()
        os.kill(agents_of(lab)[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "the agent was killed by signal 9" in errors and "Traceback" not in errors
        wait_for(lambda: not agents_of(lab), "the agents' end")

        process = started()
        process.kill()
        process.wait()
        wait_for(lambda: not agents_of(lab), "the agents' end")

        shown = subprocess.run(
            [*COMMAND, "characterize", "show", "--list", "--results", str(results)], capture_output=True, text=True
        )
        endings = [line.split("hosts  ")[1] for line in shown.stdout.splitlines()]
        assert endings[0] == "aborted: interrupted by the user"
        assert endings[1].startswith("failed: h") and endings[1].endswith("the agent was killed by signal 9")
        assert endings[2] == "interrupted"
        part = subprocess.run(
            [*COMMAND, "characterize", "show", "2", "--json", "--results", str(results)], capture_output=True, text=True
        )
        data = json.loads(part.stdout)
        assert data["complete"] is False and "killed" in data["reason"]


def test_an_unreachable_host_is_named(tmp_path: Path) -> None:
    with lab_of("star", hosts_per_leaf=3) as (lab, _cluster):
        text = lab.cluster_file_text().replace('name = "h1"', 'name = "h9"')
        file = tmp_path / "cluster.toml"
        file.write_text(text)
        done = subprocess.run(
            [*COMMAND, "characterize", str(file), "--results", str(tmp_path / "r")], capture_output=True, text=True
        )
        assert done.returncode == 1
        assert "h9" in done.stderr and "Traceback" not in done.stderr
        assert not agents_of(lab)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("topology", "shape"),
    [
        ("star", {"hosts_per_leaf": 16}),
        ("mesh", {"leafs": 4, "hosts_per_leaf": 4}),
        ("leaf-spine", {"leafs": 4, "spines": 2, "hosts_per_leaf": 4}),
    ],
)
def test_sixteen_hosts(topology: str, shape: dict[str, int], tmp_path: Path) -> None:
    with lab_of(topology, **shape) as (lab, cluster):
        begin = time.monotonic()
        found = measured(cluster, tmp_path, SurveySettings(sizes_B=(64, 1024, 8192, 65536)))
        print(f"{topology}: {time.monotonic() - begin:.1f} s")
        result = scored(found, lab)
    assert np.isfinite(found.latency.median_s[:, ~np.eye(16, dtype=bool)]).all()
    assert result.precision >= 0.95 and result.recall >= 0.95
