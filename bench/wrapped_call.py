"""What libfairlead adds to a call of an MPI function, against a libmpi whose functions return at once."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import shims
from bench.figures import AT_MOST, Figure, median_figure
from bench.session import Session
from fairlead import native
from fairlead.errors import MissingToolError
from fairlead.profile.collect import DIRECTORY_VARIABLE, MESSAGES_VARIABLE

TARGET_NS = 40.0
PAIRS, QUICK_PAIRS = 15, 3


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``wrapped.FUNCTION``: medians of pairs of processes, one with the library and one without."""
    for name, samples_ns in added_ns(session, session.size(PAIRS, QUICK_PAIRS)).items():
        yield median_figure(f"wrapped.{name}", samples_ns, "ns", target=TARGET_NS, sense=AT_MOST)


def added_ns(session: Session, pairs: int, *, messages: int = 0) -> dict[str, list[float]]:
    """Nanoseconds added to a call, by function, one sample a pair; with so many messages kept one by one."""
    loop = build()
    added: dict[str, list[float]] = {}
    for pair in range(pairs):
        with TemporaryDirectory(prefix="fairlead-bench-", dir="/dev/shm") as records:
            environment = {
                "LD_PRELOAD": str(native.library("libfairlead.so")),
                DIRECTORY_VARIABLE: records,
                MESSAGES_VARIABLE: str(messages),
            }
            plain, wrapped = run(loop, {}), run(loop, environment)
        session.record(pair=pair, messages=messages, plain_ns=plain, wrapped_ns=wrapped)
        for name, time_ns in wrapped.items():
            added.setdefault(name, []).append(time_ns - plain[name])
    return added


def build() -> Path:
    """The loop, linked with the stub, which the loader knows by MPICH's name.

    Raises:
        MissingToolError: no compiler.
    """
    library, loop = shims.BUILT / "libmpi.so.12", shims.BUILT / "mpi_loop"
    shims.BUILT.mkdir(parents=True, exist_ok=True)
    stub = str(shims.SOURCES / "mpi_stub.c")
    for command in (
        ["cc", "-shared", "-fPIC", "-O2", "-Wl,-soname,libmpi.so.12", "-o", str(library), stub],
        ["cc", "-O2", "-o", str(loop), str(shims.SOURCES / "mpi_loop.c"), str(library), f"-Wl,-rpath,{library.parent}"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MissingToolError(f"{' '.join(command)}: {done.stderr.strip()}", hint="run `make setup`")
    return loop


def run(loop: Path, environment: Mapping[str, str]) -> dict[str, float]:
    """Nanoseconds a call by function."""
    done = subprocess.run([loop], env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}
