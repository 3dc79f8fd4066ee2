"""Runs of bundled programs by ``fairlead run``, as a user starts them, timed by the programs' own clocks."""

import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.command import FAIRLEAD
from fairlead import programs
from fairlead.errors import MeasurementError, MissingToolError

LIMIT_S = 90.0
FINALIZE_S = 5.0  # from the program's result to its end
NOT_FOUND = 127


@dataclass(frozen=True)
class Ran:
    """One run.

    Attributes:
        time_s: by the program's own clock.
        ended: by itself; else it was ended after it had told its result.
        messages: what fairlead wrote on its standard error.
    """

    time_s: float
    ended: bool
    messages: str


def run(cluster_file: Path, results: Path, ranks: int, options: Sequence[str], command: Sequence[str]) -> Ran:
    """Start it and wait for its end.

    Raises:
        MissingToolError: its MPI is not installed. MeasurementError: it failed, or did not verify its result.
    """
    words = ["run", str(cluster_file), "-n", str(ranks), "--results", str(results), *options, "--", *command]
    process = subprocess.Popen(
        [*FAIRLEAD, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    ended = True
    try:
        out, err = until_its_end(process)
    except subprocess.TimeoutExpired:
        ended = False
        process.terminate()
        out, err = process.communicate()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
    said = programs.verdict(out)
    words_of_error = err.decode(errors="replace")
    if process.returncode == NOT_FOUND:
        raise MissingToolError(words_of_error[-300:])
    if (ended and process.returncode != 0) or not said.verified or said.timed_s is None:
        raise MeasurementError(f"{command[0]} {' '.join(options)}: {words_of_error[-300:]}")
    return Ran(said.timed_s, ended, words_of_error)


def until_its_end(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What a program wrote until it ended.

    MPICH 4.0 hangs in MPI_Finalize now and then, with or without fairlead. By then the program has told its time.

    Raises:
        subprocess.TimeoutExpired: it did not end within `LIMIT_S`, or `FINALIZE_S` after it had told its time.
    """
    end_s = time.monotonic() + LIMIT_S
    has_told = False
    while True:
        try:
            return process.communicate(timeout=FINALIZE_S)
        except subprocess.TimeoutExpired as late:
            if has_told or time.monotonic() > end_s:
                raise
            has_told = programs.verdict(late.output or b"").timed_s is not None
