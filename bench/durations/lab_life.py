"""A lab of 64 hosts: time until it is up, and until nothing of it is left."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure, median_figure
from bench.laboratory import EXAMPLES
from bench.session import Session
from fairlead import lab
from fairlead.lab import description as lab_description

TARGET_S = 2.0
TIMES, QUICK_TIMES = 7, 2


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``lab64.up`` and ``lab64.down``, in seconds."""
    described = lab_description.load(EXAMPLES / "mesh64.toml")
    up_s, down_s = [], []
    for number in range(session.size(TIMES, QUICK_TIMES)):
        begin_s = time.monotonic()
        running = lab.up(described, name=f"bench-{session.group}-{os.getpid()}")
        try:
            up_s.append(time.monotonic() - begin_s)
        finally:
            begin_s = time.monotonic()
            running.down()
        while left := processes_in(running.record["pid_namespace"]):
            time.sleep(0.005)
            if time.monotonic() - begin_s > 10 * TARGET_S:
                session.say(f"processes {left} are left of the lab")
                break
        down_s.append(time.monotonic() - begin_s)
        session.record(up_s=up_s[-1], down_s=down_s[-1])
        session.say(f"{number + 1}: up {up_s[-1]:.2f} s, down {down_s[-1]:.2f} s")
    yield median_figure("lab64.up", up_s, "s", target=TARGET_S)
    yield median_figure("lab64.down", down_s, "s", target=TARGET_S, note="until no process of the lab is left")


def processes_in(pid_namespace: int) -> list[int]:
    """Processes of a PID namespace, given by its inode."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "ns/pid").stat().st_ino == pid_namespace:
                found.append(int(path.name))
        except OSError:
            continue  # it ended meanwhile, or belongs to another user and so not to our lab
    return found
