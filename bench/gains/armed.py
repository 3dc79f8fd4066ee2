"""What the relay plane costs a program that it never reroutes: paired runs with and without it, free network."""

import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench import laboratory
from bench.figures import AT_MOST, Figure, ends
from bench.gains import bundled_runs
from bench.session import Session
from fairlead.lab import processors
from fairlead.statistics.estimates import paired_ratio

TARGET = 1.01
PAIRS, QUICK_PAIRS = 10, 2
RANKS = 8
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
            watch = processors.ProcessorWatch()
            with processors.watched(watch):
                ran = bundled_runs.run(file, session.directory / "runs", RANKS, WAYS[armed], command)
            times_s[armed].append(ran.time_s)
            busy[armed].append(watch.use(ran.time_s).busy if ran.ended else math.nan)
            session.record(library=library, program=name, armed=armed, time_s=ran.time_s, ended=ran.ended)
        session.say(
            f"{library} {name}, pair {pair + 1}: {times_s[True][-1]:.2f} s armed, {times_s[False][-1]:.2f} s not"
        )
    found = paired_ratio(times_s[True], times_s[False])
    shares = [float(np.nanmean(busy[armed])) for armed in (False, True)]
    note = f"cores {shares[0]:.0%} busy without the plane, {shares[1]:.0%} with it"
    return Figure(f"armed.{library}.{name}", found.value, "1", found.n, TARGET, AT_MOST, ends(found), note)
