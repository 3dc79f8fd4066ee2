"""What libfairlead adds to a call of an MPI function, against a libmpi whose functions return at once."""

import mmap
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import shims
from bench.figures import AT_MOST, Figure, median_figure
from bench.session import Session
from fairlead import native
from fairlead.errors import MeasurementError, MissingToolError
from fairlead.manage.monitor import RINGS_VARIABLE
from fairlead.profile.reading.collect import DIRECTORY_VARIABLE, MESSAGES_VARIABLE

TARGET_NS = 40.0
READ_PERIOD_S = 0.0002
RING_WRITTEN_AT, RING_READ_AT = 64, 128  # native/interpose/record/ring.hpp
PAIRS, QUICK_PAIRS = 15, 3


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``wrapped.FUNCTION``: medians of pairs of processes, one with the library and one without."""
    pairs = session.size(PAIRS, QUICK_PAIRS)
    for kind, monitored in (("wrapped", False), ("wrapped.monitored", True)):
        for name, samples_ns in added_ns(session, pairs, monitored=monitored).items():
            yield median_figure(f"{kind}.{name}", samples_ns, "ns", target=TARGET_NS, sense=AT_MOST)


def added_ns(session: Session, pairs: int, *, messages: int = 0, monitored: bool = False) -> dict[str, list[float]]:
    """Nanoseconds added to a call, by function, one sample a pair.

    Args:
        messages: how many are kept one by one.
        monitored: rings are written, and read, in place of counts in a file.
    """
    loop = build()
    added: dict[str, list[float]] = {}
    preload = {"LD_PRELOAD": str(native.library("libfairlead.so"))}
    for pair in range(pairs):
        with TemporaryDirectory(prefix="fairlead-bench-", dir="/dev/shm") as records, ExitStack() as stack:
            plain = run(loop, {})
            if monitored:
                stack.enter_context(_reader(Path(records)))
                environment = {RINGS_VARIABLE: records}
            else:
                environment = {DIRECTORY_VARIABLE: records, MESSAGES_VARIABLE: str(messages)}
            wrapped = run(loop, preload | environment)
        session.record(pair=pair, messages=messages, monitored=monitored, plain_ns=plain, wrapped_ns=wrapped)
        for name, time_ns in wrapped.items():
            added.setdefault(name, []).append(time_ns - plain[name])
    return added


@contextmanager
def _reader(directory: Path) -> Iterator[None]:
    """Empties the rings in ``directory`` as an agent would, only more often: the loop calls faster than programs do."""
    done = threading.Event()

    def read() -> None:
        known: dict[Path, mmap.mmap] = {}
        while not done.wait(READ_PERIOD_S):
            for path in directory.glob("*.ring"):
                if path not in known:
                    with path.open("r+b") as file:
                        known[path] = mmap.mmap(file.fileno(), 0)
                known[path][RING_READ_AT : RING_READ_AT + 8] = known[path][RING_WRITTEN_AT : RING_WRITTEN_AT + 8]
        for path in known:
            path.unlink()

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


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
    """Nanoseconds a call by function.

    Raises:
        MeasurementError: libfairlead had something to say: then it wraps nothing.
    """
    done = subprocess.run([loop], env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    if done.stderr:
        raise MeasurementError(f"{loop.name} does not run as it should: {done.stderr.strip()}")
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}
