"""The time line of one managed run: where each pair's traffic went, why, and what its paths' latencies were."""

from collections.abc import Sequence
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from fairlead.analysis.runs.managed import HostPair, ManagedRun
from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.protocol import reasons
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, log_times, styled

MOST_PAIRS = 20
SHOWN = {"rerouted": "rerouted", "restored": "restored", "kept": "not rerouted"}
MOST_TRACES = 3
_LEVEL_HEIGHT = {"low": 0.10, "medium": 0.20, "high": 0.30}  # the level is told by height, too, not by colour alone


def draw(program: str | None, run: ManagedRun) -> Drawing:
    """Decisions and congestion levels over time, and the latencies of some rerouted pairs below, on the same axis.

    Args:
        program: names the figure where a report has several.
    """
    pairs = run.pairs()[:MOST_PAIRS]
    seen = {each.pair for each in run.latencies}
    compared = {each.pair for each in run.latencies if each.relay is not None} or seen  # before and after, if possible
    traced = _spread([pair for pair in pairs if pair in compared], MOST_TRACES)
    heights = [max(len(pairs), 1) * 0.5 + 0.2, *[1.25] * len(traced)]
    with styled():
        figure, axes = axes_of(len(heights), sum(heights) + 1.15, sharex=True, gridspec_kw={"height_ratios": heights})
        for axis in axes:
            for each in run.congestion or ():
                axis.axvspan(each.begin_s, each.end_s, color=palette.SHADE.light, lw=0, zorder=0)
                axis.axvline(each.begin_s, color=palette.MUTED.light, lw=0.8, zorder=1)
            axis.grid(axis="x")
        _moves_panel(axes[0], run, pairs)
        for axis, pair in zip(axes[1:], traced, strict=True):
            _latency_panel(axis, run, pair)
        axes[-1].set_xlabel("seconds since the program's start")
        axes[-1].set_xlim(0, run.time_s)
        legend_below(figure, _handles(bool(traced), bool(run.congestion)))
    hidden = len(run.pairs()) - len(pairs)
    return Drawing(
        f"timeline-{program}" if program else "timeline",
        f"{program}: time line of reroutes" if program else "Time line of reroutes",
        _about(run) + (f" {words.count(hidden, 'further pair')} not drawn." if hidden else ""),
        figure,
        decisions_table([run]),
    )


def _spread(pairs: list[HostPair], most: int) -> list[HostPair]:
    """At most ``most`` of the pairs, from the first to the last at even distances, so that all times are among them."""
    if len(pairs) <= most:
        return pairs
    return [pairs[round(k * (len(pairs) - 1) / (most - 1))] for k in range(most)]


