"""Figures of a profile: who computes and who is in MPI, what ranks wait for, and sizes of messages."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.profile import tables
from fairlead.profile.analysis.kinds import (
    COLLECTIVE,
    COMPLETION,
    FILES,
    KINDS,
    ONE_SIDED,
    OTHER,
    POINT_TO_POINT,
    kind_of,
)
from fairlead.profile.json_form import Rank, SizeClass, Summary, Waiting
from fairlead.profile.profile import BEGIN_AND_END
from fairlead.profile.tables import size_words
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, styled

MOST_LABELS = 16
"""Ranks up to which each bar carries its share; beyond, the table has it."""
MOST_BARS = 128
"""Ranks up to which bars stand apart; beyond, they would be thinner than the gaps."""
MOST_STEPS = 1024
"""Steps of bars that do not stand apart; of more ranks, each is the mean of neighbours."""
_LEAST_PLACES = 8  # of bars: a single rank is not as wide as the page
_COLOURS = {
    POINT_TO_POINT: palette.MANAGED,
    COMPLETION: palette.MEDIUM,
    COLLECTIVE: palette.PLAIN,
    ONE_SIDED: palette.GOOD,
    FILES: palette.HIGH,
    OTHER: palette.MUTED,
}


def times(found: Summary) -> Drawing:
    """Computing and MPI by kind of function, rank by rank."""
    kinds_s = [kind_s(rank) for rank in found.per_rank]
    by_kind = {kind: np.array([times_s[kind] for times_s in kinds_s]) for kind in KINDS}
    used = [kind for kind in KINDS if by_kind[kind].any()]
    computing_s = np.array([rank.computing_s for rank in found.per_rank])
    numbers = np.array([rank.rank for rank in found.per_rank])
    with styled():
        figure, (axis,) = axes_of(1, 3.6)
        below = computing_s.copy()
        _bars(axis, numbers, computing_s, np.zeros_like(below), palette.LOW.light)
        for kind in used:
            _bars(axis, numbers, by_kind[kind], below, _COLOURS[kind].light)
            below = below + by_kind[kind]
        _label_times(axis, found, below)
        handles: list[Any] = [Patch(color=palette.LOW.light, label="computing")]
        handles += [Patch(color=_COLOURS[kind].light, label=kind) for kind in used]
        if len(numbers) > 1:
            line: Any = {"color": palette.INK.light, "linewidth": 1.0, "linestyle": (0, (4, 3))}
            axis.axhline(float(computing_s.mean()), **line)
            handles.append(Line2D([], [], label="mean computing", **line))
        legend_below(figure, handles, columns=5 if len(handles) <= 5 else 3)
    said = ["The number on a bar is the share in MPI."] if found.ranks <= MOST_LABELS else []
    if len(numbers) > 1:
        said.append(
            "Above the dashed line of the mean is load imbalance; waiting for ranks that compute longer counts as MPI."
        )
    said += _about_steps(numbers)
    return Drawing(
        "times",
        "Computing and MPI, rank by rank",
        "From the bottom: computing, then MPI by kind of function, of each rank's time between MPI_Init and "
        f"MPI_Finalize. {' '.join(said)}",
        figure,
        _times_table(found, kinds_s, used),
    )


def waiting(found: Summary, waited: Waiting) -> Drawing:
    """What ranks waited for in messages and collective calls, rank by rank."""
    parts = [
        ("late sender", palette.PLAIN, waited.late_sender_s),
        ("late receiver", palette.MEDIUM, waited.late_receiver_s),
        ("transfer", palette.MANAGED, waited.transfer_s),
        ("late others", palette.HIGH, waited.late_others_s or []),
        ("collective", palette.GOOD, waited.collective_s or []),
        ("not known", palette.LOW, waited.unknown_s),
    ]
    numbers = np.array([rank.rank for rank in found.per_rank])
    with styled():
        figure, (axis,) = axes_of(1, 3.2)
        below = np.zeros(len(numbers))
        used = [part for part in parts if any(part[2])]
        for _, colour, times_s in used:
            _bars(axis, numbers, np.array(times_s), below, colour.light)
            below = below + np.array(times_s)
        _label_ranks(axis, found)
        legend_below(figure, [Patch(color=colour.light, label=name) for name, colour, _ in used], columns=6)
    said = ["Of a call that completes several, the last one counts.", *_about_steps(numbers)]
    return Drawing(
        "waiting",
        "Waiting for messages and others",
        "Late sender: until it began to send; late receiver: until it began to receive a message that needs it; "
        "transfer: the rest. In collective calls: late others, until those had entered whose data are "
        f"needed; collective: the rest. {' '.join(said)}",
        figure,
        tables.waiting(found),
    )


def sizes(found: Summary) -> Drawing:
    """How many messages and collective calls there are of each size."""
    rows = [
        ("point-to-point messages", palette.MANAGED, [each.messages for each in found.sizes]),
        ("collective calls", palette.PLAIN, [each.collective_calls for each in found.sizes]),
    ]
    rows = [row for row in rows if any(row[2])]
    classes = _classes(found.sizes)
    with styled():
        figure, axes = axes_of(len(rows), 0.9 + 1.9 * len(rows), sharex=True)
        for axis, (title, colour, counts) in zip(axes, rows, strict=True):
            axis.set_title(title)
            _size_bars(axis, [classes.index(each.from_B) for each in found.sizes], counts, colour.light)
        axes[-1].set_xticks(range(len(classes)), [words.size(from_B) for from_B in classes])
        axes[-1].tick_params(axis="x", length=0, rotation=90 if len(classes) > 12 else 0)
        axes[-1].set_xlim(-0.6, max(len(classes), _LEAST_PLACES) - 0.4)
        axes[-1].set_xlabel("size: from this to twice as much")
    return Drawing(
        "sizes",
        "Sizes",
        "Each message sent counts once, each collective call once per rank, by what it gives to one rank.",
        figure,
        table(
            [("size", "size"), ("from", "from_B"), ("to", "to_B"), ("messages", "messages"),
             ("collective calls", "collective_calls")],
            [
                [cell(size_words(each)), *(cell(n) for n in (each.from_B, each.to_B, each.messages)),
                 cell(each.collective_calls)]
                for each in found.sizes
            ],
        ),
    )  # fmt: skip


def kind_s(rank: Rank) -> dict[str, float]:
    """Time of one rank in MPI by kind of function; of several threads the mean, as its time in MPI.

    Polling is waiting, too.
    """
    sums = dict.fromkeys(KINDS, 0.0) | {COMPLETION: rank.polled_s}
    for name, usage in rank.functions.items():
        if name not in BEGIN_AND_END:
            sums[kind_of(name)] += usage.time_s / max(rank.threads, 1)
    return sums


def _bars(axis: Any, numbers: Any, heights: Any, below: Any, colour: str) -> None:
    if len(numbers) <= MOST_BARS:
        axis.bar(numbers, heights, 0.8, bottom=below, color=colour, linewidth=0)
        return
    first, size = _steps(numbers)
    step = numbers // size
    of_step = np.maximum(np.bincount(step, minlength=len(first)), 1)  # without a record: no bar
    top, base = (np.bincount(step, each, len(first)) / of_step for each in (below + heights, below))
    edges = np.append(first, numbers[-1] + 1) - 0.5
    axis.stairs(top, edges, baseline=base, fill=True, color=colour, linewidth=0)


def _steps(numbers: Any) -> tuple[Any, int]:
    """The first rank of each step of bars that do not stand apart, and how many ranks are one."""
    ranks = int(numbers[-1]) + 1
    size = -(-ranks // MOST_STEPS)
    return np.arange(0, ranks, size), size


def _about_steps(numbers: Any) -> list[str]:
    size = _steps(numbers)[1]
    return [f"Each step is the mean of {size} ranks."] if len(numbers) > MOST_BARS and size > 1 else []


def _label_times(axis: Any, found: Summary, tops: Any) -> None:
    _label_ranks(axis, found)
    if found.ranks <= MOST_LABELS:
        for rank, top in zip(found.per_rank, tops, strict=True):
            axis.annotate(
                words.percent(rank.mpi_share, decimals=0), (rank.rank, top), xytext=(0, 3),
                textcoords="offset points", ha="center", fontsize=9,
            )  # fmt: skip


def _label_ranks(axis: Any, found: Summary) -> None:
    """Axes of bars of time, one a rank."""
    axis.set_ylabel("time")
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: words.duration(value, 2)))
    axis.grid(axis="y")
    axis.set_xlim(-0.6, max(found.ranks, _LEAST_PLACES) - 0.4)
    axis.tick_params(axis="x", length=0)
    several = len(found.hosts) > 1
    if found.ranks <= MOST_LABELS:
        axis.set_xticks(
            range(found.ranks),
            [f"{rank}\n{host}" if several else str(rank) for rank, host in enumerate(found.host_of_rank)],
        )
    else:
        axis.xaxis.set_major_locator(MaxNLocator(17, integer=True))
    axis.set_xlabel("rank, host" if found.ranks <= MOST_LABELS and several else "rank")


def _times_table(found: Summary, kinds_s: Sequence[dict[str, float]], kinds: Sequence[str]) -> Table:
    return table(
        [("rank", "rank"), ("host", "host"), ("time", "time_s"), ("computing", "computing_s"), ("MPI", "mpi_s"),
         ("in MPI", "mpi_share"), *((kind, f"{kind.replace(' ', '_').replace('-', '_')}_s") for kind in kinds)],
        [
            [
                cell(rank.rank),
                cell(rank.host),
                *map(duration_cell, (rank.time_s, rank.computing_s, rank.mpi_s)),
                cell(rank.mpi_share, words.percent(rank.mpi_share)),
                *(duration_cell(times_s[kind]) for kind in kinds),
            ]
            for rank, times_s in zip(found.per_rank, kinds_s, strict=True)
        ],
    )  # fmt: skip


def _classes(found: Sequence[SizeClass]) -> list[int]:
    """First sizes of all classes from the smallest to the largest that occur, with those in between."""
    first, last = (each.from_B for each in (found[0], found[-1]))
    classes = [first]
    while classes[-1] < last:
        classes.append(max(1, 2 * classes[-1]))
    return classes


def _size_bars(axis: Any, places: Sequence[int], counts: Sequence[int], colour: str) -> None:
    axis.bar(places, counts, 0.8, color=colour, linewidth=0)
    axis.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _short(value)))
    axis.grid(axis="y")
    for place, number in zip(places, counts, strict=True):
        if number:
            axis.annotate(_short(number), (place, number), xytext=(0, 2), textcoords="offset points", ha="center",
                          fontsize=8.5)  # fmt: skip
    axis.margins(y=0.15)


def _short(number: float) -> str:
    """For example "640", "12.8 k", "3.2 M"."""
    scale, unit = words.scaled(number, ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")))
    return f"{number / scale:.3g}{words.NBSP + unit if unit else ''}" if number else "0"
