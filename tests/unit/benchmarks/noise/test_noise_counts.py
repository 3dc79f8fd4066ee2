"""Detours named by source, held against what the system itself counted meanwhile."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from fairlead import native
from fairlead.benchmarks.noise.sources import NOT_KNOWN, THREAD, TIMER

SECONDS = 6.0
LONG_S = 1e-3  # a detour of another program, not of an interrupt
BURST = """
import time
while True:
    end = time.process_time() + 0.006
    while time.process_time() < end:
        pass
    time.sleep(0.044)
"""

# A name that is cut inside a character, as the system cuts long ones.
CUT_NAME = """
from pathlib import Path
Path("/proc/self/comm").write_bytes(b"caf\\xc3")
print(flush=True)
while True:
    pass
"""


@pytest.fixture
def cpu() -> Iterator[int]:
    """A processor on which another program takes 6 ms of processor time, up to twenty times a second."""
    chosen = max(os.sched_getaffinity(0))
    other = subprocess.Popen([sys.executable, "-c", BURST], preexec_fn=lambda: os.sched_setaffinity(0, {chosen}))
    yield chosen
    other.kill()
    other.wait()


def timer_interrupts(cpu: int) -> int | None:
    """Of a processor since the system's start; None where they are not counted by that name."""
    header, *rows = Path("/proc/interrupts").read_text().splitlines()
    column = header.split().index(f"CPU{cpu}") + 1
    return next((int(row.split()[column]) for row in rows if row.endswith(TIMER)), None)


def test_no_source_has_more_detours_than_the_system_counted(cpu: int) -> None:
    timers = timer_interrupts(cpu)
    switches = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [str(native.program("fairlead-noise")), "--cpus", str(cpu), "--sources", "--detours", "1000000"]
    done = subprocess.run([*program, "--seconds", str(SECONDS)], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = next(line for line in map(json.loads, done.stdout.splitlines()) if "detour_set" in line)

    sets = [{found["source_names"][place] for place in each} for each in found["source_sets"]]
    length_s = np.array(found["duration_ticks"]) / found["ticks_per_s"]
    looked = [(sets[of], long_s) for of, long_s in zip(found["detour_set"], length_s, strict=True) if of != NOT_KNOWN]
    switched = after.ru_nivcsw - switches.ru_nivcsw + after.ru_nvcsw - switches.ru_nvcsw
    named = sum(THREAD in sources for sources, _ in looked)
    assert 0 < named <= switched
    if timers is not None:
        counted = timer_interrupts(cpu)
        assert counted is not None
        assert 0 < sum(TIMER in sources for sources, _ in looked) <= counted - timers
    # What takes a millisecond is the other program, but for a hypervisor's own detours.
    long = [THREAD in sources for sources, long_s in looked if long_s >= LONG_S]
    assert len(long) >= 5
    assert np.mean(long) > 0.8
    assert found["looked_ticks"] < 0.2 * found["period_ticks"]


def test_a_name_that_is_cut_inside_a_character_is_told() -> None:
    cpu = max(os.sched_getaffinity(0))
    named = subprocess.Popen(
        [sys.executable, "-c", CUT_NAME],
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
        stdout=subprocess.PIPE,
    )
    try:
        assert named.stdout is not None
        named.stdout.readline()
        program = [str(native.program("fairlead-noise")), "--cpus", str(cpu), "--sources", "--seconds", "0.5"]
        done = subprocess.run(program, capture_output=True, text=True, encoding="utf-8", check=True)
    finally:
        named.kill()
        named.communicate()
    told = json.loads(done.stdout.splitlines()[-1])["threads"]
    assert "caf\ufffd" in [thread["name"] for thread in told]
