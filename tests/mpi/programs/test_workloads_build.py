"""How the build finds MPI libraries: what is missing is announced, what is wrong is refused."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.mpi

MODULE = Path(__file__).parents[3] / "native" / "workloads" / "cmake" / "MpiFlavours.cmake"

PROJECT = f"""
cmake_minimum_required(VERSION 3.22)
project(flavours LANGUAGES CXX)
add_library(fairlead_options INTERFACE)
# No search in the system's directories, as if the wrappers were not installed.
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
include({MODULE})
file(WRITE ${{CMAKE_BINARY_DIR}}/hello.cpp "#include <mpi.h>\\nint main() {{ return MPI_VERSION < 3; }}\\n")
fairlead_add_mpi_program(hello SOURCES ${{CMAKE_BINARY_DIR}}/hello.cpp)
get_property(flavours GLOBAL PROPERTY FAIRLEAD_MPI_FLAVOURS)
message(STATUS "found: [${{flavours}}]")
"""


def configure(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (directory / "CMakeLists.txt").write_text(PROJECT)
    # CMake breaks lines of its messages: output is compared without line breaks.
    completed = subprocess.run(
        ["cmake", "-S", str(directory), "-B", str(directory / "build"), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    completed.stdout = " ".join(completed.stdout.split())
    return completed


def test_missing_flavours_are_announced_and_skipped(tmp_path: Path) -> None:
    completed = configure(tmp_path)
    assert completed.returncode == 0
    for flavour in ("openmpi", "mpich"):
        assert f"MPI programs are NOT built for {flavour}: no mpicxx.{flavour} in the PATH" in completed.stdout
    assert "found: []" in completed.stdout


def test_further_wrapper_is_built_with(tmp_path: Path) -> None:
    wrapper = shutil.which("mpicxx.openmpi")
    if wrapper is None:
        pytest.skip("mpicxx.openmpi is not installed")
    completed = configure(tmp_path, f"-DFAIRLEAD_MPI_WRAPPERS=own={wrapper}")
    assert "found: [own]" in completed.stdout
    subprocess.run(["cmake", "--build", str(tmp_path / "build")], check=True, stdout=subprocess.DEVNULL)
    prefix = tmp_path / "stage"
    subprocess.run(
        ["cmake", "--install", str(tmp_path / "build"), "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL
    )
    assert (prefix / "mpi" / "own" / "bin" / "hello").is_file()


@pytest.mark.parametrize(
    ("wrappers", "message"),
    [
        ("mpicxx", '"mpicxx" is not flavour=/absolute/path/to/mpicxx'),
        ("own=/bin/false", "MPI flavour own: `/bin/false -show` failed"),
        ("own=/nowhere/mpicxx", "MPI flavour own: `/nowhere/mpicxx -show` failed"),
        ("own=/bin/true;own=/bin/true", "flavour own is taken"),
    ],
)
def test_wrong_wrappers_are_refused(tmp_path: Path, wrappers: str, message: str) -> None:
    completed = configure(tmp_path, f"-DFAIRLEAD_MPI_WRAPPERS={wrappers}")
    assert completed.returncode != 0
    assert message in completed.stdout
