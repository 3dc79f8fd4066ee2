"""Clocks of the hosts: the smallest steps that they tell apart, and what a reading costs."""

from dataclasses import asdict, dataclass
from typing import TypedDict

from fairlead import native
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.noise import measure as noise
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.deploy import deploy
from fairlead.cluster.remote.execute import run_on
from fairlead.errors import MeasurementError
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK, PROGRAM = "timer", "fairlead-timer"
LIMIT_S = 60.0
LASTS_S = 5.0


@dataclass(frozen=True)
class TimerSettings:
    """What was asked for: hosts; none: all compute hosts, but only the first where they share one machine."""

    hosts: tuple[str, ...] = ()

    def lasts_s(self) -> float:
        """About how long it takes."""
        return LASTS_S


SETTINGS = TimerSettings


def measure(cluster: Cluster, store: Store, settings: TimerSettings, progress: Progress) -> int:
    """Measure the clocks; returns the run.

    Raises:
        ConfigError, MissingToolError, HostError: a host is unknown, or the program is not there or failed.
        MeasurementError: what it said is not understood.
    """
    hosts = noise.chosen(cluster, settings.hosts)
    with records.recorded(store, cluster, BENCHMARK, {**asdict(settings), "hosts": hosts}) as run:
        for done, host in enumerate(hosts):
            progress("clocks", done, len(hosts))
            executor = executor_of(cluster)
            path = deploy(executor, host, {PROGRAM: native.program(PROGRAM)})[PROGRAM]
            for line in run_on(executor, host, [path], timeout_s=LIMIT_S).splitlines():
                _keep(store, run, host, _parsed(host, line))
        progress("clocks", len(hosts), len(hosts))
    return run


class _Clock(TypedDict):
    """What ``fairlead-timer`` says of a clock."""

    clock: str
    nominal_s: float
    steps_s: list[float]
    readings_s: list[float]


def _parsed(host: str, line: str) -> _Clock:
    said: _Clock = noise.parsed(host, PROGRAM, line)
    if missing := _Clock.__required_keys__ - said.keys():
        raise MeasurementError(f"{host}: {PROGRAM} did not print {sorted(missing)[0]}")
    return said


def _keep(store: Store, run: int, host: str, said: _Clock) -> None:
    labels: dict[str, Label] = {"host": host, "clock": str(said["clock"]), "nominal_s": float(said["nominal_s"])}
    store.add_series(run, "clock_steps_s", said["steps_s"], "s", labels)
    store.add_series(run, "clock_readings_s", said["readings_s"], "s", labels)
