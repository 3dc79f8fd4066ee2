"""Bundled programs for MPICH's usual name of its library, on hosts that have Debian's MPICH."""

import subprocess
from pathlib import Path

import pytest
from mpi_libraries import BUILT, LIBRARIES

from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.programs import debian_mpich
from fairlead.programs.linkage import here

pytestmark = pytest.mark.mpi
MPICH4, MPICH5 = (next(each for each in LIBRARIES if each.name == name) for name in ("mpich4", "mpich5"))
SOURCE = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length, rank, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Get_library_version(version, &length);
  if (rank == 0) printf("%d\\n%s\\n", sum, version);
  MPI_Finalize();
  return 0;
}
"""
CLUSTER = """
[cluster]
name = "here"
executor = "local"
interface = "lo"
[[hosts]]
name = "a"
address = "127.0.0.1"
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the wheel's are: compiled with Debian's headers, and linked with a library of the usual name."""
    directory = tmp_path_factory.mktemp("program")
    (directory / "sum.c").write_text(SOURCE)
    words = subprocess.run([MPICH4.need().compiler, "-show"], capture_output=True, text=True, check=True).stdout.split()
    headers = [word for word in words if word.startswith("-I")]
    library = MPICH5.need() and BUILT / "mpich5" / "lib" / "libmpi.so"
    subprocess.run(["gcc", *headers, "-o", directory / "sum", directory / "sum.c", library], check=True)
    return directory / "sum"


def job(program: Path, **env: str) -> Job:
    return Job("0a0b0c0d", (str(program),), ("a", "a", "a"), env=env)


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "here.toml").write_text(CLUSTER)
    return load_cluster(tmp_path / "here.toml")


def test_it_runs_with_debians_library(program: Path, cluster: Cluster) -> None:
    assert here(program).missing == ("libmpi.so.12",)
    served = debian_mpich.with_library(cluster, job(program), program)
    done = subprocess.run(
        MPICH4.command(3, list(served.argv), dict(served.env)), capture_output=True, text=True, timeout=60, check=True
    )
    total, version, *_ = done.stdout.splitlines()
    assert (total, version.split()[:3]) == ("3", ["MPICH", "Version:", "4.0.2"])


def test_a_library_of_the_usual_name_is_taken_where_there_is_one(program: Path, cluster: Cluster) -> None:
    asked = job(program, LD_LIBRARY_PATH=str(BUILT / "mpich5" / "lib"))
    assert debian_mpich.with_library(cluster, asked, program) is asked


def test_what_needs_no_such_library_stays_as_it_is(cluster: Cluster) -> None:
    asked = job(Path("/bin/true"))
    assert debian_mpich.with_library(cluster, asked, Path("/bin/true")) is asked


def test_where_debians_is_not_there_either_nothing_is_named(
    program: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its library needs one that no host has."""
    directory = tmp_path / "mpi" / "debian"
    directory.mkdir(parents=True)
    nowhere = ["-Wl,--no-as-needed", "-nostdlib", tmp_path / "libnowhere.so"]
    empty = ["gcc", "-shared", "-x", "c", "/dev/null", "-x", "none"]
    subprocess.run([*empty, "-nostdlib", "-Wl,-soname,libnowhere.so", "-o", tmp_path / "libnowhere.so"], check=True)
    subprocess.run([*empty, *nowhere, "-Wl,-soname,libmpi.so.12", "-o", directory / "libmpi.so.12"], check=True)
    monkeypatch.setenv("FAIRLEAD_NATIVE_DIR", str(tmp_path))
    asked = job(program)
    assert debian_mpich.with_library(cluster, asked, program) is asked
