"""A program in this machine's /tmp, which a lab's hosts do not see: told before anything is measured or launched."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import cluster_file, nothing_left, once
from mpi_libraries import LIBRARIES

from fairlead import lab as labs

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
SOURCE = Path(__file__).parents[2] / "mpi" / "profile" / "sources" / "fortran.F90"
OPENMPI, MPICH = LIBRARIES[0], LIBRARIES[2]
COMPARISON = """
[comparison]
name = "unseen"
cluster = "lab.cluster.toml"
[congestion]
bottlenecks = [{ kind = "streams", between = ["leaf0", "leaf1"], streams = 2 }]
[[programs]]
name = "traffic"
command = ["random-traffic"]
ranks = 3
[[programs]]
name = "unseen"
command = ["PROGRAM"]
ranks = 3
"""
EVALUATION = """
[evaluation]
name = "unseen"
cluster = "lab.cluster.toml"
[factors]
program = ["PROGRAM"]
[run]
command = ["{program}"]
ranks = 3
timeout_s = 20
[replications]
count = 2
"""


@pytest.fixture
def unseen() -> Iterator[Path]:
    """A Fortran program where hosts have another directory."""
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        yield OPENMPI.need().compile_fortran(SOURCE, Path(directory) / "program")


def words(command: str, cluster: Path, program: Path) -> list[object]:
    """The command's arguments, and its plan beside the cluster file."""
    if command == "run":
        return ["run", cluster, "-n", "3", "--no-agents", "--results", cluster.parent / "r", "--", program]
    if command == "profile":
        return ["profile", "--cluster", cluster, "-n", "3", "--", program]
    plan = cluster.parent / "plan.toml"
    plan.write_text((COMPARISON if command == "compare" else EVALUATION).replace("PROGRAM", str(program)))
    return [command, plan, "--results", cluster.parent / "r"]


@pytest.mark.parametrize("command", ["run", "profile", "compare", "evaluate"])
def test_a_program_that_hosts_do_not_see(lab: labs.Lab, command: str, unseen: Path, tmp_path: Path) -> None:
    done = once(*words(command, cluster_file(lab, tmp_path), unseen))
    assert done.returncode == 127, done.stderr
    assert f"fairlead: h0 and 2 more: {unseen} was not found\n  lab hosts have their own /tmp and" in done.stderr
    assert "mpirun" not in done.stderr and "quiet network" not in done.stderr and "Traceback" not in done.stderr
    assert nothing_left(lab)


@pytest.mark.parametrize("command", ["run", "profile", "compare", "evaluate"])
def test_a_program_of_another_mpi(lab: labs.Lab, command: str, tmp_path: Path) -> None:
    program = MPICH.need().compile_fortran(SOURCE, tmp_path / "program", "-DMPIF")
    done = once(*words(command, cluster_file(lab, tmp_path), program))
    assert done.returncode == 2, done.stderr
    assert f"fairlead: {program}: was built for mpich, and mpirun is openmpi's\n  name mpich's mpirun" in done.stderr


def test_a_directory_that_hosts_do_not_see(
    lab: labs.Lab, unseen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = cluster_file(lab, tmp_path)
    monkeypatch.chdir(unseen.parent)
    done = once("run", cluster, "-n", "3", "--no-agents", "--results", tmp_path / "r", "--", "./program")
    assert done.returncode == 127
    assert f"fairlead: h0 and 2 more: {unseen} was not found\n" in done.stderr


def test_what_is_nowhere_and_what_is_no_program(lab: labs.Lab, tmp_path: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    for program, why in ((tmp_path / "none", "was not found"), (tmp_path, "is not an executable file")):
        done = once(*words("run", cluster, program))
        assert done.returncode == 127
        assert f"{program} {why}\n  name an executable file that every host has at this path" in done.stderr


def test_a_library_that_hosts_do_not_see(lab: labs.Lab, unseen: Path, tmp_path: Path) -> None:
    """The program is there; the library that its RUNPATH leads to, on this machine, is not."""
    options = ("-shared", "-fPIC", "-Wl,-soname,libsolver.so")
    library = OPENMPI.compile_fortran(SOURCE, unseen.parent / "libsolver.so", *options)
    program = OPENMPI.compile_fortran(
        SOURCE, tmp_path / "program", "-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}"
    )
    done = once(*words("run", cluster_file(lab, tmp_path), program))
    assert f"h0 and 2 more: {program} needs libsolver.so, which the loader does not find there" in done.stderr
    assert done.returncode not in (0, 2)  # mpirun's own end follows
