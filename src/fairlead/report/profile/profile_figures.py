"""Figures of a profile: who computes and who is in MPI, what goes where, and in which sizes."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
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
from fairlead.profile.json_form import ESTIMATED, Collectives, Matrix, Rank, SizeClass, Summary, Waiting, matrix
from fairlead.profile.profile import BEGIN_AND_END
from fairlead.profile.tables import size_words
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.report.network import heat_maps
from fairlead.report.network.heat_maps import Outline, Panel

MOST_LABELS = 16
"""Ranks up to which each bar carries its share; beyond, the table has it."""
MOST_BARS = 128
"""Ranks up to which bars stand apart; beyond, they would be thinner than the gaps."""
MOST_BLOCKS = 256
"""Blocks of ranks of one host up to which they are outlined."""
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
    by_kind = {kind: np.array([kind_s(rank)[kind] for rank in found.per_rank]) for kind in KINDS}
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
    return Drawing(
        "times",
        "Computing and MPI, rank by rank",
        "From the bottom: computing, then MPI by kind of function, of each rank's time between MPI_Init and "
        f"MPI_Finalize. {' '.join(said)}",
        figure,
        _times_table(found, used),
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
    return Drawing(
        "waiting",
        "Waiting for messages and others",
        "Late sender: until it began to send; late receiver: until it began to receive a message that needs it; "
        "transfer: the rest. In collective calls: late others, until those had entered whose data are "
        "needed; collective: the rest. Of a call that completes several, the last one counts.",
        figure,
        tables.waiting(found),
    )


def host_traffic(found: Summary) -> Drawing:
    """What goes from host to host."""
    return Drawing(
        "hosts",
        "Messages between hosts",
        "Point-to-point, from the host of the row to that of the column; the outlined diagonal is what stays inside a "
        "host. Empty: nothing.",
        heat_maps.draw(
            found.hosts,
            _panels(found.host_bytes_B, found.host_messages),
            axis_labels=("from host", "to host"),
            blocks=[Outline(k, k, 1, 1) for k in range(len(found.hosts))],
        ),
        _traffic_table("host", found.hosts, found.host_bytes_B, found.host_messages),
    )


def rank_traffic(found: Summary) -> Drawing:
    """What goes from rank to rank."""
    names = [str(rank) for rank in range(found.ranks)]
    blocks = _same_host(found.host_of_rank) if len(found.hosts) > 1 else []
    return Drawing(
        "ranks",
        "Messages between ranks",
        "Point-to-point, from the rank of the row to that of the column. "
        + ("Outlined cells stay inside a host. " if blocks else "")
        + "Empty: nothing.",
        heat_maps.draw(
            names, _panels(found.bytes_B, found.messages), axis_labels=("from rank", "to rank"), blocks=blocks
        ),
        _traffic_table("rank", names, found.bytes_B, found.messages),
    )


def collective_traffic(found: Summary, sent: Collectives) -> Drawing:
    """What collective calls send, from rank to rank; from host to host where each rank has a host of its own."""
    each_alone = found.ranks == len(found.hosts)
    names = list(found.hosts) if each_alone else [str(rank) for rank in range(found.ranks)]
    what, bytes_B, messages = (
        ("host", sent.host_bytes_B, sent.host_messages) if each_alone else ("rank", sent.bytes_B, sent.messages)
    )
    blocks = _same_host(found.host_of_rank) if len(found.hosts) > 1 and not each_alone else []
    how = (
        "Estimated by the algorithms that MPI libraries usually take, apart from point-to-point messages. "
        if sent.source == ESTIMATED
        else "Measured by the MPI library, apart from point-to-point messages. "
    )
    return Drawing(
        "collective-traffic",
        f"Collective calls between {what}s, {sent.source}",
        how + ("Outlined cells stay inside a host. " if blocks else "") + "Empty: nothing.",
        heat_maps.draw(names, _panels(bytes_B, messages), axis_labels=(f"from {what}", f"to {what}"), blocks=blocks),
        _traffic_table(what, names, bytes_B, messages),
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
    every = np.arange(numbers[-1] + 1)  # ranks without a record: no bar
    top, base = np.zeros(len(every)), np.zeros(len(every))
    top[numbers], base[numbers] = below + heights, below
    axis.stairs(top, np.arange(len(every) + 1) - 0.5, baseline=base, fill=True, color=colour, linewidth=0)


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


def _times_table(found: Summary, kinds: Sequence[str]) -> Table:
    return table(
        [("rank", "rank"), ("host", "host"), ("time", "time_s"), ("computing", "computing_s"), ("MPI", "mpi_s"),
         ("in MPI", "mpi_share"), *((kind, f"{kind.replace(' ', '_').replace('-', '_')}_s") for kind in kinds)],
        [
            [
                cell(rank.rank),
                cell(rank.host),
                *map(duration_cell, (rank.time_s, rank.computing_s, rank.mpi_s)),
                cell(rank.mpi_share, words.percent(rank.mpi_share)),
                *(duration_cell(kind_s(rank)[kind]) for kind in kinds),
            ]
            for rank in found.per_rank
        ],
    )  # fmt: skip


def _panels(bytes_B: Matrix, messages: Matrix) -> list[Panel]:
    counts = matrix(messages)
    seen = counts > 0
    return [
        Panel(title, np.where(seen, values.astype(np.float64), np.nan), units)
        for title, values, units in (
            ("Bytes", matrix(bytes_B), words.SIZES),
            ("Messages", counts, words.COUNTS),
        )
    ]


def _traffic_table(what: str, names: Sequence[str], bytes_B: Matrix, messages: Matrix) -> Table:
    return table(
        [("from", f"from_{what}"), ("to", f"to_{what}"), ("bytes", "bytes_B"), ("messages", "messages"),
         ("a message", "mean_B")],
        [
            [cell(names[i]), cell(names[j]), _size(bytes_B[i][j]), cell(messages[i][j]),
             _size(bytes_B[i][j] / messages[i][j])]
            for i in range(len(names))
            for j in range(len(names))
            if messages[i][j]
        ],
    )  # fmt: skip


def _same_host(host_of_rank: Sequence[str]) -> list[Outline]:
    """Outlines of what stays inside a host: for each two runs of ranks on one host; none where each is alone on its
    host, or they are too many to be seen."""
    runs: list[tuple[str, int, int]] = []
    for host, members in groupby(range(len(host_of_rank)), key=lambda rank: host_of_rank[rank]):
        ranks = list(members)
        runs.append((host, ranks[0], len(ranks)))
    blocks = [Outline(a[1], b[1], a[2], b[2]) for a in runs for b in runs if a[0] == b[0]]
    return blocks if len(blocks) <= MOST_BLOCKS and len(set(host_of_rank)) < len(host_of_rank) else []


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


def _size(size_B: float) -> TableCell:
    return cell(size_B, words.size(size_B))
