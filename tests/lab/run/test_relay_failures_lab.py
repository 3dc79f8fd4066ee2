"""Programs that end, or lose a rank, while their messages are rerouted by agents: as they do without fairlead."""

from pathlib import Path

import mpi_libraries
import pytest
from managed_runs import Command, cluster_file, nothing_left, run, wait_for
from mpi_libraries import LIBRARIES, Mpi

from fairlead import lab as labs

from ...mpi.relay.test_joining import SOURCES as PROGRAMS

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
SOURCES = Path(__file__).parent / "sources"
OPENMPI5 = LIBRARIES[1]
FAMILIES = [
    pytest.param(each, id=each.name, marks=() if each is LIBRARIES[0] else pytest.mark.slow)
    for each in LIBRARIES
    if each.abi != "standard"
]
REROUTED = ["--plane", "relay", "--no-detection"]
EVERY_PAIR = [
    word
    for source, destination, relay in ("012", "021", "102", "120", "201", "210")
    for word in ("--reroute", f"h{source}:h{destination}:h{relay}")
]


def relayed(command: Command, host: str) -> int:
    """Messages that the ranks of a host have said to have sent by agents."""
    told = [event.data["relay"]["ranks"] for event in command.events("stats") if event.data["host"] == host]
    return int(told[-1]["relayed"]) if told else 0


@pytest.mark.parametrize("mpi", FAMILIES)
def test_an_abort_ends_the_job_with_its_code(lab: labs.Lab, mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES / "aborts.c", tmp_path / "aborts")
    cluster = cluster_file(lab, tmp_path, "mpirun.openmpi", mpi.mpirun)
    with (
        mpi_libraries.no_leftovers(),
        run(cluster, *REROUTED, *EVERY_PAIR, program=[str(program)], results=tmp_path) as command,
    ):
        assert command.end(100) == 7, command.text()
    assert relayed(command, "h0") > 0
    assert nothing_left(lab)


@pytest.mark.slow
@pytest.mark.parametrize("source", ["failed.c", "revoked.c"])
def test_a_rank_that_fails_is_told_to_the_others(lab: labs.Lab, source: str, tmp_path: Path) -> None:
    """By Open MPI 5's ULFM. The library's own MPI_Finalize is not waited for: it hangs now and then by itself."""
    mpirun = tmp_path / "mpirun"
    mpirun.write_text(f'#!/bin/sh\ncase $1 in --version) exec {OPENMPI5.mpirun} "$@" ;; esac\n')
    with mpirun.open("a") as more:
        more.write(f'exec {OPENMPI5.mpirun} --with-ft ulfm "$@"\n')
    mpirun.chmod(0o755)
    program = OPENMPI5.need().compile(PROGRAMS / source, tmp_path / "failed")
    cluster = cluster_file(lab, tmp_path, "mpirun.openmpi", str(mpirun))
    argv = [str(program), "400"]
    with run(cluster, *REROUTED, *EVERY_PAIR, program=argv, results=tmp_path) as command:
        wait_for(lambda: len(command.output) >= 2, "what the two others say", 60)
        assert min(relayed(command, host) for host in ("h0", "h1", "h2")) > 0
    assert sorted(command.output)[:2] == ["rank 0: 0\n", "rank 1: 0\n"], command.text()
    wait_for(lambda: nothing_left(lab), "the end of all that ran", 10)
