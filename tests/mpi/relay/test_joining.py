"""Processes beyond MPI_COMM_WORLD, and ranks that end, under the relay plane: as without it, or with a clear line."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import mpi_libraries
import pytest
from mpi_libraries import EACH_ABI, LIBRARIES, Mpi

from fairlead import native
from fairlead.profile import record
from lone_agent import lone_agent

pytestmark = pytest.mark.mpi
SOURCES = Path(__file__).parent / "sources"
WITH_SESSIONS = [each for each in LIBRARIES if each.name in ("openmpi5", "mpich5", "mpich5abi")]
ARMED = [{"FAIRLEAD_CHAOS": "3"}, {"FAIRLEAD_RELAY": "/nowhere"}]
by_name = {"ids": lambda each: each.name if isinstance(each, Mpi) else next(iter(each))}


def preloaded(mpi: Mpi, argv: list[str], armed: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), **armed}
    with mpi_libraries.no_leftovers():
        return subprocess.run(mpi.command(2, argv, env), capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
@pytest.mark.parametrize("armed", ARMED, **by_name)
@pytest.mark.parametrize("what", ["spawn", "merge", "connect"])
def test_processes_that_join(mpi: Mpi, what: str, armed: dict[str, str], tmp_path: Path) -> None:
    if what == "connect" and mpi.family == "mpich":
        pytest.skip("MPI_Open_port of PyPI's MPICH 5 over UCX finds no space for the name, without the plane neither")
    program = mpi.need().compile(SOURCES / "joining.c", tmp_path / "joining")
    done = preloaded(mpi, [str(program), what], armed)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("mpi", WITH_SESSIONS, **by_name)
def test_a_program_of_sessions_alone_is_not_armed(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES / "joining.c", tmp_path / "joining")
    done = preloaded(mpi, [str(program), "session"], ARMED[0])
    assert done.returncode == 0, done.stdout + done.stderr


# Some messages have come when it aborts, others are on their way. Without an argument it goes on to its end.
ABORTS = """
#include <mpi.h>
static char in[50][300000], out[300000];
int main(int argc, char** argv) {
    int rank;
    MPI_Request requests[50];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 50; ++i) {
        if (rank == 0) MPI_Isend(out, i % 2 ? 10 : sizeof out, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
        if (rank == 1) MPI_Irecv(in[i], sizeof in[i], MPI_CHAR, 0, 49 - i, MPI_COMM_WORLD, &requests[i]);
    }
    if (rank == 1) MPI_Waitall(10, requests + 40, MPI_STATUSES_IGNORE);
    if (rank == 1 && argc > 1) MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Waitall(rank == 1 ? 40 : 50, requests, MPI_STATUSES_IGNORE);
    do MPI_Barrier(MPI_COMM_WORLD); while (argc > 1);
    MPI_Finalize();
}
"""


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
def test_an_abort_with_frames_on_their_way_ends_the_job(mpi: Mpi, tmp_path: Path) -> None:
    """The same seed draws the same paths, and a program that ends says how many messages were relayed."""
    (tmp_path / "aborts.c").write_text(ABORTS)
    program = mpi.need().compile(tmp_path / "aborts.c", tmp_path / "aborts")
    done = preloaded(mpi, [str(program)], ARMED[0] | {"FAIRLEAD_PROFILE": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    records = [record.read(path) for path in tmp_path.glob("*.record")]
    assert sum(each.relay["relayed"] for each in records) > 10
    assert sum(each.relay["waited"] for each in records) > 0
    done = preloaded(mpi, [str(program), "abort"], ARMED[0])
    assert done.returncode == 7, done.stdout + done.stderr


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
def test_an_abort_without_agents_ends_the_job(mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "aborts.c").write_text(ABORTS)
    program = mpi.need().compile(tmp_path / "aborts.c", tmp_path / "aborts")
    done = preloaded(mpi, [str(program), "abort"], ARMED[1])
    assert done.returncode == 7, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("source", "seed", "over"),
    [
        ("failed.c", 3, "sm,self"),
        ("failed.c", 4, "sm,self"),
        ("failed.c", 5, "sm,self"),
        ("revoked.c", 3, "sm,self"),
        ("revoked.c", 6, "sm,self"),
        ("revoked.c", 3, "tcp,self"),  # which tells sends to the process that it has failed
    ],
)
def test_a_process_that_fails_is_told_to_the_others(source: str, seed: int, over: str, tmp_path: Path) -> None:
    """Open MPI 5 goes on without it; so does the plane, to the end.

    The library's own MPI_Finalize is not waited for: after a failure it hangs now and then, without libfairlead too.
    """
    mpi = LIBRARIES[1].need()
    program = mpi.compile(SOURCES / source, tmp_path / "failed")
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_CHAOS": str(seed)}
    launcher, *rest = mpi.command(3, [str(program)], env)
    argv = [launcher, "--with-ft", "ulfm", "--mca", "btl", over, *rest]
    errors = tmp_path / "errors"
    with errors.open("w") as kept, subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=kept, text=True) as process:
        assert process.stdout is not None
        limit = threading.Timer(60, process.terminate)
        limit.start()
        said = sorted(islice(process.stdout, 2))
        limit.cancel()
        process.terminate()
    assert said == ["rank 0: 0\n", "rank 1: 0\n"], errors.read_text()


# Messages until there is a file.
MEANWHILE = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
    int rank, there = 0, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) puts("begun");
    fflush(stdout);
    while (!there) {
        if (rank == 0) there = access(argv[1], F_OK) == 0;
        MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &got, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}
"""


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
def test_an_agent_that_comes_after_its_ranks_is_joined(mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "meanwhile.c").write_text(MEANWHILE)
    program = mpi.need().compile(tmp_path / "meanwhile.c", tmp_path / "meanwhile")
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RELAY": str(tmp_path)}
    argv = mpi.command(2, [str(program), str(tmp_path / "enough")], env)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == "begun\n"
        clock = {"offset_s": 0.0, "drift": 0.0}
        relay = {"directory": str(tmp_path), "capacity_B": 1 << 21}
        with lone_agent(native.program("fairlead-agent"), clock_test=clock, relay=relay) as beside:
            assert beside.stdout is not None
            events = (json.loads(line) for line in beside.stdout)
            # What its ranks count is told by those who have joined it.
            next(event for event in events if event["type"] == "stats" and event["relay"]["ranks"]["direct"] > 0)
            (tmp_path / "enough").touch()
            _, said = job.communicate(timeout=60)
    assert job.returncode == 0, said
    assert said.count("no relay plane: the agent in") == 2, said


