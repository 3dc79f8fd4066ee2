"""How tests start the bundled MPI programs, all ranks on this machine, and read what they print."""

import json
import shutil
import subprocess
from typing import Any

import pytest

from fairlead import native

LAUNCHERS = {
    "openmpi": [
        *["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
        *["--mca", "mpi_yield_when_idle", "1"],
    ],
    "mpich": ["mpirun.mpich"],
}

flavours = pytest.mark.parametrize("flavour", list(LAUNCHERS))


def command(flavour: str, ranks: int, program: str, *arguments: str) -> list[str]:
    launcher = LAUNCHERS[flavour]
    if shutil.which(launcher[0]) is None:
        pytest.skip(f"{launcher[0]} is not installed")
    return [*launcher, "-n", str(ranks), str(native.mpi_program(flavour, program)), *arguments]


def run(
    flavour: str, ranks: int, program: str, *arguments: str, stdin: str = "", timeout_s: float = 100
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(flavour, ranks, program, *arguments), input=stdin, capture_output=True, text=True, timeout=timeout_s
    )


def results(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def result(completed: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    lines = results(completed.stdout)
    assert len(lines) == 1, completed.stdout + completed.stderr
    return lines[0]
