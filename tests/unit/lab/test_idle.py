"""Ranks of labs wait asleep: what libfairlead-idle.so makes of loops that poll and yield, as MPI libraries do."""

import os
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.lab import LabExecutor
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import preload
from fairlead.config import parse
from fairlead.lab import idle
from fairlead.lab.description import Description
from fairlead.lab.resolve import resolve_lab

# Waits for a byte that comes after some time; says how long that took and the processor time that it cost.
WAITER = """
import os, select, sys, threading, time
kind, after_s = sys.argv[1], float(sys.argv[2])
reader, writer = os.pipe()
if kind == "poll":
    poller = select.poll()
    look = lambda: poller.poll(0)
else:
    poller = select.epoll()
    look = lambda: poller.poll(0.0)
poller.register(reader, select.POLLIN)
threading.Timer(after_s, lambda: os.write(writer, b"x")).start()
begin, spent, turns = time.monotonic(), time.process_time(), 0
while not look():
    os.sched_yield()
    turns += 1
print(time.monotonic() - begin, time.process_time() - spent, turns)
"""
# Nothing that could be polled becomes ready: what is waited for comes through memory.
BY_MEMORY = """
import os, select, threading, time
reader, writer = os.pipe()
poller = select.poll()
poller.register(reader, select.POLLIN)
came = threading.Event()
threading.Timer(0.5, came.set).start()
begin, spent = time.monotonic(), time.process_time()
while not came.is_set():
    poller.poll(0)
    os.sched_yield()
print(time.monotonic() - begin, time.process_time() - spent, 0)
"""


STAR = '[lab]\nname = "x"\ntopology = "star"\nhosts_per_leaf = 1\n[host_link]\nrate = "1gbit"\n'


def waited(script: str, *words: str, asleep: bool = True) -> tuple[float, float, int]:
    env = {**os.environ, **({"LD_PRELOAD": str(idle.library())} if asleep else {})}
    said = subprocess.run(
        [sys.executable, "-c", script, *words], env=env, capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    return float(said[0]), float(said[1]), int(said[2])


@pytest.mark.parametrize("kind", ["poll", "epoll"])
def test_a_rank_that_waits_sleeps_until_its_message_comes(kind: str) -> None:
    time_s, processor_s, turns = waited(WAITER, kind, "0.5")
    assert 0.49 <= time_s < 10
    assert processor_s < 0.1
    assert turns < 5000
    _, spinning_s, spun = waited(WAITER, kind, "0.5", asleep=False)
    assert spun > 5 * turns  # the test can tell, also if others use the processor
    assert spinning_s > processor_s


def test_what_comes_through_memory_is_seen_soon() -> None:
    time_s, processor_s, _ = waited(BY_MEMORY)
    assert 0.49 <= time_s < 10
    assert processor_s < 0.2


# Yields many times after one look at a descriptor; says how often it slept.
YIELDS = """
import os, resource, select, sys
reader, writer = os.pipe()
poller = select.poll()
if sys.argv[1] == "closed":
    closed = os.dup(reader)
    poller.register(closed, select.POLLIN)
    poller.poll(0)
    os.close(closed)
elif sys.argv[1] == "once":
    poller.register(reader, select.POLLIN)
    poller.poll(0)
before = resource.getrusage(resource.RUSAGE_SELF)
for _ in range(2000):
    os.sched_yield()
    if sys.argv[1] == "again": poller.poll(0)
after = resource.getrusage(resource.RUSAGE_SELF)
print(0, 0, after.ru_nvcsw - before.ru_nvcsw)
"""


@pytest.mark.parametrize("looked", ["never", "once", "closed"])
def test_who_yields_for_another_reason_is_not_kept_waiting(looked: str) -> None:
    assert waited(YIELDS, looked)[2] <= 3


def test_a_wait_starts_anew_with_every_look() -> None:
    registered = "poller = select.poll()\npoller.register(reader, select.POLLIN)\n"
    script = YIELDS.replace("poller = select.poll()\n", registered)
    assert waited(script, "again")[2] > 20, "the test before can tell"


def test_only_labs_whose_rates_are_scaled_have_ranks_that_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    job = Job("0" * 8, ("cg",), ("h0",), env={"A": "1"})
    library = str(idle.library())
    lab = LabExecutor(Cluster(name="mesh8", executor="lab", hosts=(Host("h0", "10.64.0.1"),), lab="mesh8"))
    plan = resolve_lab(parse(STAR, Description, source="x"))
    lab.__dict__["lab"] = SimpleNamespace(plan=plan)
    assert preload.also(lab, job) is job
    lab.__dict__["lab"] = SimpleNamespace(plan=resolve_lab(parse(STAR, Description, source="x"), scale=1.0))
    assert preload.also(lab, job).env == {"A": "1", "LD_PRELOAD": library}
    loaded = replace(job, env={"LD_PRELOAD": "/lib/libfairlead.so"})
    assert preload.also(lab, loaded).env["LD_PRELOAD"] == f"/lib/libfairlead.so:{library}"
    monkeypatch.setenv("LD_PRELOAD", "/lib/own.so")
    assert preload.also(lab, job).env["LD_PRELOAD"] == f"/lib/own.so:{library}"
