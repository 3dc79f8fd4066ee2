"""The MPI libraries that tests run on: Debian's, and those that scripts/install-mpi.sh puts into build/mpi."""

import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from _pytest.mark import ParameterSet

INTERPOSE = Path(__file__).parents[2] / "native" / "interpose"
BUILT = Path(__file__).parents[2] / "build" / "mpi"


_builds = tempfile.TemporaryDirectory(prefix="fairlead-tests-")


@cache
def _built(compiler: str, source: Path, *options: str) -> Path:
    """What the compiler makes of a source, or of all in a directory: many tests need the same program."""
    target = Path(_builds.name) / str(len(list(Path(_builds.name).iterdir())))
    sources = sorted(source.glob("*.c")) if source.is_dir() else [source]
    subprocess.run([compiler, "-o", target, *sources, *options], check=True)
    return target


@dataclass(frozen=True)
class Mpi:
    """One MPI library.

    Attributes:
        name: as launchers are called.
        compiler, mpirun: names or paths.
    """

    name: str
    compiler: str
    mpirun: str

    @property
    def family(self) -> str:
        return self.name.rstrip("0123456789")

    @property
    def abi(self) -> str:
        """The binary interface, as in native/interpose/abi."""
        return "mpich" if self.family == "intelmpi" else self.family

    def need(self) -> "Mpi":
        """Skip the test where it is not installed."""
        for tool in (self.compiler, self.mpirun):
            if shutil.which(tool) is None:
                pytest.skip(f"{tool} is not installed: `make {'verify' if self == INTEL else 'test'}` installs it")
        return self

    def declares(self) -> set[str]:
        """Functions that libfairlead wraps and the library has."""
        with NamedTemporaryFile("w", suffix=".c") as source:
            source.write("#include <mpi.h>\n")
            source.flush()
            done = subprocess.run([self.compiler, "-E", source.name], capture_output=True, text=True, check=True)
        return set(re.findall(r"\b(MPI_\w+)\s*\(", done.stdout)) & set(function_names())

    def compile(self, source: Path, target: Path, *options: str) -> Path:
        """Compile a C program: one file, or all in a directory."""
        return Path(shutil.copy(_built(self.compiler, source, *options, "-lpthread"), target))

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


LIBRARIES = (
    Mpi("openmpi4", "mpicc.openmpi", "mpirun.openmpi"),
    Mpi("openmpi5", f"{BUILT}/openmpi5/bin/mpicc", f"{BUILT}/openmpi5/bin/mpirun"),
    Mpi("mpich4", "mpicc.mpich", "mpirun.mpich"),
    Mpi("mpich5", f"{BUILT}/mpich5/bin/mpicc", f"{BUILT}/mpich5/bin/mpirun"),
)
# Installed for the long suites only. Its mpirun is a script that runs PATH's first mpiexec.hydra, maybe another MPI's.
INTEL = Mpi("intelmpi2021", f"{BUILT}/intelmpi/bin/mpigcc", f"{BUILT}/intelmpi/bin/mpiexec.hydra")


def _params(short: tuple[str, ...]) -> list[ParameterSet]:
    return [
        pytest.param(each, id=each.name, marks=() if each.name in short else pytest.mark.slow)
        for each in (*LIBRARIES, INTEL)
    ]


EVERY = _params(tuple(each.name for each in LIBRARIES))
every_mpi = pytest.mark.parametrize("mpi", EVERY)

# One version of each family; the other versions in the long suites.
FAMILIES = _params(("openmpi4", "mpich5"))
every_family = pytest.mark.parametrize("mpi", FAMILIES)


@contextmanager
def no_leftovers() -> Iterator[None]:
    """MPICH's shared memory outlives ranks that are killed: what appears within, and nobody has mapped, is removed."""

    def there() -> set[Path]:
        return set(Path("/dev/shm").glob("mpich_shm_*"))

    before = there()
    yield
    for path in there() - before:
        maps = subprocess.run(f"grep -qsF {path} /proc/[0-9]*/maps", shell=True, check=False)
        if maps.returncode:
            path.unlink(missing_ok=True)
