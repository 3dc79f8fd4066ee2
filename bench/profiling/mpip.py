"""`fairlead profile` beside mpiP: what either costs whole programs, and whether their numbers agree.

mpiP is not brought along: `--mpip` names its library, built for the Open MPI of this machine.
"""

import os
import random
import secrets
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figures import AT_MOST, Figure, median_figure
from bench.profiling.profiled import PROGRAMS, RANKS
from bench.session import Session
from fairlead import programs
from fairlead.cluster.jobs import launch
from fairlead.errors import LaunchError, MeasurementError
from fairlead.profile import profile
from fairlead.profile.profile import BEGIN_AND_END
from fairlead.profile.reading.collect import collection
from fairlead.profile.run import MESSAGES, this_machine
from fairlead.readers import mpip
from fairlead.statistics.estimates import paired_ratio

ROUNDS, QUICK_ROUNDS = 10, 2
COMPARED = ("cg", "is", "mg", "lu")
PLAIN, OWN, OTHER, BOTH = "plain", "fairlead", "mpip", "both"
PRELOAD = "LD_PRELOAD"


@dataclass(frozen=True)
class Seen:
    """What a tool says of a run: time of all ranks, and of it within calls of MPI; calls by function."""

    all_s: float
    mpi_s: float
    calls: Counter[str]

    @property
    def share(self) -> float:
        """Of the time, within calls. What fairlead counts between calls that poll mpiP does not know."""
        return self.mpi_s / self.all_s


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``mpip.cost.TOOL.PROGRAM``, ``mpip.share.PROGRAM`` and ``mpip.calls.PROGRAM``.

    A round runs a program plainly, under either tool, and under both at once, in random order. Cost is the median of
    the rounds' ratios less one. Where both look at the same run, their shares of time in MPI and their numbers of
    calls are compared.
    """
    library = session.mpip
    if library is None:
        note = "mpiP is not part of fairlead: --mpip /path/to/libmpiP.so, built for the Open MPI of this machine"
        yield Figure("mpip.cost", None, "1", 0, note=note)
        return
    if not library.is_file():
        raise MeasurementError(f"{library} is not there", hint="--mpip names mpiP's library, libmpiP.so")
    order = random.Random(session.seed)
    for name in COMPARED:
        times_s: dict[str, list[float]] = {each: [] for each in (PLAIN, OWN, OTHER, BOTH)}
        apart, missed = list[float](), list[float]()
        for number in range(session.size(ROUNDS, QUICK_ROUNDS)):
            session.say(f"{name}: round {number + 1}")
            for tools in order.sample(list(times_s), len(times_s)):
                time_s, own, other = run(PROGRAMS[name], tools, library)
                times_s[tools].append(time_s)
                if own is not None and other is not None:
                    apart.append(abs(own.share - other.share))
                    missed.append(differing(own.calls, other.calls))
            session.record(program=name, **{f"{tools}_s": times_s[tools][-1] for tools in times_s})
        for tools in (OWN, OTHER):
            ratio = paired_ratio(times_s[tools], times_s[PLAIN])
            interval = (ratio.low - 1, ratio.high - 1)
            yield Figure(f"mpip.cost.{tools}.{name}", ratio.value - 1, "1", ratio.n, None, AT_MOST, interval)
        note = f"share of time within calls of MPI, both at once; mean of differences {statistics.mean(apart):.4f}"
        yield median_figure(f"mpip.share.{name}", apart, "1", note=note)
        yield median_figure(f"mpip.calls.{name}", missed, "1", note="calls that only one of them has, both at once")


def differing(own: Counter[str], other: Counter[str]) -> float:
    """Share of the calls that only one has, of functions that mpiP tells of."""
    return sum(abs(own[name] - number) for name, number in other.items()) / max(1, other.total())


def run(argv: tuple[str, ...], tools: str, library: Path) -> tuple[float, Seen | None, Seen | None]:
    """Run a program once on this machine alone, under these tools: its time, and what fairlead and mpiP say.

    Raises:
        LaunchError: it failed.
        MeasurementError: mpiP wrote no report, or one that cannot be read.
    """
    cluster = this_machine()
    launcher, job = launch.prepare(cluster, argv, RANKS, job_id=secrets.token_hex(4))
    job = replace(job, argv=programs.resolve(argv, launcher.family, job.ranks))
    environment: dict[str, str] = {}
    with TemporaryDirectory(prefix="fairlead-bench-") as reports:
        if tools in (OTHER, BOTH):
            # -e: three places behind the point; -k 0: no call sites, of which its table has twenty.
            environment = {PRELOAD: str(library), "MPIP": f"-e -k 0 -f {reports}"}
        if tools not in (OWN, BOTH):
            time_s = _timed_s(replace(job, env=environment))
            return time_s, None, _report(Path(reports)) if tools == OTHER else None
        with collection(cluster, tuple(job.ranks_on()), job.id, messages=MESSAGES) as collected:
            both = {**environment, **collected.environment}
            if tools == BOTH:
                both[PRELOAD] = os.pathsep.join((collected.environment[PRELOAD], environment[PRELOAD]))
            time_s = _timed_s(replace(job, env=both))
            found = profile.of(collected.records(), job.hosts)
        calls = Counter({name.removeprefix("MPI_"): usage.calls for name, usage in found.functions().items()})
        inside_s = sum(usage.time_s for name, usage in found.functions().items() if name not in BEGIN_AND_END)
        own = Seen(float(found.time_s.sum()), inside_s, calls)
        return time_s, own, _report(Path(reports)) if tools == BOTH else None


def _timed_s(job: launch.Job) -> float:
    cluster = this_machine()
    launcher, _ = launch.prepare(cluster, job.argv, RANKS, job_id=job.id)
    ends_s: list[float] = []
    begin_s = time.monotonic()
    code = launch.run(
        cluster,
        launcher,
        job,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        course=launch.Course(ended=lambda: ends_s.append(time.monotonic())),
    )
    if code != 0:
        raise LaunchError(f"{' '.join(job.argv)} ended with exit code {code}")
    return ends_s[0] - begin_s


def _report(directory: Path) -> Seen:
    written = list(directory.glob("*.mpiP"))
    if len(written) != 1:
        raise MeasurementError(f"mpiP wrote {len(written)} reports", hint="is the library built for this MPI?")
    (reading,) = mpip.read(written[0].read_text(encoding="utf-8"), str(written[0]))
    of = {series.name: series.values for series in reading.series if series.name != "call_time_s"}
    calls: Counter[str] = Counter()
    for series in reading.series:
        if series.name == "call_time_s":
            calls[str(series.labels["call"])] += int(series.labels["count"])
    return Seen(float(of["app_time_s"].sum()), float(of["mpi_time_s"].sum()), calls)
