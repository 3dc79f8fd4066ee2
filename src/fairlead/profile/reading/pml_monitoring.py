"""What Open MPI's component pml/monitoring counts: every message that the library sends, those of its own too. Pure.

Each rank writes a file NAME.RANK.prof in MPI_Finalize, with a line for each rank that it sent to. The component tells a
program's messages (E) from those of the library (I), but not reliably: in Open MPI 4.1 and 5 persistent requests of the
library, which exchanges are made of, count as the program's. So both are added up here.
"""

import re
from collections.abc import Mapping

import numpy as np

from fairlead.cluster.launchers.openmpi import MONITORING
from fairlead.profile.record import Counts

FILE = "counted"
ENDING = "prof"
_LINE = re.compile(r"^[EI]\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs sent\t", re.MULTILINE)


def environment(directory: str) -> dict[str, str]:
    """What makes the ranks of a job write their files into a directory."""
    return {
        MONITORING: "2",
        "OMPI_MCA_pml_monitoring_enable_output": "3",
        "OMPI_MCA_pml_monitoring_filename": f"{directory}/{FILE}",
    }


def counted(texts: Mapping[str, str], ranks: int) -> tuple[Counts, Counts] | None:
    """Messages and bytes from each rank (row) to each; None: a rank left no file.

    Args:
        texts: of the files by their names.
    """
    if set(texts) != {f"{FILE}.{rank}.{ENDING}" for rank in range(ranks)}:
        return None
    messages, bytes_B = np.zeros((2, ranks, ranks), np.uint64)
    for text in texts.values():
        for source, destination, size_B, number in (map(int, found.groups()) for found in _LINE.finditer(text)):
            messages[source, destination] += np.uint64(number)
            bytes_B[source, destination] += np.uint64(size_B)
    return messages, bytes_B
