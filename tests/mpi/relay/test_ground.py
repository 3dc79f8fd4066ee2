"""What the relay plane takes for granted of MPI libraries (docs/explanation/relay-plane.md) holds on each of them."""

import subprocess
from pathlib import Path

import mpi_libraries
import pytest
from mpi_libraries import Mpi, every_mpi

pytestmark = [pytest.mark.mpi, pytest.mark.slow]
SOURCE = Path(__file__).parent / "sources" / "ground.c"

# As between hosts. MPICH's other way there, UCX, cancels receives that it has matched: docs/explanation/relay-plane.md.
NETWORK = {
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"},
    "intelmpi": {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"},
    "mpich": {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
}


@every_mpi
@pytest.mark.parametrize("over", ["memory", "network"])
def test_cancellation_matched_probes_and_generalized_requests(mpi: Mpi, over: str, tmp_path: Path) -> None:
    program = mpi.need().compile(SOURCE, tmp_path / "ground")
    env = NETWORK[mpi.family] if over == "network" else {}
    with mpi_libraries.no_leftovers():
        done = subprocess.run(
            mpi.command(2, [str(program)], env), check=True, timeout=100, capture_output=True, text=True
        )
    assert done.stdout.splitlines() == [
        "cancelling",
        "cancelling what is matched",
        "pulling",
        "pulling in spite of hints",
        "a message to oneself",
        "generalized requests",
    ]
