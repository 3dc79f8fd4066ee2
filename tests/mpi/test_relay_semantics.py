"""Messages that take two paths at random (FAIRLEAD_CHAOS) meet receives as MPI promises: docs/relay-plane.md."""

import re
import subprocess
from pathlib import Path

import mpi_libraries
import pytest
from mpi_libraries import LIBRARIES, Mpi, every_mpi

from fairlead import native
from fairlead.profile import record

pytestmark = pytest.mark.mpi
SOURCES = Path(__file__).with_name("relay_semantics")
CASES = re.findall(r'^    \{"([\w ]+)", \w+\},$', (SOURCES / "main.c").read_text(encoding="utf-8"), re.MULTILINE)
TWO = [each for each in LIBRARIES if each.name in ("openmpi4", "mpich5")]
# Each says that a part of the machinery was used. A run in which one is zero tested less than it says.
NOT_ZERO = {
    "direct", "relayed", "takeovers", "cancelled", "cancel_failed", "pulled", "held", "waited", "retransmitted",
    "duplicates",
}  # fmt: skip


def run(mpi: Mpi, ranks: int, argv: list[str], seed: int, kept: Path, **more: str) -> tuple[list[str], dict[str, int]]:
    """What the program says, and the counts of all its ranks together. ``more``: of the ranks' environment."""
    kept.mkdir()
    env = {
        **more,
        "LD_PRELOAD": str(native.library("libfairlead.so")),
        "FAIRLEAD_CHAOS": str(seed),
        "FAIRLEAD_PROFILE": str(kept),
    }
    with mpi_libraries.no_leftovers():
        done = subprocess.run(mpi.command(ranks, argv, env), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    records = [record.read(path) for path in kept.glob("*.record")]
    assert [each.state for each in records] == ["finalized"] * ranks
    return done.stdout.splitlines(), {
        name: sum(each.relay[name] for each in records) for name in sorted(NOT_ZERO | {"outside"})
    }


@pytest.mark.parametrize("mpi", TWO, ids=lambda each: each.name)
def test_every_case(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES, tmp_path / "semantics", "-w")
    said, counts = run(mpi, 3, [str(program)], 1, tmp_path / "records")
    assert said == CASES
    assert {name for name in NOT_ZERO if counts[name] == 0} == set()


@pytest.mark.slow
@every_mpi
@pytest.mark.parametrize(("ranks", "seed"), [(2, 2), (3, 3), (5, 4), (8, 5)])
def test_every_case_with_other_seeds(mpi: Mpi, ranks: int, seed: int, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCES, tmp_path / "semantics", "-w")
    said, counts = run(mpi, ranks, [str(program), "2"], seed, tmp_path / "records")
    assert said == CASES
    assert {name for name in NOT_ZERO if counts[name] == 0} == set()


@pytest.mark.slow
@pytest.mark.parametrize("mpi", TWO, ids=lambda each: each.name)
@pytest.mark.parametrize("seed", [21, 22, 23])
def test_a_million_random_messages(mpi: Mpi, seed: int, tmp_path: Path) -> None:
    """Against the model of matching in random.c: each round is 60 messages from every rank to every rank."""
    program = mpi.need().compile(SOURCES, tmp_path / "semantics", "-w")
    said, counts = run(
        mpi, 8, [str(program), str(-(-1_000_000 // (8 * 8 * 60))), "random messages"], seed, tmp_path / "records"
    )
    assert said == ["random messages"]
    assert counts["direct"] + counts["relayed"] >= 1_000_000
    assert {name for name in NOT_ZERO if counts[name] == 0} == set()


@pytest.mark.slow
@pytest.mark.parametrize("mpi", [each for each in LIBRARIES if each.name == "mpich5"], ids=lambda each: each.name)
@pytest.mark.parametrize("way", ["ucx", "ofi"])
def test_between_hosts(mpi: Mpi, way: str, tmp_path: Path) -> None:
    """UCX cancels receives that it has matched: with it nothing may be cancelled."""
    program = mpi.need().compile(SOURCES, tmp_path / "semantics", "-w")
    network = {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": way, "FI_PROVIDER": "tcp", "UCX_TLS": "tcp,self"}
    said, counts = run(mpi, 3, [str(program)], 6, tmp_path / "records", **network)
    assert said == CASES
    assert counts["pulled"] > 0
    assert (counts["cancelled"] + counts["cancel_failed"] == 0) == (way == "ucx")
