"""Benchmark runs in a store, made up."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.measuring.samples import padded
from fairlead.benchmarks.point_to_point.measure import FORWARD_SERIES, SERIES
from fairlead.store import Store

SIZES_B = (1, 1024, 65536)


def point_to_point_run(
    directory: Path,
    benchmark: str,
    samples_s: dict[MessageCell, list[float]],
    *,
    cluster: str = "c",
    blocks: int = 8,
    status: str = "ok",
    between: Sequence[tuple[str, str]] = (("h0", "h1"),),
    transport: str | None = None,
    there: float | None = None,
    clock_error_s: float = 0.0,
) -> int:
    """A run whose blocks all hold the same samples, but for a tenth of a per cent from block to block.

    Args:
        there: part of a round trip that the way there takes; None: the run has no one-way times.
        clock_error_s: of these.
    """
    plan = {
        "sizes_B": sorted({cell.size_B for cell in samples_s}),
        "pairs": sorted({cell.pairs for cell in samples_s}),
        "directions": sorted({"both" if cell.both else "one" for cell in samples_s}),
        "between": [list(pair) for pair in between],
        **({"transport": transport} if transport else {}),
    }
    with Store.open(directory) as store:
        run = store.begin_run(
            records.KIND, {"benchmark": benchmark, "cluster": cluster}, plan=plan, seed=1, facts={"here": {"cpus": "2"}}
        )
        store.add_event(run, 1.0, "library", {"library": "Open MPI v4", "clock_step_s": 1e-9})
        store.add_event(run, 1.0, "rank", {"rank": 0, "host": "h0", "cpu": 1, "allowed_cpus": [0, 1, 2, 5]})
        for number in range(blocks):
            for cell, values in samples_s.items():
                block = padded([list(np.array(values) * (1 + 0.001 * number))] * cell.pairs * len(between))
                labels = {**cell.labels(), "round": number}
                if there is not None:
                    clocked = {**labels, "clock_error_s": clock_error_s}
                    store.add_series(run, FORWARD_SERIES, there * block, "s", clocked, missing=True)
                store.add_series(run, SERIES[benchmark], block, "s", labels, missing=True)
        store.finish_run(run, status)  # type: ignore[arg-type]
    return run


def noise_run(directory: Path) -> int:
    """Two cores: one loses 2 ms every 100 ms, the other nothing."""
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": "noise", "cluster": "c"}, plan={"method": "selfish"})
        for cpu in (0, 1):
            labels = {"host": "h0", "cpu": cpu}
            seen = {**labels, "period_s": 10.0, "iterations": 10**9, "threshold": 9.0}
            store.add_series(run, "least_iteration_s", [1e-8], "s", seen)
        detours_s = np.stack([np.arange(100) * 0.1, np.full(100, 0.002)])
        store.add_series(run, "detours_s", detours_s, "s", {"host": "h0", "cpu": 0})
        store.finish_run(run)
        pieces = store.begin_run(records.KIND, {"benchmark": "noise-fwq", "cluster": "c"}, plan={"method": "fwq"})
        store.add_series(pieces, "work_s", [0.001] * 9 + [0.011], "s", {"host": "h0", "cpu": 0})
        store.finish_run(pieces)
    return run


def tcp_run(directory: Path, *, blocks: int = 3, times: float = 1.0) -> int:
    """Streams of 3 s that get a megabyte a second in their middle third, and ten times as much before and after.

    Args:
        times: so many times as much.
    """
    with Store.open(directory) as store:
        labels = {"benchmark": "tcp", "cluster": "c"}
        run = store.begin_run(records.KIND, labels, plan={"seconds": 3.0, "between": [["h0", "h1"]]})
        for number in range(blocks):
            for streams, both in ((1, 0), (2, 1)):
                rows = streams * (1 + both)
                of = {"streams": streams, "both": both, "round": number, "seconds": 3.0}
                store.add_series(run, "interval_end_s", np.tile(np.arange(1, 31) * 0.1, (rows, 1)), "s", of)
                received_B = times * np.where((np.arange(30) >= 10) & (np.arange(30) < 20), 1e5, 1e6)
                store.add_series(run, "received_B", np.tile(received_B, (rows, 1)), "B", of)
                again = np.tile(np.where(np.arange(30) % 3 == 0, 2.1, 0.0), (rows, 1))
                store.add_series(run, "retransmits_count", again, "count", of)
        store.finish_run(run)
    return run


def all_pairs_run(directory: Path, slow_pair: tuple[str, str], blocks: int = 4) -> int:
    """Five hosts of 10 us and 80 Mbit/s; one pair takes twice as long."""
    hosts = [f"h{k}" for k in range(5)]
    plan = {"hosts": hosts, "size_B": 8, "bulk_B": 1000}
    with Store.open(directory) as store:
        run = store.begin_run(records.KIND, {"benchmark": "all-pairs", "cluster": "c"}, plan=plan, seed=1)
        for number in range(blocks):
            for first in hosts:
                for second in hosts:
                    labels = {"first": first, "second": second, "round": number}
                    factor = 2.0 if (first, second) == slow_pair else 1.0
                    if first < second:
                        latency = {**labels, "size_B": 8, "window": 1}
                        store.add_series(run, "round_trip_s", [[20e-6 * factor] * 3], "s", latency)
                    if first != second:
                        train = {**labels, "size_B": 1000, "window": 10}
                        store.add_series(run, "window_s", [[1e-3 * factor] * 2], "s", train)
        store.finish_run(run)
    return run
