"""The matrix of messages against Open MPI's own: the pvars of its component pml/monitoring, as it writes them down."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from mpi_libraries import LIBRARIES

from fairlead import native
from fairlead.profile import record

pytestmark = pytest.mark.mpi
RANKS = 4
# E: messages of the program; I: those that collective calls are made of.
LINE = re.compile(r"E\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent\t[\d,]+\n")
MONITORING = {
    "OMPI_MCA_pml_monitoring_enable": "2",
    "OMPI_MCA_pml_monitoring_enable_output": "3",
}


@pytest.mark.parametrize(
    ("program", "arguments"),
    [("mg", ["--class", "S"]), ("lu", ["--class", "S"]), ("nbody", ["--particles", "256", "--steps", "3"])],
)
def test_messages_and_bytes_are_those_that_open_mpi_counts(program: str, arguments: list[str], tmp_path: Path) -> None:
    mpi = LIBRARIES[0].need()
    (tmp_path / "records").mkdir()
    env = {
        **MONITORING,
        "OMPI_MCA_pml_monitoring_filename": str(tmp_path / "counted"),
        "LD_PRELOAD": str(native.library("libfairlead.so")),
        "FAIRLEAD_PROFILE": str(tmp_path / "records"),
    }
    path = native.mpi_program(mpi.family, program)
    subprocess.run(mpi.command(RANKS, [str(path), *arguments], env), check=True, timeout=100, capture_output=True)
    messages, sent_B = np.zeros((RANKS, RANKS), int), np.zeros((RANKS, RANKS), int)
    for rank in range(RANKS):
        text = (tmp_path / f"counted.{rank}.prof").read_text()
        for source, destination, size_B, count in (map(int, found.groups()) for found in LINE.finditer(text)):
            messages[source, destination] += count
            sent_B[source, destination] += size_B
    assert messages.sum() >= 48
    records = sorted((record.read(each) for each in (tmp_path / "records").iterdir()), key=lambda each: each.rank or 0)
    assert [each.messages.sent_messages[:RANKS].tolist() for each in records] == messages.tolist()
    assert [each.messages.sent_B[:RANKS].tolist() for each in records] == sent_B.tolist()
