"""libfairlead.so in processes of every kind: without MPI, with MPI opened late, beside other tools, with threads."""

import os
import subprocess
import sys
from pathlib import Path

import mpi_libraries
import pytest
from mpi_libraries import Mpi, every_family

from fairlead import native
from fairlead.profile import record
from fairlead.profile.record import Record

pytestmark = pytest.mark.mpi
SOURCES = Path(__file__).parent / "sources"
SHIM = "libfairlead.so"
LATE = """
import ctypes, sys
late = ctypes.CDLL(sys.argv[1])
print("has", late.has_newer_functions(), flush=True)
if len(sys.argv) > 2:
    late.run()
"""


def environment(directory: Path, *more: Path) -> dict[str, str]:
    """What makes a program leave records in a directory, with further libraries loaded after the shim."""
    preload = ":".join(map(str, (native.library(SHIM), *more)))
    return {"LD_PRELOAD": preload, "FAIRLEAD_PROFILE": str(directory)}


def run(mpi: Mpi, ranks: int, argv: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(mpi.command(ranks, argv, env), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def records(directory: Path) -> list[Record]:
    """In rank order; those without a rank first."""
    found = [record.read(path) for path in directory.glob("*.record")]
    return sorted(found, key=lambda each: -1 if each.rank is None else each.rank)


def test_a_process_without_mpi_is_left_alone(tmp_path: Path) -> None:
    script = "import ctypes; print([hasattr(ctypes.CDLL(None), name) for name in ('MPI_Init', 'MPI_Send_c', 'puts')])"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **environment(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[False, False, True]\n"
    assert done.stderr == ""
    assert not list(tmp_path.iterdir())


@every_family
def test_mpi_opened_late_by_python(mpi: Mpi, tmp_path: Path) -> None:
    library = mpi.need().compile(SOURCES / "late.c", tmp_path / "late.so", "-shared", "-fPIC")
    ask = [sys.executable, "-c", LATE, str(library)]
    plain = subprocess.run(ask, capture_output=True, text=True, check=True)
    env = environment(tmp_path)
    beside = subprocess.run(ask, env={**os.environ, **env}, capture_output=True, text=True, check=True)
    assert beside.stdout == plain.stdout  # no function that this libmpi does not have
    run(mpi, 2, [*ask, "run"], env)
    zero, one = records(tmp_path)
    assert zero.messages.sent_B.tolist() == [0, 9, 0]
    assert one.messages.received_B.tolist() == [9, 0, 0]
    assert zero.state == one.state == "finalized"


@every_family
def test_the_library_sees_exactly_what_libmpi_has(mpi: Mpi, tmp_path: Path) -> None:
    """Every function of the table, asked for by name, before and after the first call."""
    source = tmp_path / "ask.c"
    names = ",".join(f'"{name}"' for name in mpi_libraries.function_names())
    source.write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <mpi.h>\n#include <stdio.h>\n"
        f"static const char* names[] = {{{names}}};\n"
        "static void ask(void) { for (unsigned i = 0; i < sizeof names / sizeof *names; ++i)"
        " putchar('0' + (dlsym(RTLD_DEFAULT, names[i]) != 0)); putchar('\\n'); }\n"
        "int main(void) { int yes; ask(); MPI_Initialized(&yes); ask(); return 0; }\n"
    )
    program = mpi.need().compile(source, tmp_path / "ask", "-ldl")
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    env = {**os.environ, **environment(tmp_path)}
    beside = subprocess.run([program], env=env, capture_output=True, text=True, check=True)
    assert "1" in plain.stdout
    assert beside.stdout == plain.stdout


@every_family
def test_other_tools_are_called_too(mpi: Mpi, tmp_path: Path) -> None:
    tool = mpi.need().compile(SOURCES / "tool.c", tmp_path / "tool.so", "-shared", "-fPIC")
    program = mpi.compile(SOURCES / "cases.c", tmp_path / "cases", "-Wno-stringop-overflow")
    done = run(mpi, 3, [str(program), "finalize"], environment(tmp_path, tool))
    assert "tool saw 1" in done.stdout
    assert records(tmp_path)[0].messages.sent_B.tolist() == [0, 8, 0, 0]


@every_family
def test_threads_at_once(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES / "threads.c", tmp_path / "threads")
    run(mpi, 2, [str(program)], environment(tmp_path))
    for rank, each in enumerate(records(tmp_path)):
        other = 1 - rank
        assert each.threads == 5  # main and four; the later four took over their counters
        assert each.messages.sent_messages[other] == each.messages.received_messages[other] == 4000
        assert each.messages.sent_B[other] == each.messages.received_B[other] == 2 * 500 * (1 + 2 + 3 + 4)
        assert each.messages.sent_B.sum() == each.messages.received_B.sum() == 10000
        assert each.functions["MPI_Waitall"].calls == 400


@every_family
def test_sessions(mpi: Mpi, tmp_path: Path) -> None:
    if mpi.name == "openmpi4":
        pytest.skip("Open MPI 4.1 has no sessions")
    program = mpi.need().compile(SOURCES / "session.c", tmp_path / "session")
    run(mpi, 2, [str(program)], environment(tmp_path))
    zero, one = records(tmp_path)
    assert (zero.rank, one.rank, one.ranks) == (0, 1, 2)
    assert zero.messages.sent_B.tolist() == [0, 6, 0]
    assert one.messages.received_B.tolist() == [6, 0, 0]
    assert zero.state == "exited"


@every_family
def test_the_world_after_a_session(mpi: Mpi, tmp_path: Path) -> None:
    """Its messages are kept, too."""
    if mpi.family == "intelmpi" or mpi.name == "openmpi4":
        pytest.skip("Open MPI 4.1 has no sessions, and Intel MPI refuses MPI_Init after one")
    program = mpi.need().compile(SOURCES / "session_first.c", tmp_path / "session")
    run(mpi, 2, [str(program)], {**environment(tmp_path), "FAIRLEAD_PROFILE_MESSAGES": "100"})
    zero, one = records(tmp_path)
    assert (zero.state, zero.messages.sent_B.tolist()) == ("finalized", [0, 6, 0])
    assert [each.ends["end"].tolist() for each in (zero, one)] == [[record.SEND], [record.RECEIVE]]
    assert zero.ends["communicator"] == one.ends["communicator"] != 0


def test_a_program_of_sessions_has_no_relay_plane(tmp_path: Path) -> None:
    """Without MPI_Init nothing arms it: the program runs as it does without."""
    mpi = mpi_libraries.LIBRARIES[3].need()
    program = mpi.compile(SOURCES / "session.c", tmp_path / "session")
    run(mpi, 2, [str(program)], {**environment(tmp_path), "FAIRLEAD_CHAOS": "1"})
    zero, one = records(tmp_path)
    assert zero.messages.sent_B.tolist() == [0, 6, 0]
    assert one.messages.received_B.tolist() == [6, 0, 0]


LONG = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    int count = (1 << 29) + 1;
    int* data = calloc(count, 4);
    MPI_Status status;
    MPI_Init(&argc, &argv);
    data[count - 1] = 7;
    MPI_Sendrecv_replace(data, count, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, &status);
    int received = 0;
    MPI_Get_count(&status, MPI_INT, &received);
    if (received != count || data[0] != 0 || data[count - 1] != 7) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
}
"""


@pytest.mark.slow
def test_a_message_beyond_2_GiB_is_replaced_on_the_relay_plane(tmp_path: Path) -> None:
    """Elements that an int counts and their bytes it does not, with a library without large counts. Takes 5 GB."""
    mpi = mpi_libraries.LIBRARIES[0].need()
    (tmp_path / "long.c").write_text(LONG)
    program = mpi.compile(tmp_path / "long.c", tmp_path / "long")
    env = {**environment(tmp_path), "FAIRLEAD_RELAY": str(tmp_path)}
    done = subprocess.run(mpi.command(1, [str(program)], env), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@every_family
def test_spawned_processes_are_outside_the_world(mpi: Mpi, tmp_path: Path) -> None:
    if mpi.name == "mpich4":
        pytest.skip("Debian's MPICH 4.0.2 fails to spawn")
    program = mpi.need().compile(SOURCES / "spawn.c", tmp_path / "spawn")
    run(mpi, 2, [str(program)], environment(tmp_path))
    *children, zero, one = sorted(records(tmp_path), key=lambda each: (each.ranks, each.rank))
    assert (zero.ranks, one.ranks) == (2, 2)
    for parent in (zero, one):
        assert parent.messages.sent_B.tolist() == [0, 0, 7]
        assert parent.messages.received_B.tolist() == [0, 0, 3]
    if mpi.name == "openmpi5":
        return  # its spawned processes do not get the environment that mpirun was told to pass on
    (child,) = children
    assert child.messages.sent_B.tolist() == [0, 6]
    assert child.messages.received_B.tolist() == [0, 14]


@every_family
def test_a_forked_child_counts_for_itself(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES / "fork.c", tmp_path / "fork")
    run(mpi, 1, [str(program)], environment(tmp_path))
    child, parent = records(tmp_path)
    assert child.pid != parent.pid
    assert {name: usage.calls for name, usage in child.functions.items()} == {"MPI_Initialized": 1}
    assert parent.functions["MPI_Wtime"].calls == 1
    assert parent.functions["MPI_Initialized"].calls == 1
    assert parent.state == "finalized"


STRANGE = "int PMPI_Init_thread(void) { return 0; }\nint MPI_Init(void* argc, void* argv) { return 0; }\n"
CALLS_STRANGE = "int MPI_Init(void*, void*);\nint main(void) { return MPI_Init(0, 0); }\n"


def test_no_build_for_this_library_is_said(tmp_path: Path) -> None:
    """One of another binary interface than all that are known."""
    library, program = tmp_path / "libmpi_strange.so", tmp_path / "program"
    shared = ["-shared", "-fPIC", "-Wl,-soname,libmpi_strange.so.2"]
    subprocess.run(["gcc", *shared, "-o", library, "-x", "c", "-"], input=STRANGE, text=True, check=True)
    linked = ["-x", "none", str(library), f"-Wl,-rpath,{tmp_path}"]
    subprocess.run(["gcc", "-o", program, "-x", "c", "-", *linked], input=CALLS_STRANGE, text=True, check=True)
    (tmp_path / "libmpi_strange.so.2").symlink_to(library)
    env = {**os.environ, **environment(tmp_path)}
    done = subprocess.run([program], env=env, capture_output=True, text=True, check=True, timeout=60)
    assert "no build of libfairlead" in done.stderr
    assert "libmpi_strange.so.2" in done.stderr
    assert not records(tmp_path)


ANOTHER = """
#include <stdio.h>
int PMPI_Get_library_version(char* version, int* length) { *length = sprintf(version, "Another MPI 1.0"); return 0; }
"""


def test_behind_the_standard_abi_the_relay_plane_wants_a_library_that_is_known(tmp_path: Path) -> None:
    mpi = next(each for each in mpi_libraries.LIBRARIES if each.name == "mpich5abi").need()
    (tmp_path / "another.c").write_text(ANOTHER)
    another = mpi.compile(tmp_path / "another.c", tmp_path / "another.so", "-shared", "-fPIC")
    program = mpi.compile(SOURCES / "cases.c", tmp_path / "cases", "-Wno-stringop-overflow")
    armed = {"FAIRLEAD_CHAOS": "1"}
    done = run(mpi, 3, [str(program), "finalize"], environment(tmp_path, another) | armed)
    assert done.stderr.count("this MPI library's behaviour behind the standard ABI is not known") == 3
    zero, *_ = records(tmp_path)
    assert zero.messages.sent_B.tolist() == [0, 8, 0, 0]
    assert not any(zero.relay.values())
    done = run(mpi, 3, [str(program), "finalize"], environment(tmp_path) | armed)
    assert "standard ABI" not in done.stderr


@every_family
def test_no_room_for_records_does_not_end_the_program(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES / "cases.c", tmp_path / "cases", "-Wno-stringop-overflow")
    done = run(mpi, 3, [str(program), "modes"], environment(tmp_path / "missing"))
    assert "missing" in done.stderr
    assert "the profile of this process is incomplete" in done.stderr
