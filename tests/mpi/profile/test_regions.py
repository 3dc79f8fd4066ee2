"""Regions that a program names by MPI_Pcontrol, in the record and as a user sees them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_libraries import LIBRARIES, Mpi, every_family

from fairlead import native
from fairlead.profile import record
from fairlead.profile.record import Record

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "regions.c"
FAIRLEAD = Path(sys.executable).with_name("fairlead")
LIBRARY = LIBRARIES[0]
LONG = "a name of more than 47 bytes, which is cut wher"


def run(mpi: Mpi, directory: Path, *arguments: str, wanted: bool = True) -> tuple[list[Record], str]:
    program = mpi.need().compile(SOURCE, directory / "regions")
    kept = directory / "records"
    kept.mkdir()
    env = {"LD_PRELOAD": str(native.library("libfairlead.so")), "FAIRLEAD_PROFILE": str(kept)}
    env |= {"FAIRLEAD_PROFILE_REGIONS": "1"} if wanted else {}
    command = mpi.command(2, [str(program), *arguments], env)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return sorted(map(record.read, kept.iterdir()), key=lambda each: each.rank or 0), done.stderr


def counted(each: Record) -> dict[str, tuple[int, int, int, int]]:
    return {name: (one.entered, one.calls, one.sent_B, one.received_B) for name, one in each.regions.items()}


@every_family
def test_what_regions_hold(mpi: Mpi, tmp_path: Path) -> None:
    (zero, one), stderr = run(mpi, tmp_path)
    # Of a step: two messages, the barrier, and the inner calls of MPI_Pcontrol, five of them.
    assert counted(zero) == {"step": (3, 24, 330, 0), "inner": (3, 3, 300, 0), LONG: (1, 1, 5, 0)}
    assert counted(one) == {"step": (3, 24, 0, 330), "inner": (3, 3, 0, 300), LONG: (1, 1, 0, 5)}
    for each in (zero, one):
        step, inner = each.regions["step"], each.regions["inner"]
        assert 0.06 <= inner.time_s <= step.time_s <= each.time_s
        assert 0 < inner.mpi_s < step.mpi_s < step.time_s
        assert not any(region.open for region in each.regions.values())
    assert "fairlead" not in stderr


def test_what_is_no_region_is_told(tmp_path: Path) -> None:
    (zero, _), stderr = run(LIBRARY, tmp_path, "badly")
    assert counted(zero) == {"step": (3, 24, 330, 0), "inner": (3, 3, 300, 0), LONG: (1, 0, 0, 0)}
    assert zero.regions[LONG].open == 1  # it ended without MPI_Finalize
    assert stderr.count("fairlead: MPI_Pcontrol without a name: ignored\n") == 2  # once a process


def test_names_are_left_alone_unless_asked_for(tmp_path: Path) -> None:
    records, stderr = run(LIBRARY, tmp_path, "badly", wanted=False)
    assert [each.regions for each in records] == [{}, {}]
    assert "fairlead" not in stderr


def test_command(tmp_path: Path) -> None:
    program = LIBRARY.need().compile(SOURCE, tmp_path / "regions")
    files = [tmp_path / "p.json", tmp_path / "p.html"]
    command = [FAIRLEAD, "profile", "-n", "2", "--mpirun", LIBRARY.mpirun, "--regions"]
    command += ["--json", files[0], "--html", files[1], "--", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "Regions that the program names" in done.stderr
    regions = [rank["regions"] for rank in json.loads(files[0].read_text())["per_rank"]]
    assert [each["inner"]["sent_B"] for each in regions] == [300, 0]
    assert '<h2 id="regions">Regions</h2>' in files[1].read_text()
