"""Where the compiled programs are."""

import os
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from fairlead.errors import MissingToolError

ENVIRONMENT_VARIABLE = "FAIRLEAD_NATIVE_DIR"
THE_REST = "`make setup` in fairlead's source tree builds the rest, in a few minutes"
_OF_THE_DEMO = ("bin/fairlead-agent", "bin/fairlead-guardian")  # component demo of the CMakeLists.txt
_OF_THE_REST = "lib/libfairlead.so"


def directory() -> Path:
    """Directory that holds ``bin/`` (agent, ...), ``lib/`` (libfairlead) and ``mpi/<flavour>/bin/`` (cg, nbody, ...).

    It is the one installed with the package unless ``FAIRLEAD_NATIVE_DIR`` names another (developers' builds).

    Raises:
        MissingToolError: the native part was never built.
    """
    override = os.environ.get(ENVIRONMENT_VARIABLE)
    path = Path(override) if override else _installed()
    if not path.is_dir():
        raise MissingToolError(
            f"fairlead's native programs are not in {path}", hint=f"run `make setup`, or set {ENVIRONMENT_VARIABLE}"
        )
    return path


@cache
def _installed() -> Path:
    try:
        return Path(str(distribution("fairlead").locate_file("fairlead/_native")))
    except PackageNotFoundError:
        return Path(__file__).parent / "_native"


def is_part() -> bool:
    """Whether only that was built which `make demo` needs.

    Raises:
        MissingToolError: see `directory`.
    """
    there = directory()
    return all((there / name).is_file() for name in _OF_THE_DEMO) and not (there / _OF_THE_REST).is_file()


def program(name: str) -> Path:
    """Absolute path of ``bin/<name>``, for example ``fairlead-agent``.

    Raises:
        MissingToolError: it was not built.
    """
    return _existing(directory() / "bin" / name)


def library(name: str) -> Path:
    """Absolute path of ``lib/<name>``, for example ``libfairlead.so``.

    Raises:
        MissingToolError: it was not built.
    """
    return _existing(directory() / "lib" / name)


def mpi_program(flavour: str, name: str) -> Path:
    """Absolute path of a bundled MPI program built for an MPI family.

    Args:
        flavour: ``openmpi`` or ``mpich`` (the two binary interfaces).
        name: ``cg``, ``nbody``, ...

    Raises:
        MissingToolError: it was not built for that family.
    """
    path = directory() / "mpi" / flavour / "bin" / name
    if path.is_file():
        return path
    if is_part():
        raise _of_the_rest(f"the bundled program {name}", f" for {flavour}")
    raise MissingToolError(
        f"the bundled program {name} was not built for {flavour}",
        hint=f"install {flavour}'s development package and run `make setup`, or choose another mpirun",
    )


def was_built(name: str) -> bool:
    """Whether a bundled MPI program was built for any MPI family.

    Raises:
        MissingToolError: see `directory`.
    """
    return any(path.is_file() for path in directory().glob(f"mpi/*/bin/{name}"))


def _existing(path: Path) -> Path:
    if path.is_file():
        return path
    if is_part():
        raise _of_the_rest(path.name)
    raise MissingToolError(f"{path} was not built", hint="run `make setup`; it lists what each part needs")


def _of_the_rest(what: str, for_what: str = "") -> MissingToolError:
    return MissingToolError(f"{what} was not built{for_what}: `make demo` builds only what it needs", hint=THE_REST)
