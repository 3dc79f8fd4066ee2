"""Calls of MPI by the place that they are made from, in C and in Fortran, in the record and as a user sees them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_libraries import LIBRARIES, Mpi, every_family

from fairlead import native
from fairlead.profile import record
from fairlead.profile.analysis import call_sites
from fairlead.profile.analysis.call_sites import Calls

pytestmark = pytest.mark.mpi
SOURCES = Path(__file__).parent / "sources"
WITH_FORTRAN = [mpi for mpi in LIBRARIES if mpi.name in ("openmpi4", "mpich4")]
FAIRLEAD = Path(sys.executable).with_name("fairlead")


def line_of(source: Path, comment: str) -> int:
    (found,) = [number for number, line in enumerate(source.read_text().splitlines(), 1) if line.endswith(comment)]
    return found


def found(mpi: Mpi, program: Path, directory: Path) -> dict[str, list[Calls]]:
    """By function, those of one place by line."""
    directory.mkdir()
    env = {
        "LD_PRELOAD": str(native.library("libfairlead.so")),
        "FAIRLEAD_PROFILE": str(directory),
        "FAIRLEAD_PROFILE_CALL_SITES": "1",
    }
    done = subprocess.run(mpi.command(2, [str(program)], env), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    sites: dict[str, list[Calls]] = {}
    for each in sorted(call_sites.of([*map(record.read, directory.iterdir())]), key=lambda each: each.place.line):
        sites.setdefault(each.function, []).append(each)
    return sites


@every_family
def test_places_in_c(mpi: Mpi, tmp_path: Path) -> None:
    source = SOURCES / "sites.c"
    program = mpi.need().compile(source, tmp_path / "sites", "-g", "-O1")
    sites = found(mpi, program, tmp_path / "records")
    told = {
        name: [(Path(each.place.file).name, each.place.line, each.place.function, each.ranks, each.calls, each.sent_B)
               for each in of_name]
        for name, of_name in sites.items()
    }  # fmt: skip
    file = source.name
    assert told["MPI_Send"] == [(file, line_of(source, "/* send */"), "exchange", 1, 5, 500)]
    assert told["MPI_Recv"] == [(file, line_of(source, "/* receive */"), "exchange", 1, 5, 0)]
    assert told["MPI_Comm_rank"] == [(file, line_of(source, "/* rank */"), "main", 2, 2, 0)]
    assert told["MPI_Barrier"] == [
        (file, line_of(source, "/* barrier */"), "main", 2, 10, 0),
        (file, line_of(source, "/* last */"), "main", 2, 2, 0),
    ]
    assert all(each.time_s > 0 and each.place.object == str(program) for name in sites for each in sites[name])


@pytest.mark.parametrize("mpi", WITH_FORTRAN, ids=[mpi.name for mpi in WITH_FORTRAN])
@pytest.mark.parametrize("binding", ["mpif", "f08"])
def test_places_in_fortran_are_those_of_the_program(mpi: Mpi, binding: str, tmp_path: Path) -> None:
    source = SOURCES / "sites.F90"
    options = ["-g", *(["-DF08"] if binding == "f08" else [])]
    program = mpi.need().compile_fortran(source, tmp_path / "sites", *options)
    sites = found(mpi, program, tmp_path / "records")
    for name, comment, calls, sent_B in (("MPI_Comm_rank", "! rank", 2, 0), ("MPI_Allreduce", "! sum", 6, 240)):
        (site,) = sites[name]
        assert (Path(site.place.file).name, site.place.line) == (source.name, line_of(source, comment))
        assert (site.calls, site.sent_B, site.place.object) == (calls, sent_B, str(program))


def test_command(tmp_path: Path) -> None:
    mpi = LIBRARIES[0].need()
    program = mpi.compile(SOURCES / "sites.c", tmp_path / "sites", "-g")
    files = [tmp_path / "p.json", tmp_path / "p.html"]
    command = [FAIRLEAD, "profile", "-n", "2", "--mpirun", mpi.mpirun, "--call-sites"]
    command += ["--json", files[0], "--html", files[1], "--", program]
    wide = {**os.environ, "COLUMNS": "150"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=wide)
    assert done.returncode == 0, done.stderr
    assert f"sites.c:{line_of(SOURCES / 'sites.c', '/* send */')}" in done.stderr
    sites = json.loads(files[0].read_text())["call_sites"]
    assert {(each["function"], each["where"], each["calls"]) for each in sites} >= {("MPI_Send", "exchange", 5)}
    assert '<h2 id="call-sites">Call sites</h2>' in files[1].read_text()
