"""What collective calls are estimated to send, against what Open MPI counts in them; and profiles with either."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import recorded
from mpi_libraries import LIBRARIES, Mpi

from fairlead import native
from fairlead.profile import profile
from fairlead.profile.analysis.collective_traffic import argument_B, estimated

pytestmark = pytest.mark.mpi
SOURCE = Path(__file__).parent / "sources" / "collective_traffic.c"
OPEN_MPI = [each for each in LIBRARIES if each.family == "openmpi"]
SHORT_B, LONG_B = 64, 65_536

# Bytes by the estimate over those that Open MPI counts, at least and at most; of the others they are the same.
AGREEMENT = {
    ("MPI_Bcast", LONG_B): (1.0, 1.22),
    ("MPI_Scatter", LONG_B): (1.3, 1.75),
    ("MPI_Gather", LONG_B): (1.0, 1.34),
    ("MPI_Allgatherv", SHORT_B): (0.8, 0.9),
    ("MPI_Alltoall", SHORT_B): (1.0, 1.75),
    ("MPI_Reduce", LONG_B): (1.2, 1.34),
    ("MPI_Reduce_scatter_block", SHORT_B): (0.6, 1.0),
    ("MPI_Scan", SHORT_B): (2.6, 3.5),
    ("MPI_Scan", LONG_B): (2.6, 3.5),
    ("MPI_Exscan", SHORT_B): (2.6, 3.5),
    ("MPI_Exscan", LONG_B): (2.6, 3.5),
}

# Of these only the sum is the same, as they take another tree or ring; all others agree rank by rank, to the byte.
OTHER_PAIRS = {
    ("MPI_Bcast", SHORT_B), ("MPI_Reduce", SHORT_B), ("MPI_Allgather", LONG_B), ("MPI_Allgatherv", LONG_B),
}  # fmt: skip


def counted(directory: Path, ranks: int) -> dict[tuple[str, int], np.ndarray]:
    """Messages and bytes from each rank to each, by function and size, as the program wrote them."""
    found: dict[tuple[str, int], np.ndarray] = {}
    for rank in range(ranks):
        for line in (directory / f"counted.{rank}").read_text().splitlines():
            function, size_B, to, messages, bytes_B = line.split()
            matrices = found.setdefault((function, int(size_B)), np.zeros((2, ranks, ranks)))
            matrices[:, rank, int(to)] = int(messages), int(bytes_B)
    return found


@pytest.mark.parametrize("ranks", [4, 8])
def test_the_estimate_is_near_what_open_mpi_counts(ranks: int, tmp_path: Path) -> None:
    """Open MPI 5: in 4.1 the counters cannot be read while a program runs."""
    mpi = OPEN_MPI[-1]
    program = mpi.need().compile(SOURCE, tmp_path / "collective_traffic")
    (tmp_path / "records").mkdir()
    env = {**recorded.environment(tmp_path / "records", 0), "OMPI_MCA_pml_monitoring_enable": "1"}
    argv = [str(program), str(tmp_path / "counted")]
    subprocess.run(mpi.command(ranks, argv, env), check=True, timeout=100, capture_output=True)
    records = recorded.read(tmp_path / "records")
    print(f"\n{mpi.name}, {ranks} ranks: messages and bytes, estimated and counted; bytes between the same ranks")
    for (function, size_B), (messages, bytes_B) in counted(tmp_path, ranks).items():
        whole_B = 0 if function == "MPI_Barrier" else size_B
        alike = [
            replace(
                each,
                collective_sums=tuple(
                    part for part in each.collective_sums if part.function == function and argument_B(part) == whole_B
                ),
            )
            for each in records
        ]
        found = estimated(profile.of(alike))
        assert found.functions[function].calls == 10 * ranks
        guessed_B, really_B = int(found.bytes_B.sum()), int(bytes_B.sum())
        shared = np.minimum(found.bytes_B, bytes_B).sum() / max(guessed_B, really_B, 1)
        print(
            f"{function:25} {size_B:6} {int(found.messages.sum()):6} {int(messages.sum()):6} {guessed_B:10} "
            f"{really_B:10} {shared:6.2f}"
        )
        least, most = AGREEMENT.get((function, size_B), (1.0, 1.0))
        assert least * really_B <= guessed_B <= most * really_B, (function, size_B)
        if (function, size_B) not in AGREEMENT and (function, size_B) not in OTHER_PAIRS:
            assert found.bytes_B.tolist() == bytes_B.tolist(), (function, size_B)


@pytest.mark.parametrize("mpi", OPEN_MPI, ids=[each.name for each in OPEN_MPI])
def test_a_profile_with_what_open_mpi_counts(mpi: Mpi, tmp_path: Path) -> None:
    """is exchanges its keys in two exchanges and a sum for each iteration, and sends nothing else."""
    target = tmp_path / "is.json"
    program = str(native.mpi_program("openmpi", "is"))
    options = ["-n", "4", "--mpirun", mpi.need().mpirun, "--json", str(target)]
    found = {}
    for source in ("estimated", "measured"):
        words = [str(Path(sys.executable).with_name("fairlead")), "profile", *options, "--collectives", source]
        done = subprocess.run([*words, "--", program, "--class", "S"], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert f"By collective calls, from rank to rank, {source}" in done.stderr
        data = json.loads(target.read_text())
        assert sum(map(sum, data["messages"])) == 0
        assert data["collectives"]["source"] == source
        found[source] = np.array(data["collectives"]["bytes_B"])
    assert np.diag(found["measured"]).tolist() == [0] * 4
    assert found["estimated"].sum() == pytest.approx(found["measured"].sum(), rel=0.02)
    assert np.minimum(found["estimated"], found["measured"]).sum() > 0.9 * found["measured"].sum()


def test_a_library_that_does_not_count_is_refused() -> None:
    fairlead = str(Path(sys.executable).with_name("fairlead"))
    words = ["profile", "-n", "2", "--mpirun", "mpirun.mpich", "--collectives", "measured", "--", "true"]
    done = subprocess.run([fairlead, *words], capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert "--collectives measured needs Open MPI" in done.stderr
