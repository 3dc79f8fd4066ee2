"""Where the compiled programs are."""

import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fairlead.errors import MissingToolError

ENVIRONMENT_VARIABLE = "FAIRLEAD_NATIVE_DIR"


def directory() -> Path:
    """Directory that holds ``bin/`` (agent, ...), ``lib/`` (libfairlead) and ``mpi/<flavour>/bin/`` (cg, nbody, ...).

    It is the one installed with the package unless ``FAIRLEAD_NATIVE_DIR`` names another (developers' builds).

    Raises:
        MissingToolError: the native part was never built.
    """
    override = os.environ.get(ENVIRONMENT_VARIABLE)
    if override:
        path = Path(override)
    else:
        try:
            path = Path(str(distribution("fairlead").locate_file("fairlead/_native")))
        except PackageNotFoundError:
            path = Path(__file__).parent / "_native"
    if not path.is_dir():
        raise MissingToolError(
            f"fairlead's native programs are not in {path}", hint=f"run `make setup`, or set {ENVIRONMENT_VARIABLE}"
        )
    return path


def program(name: str) -> Path:
    """Absolute path of ``bin/<name>``, for example ``fairlead-agent``."""
    return _existing(directory() / "bin" / name)


def library(name: str) -> Path:
    """Absolute path of ``lib/<name>``, for example ``libfairlead.so``."""
    return _existing(directory() / "lib" / name)


def mpi_program(flavour: str, name: str) -> Path:
    """Absolute path of a bundled MPI program built for an MPI family.

    Args:
        flavour: ``openmpi`` or ``mpich`` (the two binary interfaces).
        name: ``cg``, ``nbody``, ...
    """
    return _existing(directory() / "mpi" / flavour / "bin" / name)


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise MissingToolError(f"{path} was not built", hint="run `make setup`; it lists what each part needs")
    return path
