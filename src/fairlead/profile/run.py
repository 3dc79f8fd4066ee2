"""``fairlead profile`` as a function: one program, its communication counted and shown; returns its exit code."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from fairlead import programs
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.jobs import launch
from fairlead.cluster.jobs.signals import NotedSignals
from fairlead.cluster.launchers import Launcher
from fairlead.display.terminal import console
from fairlead.errors import ConfigError, FairleadError, of_system
from fairlead.prices.book import Book
from fairlead.profile import json_form, priced, profile, terminal
from fairlead.profile.analysis import collective_traffic
from fairlead.profile.analysis.collective_traffic import CollectiveTraffic
from fairlead.profile.json_form import ESTIMATED, MEASURED, Summary
from fairlead.profile.profile import Profile
from fairlead.profile.ran import Ran
from fairlead.profile.reading import pml_monitoring
from fairlead.profile.reading.collect import Collection, collection
from fairlead.profile.settings import ProfileSettings
from fairlead.profile.traces import trace_write
from fairlead.programs.launch_request import LaunchRequest

MESSAGES = 32_768  # ends a rank keeps: 2 MiB
Write = Callable[[Summary], Sequence[Path]]


def run_profiled(
    request: LaunchRequest,
    *,
    cluster_file: Path | None = None,
    messages: int = MESSAGES,
    otf2: Path | None = None,
    trace: Path | None = None,
    regions: bool = False,
    call_sites: bool = False,
    chaos: int | None = None,
    collectives: str = ESTIMATED,
    write: Write = lambda found: (),
    settings: ProfileSettings | None = None,
    book: Book | None = None,
) -> int:
    """Run a program with its communication counted, and show the profile on stderr.

    Args:
        cluster_file: None: this machine.
        messages: how many ends of messages each rank keeps one by one: what it waited for is known of these.
        otf2: directory for an OTF2 trace of these messages; None: no such trace.
        trace: file for a trace of them that `fairlead-sim` replays; None: no such trace.
        regions: the program names regions by MPI_Pcontrol.
        call_sites: calls are counted by the place that they are made from, too.
        chaos: seed; messages take two paths at random (docs/explanation/relay-plane.md).
        collectives: how what collective calls send is known: estimated, or measured by Open MPI.
        write: writes the profile to files, too, and returns them.
        settings: None: the defaults.
        book: prices, which has the cluster by its name; None: what the run cost is not told.

    Returns:
        The program's exit code, also when it left no profile: that is said.

    Raises:
        FairleadError: nothing was started.
    """
    request.check()
    write_traces = _trace_writers(otf2, trace)
    cluster = this_machine() if cluster_file is None else load_cluster(cluster_file)
    if book is not None:
        book.known_price(cluster.name)  # not only when the program has ended
    cluster, _ = request.cluster_for(cluster)
    launcher, job = request.prepare(cluster, _say)
    counts = collectives == MEASURED
    if counts:
        _check_counts(launcher)
    used = request.used_hosts(cluster, job)
    with collection(
        cluster, used, job.id, messages=messages, regions=regions, call_sites=call_sites, chaos=chaos, count=counts
    ) as collected:
        job = request.with_brought(cluster, job, _say)
        job = programs.brought(cluster, job, launcher.family, watched=True)
        job = replace(job, env={**job.env, **collected.environment})
        signals = NotedSignals()
        code, time_s = launch.timed(lambda course: launch.run(cluster, launcher, job, on_signal=signals, course=course))
        try:
            found = profile.of(collected.records(), job.hosts if launcher.family is not None else None)
            measured = _measured(found, _counted(collected)) if counts else None
            ran = Ran(cluster=cluster.name, compute_hosts=len(cluster.compute_hosts()), time_s=time_s)
            summary = json_form.of(found, request.argv, settings, measured, ran)
            _report(summary if book is None else priced.with_prices(summary, book), write)
            for write_trace in write_traces:
                _or_said(partial(write_trace, found))
        except (FairleadError, OSError) as error:  # the program's exit code still counts
            _say(_told(error))
    return signals.exit_code(code, launcher)


def _check_counts(launcher: Launcher) -> None:
    """Raises ConfigError where the MPI library does not count its messages."""
    if launcher.family != "openmpi":
        raise ConfigError(
            "--collectives measured needs Open MPI, which counts its messages, and its mpirun started by fairlead",
            hint="with other MPI libraries, or with --own-mpirun, collective calls can only be estimated",
        )


def _counted(collected: Collection) -> dict[str, str]:
    """What Open MPI counted; nothing, which is said, where that cannot be had: the profile is there all the same."""
    try:
        return collected.counted()
    except FairleadError as error:
        _say(str(error))
        return {}


def _measured(found: Profile, texts: Mapping[str, str]) -> CollectiveTraffic | None:
    """What collective calls sent by the files of Open MPI; None, which is said: not all ranks of the world left theirs,
    or those of spawned processes may have taken their places."""
    counted = pml_monitoring.counted(texts, found.ranks)
    if counted is None or found.missing or found.others:
        _say(
            "collective calls are estimated: Open MPI has not counted the messages of every rank (its component "
            "pml/monitoring is missing, a rank ended without MPI_Finalize, or there were processes of other worlds)"
        )
        return None
    return collective_traffic.measured(found, *counted)


def this_machine() -> Cluster:
    """This machine alone, with a slot for every core that this process may use."""
    host = Host(
        name="localhost",
        address="127.0.0.1",
        slots=len(os.sched_getaffinity(0)),
        reach="localhost",
        interface="lo",
    )
    return Cluster(name="this machine", executor="local", hosts=(host,), source="this machine")


def _trace_writers(otf2: Path | None, trace: Path | None) -> list[Callable[[Profile], None]]:
    """What writes the traces that are asked for. That an OTF2 trace can be is seen before the program runs.

    Raises:
        ConfigError: it cannot.
    """
    writers: list[Callable[[Profile], None]] = []
    if otf2 is not None:
        from fairlead.profile.traces import otf2_write  # its library is slow to load

        otf2_write.check(otf2)
        writers.append(lambda found: _say(f"written: {otf2_write.write(found, otf2)}"))
    if trace is not None:
        writers.append(lambda found: _say(f"written: {trace}: {trace_write.write(found, trace).told()}"))
    return writers


def _report(found: Summary, write: Write) -> None:
    """Files first, for a terminal may stand still. What cannot be written is said, and keeps nothing else back."""
    written: list[Path] = []
    _or_said(lambda: written.extend(write(found)))
    with suppress(OSError):  # the terminal is gone
        terminal.show(found, console(stderr=True))
    if written:
        _say(f"written: {', '.join(map(str, written))}")


def _or_said(action: Callable[[], None]) -> None:
    try:
        action()
    except (FairleadError, OSError) as error:
        _say(_told(error))


def _told(error: FairleadError | OSError) -> str:
    return str(of_system(error) if isinstance(error, OSError) else error)


def _say(text: str) -> None:
    with suppress(OSError):  # the terminal is gone; the program's exit code still counts
        print(f"fairlead: {text}", file=sys.stderr)
