"""What libfairlead does to programs beside seeing their calls: nothing that they, or what they start, would notice."""

import subprocess
from pathlib import Path

import mpi_libraries
import pytest
from message_rings import of_ranks
from mpi_libraries import Mpi, every_family

from fairlead import native
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.programs import trial
from fairlead.programs.linkage import here

pytestmark = pytest.mark.mpi
CHILD = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (system("echo child has ${LD_PRELOAD:-nothing}") != 0) return 1;
    MPI_Finalize();
    return 0;
}
"""
SHIM = "libfairlead.so"


@pytest.fixture
def rings(tmp_path: Path) -> Path:
    (tmp_path / "rings").mkdir()
    return tmp_path / "rings"


def compiled(mpi: Mpi, directory: Path) -> Path:
    (directory / "child.c").write_text(CHILD)
    return mpi.need().compile(directory / "child.c", directory / "child")


def said(mpi: Mpi, argv: list[str], env: dict[str, str]) -> list[str]:
    """What two ranks' children print."""
    with mpi_libraries.no_leftovers():
        done = subprocess.run(mpi.command(2, argv, env), capture_output=True, text=True, check=True, timeout=100)
    return [line for line in done.stdout.splitlines() if line.startswith("child has")]


@every_family
def test_what_a_rank_starts_runs_without(mpi: Mpi, tmp_path: Path, rings: Path) -> None:
    program, shim = compiled(mpi, tmp_path), str(native.library(SHIM))
    env = {"FAIRLEAD_RINGS": str(rings)}
    assert said(mpi, [str(program)], {**env, "LD_PRELOAD": shim}) == ["child has nothing"] * 2
    assert len(list(rings.glob("*.ring"))) == 2
    (tmp_path / "other.c").write_text("")
    other = str(mpi.compile(tmp_path / "other.c", tmp_path / "other.so", "-shared", "-fPIC"))
    for beside in (f"{shim}:{other}", f"{other} {shim}"):
        assert said(mpi, [str(program)], {**env, "LD_PRELOAD": beside}) == [f"child has {other}"] * 2


def test_what_becomes_a_rank_keeps_it(tmp_path: Path, rings: Path) -> None:
    mpi = mpi_libraries.LIBRARIES[0].need()
    program, shim = compiled(mpi, tmp_path), str(native.library(SHIM))
    script = tmp_path / "script"
    script.write_text(f'#!/bin/sh\necho child has "$LD_PRELOAD"\nexec "{program}"\n')
    script.chmod(0o755)
    env = {"FAIRLEAD_RINGS": str(rings), "LD_PRELOAD": shim}
    assert sorted(said(mpi, [str(script)], env)) == [f"child has {shim}"] * 2 + ["child has nothing"] * 2
    assert len(list(rings.glob("*.ring"))) == 2


def test_a_profile_is_of_all_that_a_rank_starts(tmp_path: Path, rings: Path) -> None:
    mpi = mpi_libraries.LIBRARIES[0].need()
    program, shim = compiled(mpi, tmp_path), str(native.library(SHIM))
    env = {"FAIRLEAD_RINGS": str(rings), "FAIRLEAD_PROFILE": str(rings), "LD_PRELOAD": shim}
    assert said(mpi, [str(program)], env) == [f"child has {shim}"] * 2


STARTS = CHILD.replace("child has ${LD_PRELOAD:-nothing}", "child has rings in ${FAIRLEAD_RINGS:-none}")


def test_a_job_that_a_rank_starts_writes_no_rings(tmp_path: Path, rings: Path) -> None:
    """Its ranks have the numbers of this one's. Without a profile they have no library either."""
    mpi = mpi_libraries.LIBRARIES[0].need()
    (tmp_path / "starts.c").write_text(STARTS)
    program = mpi.compile(tmp_path / "starts.c", tmp_path / "starts")
    env = {"FAIRLEAD_RINGS": str(rings), "LD_PRELOAD": str(native.library(SHIM))}
    assert said(mpi, [str(program)], env) == [f"child has rings in {rings}"] * 2
    assert said(mpi, [str(program)], {**env, "FAIRLEAD_PROFILE": str(rings)}) == ["child has rings in none"] * 2


SPAWNS = """
#include <mpi.h>
int main(int argc, char** argv) {
    MPI_Comm other;
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (other == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    if (rank == 0) MPI_Send(&data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
"""


@every_family
def test_spawned_processes_write_no_rings(mpi: Mpi, tmp_path: Path, rings: Path) -> None:
    """Their world has the same ranks as the job's, and a communicator of the same number."""
    if mpi.name == "mpich4":
        pytest.skip("Debian's MPICH 4.0.2 fails to spawn")
    (tmp_path / "spawns.c").write_text(SPAWNS)
    program = mpi.need().compile(tmp_path / "spawns.c", tmp_path / "spawns")
    env = {"FAIRLEAD_RINGS": str(rings), "LD_PRELOAD": str(native.library(SHIM))}
    subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=60)
    assert len(list(rings.iterdir())) == 2


AT_THE_END = """
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
static MPI_Comm own;
static int rank;
static void exchange(MPI_Comm comm) {
    int out = rank, in[2] = {-1, -1};
    MPI_Request requests[2];
    MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 1 - rank, 1, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 2, &in[1], 1, MPI_INT, 1 - rank, 2, comm, MPI_STATUS_IGNORE);
    if (in[0] != 1 - rank || in[1] != 1 - rank) _exit(3);
}
static void at_the_end(void) {
    MPI_Comm last;
    exchange(own);
    MPI_Comm_dup(own, &last);
    exchange(last);
    MPI_Comm_free(&last);
    MPI_Comm_free(&own);
    MPI_Finalize();
}
int main(int argc, char** argv) {
    atexit(at_the_end);
    alarm(40);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    exchange(own);
    return 0;
}
"""


