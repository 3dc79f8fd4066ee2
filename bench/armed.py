"""What the relay plane costs a program that it never moves: paired runs with and without it on a free, slow network."""

import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import laboratory
from bench.command import FAIRLEAD
from bench.figures import AT_MOST, Figure, ends
from bench.session import Session
from fairlead import programs
from fairlead.errors import MeasurementError, MissingToolError
from fairlead.statistics.estimates import paired_ratio

LAB = Path(__file__).with_name("narrow-mesh8.toml")
TARGET = 1.01
PAIRS, QUICK_PAIRS = 10, 2
RANKS = 8
LIMIT_S = 300.0
MPIRUN = {"openmpi": "mpirun.openmpi", "mpich": "mpirun.mpich"}
# Six to twelve seconds each of the program's own clock.
PROGRAMS: dict[str, tuple[str, ...]] = {
    "cg": ("cg", "--class", "A", "--iterations", "15"),
    "mg": ("mg", "--class", "A", "--iterations", "6"),
    "lu": ("lu", "--class", "W", "--iterations", "300"),
}
WAYS: dict[bool, tuple[str, ...]] = {False: ("--no-agents",), True: ("--plane", "relay", "--no-detection")}


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``armed.LIBRARY.PROGRAM``: armed over unarmed, by the program's own clock."""
    with laboratory.network(session, LAB) as net:
        for library, mpirun in MPIRUN.items():
            file = session.directory / f"{library}.cluster.toml"
            text = net.lab.cluster_file_text()
            file.write_text(text.replace('interface = "eth0"', f'interface = "eth0"\nmpirun = "{mpirun}"', 1))
            for name, command in PROGRAMS.items():
                yield _figure(session, file, library, name, command)


def _figure(session: Session, file: Path, library: str, name: str, command: Sequence[str]) -> Figure:
    draw = random.Random(f"{session.seed} {library} {name}")
    times_s: dict[bool, list[float]] = {False: [], True: []}
    busy: dict[bool, list[float]] = {False: [], True: []}
    for pair in range(session.size(PAIRS, QUICK_PAIRS)):
        for armed in draw.sample([False, True], 2):
            before = _processor_time()
            time_s = _run(session, file, WAYS[armed], command)
            after = _processor_time()
            times_s[armed].append(time_s)
            busy[armed].append((after[0] - before[0]) / (after[1] - before[1]))
            session.record(library=library, program=name, armed=armed, time_s=time_s, busy=busy[armed][-1])
        session.say(
            f"{library} {name}, pair {pair + 1}: {times_s[True][-1]:.2f} s armed, {times_s[False][-1]:.2f} s not"
        )
    found = paired_ratio(times_s[True], times_s[False])
    shares = [sum(busy[armed]) / len(busy[armed]) for armed in (False, True)]
    note = f"cores {shares[0]:.0%} busy without the plane, {shares[1]:.0%} with it"
    return Figure(f"armed.{library}.{name}", found.value, "1", found.n, TARGET, AT_MOST, ends(found), note)


def _run(session: Session, file: Path, way: Sequence[str], command: Sequence[str]) -> float:
    """Seconds by the program's own clock.

    Raises:
        MissingToolError: its MPI is not installed. MeasurementError: it failed, or did not verify its result.
    """
    words = ["run", str(file), "-n", str(RANKS), "--results", str(session.directory / "runs"), *way, "--", *command]
    done = subprocess.run(
        [*FAIRLEAD, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False
    )
    said = programs.verdict(done.stdout)
    if done.returncode == 127:
        raise MissingToolError(done.stderr.decode(errors="replace")[-300:])
    if done.returncode != 0 or not said.verified or said.timed_s is None:
        raise MeasurementError(f"{command[0]} {way[0]}: {done.stderr.decode(errors='replace')[-300:]}")
    return said.timed_s


def _processor_time() -> tuple[int, int]:
    """Ticks of all cores since the start of the machine: busy ones, all."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)
