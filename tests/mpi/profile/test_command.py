"""``fairlead profile`` as a user calls it: the program stays its own master, the profile is told beside it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mpi_libraries import LIBRARIES, Mpi, every_family

pytestmark = pytest.mark.mpi
FAIRLEAD = [str(Path(sys.executable).with_name("fairlead"))]
SOURCES = Path(__file__).parent / "sources"


def profile(*words: str, verbose: bool = False, **options: object) -> subprocess.CompletedProcess[str]:
    command = [*FAIRLEAD, *(["-v"] if verbose else []), "profile", *words]
    return subprocess.run(command, text=True, capture_output=True, timeout=100, **options)  # type: ignore[call-overload]


def directory_of_records(said: str) -> Path | None:
    """Where the ranks of this program leave their records, as `fairlead -v` says; None: it is not made yet."""
    named = re.search(r"/dev/shm/fairlead-profile-[0-9a-f]{8}\b", said)
    return Path(named[0]) if named else None


@every_family
def test_a_bundled_program(mpi: Mpi, tmp_path: Path) -> None:
    if mpi.abi == "standard":
        pytest.skip("bundled programs are not built for the standard ABI")
    target = tmp_path / "cg.json"
    words = ["-n", "4", "--mpirun", mpi.need().mpirun, "--json", str(target), "--", "cg", "--class", "S"]
    done = profile(*words, verbose=True)
    assert done.returncode == 0, done.stderr
    assert '"verified":true' in done.stdout
    assert "cg --class S: 4 ranks on localhost" in done.stderr
    assert "5888 messages of" in done.stderr
    data = json.loads(target.read_text())
    rows = [
        1264,
        1680,
        1680,
        1264,
    ]  # 78 exchanges of a vector and 106 of a sum in each of the 16 iterations, by the grid
    assert [sum(row) for row in data["messages"]] == rows
    assert data["messages"] == [list(column) for column in zip(*data["messages"], strict=True)]
    assert data["bytes_B"][1][2] == 416 * 5600  # 700 numbers with the rank across the diagonal
    assert data["waiting"]["joined"] == 5888
    assert data["waiting"]["kept"] == data["waiting"]["all_ends"] == 2 * 5888 + 4 * 6  # with 6 collective calls a rank
    # The untimed iteration, of 26 steps, is apart from the 15 timed ones: a barrier is between them.
    untimed, phase = data["pattern"]["phases"]
    assert (untimed["repetitions"], untimed["messages"]) == (26, 4)
    assert (phase["repetitions"], phase["messages"]) == (15, 1680 // 16)
    assert sum(each["messages"] for each in phase["sizes"] if each["size_B"] == 5600) == 2 * 26
    assert [each["end"] for each in data["per_rank"]] == ["finalized"] * 4
    assert data["host_bytes_B"] == [[sum(map(sum, data["bytes_B"]))]]
    used = directory_of_records(done.stderr)
    assert used is not None
    assert not used.exists()


def test_exit_code_stdin_and_arguments_pass_through(tmp_path: Path) -> None:
    source = Path(__file__).parents[1] / "launch" / "sources" / "ring.c"
    subprocess.run(["mpicc.openmpi", "-o", tmp_path / "ring", source], check=True)
    done = profile(
        "-n", "2", "--mpirun", "mpirun.openmpi", "--", "./ring", "exit", "7", cwd=tmp_path, input="typed\nend\n"
    )
    assert done.returncode == 7
    assert "stdin typed" in done.stdout
    assert "2 ranks on localhost" in done.stderr


def test_own_mpirun(tmp_path: Path) -> None:
    program = ["mpirun.mpich", "-n", "3", str(Path(tmp_path / "cases"))]
    subprocess.run(["mpicc.mpich", "-w", "-o", tmp_path / "cases", SOURCES / "cases.c"], check=True)
    target = tmp_path / "p.json"
    done = profile("--own-mpirun", "--json", str(target), "--", *program, "communicators")
    assert done.returncode == 0, done.stderr
    data = json.loads(target.read_text())
    assert data["bytes_B"] == [[0, 0, 14], [6, 0, 0], [0, 0, 0]]
    assert data["hosts"] == [os.uname().nodename]


def test_tools_that_the_user_loads_are_called_too(tmp_path: Path) -> None:
    mpi = LIBRARIES[0].need()
    tool = mpi.compile(SOURCES / "tool.c", tmp_path / "tool.so", "-shared", "-fPIC")
    program = mpi.compile(SOURCES / "cases.c", tmp_path / "cases", "-w")
    words = ["-n", "3", "--mpirun", mpi.mpirun, "--", str(program), "finalize"]
    done = profile(*words, env={**os.environ, "LD_PRELOAD": str(tool)})
    assert done.returncode == 0, done.stderr
    assert "tool saw 1" in done.stdout
    assert "1 message of 8 B" in done.stderr.replace("\u00a0", " ")


def test_a_signal_ends_the_program_and_its_profile_is_shown(tmp_path: Path) -> None:
    (tmp_path / "wait.c").write_text(
        "#include <mpi.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        'int main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); puts("waiting"); fflush(stdout); sleep(60); }\n'
    )
    subprocess.run(["mpicc.openmpi", "-o", tmp_path / "wait", tmp_path / "wait.c"], check=True)
    command = [*FAIRLEAD, "profile", "-n", "2", "--mpirun", "mpirun.openmpi", "--", str(tmp_path / "wait")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert process.wait(60) == 128 + signal.SIGTERM
    assert "ranks 0, 1 ended by a signal: counted is what was done up to then" in said
    assert "MPI_Barrier" in said


def test_nothing_is_left_when_fairlead_is_killed(tmp_path: Path) -> None:
    words = ["-n", "2", "--mpirun", "mpirun.openmpi", "--", "cg", "--class", "W", "--iterations", "60"]
    stderr = tmp_path / "stderr"
    with stderr.open("w") as log:
        process = subprocess.Popen([*FAIRLEAD, "-v", "profile", *words], stdout=subprocess.PIPE, stderr=log, text=True)
    deadline = time.monotonic() + 30
    while (used := directory_of_records(stderr.read_text())) is None or not list(used.glob("*.record")):
        assert time.monotonic() < deadline, "the ranks left no record"
        time.sleep(0.05)
    process.kill()
    assert process.stdout
    said = process.stdout.read()  # to the program's end
    process.wait()
    assert '"verified":true' in said, f"the program came to harm: {said}"
    deadline = time.monotonic() + 10  # it goes when the ranks have gone
    while used.exists():
        assert time.monotonic() < deadline, f"{used} stays"
        time.sleep(0.05)


def test_nobody_reads_the_tables(tmp_path: Path) -> None:
    """As with `2>&1 | head`: the files are written all the same, and the exit code is the program's."""
    reader, writer = os.pipe()
    os.close(reader)
    target = tmp_path / "cg.json"
    command = [*FAIRLEAD, "profile", "-n", "2", "--json", str(target), "--", "cg", "--class", "S"]
    with os.fdopen(writer) as stderr:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=stderr, timeout=100, check=False)
    assert done.returncode == 0
    assert json.loads(target.read_text())["ranks"] == 2


def test_a_program_without_mpi_is_told() -> None:
    done = profile("-n", "2", "--mpirun", "mpirun.openmpi", "--", "true")
    assert done.returncode == 0
    assert "no process of the program left a profile" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["-n", "2"], 2, "Missing argument"),
        (["-n", "0", "--", "true"], 2, "0 is not in the range"),
        (["--mpirun", "/nowhere/mpirun", "--", "true"], 1, "/nowhere/mpirun was not found"),
        (["--cluster", "/nowhere.toml", "--", "true"], 2, "/nowhere.toml: no such file"),
    ],
)
def test_mistakes_are_told(words: list[str], code: int, reason: str) -> None:
    done = profile(*words)
    assert done.returncode == code
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
