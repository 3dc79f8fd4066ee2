"""Several jobs on the same hosts, none of which knows of another: they settle, and none is slower than unmanaged."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from managed_runs import Command, cluster_file, mesh, nothing_left, once, run

from fairlead import lab as labs
from fairlead import programs
from fairlead.lab import congestion
from fairlead.lab.congestion import Streams

pytestmark = [pytest.mark.root, pytest.mark.mpi, pytest.mark.slow]

FOREIGN = Streams(kind="streams", between=("leaf0", "leaf1"), streams=2)
STEPS = 12  # of blocks of 1 MiB each way
PROGRAM = ["nbody", "--particles", "256", "--payload", "8192", "--steps", str(STEPS)]
SETTLED_S = 5.0
REVISIT_S = 5.0
LIMIT_S = 400.0


@pytest.fixture(scope="module")
def mesh4(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[labs.Lab, Path]]:
    """Four switches joined pairwise, a host and a neighbour on each; and a directory with its characterization."""
    directory = tmp_path_factory.mktemp("jobs")
    # Trunks slow enough for the network, and not two processors, to limit eight ranks.
    with mesh("jobs", directory, leafs=4, trunk="40mbit") as lab:
        done = once("characterize", cluster_file(lab, directory), "--results", directory / "usual")
        assert done.returncode == 0, done.stderr
        yield lab, directory


def times_s(lab: labs.Lab, directory: Path, jobs: int, *options: str) -> tuple[list[float], list[Command]]:
    """What each of so many jobs at once takes between h0 and h1 beside foreign streams, by its own clock."""
    file = cluster_file(lab, directory)
    with ExitStack() as stack:
        stack.enter_context(congestion.make(lab, FOREIGN))
        commands = []
        for job in range(jobs):
            results = directory / f"job{job}"
            shutil.rmtree(results, ignore_errors=True)
            shutil.copytree(directory / "usual", results)
            commands.append(stack.enter_context(run(file, "-n", "2", *options, program=PROGRAM, results=results)))
        for command in commands:
            assert command.end(LIMIT_S) == 0, command.text()
    said = [programs.verdict("".join(command.output).encode()) for command in commands]
    assert all(each.verified for each in said)
    times = [each.timed_s for each in said]
    assert None not in times
    return [time_s for time_s in times if time_s is not None], commands


def revisits(command: Command) -> Counter[tuple[int, int]]:
    """By pair: changes back to a route that it left less than REVISIT_S before, once its job has settled."""
    changes = [event for event in command.record()[1] if event.kind in ("rerouted", "restored")]
    left: dict[tuple[int, int, int | None], float] = {}
    found: Counter[tuple[int, int]] = Counter()
    for event in changes:
        pair = event.data["source"], event.data["destination"]
        rerouted = event.kind == "rerouted"
        before = event.data["before"] if rerouted else event.data["relay"]
        now = event.data["relay"] if rerouted else None
        if event.t_s - changes[0].t_s > SETTLED_S and event.t_s - left.get((*pair, now), -REVISIT_S) < REVISIT_S:
            found[pair] += 1
        left[(*pair, before)] = event.t_s
    return found


@pytest.mark.parametrize("jobs", [2, 4])
def test_jobs_beside_foreign_streams_settle_and_gain(mesh4: tuple[labs.Lab, Path], jobs: int) -> None:
    lab, directory = mesh4
    unmanaged_s, _ = times_s(lab, directory, jobs, "--no-agents")
    managed_s, commands = times_s(lab, directory, jobs)
    print(f"{jobs} jobs: unmanaged {unmanaged_s} s, managed {managed_s} s")
    assert all(managed < plain for managed, plain in zip(managed_s, unmanaged_s, strict=True)), (managed_s, unmanaged_s)
    reroutes = [len([event for event in command.record()[1] if event.kind == "rerouted"]) for command in commands]
    assert sum(reroutes) > 0
    # There and back again is no oscillation yet; twice is.
    assert all(count <= 1 for command in commands for count in revisits(command).values())
    assert nothing_left(lab)
