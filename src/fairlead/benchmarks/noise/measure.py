"""Operating-system noise: what interrupts a busy loop on each core (selfish detour), or delays equal pieces of work.

Sources: Beckman et al. 2006 (selfish detour); noise, 4.5 (threshold, number of detours, count ratio).
"""

import json
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, TypedDict

import numpy as np

from fairlead import native
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.noise import sources
from fairlead.benchmarks.noise.output import TimedOutput
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.deploy import deploy
from fairlead.cluster.remote.processes import END_S, REPORT_S, RemoteProcesses
from fairlead.errors import MeasurementError
from fairlead.progress import Progress
from fairlead.store import Label, Store

BENCHMARK, BENCHMARK_FWQ = "noise", "noise-fwq"
BENCHMARK_FTQ = "noise-ftq"  # of files of other programs alone
PROGRAM = "fairlead-noise"
TYPICAL_CPUS = 8  # of a host, for forecasts
SETTLING_S = 30.0  # beyond its seconds, in which a host must have answered


@dataclass(frozen=True)
class NoiseSettings:
    """What was asked for.

    Attributes:
        method: ``selfish`` or ``fwq`` (fixed work quantum).
        hosts: none: all compute hosts, but only the first where they share the processors of one machine.
        cpus: none: all that may be used.
        in_turn: one core after the other, instead of all at once.
        threshold: a detour takes more than so many least iterations.
        detours: number after which a core is done.
        seconds: time after which a core is done.
        quantum_s: a piece of work.
        sources: also what each detour came from (``selfish``).
    """

    method: str = "selfish"
    hosts: tuple[str, ...] = ()
    cpus: tuple[int, ...] = ()
    in_turn: bool = False
    threshold: float = 9.0
    detours: int = 100_000
    seconds: float = 10.0
    quantum_s: float = 0.001
    sources: bool = True

    def lasts_s(self) -> float:
        """About how long it takes, at most; in turn, on hosts of `TYPICAL_CPUS` processors where none are named."""
        return self.seconds * ((len(self.cpus) or TYPICAL_CPUS) if self.in_turn else 1)

    def arguments(self) -> list[str]:
        """Of the program."""
        words = ["--method", self.method, "--threshold", f"{self.threshold}", "--detours", f"{self.detours}"]
        words += ["--seconds", f"{self.seconds}", "--quantum", f"{self.quantum_s}"]
        words += ["--cpus", ",".join(map(str, self.cpus))] if self.cpus else []
        words += ["--sources"] if self.sources else []
        return [*words, "--in-turn"] if self.in_turn else words


SETTINGS = NoiseSettings


def measure(cluster: Cluster, store: Store, settings: NoiseSettings, progress: Progress) -> int:
    """Measure the cores of hosts; returns the run, where every core is as soon as it is done.

    Raises:
        ConfigError, MissingToolError, HostError: a host is unknown, the program is not there, or it cannot be brought.
        MeasurementError: a host ended early or did not answer; the others' cores are kept.
        Interrupted: Ctrl-C.
    """
    hosts = chosen(cluster, settings.hosts)
    name = BENCHMARK_FWQ if settings.method == "fwq" else BENCHMARK
    with records.recorded(store, cluster, name, {**asdict(settings), "hosts": hosts}) as run:
        done = _Count(progress, len(hosts))
        outputs: list[TimedOutput] = []
        with RemoteProcesses() as remote, ThreadPoolExecutor(len(hosts)) as pool:
            try:
                outputs.extend(TimedOutput(_start(cluster, host, settings, remote)) for host in hosts)
                keep = [
                    pool.submit(_keep, store, run, host, output, settings, done)
                    for host, output in zip(hosts, outputs, strict=True)
                ]
                for each in keep:
                    each.result()
            except BaseException:
                remote.let_go()  # or the pool would wait for them
                for output in outputs:
                    output.hurry(END_S + REPORT_S)
                raise
    return run


def chosen(cluster: Cluster, names: Sequence[str]) -> tuple[str, ...]:
    """The hosts to measure: those named, else of each machine the first compute host."""
    if names:
        return tuple(cluster.host(name).name for name in names)
    executor = executor_of(cluster)
    first: dict[str, str] = {}
    for host in cluster.compute_hosts():
        first.setdefault(executor.machine(host.name), host.name)
    return tuple(first.values())


