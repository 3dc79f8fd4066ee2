"""The same programs without fairlead: how fast the direct path is, and what TCP by itself makes of a silent host."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.faults import injections, recovery, runs
from bench.faults.cells import DESTINATION, HOST_SILENT, PLACES, RELAY, ROUTE, SOURCE
from bench.faults.hosts import ENDS, RELAYS, Hosts
from bench.faults.programs import LENGTH_S, TRIED, command
from bench.faults.traffic import Traffic, watched
from fairlead.errors import MeasurementError

WARM_UP_S = 1.2
SILENCES = 2
TRIAL_LIMIT_S = 180.0  # congested, cg takes ten times as long and more
STARTED_B = 200_000  # more than MPI's own start
UNMANAGED = ("--no-agents",)


@dataclass
class Direct:
    """What is usual without a fault on this machine now: without fairlead, unless noted.

    Attributes:
        share: of the iterations that are run to see what is usual.
        iterations: by program, those that take about `LENGTH_S` on the free network.
        time_s, rate_Bps, gap_s: by program: how long all iterations take, what the destination receives meanwhile, and
            the longest pause in that.
        silent_s, silent_slow_s: by (program, place): from a host's silence of `injections.HOLD_S` to traffic flowing
            again, and for how long it stays slower than half of what is usual.
        unhurt_s: by (plane, program): how long all iterations take under management, the pair rerouted.
    """

    share: float = 1.0
    iterations: dict[str, int] = field(default_factory=dict)
    time_s: dict[str, float] = field(default_factory=dict)
    rate_Bps: dict[str, float] = field(default_factory=dict)
    gap_s: dict[str, float] = field(default_factory=dict)
    silent_s: dict[tuple[str, str], float] = field(default_factory=dict)
    silent_slow_s: dict[tuple[str, str], float] = field(default_factory=dict)
    unhurt_s: dict[tuple[str, str], float] = field(default_factory=dict)


def flowing(traffic: Traffic, run: runs.Run, limit_s: float) -> float:
    """Wait until the program's traffic is under way; since when.

    Raises:
        EndedError: the run ended.
        HungError: there is none in time.
    """
    before_B = traffic.total_B()
    if not runs.wait_for(lambda: traffic.total_B() - before_B > STARTED_B or not run.alive(), limit_s):
        raise runs.HungError(f"no traffic within {limit_s:g} s: {run.text()[-300:]}")
    if not run.alive():
        raise runs.EndedError(f"the run ended at its start: {run.text()[-300:]}")
    return time.monotonic()


def measure(hosts: Hosts, direct: Direct, program: str, iterations: int | None = None) -> None:
    """Run a program by itself; adds to ``direct``.

    Args:
        iterations: as many; None: so many that they take `LENGTH_S` on the network as it is now.

    Raises:
        MeasurementError: it did not end, or did not verify.
    """
    if iterations is None:
        time_s, _, _ = _once(hosts, command(program, TRIED[program]))
        iterations = max(2, round(TRIED[program] * LENGTH_S / time_s))
    direct.iterations[program] = iterations
    time_s, direct.rate_Bps[program], direct.gap_s[program] = _once(hosts, _words(direct, program))
    direct.time_s[program] = time_s / direct.share


def measure_silence(hosts: Hosts, direct: Direct, program: str, place: str) -> None:
    """What TCP by itself needs after a host was silent: added to ``direct``."""
    # TCP tries again after 0.2, 0.4, 0.8, 1.6 s and so on from some moment: one run says little.
    flows = [_silence(hosts, direct, program, place) for _ in range(SILENCES)]
    direct.silent_s[program, place] = max(flow.recovery_s for flow in flows)
    direct.silent_slow_s[program, place] = max(flow.slow_s for flow in flows)


def _words(direct: Direct, program: str) -> list[str]:
    return command(program, max(2, round(direct.iterations[program] * direct.share)))


def _once(hosts: Hosts, words: Sequence[str]) -> tuple[float, float, float]:
    """How long a program takes, its rate in B/s, and the longest pause of its traffic in seconds."""
    with (
        watched(hosts, ENDS[DESTINATION], [ENDS[SOURCE]]) as traffic,
        runs.started(hosts.cluster_file, UNMANAGED, words, hosts.directory) as run,
    ):
        begin_s = flowing(traffic, run, TRIAL_LIMIT_S)
        end(run, TRIAL_LIMIT_S)
        end_s = time.monotonic()
        last_s = last_progress_s(traffic)
        return (
            end_s - begin_s,
            recovery.rate_Bps(traffic.samples, begin_s, end_s),
            recovery.longest_gap_s(traffic.samples, begin_s, last_s),
        )


def _silence(hosts: Hosts, direct: Direct, program: str, place: str) -> recovery.Flow:
    with (
        watched(hosts, ENDS[DESTINATION], [ENDS[SOURCE]]) as traffic,
        runs.started(hosts.cluster_file, UNMANAGED, _words(direct, program), hosts.directory) as run,
    ):
        begin_s = flowing(traffic, run, TRIAL_LIMIT_S)
        time.sleep(WARM_UP_S)
        fault_s, undo = injections.make(HOST_SILENT, injections.Scene(hosts, host_of(place), ROUTE, run))
        assert undo is not None
        try:
            time.sleep(injections.HOLD_S)
        finally:
            undo()
        undo_s = time.monotonic()
        end(run, TRIAL_LIMIT_S)
        return recovery.judge(
            traffic.samples,
            begin_s=begin_s,
            fault_s=fault_s,
            undo_s=undo_s,
            end_s=last_progress_s(traffic),
            direct_Bps=direct.rate_Bps[program],
            direct_gap_s=direct.gap_s[program],
        )


def end(run: runs.Run, limit_s: float) -> None:
    """Wait for the end of a run that nothing hurts for good.

    Raises:
        MeasurementError: it did not end in time, or did not verify.
    """
    if not runs.wait_for(lambda: not run.alive(), limit_s):
        raise MeasurementError(f"an unhurt program did not end within {limit_s:g} s")
    if run.verdict().verified is not True:
        raise MeasurementError(f"an unhurt program did not verify: {run.text()[-300:]}")


def last_progress_s(traffic: Traffic) -> float:
    """When the last bytes came."""
    last_B = traffic.total_B()
    return next((at_s for at_s, total_B in traffic.samples if total_B == last_B), time.monotonic())


def host_of(place: str, relay: str = RELAYS[0]) -> str:
    """The host at a place; the destination's for what has none."""
    hosts: Mapping[str, str] = {**ENDS, RELAY: relay}
    return hosts[place] if place in PLACES else ENDS[DESTINATION]
