"""What `fairlead profile` costs whole programs: accounted (calls times cost of a call), and of paired runs."""

import random
import secrets
import statistics
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from bench.figures import AT_MOST, Figure, median_figure
from bench.profiling import wrapped_call
from bench.session import Session
from fairlead import programs
from fairlead.cluster.jobs import launch
from fairlead.errors import LaunchError
from fairlead.profile import profile
from fairlead.profile.reading.collect import collection
from fairlead.profile.run import MESSAGES, this_machine
from fairlead.statistics.estimates import paired_ratio

ACCOUNTED_TARGET = 0.01
MEASURED_TARGET = 0.03
RANKS = 4
PAIRS, QUICK_PAIRS = 12, 2
COSTS, QUICK_COSTS = 5, 1
ALL_OF_THE_LOOP = 8_000_000  # ends of messages: more than the loop of `wrapped_call` has
# About four seconds each: starting one under a profile takes 20 ms more.
PROGRAMS = {
    "cg": ("cg", "--class", "A", "--iterations", "90"),
    "ep": ("ep", "--class", "B"),
    "ft": ("ft", "--class", "A", "--iterations", "18"),
    "is": ("is", "--class", "A", "--iterations", "200"),
    "mg": ("mg", "--class", "A", "--iterations", "16"),
    "lu": ("lu", "--class", "W", "--iterations", "220"),
    "bt": ("bt", "--class", "W", "--iterations", "500"),
    "sp": ("sp", "--class", "W", "--iterations", "600"),
    "nbody": ("nbody", "--particles", "4096", "--steps", "90"),
}


@dataclass(frozen=True)
class Taken:
    """One run.

    Attributes:
        time_s: all of it, with the launcher.
        calls, ends: of all ranks, where profiled: calls of MPI functions, and ends of messages kept one by one.
        ranks_s: sum of the ranks' times between MPI_Init and MPI_Finalize, where profiled.
    """

    time_s: float
    calls: int = 0
    ends: int = 0
    ranks_s: float = 0.0


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``profiled.accounted.PROGRAM`` and ``profiled.measured.PROGRAM`` (upper end of the interval of pairs)."""
    pairs = session.size(COSTS, QUICK_COSTS)
    call_s, kept_s = dearest_s(session, pairs), dearest_s(session, pairs, messages=ALL_OF_THE_LOOP)
    order = random.Random(session.seed)
    for name, argv in PROGRAMS.items():
        plain: list[Taken] = []
        profiled: list[Taken] = []
        for pair in range(session.size(PAIRS, QUICK_PAIRS)):
            session.say(f"{name}: pair {pair + 1}")
            turns = [(plain, False), (profiled, True)]
            order.shuffle(turns)
            for taken, with_profile in turns:
                taken.append(run(argv, profiled=with_profile))
            session.record(program=name, plain_s=plain[-1].time_s, profiled=asdict(profiled[-1]))
        shares = [(each.calls * call_s + each.ends * (kept_s - call_s)) / each.ranks_s for each in profiled]
        note = f"calls at the cost of the dearest: {call_s * 1e9:.0f} ns, {kept_s * 1e9:.0f} ns where a message is kept"
        yield median_figure(f"profiled.accounted.{name}", shares, "1", target=ACCOUNTED_TARGET, note=note)
        yield measured(f"profiled.measured.{name}", [each.time_s for each in profiled], [each.time_s for each in plain])


def measured(name: str, profiled_s: list[float], plain_s: list[float]) -> Figure:
    """What the pairs allow at most: the figure is the interval's upper end, its median is in the note."""
    ratio = paired_ratio(profiled_s, plain_s)
    note = f"upper end of the interval of paired runs; ratio less one {ratio.value - 1:+.4f}"
    interval = (ratio.low - 1, ratio.high - 1)
    return Figure(name, ratio.high - 1, "1", ratio.n, MEASURED_TARGET, AT_MOST, interval, note)


def dearest_s(session: Session, pairs: int, *, messages: int = 0) -> float:
    """Of the functions of the group `wrapped`, the greatest median cost of a call."""
    added = wrapped_call.added_ns(session, pairs, messages=messages)
    return max(statistics.median(samples) for samples in added.values()) * 1e-9


def run(argv: tuple[str, ...], *, profiled: bool) -> Taken:
    """Run a program once on this machine alone.

    Raises:
        LaunchError: it failed.
    """
    cluster = this_machine()
    launcher, job = launch.prepare(cluster, argv, RANKS, job_id=secrets.token_hex(4))
    job = replace(job, argv=programs.resolve(argv, launcher.family, job.ranks))
    hosts = tuple(job.ranks_on())

    def timed_s(environment: dict[str, str]) -> float:
        begin_s = time.monotonic()
        ready = replace(job, env={**job.env, **environment})
        code = launch.run(cluster, launcher, ready, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if code != 0:
            raise LaunchError(f"{' '.join(argv)} ended with exit code {code}")
        return time.monotonic() - begin_s

    if not profiled:
        return Taken(timed_s({}))
    with collection(cluster, hosts, job.id, messages=MESSAGES) as collected:
        time_s = timed_s(collected.environment)
        found = profile.of(collected.records(), job.hosts)
    calls = sum(usage.calls for usage in found.functions().values())
    ends = sum(len(record.ends) for record in found.records)
    return Taken(time_s, calls, ends, float(found.time_s.sum()))
