"""The MPI libraries that tests run on: Debian's, and those that scripts/install-mpi.sh puts into build/mpi.

``FAIRLEAD_TEST_MPI`` names another directory for the latter: scripts/test-arm.sh has those for AArch64 there.
"""

import atexit
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from _pytest.mark import ParameterSet

INTERPOSE = Path(__file__).parents[3] / "native" / "interpose"
BUILT = Path(os.environ.get("FAIRLEAD_TEST_MPI", Path(__file__).parents[3] / "build" / "mpi"))


# Open MPI has a file of its own for what is beyond the standard.
HEADERS = "#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n"


@cache
def _builds() -> Path:
    """A directory for what is built, of all workers of a session (pytest-xdist): the last one that ends removes it."""
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    prefix = "fairlead-tests-"
    directory = Path(tempfile.gettempdir(), prefix + session) if session else Path(tempfile.mkdtemp(prefix=prefix))
    directory.mkdir(mode=0o700, exist_ok=True)
    users = os.open(directory / "users", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(users, fcntl.LOCK_SH)
    atexit.register(_leave_builds, directory, users)
    return directory


def _leave_builds(directory: Path, users: int) -> None:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return  # others use it
    shutil.rmtree(directory)


@cache
def _built(compiler: str, source: Path, *options: str) -> Path:
    """What the compiler makes of a source, or of all in a directory: many tests, of several workers, need the same."""
    name = hashlib.sha256(repr((compiler, str(source), options)).encode()).hexdigest()[:16]
    target = _builds() / name
    sources = sorted(source.glob("*.c")) if source.is_dir() else [source]
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            subprocess.run([compiler, "-o", target, *sources, *options], check=True)
    return target


@dataclass(frozen=True)
class Mpi:
    """One MPI library.

    Attributes:
        name: as its launcher is called; with ``abi`` behind it, of the library with the standard ABI.
        compiler, mpirun: names or paths.
        options: that the compiler always gets.
    """

    name: str
    compiler: str
    mpirun: str
    options: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        return re.match("[a-z]+", self.name)[0]  # type: ignore[index]

    @property
    def launcher(self) -> str:
        return self.name.removesuffix("abi")

    @property
    def abi(self) -> str:
        """The binary interface, as in native/interpose/abi."""
        if self.name != self.launcher:
            return "standard"
        return "mpich" if self.family == "intelmpi" else self.family

    def need(self) -> "Mpi":
        """Skip the test where it is not installed."""
        for tool in (self.compiler, self.mpirun):
            if shutil.which(tool) is None:
                pytest.skip(
                    f"{tool} is not installed: `make {'verify' if self.family == 'intelmpi' else 'test'}` installs it"
                )
        return self

    def declares(self) -> set[str]:
        """Functions that libfairlead wraps and the library has."""
        with NamedTemporaryFile("w", suffix=".c") as source:
            source.write(HEADERS)
            source.flush()
            command = [self.compiler, *self.options, "-E", source.name]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        return set(re.findall(r"\b(MPIX?_\w+)\s*\(", done.stdout)) & set(function_names())

    def compile(self, source: Path, target: Path, *options: str) -> Path:
        """Compile a C program: one file, or all in a directory."""
        return Path(shutil.copy(_built(self.compiler, source, *self.options, *options, "-lpthread"), target))

    def compile_fortran(self, source: Path, target: Path, *options: str) -> Path:
        """Compile a Fortran program."""
        compiler = self.compiler.replace("mpicc", "mpifort").replace("mpigcc", "mpif90")
        # One procedure is called with buffers of different types; with mpif.h, the compiler cannot know that it may be.
        return Path(shutil.copy(_built(compiler, source, "-w", "-fallow-argument-mismatch", *options), target))

    def command(self, ranks: int, argv: list[str], env: dict[str, str]) -> list[str]:
        """A plain launch line, without fairlead's launchers."""
        root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        if self.family == "openmpi":
            exports = [word for name, value in env.items() for word in ("-x", f"{name}={value}")]
            return [self.mpirun, *root, "--oversubscribe", *exports, "-n", str(ranks), *argv]
        if self.family == "intelmpi":
            env = {"I_MPI_FABRICS": "shm:ofi", **env}  # shared memory alone cannot spawn
        exports = [word for name, value in env.items() for word in ("-genv", name, value)]
        return [self.mpirun, *exports, "-n", str(ranks), *argv]


@cache
def function_names() -> tuple[str, ...]:
    """All functions that libfairlead wraps."""
    return tuple(tomllib.loads((INTERPOSE / "functions.toml").read_text(encoding="utf-8")))


@cache
def kept_collectives() -> set[str]:
    """Collective functions whose calls are kept one by one: those that are no start of a persistent one."""
    table = tomllib.loads((INTERPOSE / "functions.toml").read_text(encoding="utf-8"))
    rows = {name: table[row.get("large_count_of", name)] for name, row in table.items()}
    return {
        name
        for name, row in rows.items()
        if row["direction"] in ("collective", "neighborhood") and row["mode"] != "persistent"
    }


# Header files of the standard ABI do not say whose they are, by which some programs of tests know what to expect.
_MPICH5 = ("-DMPICH_NAME=5", "-DMPICH_NUMVERSION=50002300", '-DMPICH_VERSION="5.0.2"')
_MPICH3 = ("-DMPICH_NAME=3", "-DMPICH_NUMVERSION=30400002", '-DMPICH_VERSION="3.4a2"')
LIBRARIES = (
    Mpi("openmpi4", "mpicc.openmpi", "mpirun.openmpi"),
    Mpi("openmpi5", f"{BUILT}/openmpi5/bin/mpicc", f"{BUILT}/openmpi5/bin/mpirun"),
    Mpi("mpich4", "mpicc.mpich", "mpirun.mpich"),
    Mpi("mpich5", f"{BUILT}/mpich5/bin/mpicc", f"{BUILT}/mpich5/bin/mpirun"),
    Mpi("mpich5abi", f"{BUILT}/mpich5/bin/mpicc_abi", f"{BUILT}/mpich5/bin/mpirun", _MPICH5),
)
# Installed for the long suites only. Its mpirun is a script that runs PATH's first mpiexec.hydra, maybe another MPI's.
INTEL = Mpi("intelmpi2021", f"{BUILT}/intelmpi/bin/mpigcc", f"{BUILT}/intelmpi/bin/mpiexec.hydra")
INTEL_ABI = Mpi("intelmpi2021abi", INTEL.compiler, INTEL.mpirun, ("-mpi_abi", *_MPICH3))
ALL = (*LIBRARIES, INTEL, INTEL_ABI)


def _params(chosen: Iterable[Mpi], short: tuple[str, ...]) -> list[ParameterSet]:
    return [pytest.param(each, id=each.name, marks=() if each.name in short else pytest.mark.slow) for each in chosen]


_SHORT = tuple(each.name for each in LIBRARIES)
EVERY = _params(ALL, _SHORT)
every_mpi = pytest.mark.parametrize("mpi", EVERY)

# One of each binary interface, and of each family. Debian's Open MPI 4 is for this machine's processor alone.
_OPENMPI = "openmpi5" if "FAIRLEAD_TEST_MPI" in os.environ else "openmpi4"
EACH_ABI = [each for each in LIBRARIES if each.name in (_OPENMPI, "mpich5", "mpich5abi")]
EACH_FAMILY = [each for each in EACH_ABI if each.abi != "standard"]

# For what depends on the launcher alone.
LAUNCHERS = _params((each for each in ALL if each.name == each.launcher), _SHORT)
every_launcher = pytest.mark.parametrize("mpi", LAUNCHERS)

# One version of each family and of each binary interface; the other versions in the long suites.
FAMILIES = _params(ALL, ("openmpi4", "mpich5", "mpich5abi"))
every_family = pytest.mark.parametrize("mpi", FAMILIES)


@contextmanager
def no_leftovers() -> Iterator[None]:
    """MPICH's shared memory outlives ranks that are killed: what appears within, and nobody uses, is removed."""

    def there() -> set[Path]:
        return set(Path("/dev/shm").glob("mpich_shm_*"))

    before = there()
    yield
    for path in there() - before:
        if not _in_use(path):
            path.unlink(missing_ok=True)


def _in_use(path: Path) -> bool:
    """By programs of other tests. They open it, map it and close it: asked in this order, none is missed."""
    opened = f"find /proc/[0-9]*/fd -maxdepth 1 -lname {path} 2>/dev/null | grep -q ."
    mapped = f"grep -qsF {path} /proc/[0-9]*/maps"
    return subprocess.run(f"{opened} || {mapped}", shell=True, check=False).returncode == 0