def _moves_panel(axis: Any, run: ManagedRun, pairs: Sequence[HostPair]) -> None:
    for row, pair in enumerate(pairs):
        for begin_s, end_s, level in run.level_spans(pair):
            height = _LEVEL_HEIGHT[level]
            axis.barh(
                row + 0.36 - height / 2, end_s - begin_s, height, begin_s, color=palette.LEVELS[level].light, lw=0
            )
        for begin_s, end_s, relay in run.detours(pair):
            axis.barh(row - 0.2, end_s - begin_s, 0.34, begin_s, color=palette.MANAGED.light, lw=0)
            over = words.carrier(relay, pair[1])
            _relay_label(axis, row - 0.2, begin_s, min(end_s, run.time_s), over, run.time_s)
        stays = [decision.t_s for decision in run.decisions_on(pair) if decision.kind == "kept"]
        axis.plot(stays, [row - 0.2] * len(stays), color=palette.INK.light, marker="x", ms=6, mew=1.6, lw=0)
    for each in run.congestion or ():
        above = {"xycoords": ("data", "axes fraction"), "xytext": (0, 4), "textcoords": "offset points"}
        axis.annotate(
            f"bottleneck {each.bottleneck}", (each.begin_s, 1), fontsize=9, color=palette.MUTED.light, **above
        )
    axis.set_yticks(range(len(pairs)), [words.arrow(pair) for pair in pairs])
    axis.set_ylim(max(len(pairs), 1) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    if not pairs:
        axis.text(0.5, 0.5, "nothing was rerouted", transform=axis.transAxes, ha="center", color=palette.MUTED.light)
        axis.set_yticks([])


def _relay_label(axis: Any, height: float, begin_s: float, end_s: float, carrier: str, time_s: float) -> None:
    """Within the bar if it is long enough, else right of it, or left of it at the end of the run."""
    gap_s, wide, late = 0.006 * time_s, end_s - begin_s > 0.08 * time_s, end_s > 0.9 * time_s
    axis.text(
        begin_s + gap_s if wide else begin_s - gap_s if late else end_s + gap_s,
        height,
        f"over {carrier}",
        va="center",
        ha="right" if late and not wide else "left",
        fontsize=9,
        color=palette.SURFACE.light if wide else palette.MANAGED.light,
    )


def _latency_panel(axis: Any, run: ManagedRun, pair: HostPair) -> None:
    own = run.latencies_of(pair)
    direct = [(each.t_s, each.latency_s) for each in own if each.relay is None]
    spans = run.detours(pair)
    detour = [
        (e.t_s, e.latency_s) for e in own if any(b <= e.t_s <= end and relay == e.relay for b, end, relay in spans)
    ]
    for samples, colour, marker, size in ((direct, palette.PLAIN, "o", 2.6), (detour, palette.MANAGED, "D", 3.2)):
        if samples:
            axis.plot(*zip(*samples, strict=True), color=colour.light, marker=marker, ms=size, lw=0, alpha=0.85)
    for begin_s, end_s, _ in spans:
        for t_s in (begin_s, end_s):
            axis.axvline(t_s, color=palette.MANAGED.light, lw=1, ls=(0, (3, 2)))
    axis.set_yscale("log")
    low_s, high_s = axis.get_ylim()
    if high_s < 10 * low_s:  # a decade at least, so that scatter looks like scatter and two ticks have labels
        middle_s = (low_s * high_s) ** 0.5
        axis.set_ylim(middle_s / 10**0.5, middle_s * 10**0.5)
    log_times(axis.yaxis, (1.0, 3.0))
    axis.grid(axis="y")
    axis.set_title(f"Latency {words.arrow(pair)}", fontsize=10, pad=4)


def decisions_table(runs: Sequence[ManagedRun]) -> Table:
    """Every decision of the runs."""
    replicated = any("replication" in run.run.labels for run in runs)
    columns = [("time", "t_s"), ("pair", "pair"), ("decision", "what"), ("over", "relay"), ("why", "reason")]
    return table(
        [*([("replication", "replication")] if replicated else []), *columns],
        [
            [
                *([cell(int(run.run.labels["replication"]))] if replicated else []),
                cell(decision.t_s, f"{decision.t_s:.2f}{words.NBSP}s"),
                cell(words.arrow(decision.pair)),
                cell(decision.kind, SHOWN[decision.kind]),
                cell(decision.relay and words.carrier(decision.relay, decision.pair[1])),
                cell(decision.reason, reasons.describe(decision.reason)),
            ]
            for run in runs
            for decision in run.decisions
        ],
    )


def _about(run: ManagedRun) -> str:
    said = f"The whole run ({words.duration(run.time_s)})."
    if "replication" in run.run.labels:
        said = (
            f"Replication {run.run.labels['replication']}, the managed congested run nearest to the median "
            f"({words.duration(run.time_s)})."
        )
    said += (
        " Top: congestion of each pair's direct path, and the relay of its traffic. Times are seconds since the "
        "program's start, as on the terminal."
    )
    return f"{said} Shaded: the plan's cross-traffic loaded the network." if run.congestion else said


def _handles(traces: bool, shaded: bool) -> list[Any]:
    handles: list[Any] = [
        *([Patch(color=palette.SHADE.light, label="cross-traffic")] if shaded else []),
        Patch(color=palette.MANAGED.light, label="traffic on a detour"),
        *(Patch(color=colour.light, label=f"{level} congestion") for level, colour in palette.LEVELS.items()),
        Line2D([], [], color=palette.INK.light, marker="x", lw=0, mew=1.6, label="not rerouted"),
    ]
    if traces:
        handles += [
            Line2D([], [], color=palette.PLAIN.light, marker="o", ms=4, lw=0, label="direct path"),
            Line2D([], [], color=palette.MANAGED.light, marker="D", ms=4, lw=0, label="detour"),
        ]
    return handles
