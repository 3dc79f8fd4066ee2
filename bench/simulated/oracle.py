"""Share of what an oracle gains that management reaches, and the regret: programs on a simulated network.

The oracle knows when and where congestion comes (docs/guides/simulate.md). Nothing of this machine is in the figures:
the same seeds give the same.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

from bench.figures import AT_LEAST, Figure, median_figure
from bench.session import Session
from fairlead import native
from fairlead.errors import MeasurementError

SHARE_TARGET = 0.8
LEAST_GAIN = 0.1  # of the congested makespan: where the oracle gains less, a share says little
SEEDS, QUICK_SEEDS = 5, 1
BUDGET, QUICK_BUDGET = 60, 10
ONSET_S, END_S = 0.5, 60.0

# As examples/mesh8.toml.
MESH8 = {
    "kind": "mesh", "leafs": 4, "hosts_per_leaf": 2, "neighbours_per_leaf": 1,
    "host_link": {"rate_bps": 1e9, "queue_s": 0.010, "delay_s": 10e-6},
    "trunk": {"rate_bps": 200e6, "queue_s": 0.020, "delay_s": 30e-6},
}  # fmt: skip
# About three seconds each on a free network, of which messages take a quarter to two thirds.
PATTERNS = {
    "cg": {"message_B": 28_000, "iterations": 400, "compute_s": 0.005},
    "ring": {"message_B": 400_000, "iterations": 80, "compute_s": 0.020},
    "halo": {"message_B": 50_000, "iterations": 200, "compute_s": 0.010},
    "alltoall": {"message_B": 40_000, "iterations": 120, "compute_s": 0.010},
}
# How long two streams each way between two leafs are on, and then off.
CONGESTION = {"steady": (END_S, 0.0), "seconds": (1.0, 1.0), "bursts": (0.2, 0.2)}


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``oracle.share.PATTERN.CONGESTION``, and ``oracle.regret.…`` as a share of the oracle's makespan."""
    for pattern, congestion in product(PATTERNS, CONGESTION):
        yield from figures(f"{pattern}.{congestion}", compared(session, scenario, pattern, congestion))


def compared(
    session: Session, scenario: Callable[[str, str, int], dict[str, Any]], program: str, congestion: str
) -> list[dict[str, Any]]:
    """What ``fairlead-sim oracle`` says of a program beside a congestion, seed by seed."""
    session.say(f"{program}, {congestion}")
    budget, file = session.size(BUDGET, QUICK_BUDGET), session.directory / "scenario.json"
    found = []
    for seed in range(1, session.size(SEEDS, QUICK_SEEDS) + 1):
        found.append(compare(file, scenario(program, congestion, seed), budget))
        session.record(program=program, congestion=congestion, **found[-1])
    return found


def scenario(pattern: str, congestion: str, seed: int) -> dict[str, Any]:
    """A pattern on 8 hosts, and the congestion from half a second on."""
    on_s, off_s = CONGESTION[congestion]
    periods_s, at_s = [], ONSET_S
    while at_s < END_S:
        periods_s.append([at_s, at_s + on_s])
        at_s += on_s + off_s
    streams = {"kind": "streams", "streams": 2, "periods_s": periods_s}
    return {
        "seed": seed,
        "topology": MESH8,
        "programs": [{"pattern": {"name": pattern, "ranks": 8, "spread": 0.02, **PATTERNS[pattern]}}],
        "congestion": [{**streams, "from": "n0", "to": "n1"}, {**streams, "from": "n1", "to": "n0"}],
    }


def compare(file: Path, described: dict[str, Any], budget: int) -> dict[str, Any]:
    """What ``fairlead-sim oracle`` says of a scenario, which is written to ``file`` for it.

    Raises:
        MissingToolError: it was never built.
        MeasurementError: it fails.
    """
    file.write_text(json.dumps(described))
    command = [str(native.program("fairlead-sim")), "oracle", "--budget", str(budget), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MeasurementError(done.stderr.strip() or f"fairlead-sim ended with {done.returncode} and said nothing")
    return dict(json.loads(done.stdout))


def figures(name: str, found: list[dict[str, Any]]) -> Iterator[Figure]:
    """Medians over the seeds."""
    oracle_s = [each["oracle"]["makespan_s"] for each in found]
    gains = [1 - best_s / each["plain_s"] for best_s, each in zip(oracle_s, found, strict=True)]
    shares = [each["share_of_gain"] for each in found if each["share_of_gain"] is not None]
    target = SHARE_TARGET if min(gains) > LEAST_GAIN else None
    yield median_figure(f"oracle.share.{name}", shares, "1", target=target, sense=AT_LEAST)
    regrets = [each["managed_s"] / best_s - 1 for best_s, each in zip(oracle_s, found, strict=True)]
    yield median_figure(f"oracle.regret.{name}", regrets, "1")