class _Count:
    """Tells of hosts that are done; its threads may come together."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        self._lock = threading.Lock()
        progress("noise", 0, total)

    def __call__(self) -> None:
        with self._lock:
            self._done += 1
            self._progress("noise", self._done, self._total)


def _start(cluster: Cluster, host: str, settings: NoiseSettings, remote: RemoteProcesses) -> "subprocess.Popen[str]":
    executor = executor_of(cluster)
    path = deploy(executor, host, {PROGRAM: native.program(PROGRAM)})[PROGRAM]
    return remote.start(executor, host, [path, *settings.arguments()])


def _keep(store: Store, run: int, host: str, output: TimedOutput, settings: NoiseSettings, done: _Count) -> None:
    """Until the program has ended, or its time is over: it has `SETTLING_S` beyond what it was asked for."""
    output.limit(settings.seconds + SETTLING_S)
    cores = 0
    for line in output.lines():
        said = parsed(host, PROGRAM, line)
        if "cpus" in said:
            output.limit((settings.seconds + SETTLING_S) * (len(said["cpus"]) if settings.in_turn else 1))
            labels: dict[str, Label] = {"host": host, "clock": "steady_clock"}
            store.add_series(run, "clock_step_s", [said["steady_clock_step_s"]], "s", labels)
        elif "threads" in said:
            store.add_event(run, time.time(), "noise_threads", {"host": host, **said})
        elif "failed" in said:
            raise MeasurementError(f"{host}: processor {said['cpu']} {said['failed']}", hint="see --cpus")
        else:
            _store_core(store, run, host, said, settings)
            cores += 1
    code = output.exit_code()
    if code != 0 or not cores:
        why = output.said or output.last_words() or "no output"
        raise MeasurementError(f"{host}: {PROGRAM} ended with exit code {code}: {why}")
    done()


def parsed(host: str, program: str, line: str) -> Any:
    """What a program that ran on a host printed on a line.

    Raises:
        MeasurementError: that is no JSON.
    """
    try:
        return json.loads(line)
    except ValueError as error:
        raise MeasurementError(f"{host}: {program} printed invalid JSON: {line[:80]!r}") from error


class _Core(TypedDict, total=False):
    """What ``fairlead-noise`` says of a core, by the method that was asked for."""

    cpu: int
    ticks_per_s: float
    duration_ticks: list[int]
    least_ticks: int
    period_ticks: int
    iterations: int
    start_ticks: list[int]
    detour_set: list[int]
    source_names: list[str]
    source_sets: list[list[int]]
    looked_ticks: int
    steal_s: float | None
    run_queue_s: float | None


def _store_core(store: Store, run: int, host: str, said: _Core, settings: NoiseSettings) -> None:
    tick_s = 1.0 / said["ticks_per_s"]
    times_s = np.asarray(said["duration_ticks"], dtype=np.float64) * tick_s
    labels: dict[str, Label] = {"host": host, "cpu": int(said["cpu"])}
    if settings.method == "fwq":
        store.add_series(run, "work_s", times_s, "s", labels)
        return
    least_s = said["least_ticks"] * tick_s
    seen = {**labels, "period_s": said["period_ticks"] * tick_s, "iterations": int(said["iterations"])}
    store.add_series(run, "least_iteration_s", [least_s], "s", {**seen, "threshold": settings.threshold})
    if len(times_s):
        start_s = np.asarray(said["start_ticks"], dtype=np.float64) * tick_s
        store.add_series(run, "detours_s", np.stack([start_s, times_s - least_s]), "s", labels)
    if "detour_set" in said:
        _store_sources(store, run, labels, said, tick_s)


def _store_sources(store: Store, run: int, labels: dict[str, Label], said: _Core, tick_s: float) -> None:
    if said["detour_set"]:
        store.add_series(run, "detour_set", said["detour_set"], "index", labels)
    seen = {"names": said["source_names"], "sets": said["source_sets"], "looked_s": said["looked_ticks"] * tick_s}
    taken = {"steal_s": said["steal_s"], "run_queue_s": said["run_queue_s"]}
    store.add_event(run, time.time(), sources.EVENT, {**labels, **seen, **taken})
