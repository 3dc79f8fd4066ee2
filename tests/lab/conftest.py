"""For all tests in labs: their helpers, a place of their own for what runs, and a lab for a whole module."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead import native
from fairlead.lab import Lab

TESTS = Path(__file__).parents[1]
# With those of MPI: programs are compiled here, too.
sys.path[:0] = [str(TESTS / "lab" / "helpers"), str(TESTS / "mpi" / "helpers")]


@pytest.fixture(scope="module", autouse=True)
def private_runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Labs, runs and caches of a module's tests are not seen by others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime") / "fairlead"))
        yield


@pytest.fixture(scope="module")
def lab(
    private_runtime: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lab]:
    """Three hosts joined pairwise, for a whole module; a module may have another one of that name."""
    from managed_runs import mesh

    name = request.module.__name__.rpartition("test_")[2].replace("_", "-")
    with mesh(name, tmp_path_factory.getbasetemp()) as lab:
        yield lab


@pytest.fixture
def unprivileged(tmp_path: Path) -> str:
    """Fairlead's native programs, with a guardian that may not change the network."""
    staged = tmp_path / "native"
    shutil.copytree(native.directory(), staged, symlinks=True)
    guardian = staged / "bin" / "fairlead-guardian"
    guardian.unlink()
    less = "setpriv --bounding-set=-net_admin --inh-caps=-net_admin"
    guardian.write_text(f'#!/bin/sh\nexec {less} {native.program("fairlead-guardian")} "$@"\n')
    guardian.chmod(0o755)
    return str(staged)