# Rank 0 sends a message and waits, outside MPI, for a file that rank 1 makes when it has it; when there is "call", it
# calls MPI meanwhile.
OUTSIDE = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
static void make(const char* name) { fclose(fopen(name, "w")); }
static int is_there(const char* name) { return access(name, F_OK) == 0; }
int main(int argc, char** argv) {
    int rank, level, there, value = 42, got = 0;
    MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 77);
    if (chdir(argv[1]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 200; ++i) {
        if (rank == 0) MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        usleep(1000);
    }
    if (rank == 0) {
        make("ready");
        while (!is_there("go")) usleep(1000);
        MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        make("sent");
        while (!is_there("received")) {
            if (is_there("call")) MPI_Iprobe(1, 3, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            usleep(1000);
        }
    } else {
        MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("received %d\\n", got);
        fflush(stdout);
        make("received");
    }
    MPI_Finalize();
}
"""
RELAYED = {"FAIRLEAD_CHAOS": "28"}  # of the first to the second rank, messages 198 to 202 are relayed


def wait_for(condition: Callable[[], object], what: str) -> None:
    deadline_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline_s, what
        time.sleep(0.01)


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
@pytest.mark.parametrize("threads", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["multiple", "single"])
def test_a_message_that_an_agent_took_along_arrives_though_none_comes_back(
    mpi: Mpi, threads: bool, tmp_path: Path
) -> None:
    """Its sender waits in its own code. Unless the library may be called there by another thread, that takes a call of
    the sender's; and a line says so.
    """
    (tmp_path / "outside.c").write_text(OUTSIDE)
    program = mpi.need().compile(tmp_path / "outside.c", tmp_path / "outside")
    meeting, errors = tmp_path / "meeting", tmp_path / "errors"
    meeting.mkdir()
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RELAY": str(tmp_path), **RELAYED}
    argv = mpi.command(2, [str(program), str(meeting), *(["threads"] if threads else [])], env)
    relay = {"directory": str(tmp_path), "capacity_B": 1 << 21}
    config: dict[str, Any] = {"clock_test": {"offset_s": 0.0, "drift": 0.0}, "relay": relay}
    with (
        lone_agent(native.program("fairlead-agent"), ends_with=-signal.SIGKILL, **config) as agent,
        errors.open("w") as kept,
        subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=kept, text=True) as job,
    ):
        try:
            wait_for(lambda: (meeting / "ready").exists() or job.poll() is not None, "the ranks' start")
            if job.poll() == 77:
                pytest.skip(f"{mpi.name} has no MPI_THREAD_MULTIPLE")
            assert job.poll() is None, errors.read_text()
            assert agent.stdout is not None
            told = (json.loads(line) for line in agent.stdout)
            counts = (event["relay"]["ranks"] for event in told if event["type"] == "stats")
            next(each for each in counts if each["direct"] + each["relayed"] >= 400)  # both ranks have joined it
            agent.send_signal(signal.SIGSTOP)  # the message stays in the ring to it
            (meeting / "go").touch()
            wait_for((meeting / "sent").exists, "the message")
            agent.kill()
            if not threads:
                wait_for(lambda: "goes on with this rank's next MPI call" in errors.read_text(), "a line")
                assert not (meeting / "received").exists()
                (meeting / "call").touch()
            wait_for((meeting / "received").exists, "the message at its receiver")
            out, _ = job.communicate(timeout=60)
        finally:
            agent.kill()
            job.terminate()
    assert job.returncode == 0, errors.read_text()
    assert out == "received 42\n"


SUCCESSOR = "{program} {first} && exec {program} {second}"


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
def test_programs_one_after_another_in_a_slot(mpi: Mpi, tmp_path: Path) -> None:
    """The agent is stopped while the first one ends: it has frames, and ranks, of a world that is no more."""
    (tmp_path / "meanwhile.c").write_text(MEANWHILE)
    program = mpi.need().compile(tmp_path / "meanwhile.c", tmp_path / "meanwhile")
    need_successors(mpi, program, tmp_path)
    first, second = ends = [tmp_path / "first", tmp_path / "second"]
    slot = ["sh", "-c", SUCCESSOR.format(program=program, first=first, second=second)]
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_RELAY": str(tmp_path), "FAIRLEAD_CHAOS": "5"}
    argv = mpi.command(2, slot, env)
    relay = {"directory": str(tmp_path), "capacity_B": 1 << 21}
    with lone_agent(native.program("fairlead-agent"), clock_test={"offset_s": 0.0, "drift": 0.0}, relay=relay) as agent:
        events = lines_of(agent)
        next(event for event in events if event["type"] == "ready")
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
            try:
                assert job.stdout is not None
                assert job.stdout.readline() == "begun\n"
                arrivals_grow(events)
                agent.send_signal(signal.SIGSTOP)
                first.touch()
                assert job.stdout.readline() == "begun\n"
                agent.send_signal(signal.SIGCONT)
                arrivals_grow(events)
            finally:
                agent.send_signal(signal.SIGCONT)
                for end in ends:
                    end.touch()
            _, said = job.communicate(timeout=60)
    assert job.returncode == 0, said
    assert "ends the job" not in said
    assert "it rejected this rank" not in said


def need_successors(mpi: Mpi, program: Path, where: Path) -> None:
    """Skip where the launcher does not run two programs in a slot, without libfairlead."""
    there = where / "there"
    there.touch()
    slot = ["sh", "-c", SUCCESSOR.format(program=program, first=there, second=there)]
    with mpi_libraries.no_leftovers():
        try:
            done = subprocess.run(mpi.command(2, slot, {}), capture_output=True, text=True, timeout=30)
        except subprocess.TimeoutExpired:
            pytest.skip(f"with {mpi.name} the second program in a slot does not end")
    if done.returncode != 0 or done.stdout.count("begun") != 2:
        pytest.skip(f"{mpi.name} does not run one program after another in a slot: {done.stderr[-200:]}")


def lines_of(agent: "subprocess.Popen[str]") -> Iterator[dict[str, Any]]:
    assert agent.stdout is not None
    return (json.loads(line) for line in agent.stdout)


def arrivals_grow(events: Iterator[dict[str, Any]]) -> None:
    """Until the agent carries frames of the ranks: what it had of them before is a single rise."""
    told = (event["relay"]["arrived"] for event in events if event["type"] == "stats")
    before, rises = next(told), 0
    while rises < 3:
        now = next(told)
        rises += now > before
        before = now


def partly_preloaded(mpi: Mpi, last: str, patience_s: str, where: Path) -> "subprocess.CompletedProcess[str]":
    """Two ranks; the first one is preloaded, the second one does what ``last`` says with ``$PRELOAD`` and ``$0``."""
    (where / "barrier.c").write_text(ABORTS)
    program = mpi.need().compile(where / "barrier.c", where / "barrier")
    script = where / "some.sh"
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    preload = f"env LD_PRELOAD={native.library('libfairlead.so')} FAIRLEAD_CHAOS=1 {program}"
    script.write_text(f'#!/bin/sh\nif [ "{rank}" = 1 ]; then {last.format(program=program, preload=preload)}; fi\n')
    with script.open("a") as more:
        more.write(f"exec {preload}\n")
    script.chmod(0o755)
    argv = mpi.command(2, [str(script)], {"FAIRLEAD_RELAY_PATIENCE": patience_s})
    with mpi_libraries.no_leftovers():
        return subprocess.run(argv, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
def test_a_job_of_which_some_ranks_are_preloaded_ends_with_a_line(mpi: Mpi, tmp_path: Path) -> None:
    """The others would never answer what the plane asks of them."""
    done = partly_preloaded(mpi, "exec {program}", "1.5", tmp_path)
    assert done.returncode != 0
    assert "not all ranks joined the relay plane within 1.5 s" in done.stderr
    assert "LD_PRELOAD" in done.stderr
    assert "FAIRLEAD_RELAY_PATIENCE" in done.stderr


@pytest.mark.parametrize("mpi", EACH_ABI, **by_name)
def test_ranks_that_start_late_end_no_job(mpi: Mpi, tmp_path: Path) -> None:
    done = partly_preloaded(mpi, "sleep 4.5; exec {preload}", "3", tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_patience_that_is_no_time_is_told(tmp_path: Path) -> None:
    done = partly_preloaded(LIBRARIES[0], "exec {preload}", "long", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("FAIRLEAD_RELAY_PATIENCE=long is not a time in seconds: waiting 60 s") == 2
