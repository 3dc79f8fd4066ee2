"""Chapter 4 of the DMCBM thesis in simulation: 16 ranks beside bursts, a random MPI program, and a fixed delay.

The cases are those of `examples/dmcbm.toml`, with the patterns and message sizes of its programs in place of these, so
that nothing of this machine is in the figures. The oracle knows when and where congestion comes.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from bench.figures import Figure, median_figure
from bench.session import Session
from bench.simulated.oracle import compared

WORST_TARGET = 1.02
ONSET_S, MOVES_S, END_S = 0.5, 4.0, 60.0
INTERVAL_S = 0.5  # for which the random program keeps its partners
MESSAGE_B = 262_144  # of that program, on links of full rate

# As examples/mesh16.toml.
MESH16 = {
    "kind": "mesh", "leafs": 4, "hosts_per_leaf": 4, "neighbours_per_leaf": 2,
    "host_link": {"rate_bps": 1e9, "queue_s": 0.010, "delay_s": 10e-6},
    "trunk": {"rate_bps": 200e6, "queue_s": 0.020, "delay_s": 30e-6},
}  # fmt: skip
# Messages of cg, class B, and of nbody with 4096 particles of 1 KiB, both on 16 ranks; about six seconds each.
PROGRAMS = {
    "cg": {"name": "cg", "message_B": 150_000, "iterations": 300, "compute_s": 0.010},
    "nbody": {"name": "ring", "message_B": 262_144, "iterations": 270, "compute_s": 0.010},
}
CONGESTION = ("bursts", "mpi", "delay")
# Factors for the rates of all links: where one is narrow, a program's own messages fill it.
SCALES = (1.0, 0.3, 0.1)


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``thesis.managed.…`` and ``thesis.oracle.…``: run times over the unmanaged one, with the same congestion;
    ``thesis.slowdown.…``: what that congestion costs. Names end with the scale, where it is not 1."""
    for scale, program, congestion in product(SCALES, PROGRAMS, CONGESTION):
        name = f"{program}.{congestion}" + ("" if scale == 1.0 else f".{scale:g}")
        yield from figures(name, compared(session, partial(scenario, scale=scale), program, congestion))


def figures(name: str, found: list[dict[str, Any]]) -> Iterator[Figure]:
    """Medians over the seeds."""
    yield median_figure(f"thesis.slowdown.{name}", [each["plain_s"] / each["clean_s"] for each in found], "1")
    managed = [each["managed_s"] / each["plain_s"] for each in found]
    yield median_figure(f"thesis.managed.{name}", managed, "1", target=WORST_TARGET)
    oracle = [each["oracle"]["makespan_s"] / each["plain_s"] for each in found]
    yield median_figure(f"thesis.oracle.{name}", oracle, "1")


def scenario(program: str, congestion: str, seed: int, scale: float = 1.0) -> dict[str, Any]:
    """A program on 16 hosts, four on each leaf, and what slows it down. On narrower links it makes fewer iterations."""
    by_kind: dict[str, Callable[[random.Random], list[dict[str, Any]]]] = {
        "bursts": _bursts,
        "mpi": partial(_mpi, round(MESSAGE_B * scale)),
        "delay": _delay,
    }
    pattern: dict[str, Any] = {"ranks": 16, "spread": 0.02, **PROGRAMS[program]}
    if scale < 1.0:
        pattern["iterations"] = round(2.0 * scale * pattern["iterations"])
    return {
        "seed": seed,
        "topology": _scaled(MESH16, scale),
        "programs": [{"pattern": pattern}],
        "congestion": by_kind[congestion](random.Random(f"{seed} {congestion}")),
    }


def _scaled(topology: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """With all rates times this; queues and delays in seconds stay."""
    return {
        key: {**value, "rate_bps": scale * value["rate_bps"]} if isinstance(value, dict) else value
        for key, value in topology.items()
    }


def _each_way(a: str, b: str, **what: Any) -> list[dict[str, Any]]:
    return [{**what, "from": a, "to": b}, {**what, "from": b, "to": a}]


def _bursts(chance: random.Random) -> list[dict[str, Any]]:
    """Two streams each way, two seconds on and half a second off; later between two other leafs."""
    periods_s: list[list[float]] = []
    at_s = ONSET_S + chance.random()
    while at_s < END_S:
        periods_s.append([at_s, at_s + 2.0])
        at_s += 2.5
    earlier = [each for each in periods_s if each[0] < MOVES_S]
    later = [each for each in periods_s if each[0] >= MOVES_S]
    streams: dict[str, Any] = {"kind": "streams", "streams": 2}
    return [
        *_each_way("n0", "n2", **streams, periods_s=earlier),
        *_each_way("n4", "n6", **streams, periods_s=later),
    ]


def _mpi(message_B: int, chance: random.Random) -> list[dict[str, Any]]:
    """A program of two ranks at first, later of three, of which two that are drawn exchange messages and one rests."""
    periods_s: dict[tuple[str, str], list[list[float]]] = {("n0", "n2"): [[ONSET_S, MOVES_S]]}
    at_s = MOVES_S
    while at_s < END_S:
        a, b = sorted(chance.sample(["n3", "n5", "n7"], 2))
        periods_s.setdefault((a, b), []).append([at_s, at_s + INTERVAL_S])
        at_s += INTERVAL_S
    return [
        {"kind": "messages", "from": a, "to": b, "message_B": message_B, "periods_s": when_s}
        for (a, b), when_s in periods_s.items()
    ]


def _delay(_: random.Random) -> list[dict[str, Any]]:
    """On the link between two leafs, from the start."""
    return _each_way("leaf0", "leaf1", kind="delay", added_s=5e-3, periods_s=[[0.0, END_S]])
