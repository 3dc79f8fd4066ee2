"""Which MPI an executable runs with: real Fortran programs, linked in the ways that people link them."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from mpi_libraries import INTEL_ABI, LIBRARIES, Mpi, no_leftovers

from fairlead.cli.main import command
from fairlead.errors import NoProgramError
from fairlead.programs import workloads
from fairlead.programs.linkage import Linkage, here

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parents[1] / "profile" / "sources" / "fortran.F90"
INTERFACES = {"mpif.h": ["-DMPIF"], "use mpi": ["-DUSE_MPI"], "use mpi_f08": []}
OPENMPI4, _, MPICH4, _, MPICH5_ABI = LIBRARIES  # the fifths come without Fortran bindings
# Debian has MPICH as an archive, too, but not all that it needs.
ARCHIVES = ["-Wl,-Bstatic", "-lmpichfort", "-lmpich", "-Wl,-Bdynamic", "-lhwloc", "-lucp", "-lucs"]

MAIN = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]

both = pytest.mark.parametrize("mpi", [OPENMPI4, MPICH4], ids=["openmpi4", "mpich4"])


def needed(program: Path) -> set[str]:
    """The libraries that a file itself names."""
    said = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return {line.split("[")[1].rstrip("]") for line in said.splitlines() if "(NEEDED)" in line}


@pytest.mark.parametrize("interface", INTERFACES)
@both
def test_every_binding_is_of_its_mpi(mpi: Mpi, interface: str, tmp_path: Path) -> None:
    program = mpi.need().compile_fortran(SOURCE, tmp_path / "program", *INTERFACES[interface])
    assert here(program) == Linkage(mpi.family)
    assert not needed(program) & {"libmpi.so.40", "libmpich.so.12"}  # the bindings bring it


def test_a_stripped_program_says_as_much(tmp_path: Path) -> None:
    program = OPENMPI4.need().compile_fortran(SOURCE, tmp_path / "program")
    subprocess.run(["strip", program], check=True)
    assert str(here(program)) == "openmpi"


def gcc(target: Path, *options: str | Path) -> Path:
    """Link an empty library, or with a main a program, that needs all the libraries it is given."""
    line = ["gcc", "-o", target, "-x", "c", "-", "-x", "none", "-Wl,--no-as-needed,--allow-shlib-undefined", *options]
    subprocess.run(line, input="" if "-shared" in options else "int main(void) { return 0; }", text=True, check=True)
    return target


@pytest.fixture(params=[OPENMPI4, MPICH4], ids=["openmpi4", "mpich4"])
def solver(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Mpi, Path]:
    """A library that calls MPI in Fortran, in a directory that no loader looks into; programs call that."""
    mpi: Mpi = request.param.need()
    (tmp_path / "lib").mkdir()
    shared = ("-shared", "-fPIC", "-Wl,-soname,libsolver.so")
    return mpi, mpi.compile_fortran(SOURCE, tmp_path / "lib" / "libsolver.so", *shared)


@pytest.mark.parametrize("tags", ["--disable-new-dtags", "--enable-new-dtags"], ids=["RPATH", "RUNPATH"])
@pytest.mark.parametrize("directory", ["{}/lib", "$ORIGIN/lib"])
def test_rpath(solver: tuple[Mpi, Path], tags: str, directory: str, tmp_path: Path) -> None:
    mpi, library = solver
    program = gcc(tmp_path / "program", library, f"-Wl,{tags},-rpath,{directory.format(tmp_path)}")
    assert needed(program) == {"libsolver.so", "libc.so.6"}
    assert here(program) == Linkage(mpi.family)


def test_rpath_counts_for_what_libraries_need_and_runpath_does_not(solver: tuple[Mpi, Path], tmp_path: Path) -> None:
    mpi, library = solver
    outer = gcc(tmp_path / "libouter.so", library, "-shared", "-Wl,-soname,libouter.so")
    paths = f"-rpath,{tmp_path},-rpath,{library.parent}"
    rpath = gcc(tmp_path / "rpath", outer, f"-Wl,--disable-new-dtags,{paths}")
    assert here(rpath) == Linkage(mpi.family)
    runpath = gcc(tmp_path / "runpath", outer, f"-Wl,--enable-new-dtags,{paths}")
    assert here(runpath) == Linkage(missing=("libsolver.so",))


def test_library_path_and_what_is_missing(
    solver: tuple[Mpi, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi, library = solver
    program = gcc(tmp_path / "program", library)
    assert here(program) == Linkage(missing=("libsolver.so",))
    assert str(here(program)) == "no MPI library; not found: libsolver.so"
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere:{library.parent}")
    assert here(program) == Linkage(mpi.family)


@pytest.mark.parametrize(
    "mpi", [MPICH5_ABI, pytest.param(INTEL_ABI, marks=pytest.mark.slow)], ids=lambda each: each.name
)
def test_behind_the_standard_abi_is_the_library_that_the_loader_finds(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(Path(__file__).parent / "sources" / "ring.c", tmp_path / "ring")
    assert "libmpi_abi.so.1" in needed(program)
    assert here(program) == Linkage("mpich", standard=True)
    line = [*MAIN, "profile", "--mpirun", OPENMPI4.need().mpirun, "-n", "2", "--", str(program)]
    refused = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert "the libmpi_abi that the loader finds is mpich's, and mpirun is openmpi's" in refused.stderr


def test_a_library_of_mpi_that_is_missing_still_says_which(tmp_path: Path) -> None:
    """As on a machine that has another MPI than the one that a program was built with."""
    gone = gcc(tmp_path / "libmpi_mpifh.so.40", "-shared", "-Wl,-soname,libmpi_mpifh.so.40.99")
    program = gcc(tmp_path / "program", gone)
    assert str(here(program)) == "openmpi; not found: libmpi_mpifh.so.40.99"


@pytest.fixture
def archived(tmp_path: Path) -> Path:
    """A Fortran program that has MPICH in itself, and all else from libraries."""
    return MPICH4.need().compile_fortran(SOURCE, tmp_path / "archived", "-DMPIF", *ARCHIVES)


def test_mpi_that_is_part_of_the_program(archived: Path) -> None:
    assert not any(name.startswith("libmpi") for name in needed(archived))
    assert here(archived) == Linkage("mpich", static=True)
    subprocess.run(["strip", archived], check=True)
    assert str(here(archived)) == "mpich, linked statically"


def test_a_profile_that_will_be_empty_is_told_before(archived: Path) -> None:
    """The program runs, nothing of it is seen, and both are said."""
    line = [*MAIN, "profile", "--mpirun", MPICH4.mpirun, "-n", "3", "--", str(archived)]
    with no_leftovers():
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.split()) == (0, ["correct"] * 3), done.stderr
    warning = f"{archived} is linked statically: none of its MPI calls can be seen"
    assert 0 <= done.stderr.index(warning) < done.stderr.index("no process of the program left a profile")


def test_programs_of_a_suite_are_listed_with_their_mpi(
    archived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, mpi in (("cg", OPENMPI4.need()), ("lu", MPICH4.need())):
        mpi.compile_fortran(SOURCE, programs / f"{name}.S.x", "-DMPIF")
    archived.rename(programs / "mg.S.x")
    gone = gcc(tmp_path / "libgone.so", "-shared")
    gcc(programs / "is.S.x", gone)
    gone.unlink()
    workloads.add("npb", tmp_path)
    listed = CliRunner().invoke(command, ["workload", "list"], standalone_mode=False).output.splitlines()
    assert listed == [
        f"npb: {tmp_path}",
        "  npb:cg.S  openmpi",
        f"  npb:is.S  no MPI library; not found: {gone}",
        "  npb:lu.S  mpich",
        "  npb:mg.S  mpich, linked statically",
    ]


def test_a_program_without_any_library(tmp_path: Path) -> None:
    options = ["-DMPIF", "-static", "-Wl,--unresolved-symbols=ignore-all"]
    program = MPICH4.need().compile_fortran(SOURCE, tmp_path / "static", *options)
    assert needed(program) == set()
    assert here(program) == Linkage("mpich", static=True)
    bare = gcc(tmp_path / "bare", "-static")
    assert str(here(bare)) == str(here(gcc(tmp_path / "rerouted", "-static-pie"))) == "linked statically"


def test_what_is_no_program_of_this_machine(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n# ompi_mpi_comm_world\n")
    with pytest.raises(NoProgramError, match="script is not an executable file"):
        here(script)
    script.chmod(0o755)
    assert here(script) == Linkage()
    foreign = tmp_path / "foreign"
    content = bytearray(gcc(foreign, "-static").read_bytes())
    content[18:20] = (0xF7 if content[18] != 0xF7 else 0xB7).to_bytes(2, "little")  # e_machine, elf(5)
    foreign.write_bytes(content)
    assert here(foreign) == Linkage(foreign=True)
    assert str(here(foreign)) == "for another processor or word length"
    with pytest.raises(NoProgramError, match="missing was not found"):
        here(tmp_path / "missing")
    assert here(gcc(tmp_path / "plain")) == Linkage()