@every_family
def test_calls_at_the_end_of_the_process(mpi: Mpi, tmp_path: Path, rings: Path) -> None:
    """What a program registered before its first call comes after what its libraries did. What is freed is overwritten
    here.
    """
    (tmp_path / "end.c").write_text(AT_THE_END)
    program = mpi.need().compile(tmp_path / "end.c", tmp_path / "end")
    env = {"MALLOC_PERTURB_": "165"}
    with mpi_libraries.no_leftovers():
        if subprocess.run(mpi.command(2, [str(program)], env), capture_output=True, timeout=60).returncode != 0:
            pytest.skip("this library itself has ended by then")
        env |= {"FAIRLEAD_RINGS": str(rings), "LD_PRELOAD": str(native.library(SHIM))}
        subprocess.run(mpi.command(2, [str(program)], env), check=True, timeout=60)
    for records in of_ranks(rings):
        assert len(records) == 3 * 4
        assert len(set(records["communicator"])) == 2


# As where a tool is part of the program, or a Fortran program's bindings are.
UNSEEN = """
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return PMPI_Init_thread(argc, argv, required, provided);
}
static void* exchange(void* number) {
    int out = (int)(size_t)number, in = -1;
    for (int i = 0; i < 20000; ++i) {
        MPI_Request requests[2];
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, out, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, 0, out, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (in != out) abort();
    }
    return NULL;
}
int main(int argc, char** argv) {
    pthread_t threads[4];
    int level;
    alarm(80);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE) abort();
    for (size_t i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, exchange, (void*)i);
    for (size_t i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
"""


@every_family
def test_threads_at_once_where_the_begin_of_mpi_is_not_seen(mpi: Mpi, tmp_path: Path, rings: Path) -> None:
    (tmp_path / "unseen.c").write_text(UNSEEN)
    program = mpi.need().compile(tmp_path / "unseen.c", tmp_path / "unseen")
    env = {"FAIRLEAD_RINGS": str(rings), "LD_PRELOAD": str(native.library(SHIM)), "MALLOC_PERTURB_": "165"}
    subprocess.run(mpi.command(1, [str(program)], env), check=True, timeout=100)
    assert not list(rings.iterdir())  # whose messages they are is not known


@pytest.mark.userns
@every_family
def test_rings_leave_room_to_others_and_one_of_many_says_so(mpi: Mpi, tmp_path: Path, rings: Path) -> None:
    """16 MiB are less than 64 rings take. The program sends as without."""
    program, shim = compiled(mpi, tmp_path), str(native.library(SHIM))
    line = mpi.command(2, [str(program)], {"FAIRLEAD_RINGS": str(rings), "LD_PRELOAD": shim})
    script = 'mount -t tmpfs -o size=16m none "$0" && "$@" && ls "$0"'
    with mpi_libraries.no_leftovers():
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, str(rings), *line],
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["child has nothing"] * 2
    lines = [each for each in done.stderr.splitlines() if each.startswith("fairlead: ")]
    assert lines == [
        f"fairlead: cannot create a ring in {rings}: No space left on device; "
        "messages of ranks without one are not watched"
    ]


@every_family
def test_the_loader_is_asked_whether_it_takes_the_library(mpi: Mpi, tmp_path: Path) -> None:
    program = compiled(mpi, tmp_path)
    kind = here(program).wrapped
    assert kind == mpi.abi
    cluster = Cluster("c", "local", (Host("h0", "127.0.0.1", interface="lo"),))
    libraries = [str(native.library(SHIM)), str(native.library(f"libfairlead-{kind}.so"))]
    assert trial.hindrance(cluster, Job("0123abcd", (str(program),), ("h0",)), libraries) is None


def test_a_library_for_a_newer_system_is_told(tmp_path: Path) -> None:
    """Preloaded, it would end every program, as one that wants a newer C library than a container's."""
    mpi = mpi_libraries.LIBRARIES[0].need()
    program = compiled(mpi, tmp_path)

    def build(name: str, source: str, *options: str) -> Path:
        (tmp_path / "source.c").write_text(source)
        target = tmp_path / name
        line = ["gcc", "-shared", "-fPIC", "-o", target, tmp_path / "source.c", f"-Wl,-soname,{name}", *options]
        subprocess.run(line, check=True)
        return target

    (tmp_path / "versions").write_text("NEWER_2 { global: newer; };\n")
    older = "int newer(void) { return 0; }"
    build("libbase.so", older, f"-Wl,--version-script={tmp_path}/versions")
    asks = "int newer(void); int ask(void) { return newer(); }"
    library = build("libnewer.so", asks, f"-L{tmp_path}", "-lbase", f"-Wl,-rpath,{tmp_path}")
    (tmp_path / "versions").write_text("NEWER_1 { global: newer; };\n")
    build("libbase.so", older, f"-Wl,--version-script={tmp_path}/versions")
    cluster = Cluster("c", "local", (Host("h0", "127.0.0.1", interface="lo"),))
    found = trial.hindrance(cluster, Job("0123abcd", (str(program),), ("h0",)), [str(library)])
    assert found is not None
    assert "version `NEWER_2' not found (required by" in found
