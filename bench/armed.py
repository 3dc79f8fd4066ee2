"""What the relay plane costs a program that it never moves: paired runs with and without it on a free, slow network."""

import math
import random
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench import laboratory
from bench.command import FAIRLEAD
from bench.figures import AT_MOST, Figure, ends
from bench.session import Session
from fairlead import programs
from fairlead.errors import MeasurementError, MissingToolError
from fairlead.lab import processors
from fairlead.statistics.estimates import paired_ratio

TARGET = 1.01
PAIRS, QUICK_PAIRS = 10, 2
RANKS = 8
LIMIT_S = 90.0
FINALIZE_S = 5.0  # from the program's result to its end
MPIRUN = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}
# By the lab's scale, slow enough for the network, and not two processors, to limit eight ranks: lu sends many small
# messages. Six to fifteen seconds each of the program's own clock.
PROGRAMS: dict[float, dict[str, tuple[str, ...]]] = {
    0.2: {"cg": ("cg", "--class", "A", "--iterations", "15"), "mg": ("mg", "--class", "A", "--iterations", "6")},
    0.03: {"lu": ("lu", "--class", "W", "--iterations", "100")},
}
WAYS: dict[bool, tuple[str, ...]] = {False: ("--no-agents",), True: ("--plane", "relay", "--no-detection")}


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``armed.LIBRARY.PROGRAM``: armed over unarmed, by the program's own clock."""
    for scale, commands in PROGRAMS.items():
        with laboratory.network(session, laboratory.MESH8, scale=scale) as net:
            for library, mpirun in MPIRUN.items():
                file = session.directory / f"{library}.cluster.toml"
                text = net.lab.cluster_file_text()
                file.write_text(text.replace('interface = "eth0"', f'interface = "eth0"\nmpirun = "{mpirun}"', 1))
                for name, command in commands.items():
                    yield _figure(session, file, library, name, command)


def _figure(session: Session, file: Path, library: str, name: str, command: Sequence[str]) -> Figure:
    draw = random.Random(f"{session.seed} {library} {name}")
    times_s: dict[bool, list[float]] = {False: [], True: []}
    busy: dict[bool, list[float]] = {False: [], True: []}
    for pair in range(session.size(PAIRS, QUICK_PAIRS)):
        for armed in draw.sample([False, True], 2):
            watch = processors.Watch()
            with processors.watched(watch):
                time_s, ended = _run(session, file, WAYS[armed], command)
            times_s[armed].append(time_s)
            busy[armed].append(watch.use(time_s).busy if ended else math.nan)
            session.record(library=library, program=name, armed=armed, time_s=time_s, ended=ended)
        session.say(
            f"{library} {name}, pair {pair + 1}: {times_s[True][-1]:.2f} s armed, {times_s[False][-1]:.2f} s not"
        )
    found = paired_ratio(times_s[True], times_s[False])
    shares = [float(np.nanmean(busy[armed])) for armed in (False, True)]
    note = f"cores {shares[0]:.0%} busy without the plane, {shares[1]:.0%} with it"
    return Figure(f"armed.{library}.{name}", found.value, "1", found.n, TARGET, AT_MOST, ends(found), note)


def _run(session: Session, file: Path, way: Sequence[str], command: Sequence[str]) -> tuple[float, bool]:
    """Seconds by the program's own clock, and whether it ended by itself.

    Raises:
        MissingToolError: its MPI is not installed. MeasurementError: it failed, or did not verify its result.
    """
    words = ["run", str(file), "-n", str(RANKS), "--results", str(session.directory / "runs"), *way, "--", *command]
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
    if process.returncode == 127:
        raise MissingToolError(err.decode(errors="replace")[-300:])
    if (ended and process.returncode != 0) or not said.verified or said.timed_s is None:
        raise MeasurementError(f"{command[0]} {way[0]}: {err.decode(errors='replace')[-300:]}")
    return said.timed_s, ended


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
