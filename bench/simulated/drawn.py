"""Managed over unmanaged run time of programs on simulated networks, in cases drawn at random.

Topology, pattern, message size, congestion and its periods are drawn; nothing of this machine is in the figures, and
the same seed gives the same. The congestion does not react to what management does, but its TCP streams share links
as TCP does.
"""

import json
import math
import random
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, median_figure
from bench.session import Session
from fairlead import native
from fairlead.errors import MeasurementError

CASES, QUICK_CASES = 400, 10
WORST_TARGET = 1.02
CLEAN_S = 2.5  # about, of each program
ONSET_S, END_S = 0.5, 60.0
LIMIT_S = 200.0
# Messages that a rank waits for one after another in an iteration, about: what makes it as long as it is.
IN_TURN = {"cg": 2.5, "ring": 1.0, "halo": 2.0, "alltoall": 7.0}
KINDS = ("streams", "paced", "delay")
# Agents that look for congestion as ever, and find hardly any detour good enough.
STAYING = {"choice.margin": 0.99, "choice.flagged_margin": 0.99, "choice.min_gain_s": 10.0}


@dataclass(frozen=True)
class Case:
    """One drawn case: a scenario of ``fairlead-sim``, and what to group it by."""

    scenario: dict[str, Any]
    pattern: str
    kind: str  # of the congestion
    changes: str  # "steady", or "slow" and "fast" for congestion that comes and goes

    @property
    def group(self) -> str:
        return f"{self.kind}.{self.changes}"


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``drawn.worst``, ``drawn.lost`` (cases above 1.02), ``drawn.chance`` (the same under agents that reroute
    hardly ever: what probes, and above all the order of events, make of it), ``drawn.gain`` (1 - the geometric mean),
    ``drawn.quiet`` (cases that reroute without congestion), and the median of each kind of congestion."""
    ratios: dict[str, list[float]] = {}
    unrest, by_chance = 0, 0
    for number in range(session.size(CASES, QUICK_CASES)):
        case = draw(session.seed, number)
        run_s = run(session.directory / "scenario.json", case.scenario)
        ratios.setdefault(case.group, []).append(run_s["managed_s"] / run_s["plain_s"])
        quiet = managed(session.directory / "scenario.json", {**case.scenario, "congestion": []})
        unrest += quiet["reroutes"] > 0
        staying = managed(session.directory / "scenario.json", case.scenario, STAYING)
        by_chance += staying["makespan_s"] / run_s["plain_s"] > WORST_TARGET
        session.record(number=number, pattern=case.pattern, group=case.group, quiet=quiet, staying=staying, **run_s)
        if number % 20 == 0:
            session.say(f"case {number}")
    every = [ratio for group in ratios.values() for ratio in group]
    yield Figure("drawn.worst", max(every), "1", len(every), target=WORST_TARGET)
    yield Figure("drawn.lost", sum(ratio > WORST_TARGET for ratio in every) / len(every), "1", len(every))
    yield Figure("drawn.chance", by_chance / len(every), "1", len(every))
    yield Figure("drawn.gain", 1 - math.exp(sum(map(math.log, every)) / len(every)), "1", len(every))
    yield Figure("drawn.quiet", unrest / len(every), "1", len(every), target=0.0)
    for group, found in sorted(ratios.items()):
        yield median_figure(f"drawn.ratio.{group}", found, "1")


def draw(seed: int, number: int) -> Case:
    """The case of this number."""
    chance = random.Random(f"{seed} drawn {number}")
    hosts_per_leaf = chance.choice((2, 2, 4))
    trunk_bps = _log_uniform(chance, 20e6, 500e6)
    topology = {
        "kind": "mesh", "leafs": 4, "hosts_per_leaf": hosts_per_leaf, "neighbours_per_leaf": 1,
        "host_link": {"rate_bps": trunk_bps * chance.choice((1, 2.5, 5)), "queue_s": 0.010, "delay_s": 20e-6},
        "neighbour_link": {"rate_bps": 5 * trunk_bps, "queue_s": 0.010, "delay_s": 20e-6},
        "trunk": {"rate_bps": trunk_bps, "queue_s": _log_uniform(chance, 0.005, 0.050), "delay_s": 30e-6},
    }  # fmt: skip
    pattern = chance.choice(sorted(IN_TURN))
    kind = chance.choice(KINDS)
    changes, periods_s = _periods(chance)
    scenario = {
        "seed": number + 1,
        "limit_s": LIMIT_S,
        "topology": topology,
        "programs": [{"pattern": _pattern(chance, pattern, 4 * hosts_per_leaf, trunk_bps)}],
        "congestion": _congestion(chance, kind, trunk_bps, periods_s),
    }
    return Case(scenario, pattern, kind, changes)


def _log_uniform(chance: random.Random, low: float, high: float) -> float:
    return math.exp(chance.uniform(math.log(low), math.log(high)))


def _pattern(chance: random.Random, name: str, ranks: int, trunk_bps: float) -> dict[str, Any]:
    """Messages that take 0.1 to 30 ms on a trunk, and computing of a third to five times as long."""
    message_s = _log_uniform(chance, 0.1e-3, 30e-3)
    compute_s = max(0.2e-3, message_s * _log_uniform(chance, 0.3, 5.0))
    in_turn = IN_TURN[name] * (ranks / 8 if name == "alltoall" else 1)
    return {
        "name": name,
        "ranks": ranks,
        "message_B": max(8, round(message_s * trunk_bps / 8)),
        "iterations": max(10, round(CLEAN_S / (compute_s + in_turn * message_s + 1e-3))),
        "compute_s": compute_s,
        "spread": 0.05,
    }


def _periods(chance: random.Random) -> tuple[str, list[list[float]]]:
    """Constant, or on and off for 50 ms to 10 s in the mean."""
    if chance.random() < 0.3:
        return "steady", [[ONSET_S, LIMIT_S]]
    on_s, off_s = _log_uniform(chance, 0.05, 10.0), _log_uniform(chance, 0.05, 10.0)
    periods_s, at_s = [], ONSET_S
    while at_s < END_S:
        end_s = at_s + on_s * chance.uniform(0.5, 1.5)
        periods_s.append([at_s, end_s])
        at_s = end_s + off_s * chance.uniform(0.5, 1.5)
    return ("fast" if on_s < 1.0 else "slow"), periods_s


def _congestion(
    chance: random.Random, kind: str, trunk_bps: float, periods_s: list[list[float]]
) -> list[dict[str, Any]]:
    """Between two leafs, each way."""
    a, b = chance.sample(range(4), 2)
    what: dict[str, Any] = {"kind": kind, "periods_s": periods_s}
    node = "n"
    if kind == "delay":
        what["added_s"] = _log_uniform(chance, 0.5e-3, 10e-3)
        node = "leaf"
    else:
        what["streams"] = chance.choice((1, 2, 4))
    if kind == "paced":
        what["rate_bps"] = trunk_bps * chance.uniform(0.3, 0.95) / what["streams"]
        what["block_B"] = 65536
    return [{**what, "from": f"{node}{a}", "to": f"{node}{b}"}, {**what, "from": f"{node}{b}", "to": f"{node}{a}"}]


def run(file: Path, scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Run times without and with management, and the numbers of reroutes and returns."""
    plain_s = _outcome(file, scenario, "--unmanaged")["programs"][0]["makespan_s"]
    return {"plain_s": plain_s, "managed_s": (found := managed(file, scenario))["makespan_s"]} | {
        name: found[name] for name in ("reroutes", "returns")
    }


def managed(file: Path, scenario: Mapping[str, Any], settings: Mapping[str, float] | None = None) -> dict[str, Any]:
    """The program's run time under agents with these settings, and the numbers of reroutes and returns."""
    outcome = _outcome(file, {**scenario, "agents": {"settings": dict(settings or {})}})
    relays = [change["relay"] or change.get("way") for change in outcome["route_changes"]]
    makespan_s = outcome["programs"][0]["makespan_s"]
    return {"makespan_s": makespan_s, "reroutes": sum(map(bool, relays)), "returns": relays.count(None)}


def _outcome(file: Path, scenario: Mapping[str, Any], *options: str) -> dict[str, Any]:
    """What ``fairlead-sim run`` says of a scenario, which is written to ``file`` for it.

    Raises:
        MissingToolError: it was never built.
        MeasurementError: it fails.
    """
    file.write_text(json.dumps(scenario), encoding="utf-8")
    command = [str(native.program("fairlead-sim")), "run", *options, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MeasurementError(done.stderr.strip())
    return dict(json.loads(done.stdout))
