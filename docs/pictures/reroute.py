"""Draw the README's picture, docs/pictures/reroute.svg, from the stored results of `make demo`.

.venv/bin/python docs/pictures/reroute.py results/demo
"""

import argparse
from pathlib import Path
from typing import Any

from fairlead.analysis import comparison
from fairlead.analysis.runs.managed import HostPair, Latency, ManagedRun
from fairlead.errors import StoreError
from fairlead.report import palette
from fairlead.report.figures import axes_of, legend_below, log_times, styled
from fairlead.statistics.estimates import median
from fairlead.store import Store

OUTPUT = Path(__file__).with_suffix(".svg")
PROGRAM = "cg"
LEAST_AWAY_S = 2.0  # the pair that is drawn stays on its detour for so long


def main() -> None:
    """Draw the congested, managed run of median length."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("results", type=Path, help="results directory of `make demo`")
    arguments.add_argument("--output", type=Path, default=OUTPUT)
    given = arguments.parse_args()
    with Store.read(given.results) as store:
        run = _run(store)
    pair = _pair(run)
    with styled():
        figure, (axis,) = axes_of(1, 3.0)
        _draw(axis, run, pair)
        legend_below(figure, axis.get_legend_handles_labels()[0])
        figure.savefig(given.output, metadata={"Date": None})
    print(f"{given.output}: run {run.run.id}, {pair[0]} to {pair[1]}")


def _run(store: Store) -> ManagedRun:
    found = comparison.load(store, comparison.latest(store).id)
    (runs,) = (program.final.runs for program in found.programs if program.name == PROGRAM)
    return sorted(runs, key=lambda run: run.time_s)[len(runs) // 2]


def _pair(run: ManagedRun) -> HostPair:
    """The rerouted pair of which most samples were taken before, while and after it was rerouted.

    Raises:
        StoreError: no pair was rerouted for long enough.
    """

    def samples(pair: HostPair) -> int:
        return sum(each.pair == pair for each in run.latencies)

    away = [pair for pair in run.pairs() if any(end - begin >= LEAST_AWAY_S for begin, end, _ in run.detours(pair))]
    if not away:
        raise StoreError(f"run {run.run.id}: no pair was away from its direct path for {LEAST_AWAY_S} s")
    return max(away, key=samples)


def _draw(axis: Any, run: ManagedRun, pair: HostPair) -> None:
    (begin_s, end_s, relay), *_ = run.detours(pair)
    own = [each for each in run.latencies if each.pair == pair]
    direct = [each for each in own if each.relay is None]
    detour = [each for each in own if each.relay == relay and begin_s <= each.t_s <= end_s]
    for each in run.congestion or ():
        if not each.begin_s <= begin_s <= each.end_s:
            continue  # elsewhere
        axis.axvspan(each.begin_s, each.end_s, color=palette.SHADE.light, lw=0, zorder=0)
    axis.axvline(begin_s, color=palette.MANAGED.light, lw=1.2, ls=(0, (3, 2)))
    _points(axis, direct, palette.PLAIN, "o", "direct path")
    _points(axis, detour, palette.MANAGED, "D", f"reroute over {relay}, used by the program")
    axis.set_yscale("log")
    log_times(axis.yaxis, (1.0, 3.0))
    axis.grid(axis="y")
    axis.set_xlim(0, run.time_s)
    axis.set_xlabel("seconds since the program's start (shaded: others load this path)")
    axis.set_ylabel(f"latency, {pair[0]} to {pair[1]}")
    slow_s, fast_s = (
        median([each.latency_s for each in some]) for some in (_while_away(direct, begin_s, end_s), detour)
    )
    axis.set_title(f"The reroute takes messages from {1e3 * slow_s:.3g} ms to {1e3 * fast_s:.2g} ms")


def _while_away(direct: list[Latency], begin_s: float, end_s: float) -> list[Latency]:
    return [each for each in direct if begin_s <= each.t_s <= end_s]


def _points(axis: Any, samples: list[Latency], colour: palette.Colour, marker: str, label: str) -> None:
    times = [each.t_s for each in samples], [each.latency_s for each in samples]
    axis.plot(*times, color=colour.light, marker=marker, ms=4, lw=0, label=label)


if __name__ == "__main__":
    main()
