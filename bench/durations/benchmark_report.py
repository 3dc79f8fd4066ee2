"""The report of a million samples of `fairlead measure`: time of the command that makes it."""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.command import FAIRLEAD
from bench.figures import Figure, median_figure
from bench.session import Session
from fairlead.benchmarks.all_pairs import measure as all_pairs
from fairlead.benchmarks.collectives import measure as collectives
from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.network_noise import measure as network_noise
from fairlead.benchmarks.noise import measure as noise
from fairlead.benchmarks.point_to_point import measure as point_to_point
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT
from fairlead.errors import MeasurementError
from fairlead.store import Label, Store

TARGET_S = 10.0
TIMES, QUICK_TIMES = 7, 2
EACH = -(-(10**6) // 6)  # samples of each of six benchmarks, at least
BLOCKS = 10
HOSTS = tuple(f"h{k}" for k in range(8))
BETWEEN = [["h0", "h1"]]


def measure(session: Session) -> Iterator[Figure]:
    """Figure ``benchmark_report.time``, in seconds: the process from its start to its end, with its page."""
    with TemporaryDirectory(prefix="fairlead-bench-") as directory:
        samples = fill(Path(directory))
        times_s = []
        for number in range(session.size(TIMES, QUICK_TIMES)):
            begin_s = time.monotonic()
            done = subprocess.run(
                [*FAIRLEAD, "report", directory, "--benchmarks"], capture_output=True, text=True, check=False
            )
            times_s.append(time.monotonic() - begin_s)
            if done.returncode != 0:
                raise MeasurementError(f"the report could not be made: {done.stderr.strip()}")
            session.record(samples=samples, time_s=times_s[-1])
            session.say(f"{number + 1}: {times_s[-1]:.2f} s")
    yield median_figure("benchmark_report.time", times_s, "s", target=TARGET_S, note=f"{samples} samples")


def fill(directory: Path) -> int:
    """Runs of six benchmarks, made up, in equal parts; how many samples there are."""
    draw = np.random.default_rng(1)
    with Store.open(directory) as store:
        for fill_one in (_latency, _throughput, _collectives, _all_pairs, _network_noise, _noise):
            fill_one(store, draw)
        return sum(series.values.size for run in records.runs(store) for series in store.series(run.id))


def _begin(store: Store, benchmark: str, settings: Any, **more: object) -> int:
    labels: dict[str, Label] = {"benchmark": benchmark, "cluster": "made-up"}
    return store.begin_run(records.KIND, labels, plan={**asdict(settings), **more}, seed=1)


def _share(parts: int) -> int:
    """Samples of each of so many parts of a benchmark."""
    return -(-EACH // parts)


def _times_s(draw: np.random.Generator, usual_s: float, *shape: int) -> point_to_point.Floats:
    found: point_to_point.Floats = usual_s * draw.gamma(20.0, 0.05, shape)
    return found


def _point_to_point(store: Store, draw: np.random.Generator, benchmark: str, directions: tuple[str, ...]) -> None:
    settings = point_to_point.PointToPointSettings(pairs=(1, 4), directions=directions)
    run = _begin(store, benchmark, settings, between=BETWEEN)
    cells = settings.cells(benchmark)
    for number in range(BLOCKS):
        for cell in cells:
            count = _share(BLOCKS * len(cells) * cell.pairs)
            block = _times_s(draw, 1e-5 + 1e-9 * cell.size_B * cell.window, cell.pairs, count)
            store.add_series(run, point_to_point.SERIES[benchmark], block, "s", {**cell.labels(), "round": number})
    store.finish_run(run)


def _latency(store: Store, draw: np.random.Generator) -> None:
    _point_to_point(store, draw, LATENCY, ("one",))


def _throughput(store: Store, draw: np.random.Generator) -> None:
    _point_to_point(store, draw, THROUGHPUT, ("one", "both"))


def _collectives(store: Store, draw: np.random.Generator) -> None:
    settings = collectives.CollectivesSettings()
    run = _begin(store, collectives.BENCHMARK, settings, hosts=HOSTS)
    cells = settings.cells(len(HOSTS))
    count = _share(BLOCKS * len(cells) * len(HOSTS))
    for number in range(BLOCKS):
        for cell in cells:
            calls = _times_s(draw, 1e-5 + 1e-9 * cell.size_B, cell.ranks, count)
            store.add_series(run, collectives.SERIES, calls, "s", {**cell.labels(), "round": number})
    store.finish_run(run)


def _all_pairs(store: Store, draw: np.random.Generator) -> None:
    run = _begin(store, all_pairs.BENCHMARK, all_pairs.AllPairsSettings(), hosts=HOSTS)
    pairs = [(first, second) for first in HOSTS for second in HOSTS if first != second]
    count = _share(2 * BLOCKS * len(pairs))
    for number in range(BLOCKS):
        for first, second in pairs:
            of: dict[str, Label] = {"first": first, "second": second, "round": number}
            for benchmark, size_B, window in ((LATENCY, 8, 1), (THROUGHPUT, 2**18, 8)):
                block = _times_s(draw, 1e-5 + 1e-9 * size_B * window, 1, count)
                labels: dict[str, Label] = {**of, "size_B": size_B, "window": window}
                store.add_series(run, point_to_point.SERIES[benchmark], block, "s", labels)
    store.finish_run(run)


def _network_noise(store: Store, draw: np.random.Generator) -> None:
    settings = network_noise.NetworkNoiseSettings(seconds=300)
    run = _begin(store, network_noise.BENCHMARK, settings, between=BETWEEN)
    parts = int(settings.seconds)
    for part in range(parts):
        of = {"start_s": float(part), "size_B": 1}
        store.add_series(run, "round_trip_s", _times_s(draw, 1e-5, 1, _share(parts)), "s", of)
        store.add_series(run, "window_s", _times_s(draw, 1e-2, 1, 4), "s", {**of, "size_B": 2**20, "window": 8})
    store.finish_run(run)


def _noise(store: Store, draw: np.random.Generator) -> None:
    run = _begin(store, noise.BENCHMARK, noise.NoiseSettings(), hosts=HOSTS[:1])
    cores = 4
    for cpu in range(cores):
        of: dict[str, Label] = {"host": HOSTS[0], "cpu": cpu}
        seen: dict[str, Label] = {**of, "period_s": 10.0, "iterations": 10**9, "threshold": 9.0}
        store.add_series(run, "least_iteration_s", [1e-8], "s", seen)
        starts_s = np.sort(draw.uniform(0.0, 10.0, _share(2 * cores)))
        store.add_series(run, "detours_s", np.stack([starts_s, _times_s(draw, 1e-6, len(starts_s))]), "s", of)
    store.finish_run(run)
