"""Figures of what a profile counted from rank to rank and from host to host.

Of many ranks, neighbours are drawn as one place. Where very many pairs sent something, the page has the sums that are
drawn and the pairs that sent most, and only the figure's CSV file has each pair: a page must open at once.
"""

import csv
import heapq
import io
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.profile.json_form import ESTIMATED, Collectives, Matrix, Summary
from fairlead.profile.record import Counts
from fairlead.report import page
from fairlead.report.figures import Drawing
from fairlead.report.network import heat_maps
from fairlead.report.network.heat_maps import Outline, Panel

MOST_BLOCKS = 256
"""Blocks of ranks of one host up to which they are outlined."""
MOST_APART = 256
"""Rows up to which each is drawn, where no more than `MOST_PAIRS` sent something."""
MOST_PLACES = 100
"""Rows that are drawn of more: all sums, of ranks, hosts and collective calls, are some megabytes of a page."""
MOST_PAIRS = 128**2
"""Pairs of which the page has a row each; of more, it has the sums that are drawn."""
MOST_FIRST = 20
"""Pairs that are named beside such sums, those that sent most bytes."""

Cells = Iterable[tuple[int, int, int, int]]
"""Row and column, bytes, messages."""


class Sent:
    """What ranks, or hosts, sent to each other.

    Args:
        what: rank or host.
        names: of them.
        bytes_B, messages: from each (row) to each (column).
    """

    def __init__(self, what: str, names: Sequence[str], bytes_B: Matrix, messages: Matrix) -> None:
        self.what, self._names = what, names
        self._bytes_B, self._messages = bytes_B, messages
        apart = len(names) <= MOST_APART and self.pairs <= MOST_PAIRS
        self.together = 1 if apart else -(-len(names) // MOST_PLACES)
        """How many neighbours are one place."""

    @cached_property
    def pairs(self) -> int:
        """How many sent something."""
        return sum(len(row) - row.count(0) for row in self._messages)

    @property
    def summed(self) -> bool:
        """Whether the table has sums."""
        return self.together > 1 and self.pairs > MOST_PAIRS

    def figure(self, blocks: Sequence[Outline]) -> Figure:
        """Bytes and messages beside each other; ``blocks`` of ranks are outlined."""
        bytes_B, messages = self._sums
        seen = messages > 0
        panels = [
            Panel(title, np.where(seen, values.astype(np.float64), np.nan), units)
            for title, values, units in (("Bytes", bytes_B, words.SIZES), ("Messages", messages, words.COUNTS))
        ]
        each = f", {self.together} a cell" if self.together > 1 else ""
        scaled = [
            Outline(*(number / self.together for number in (block.row, block.column, block.rows, block.columns)))
            for block in blocks
        ]
        return heat_maps.draw(
            self._names[:: self.together],
            panels,
            axis_labels=(f"from {self.what}{each}", f"to {self.what}{each}"),
            blocks=scaled,
        )

    def caption(self, name: str) -> str:
        """What a reader must know of neighbours that are drawn as one; ``name``: of the figure."""
        if self.together == 1:
            return ""
        drawn = f" Each cell is the sum of what {self.together} neighbours send to {self.together}."
        if not self.summed:
            return drawn
        return f"{drawn} The numbers are these sums; --figures also writes {name}.csv with all {self.pairs} pairs."

    def table(self) -> Table:
        """The numbers of each pair that sent something; of too many, those of the places that are drawn.

        In the order of the ranks or hosts; of more rows than a page shows, those with the most bytes come first.
        """
        cells = list(self._cells_of_places() if self.summed else self._cells())
        if len(cells) > page.MOST_ROWS:
            cells.sort(key=_bytes_of, reverse=True)
        return self._table(cells, summed=self.summed)

    def foremost(self) -> Table | None:
        """The single pairs that sent most bytes, where `table` has only sums; else None."""
        return self._table(heapq.nlargest(MOST_FIRST, self._cells(), _bytes_of)) if self.summed else None

    def members(self) -> dict[str, list[str]]:
        """What each name of the table stands for."""
        every = [self._names[first : first + self._a_row] for first in range(0, len(self._names), self._a_row)]
        return {_ends(names): list(names) for names in every}

    def _table(self, cells: Cells, *, summed: bool = False) -> Table:
        each, of = (f"{self.what}s", list(self.members())) if summed else (self.what, self._names)
        return table(
            [("from", f"from_{each}"), ("to", f"to_{each}"), ("bytes", "bytes_B"), ("messages", "messages"),
             ("a message", "mean_B")],
            [[cell(of[i]), cell(of[j]), _size(size_B), cell(number), _size(size_B / number)]
             for i, j, size_B, number in cells],
        )  # fmt: skip

    def csv(self) -> str:
        """The numbers of each pair that sent something."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow([f"from_{self.what}", f"to_{self.what}", "bytes_B", "messages", "mean_B"])
        writer.writerows(
            (self._names[i], self._names[j], size_B, number, size_B / number) for i, j, size_B, number in self._cells()
        )
        return buffer.getvalue()

    def _cells(self) -> Cells:
        return (
            (i, j, sizes_B[j], number)
            for i, (sizes_B, numbers) in enumerate(zip(self._bytes_B, self._messages, strict=True))
            for j, number in enumerate(numbers)
            if number
        )

    def _cells_of_places(self) -> Cells:
        bytes_B, messages = self._sums
        return ((i, j, int(bytes_B[i, j]), int(messages[i, j])) for i, j in np.argwhere(messages).tolist())

    @property
    def _a_row(self) -> int:
        """Of how many neighbours a row of the table is."""
        return self.together if self.summed else 1

    @cached_property
    def _sums(self) -> tuple[Counts, Counts]:
        return self._by_places(self._bytes_B), self._by_places(self._messages)

    def _by_places(self, rows: Matrix) -> Counts:
        """Row by row: an array of all of many ranks would need much memory."""
        first = np.arange(0, len(self._names), self.together)
        sums: NDArray[np.uint64] = np.zeros((len(first), len(first)), np.uint64)
        for number, row in enumerate(rows):
            if any(row):
                sums[number // self.together] += np.add.reduceat(np.array(row, np.uint64), first)
        return sums


def host_traffic(found: Summary) -> Drawing:
    """What goes from host to host."""
    sent = Sent("host", found.hosts, found.host_bytes_B, found.host_messages)
    outlined = sent.together == 1
    what = "Point-to-point, from the host of the row to that of the column"
    inside = "; the outlined diagonal is what stays inside a host" if outlined else ""
    blocks = [Outline(k, k, 1, 1) for k in range(len(found.hosts) if outlined else 0)]
    return _drawing(sent, "hosts", "Messages between hosts", f"{what}{inside}. Empty: nothing.", blocks)


def rank_traffic(found: Summary) -> Drawing:
    """What goes from rank to rank."""
    sent = Sent("rank", [str(rank) for rank in range(found.ranks)], found.bytes_B, found.messages)
    blocks = same_host(found.host_of_rank) if len(found.hosts) > 1 else []
    what = "Point-to-point, from the rank of the row to that of the column."
    inside = " Outlined cells stay inside a host." if blocks else ""
    return _drawing(sent, "ranks", "Messages between ranks", f"{what}{inside} Empty: nothing.", blocks)


def collective_traffic(found: Summary, calls: Collectives) -> Drawing:
    """What collective calls send, from rank to rank; from host to host where each rank has a host of its own."""
    each_alone = found.ranks == len(found.hosts)
    if each_alone:
        sent = Sent("host", found.hosts, calls.host_bytes_B, calls.host_messages)
    else:
        sent = Sent("rank", [str(rank) for rank in range(found.ranks)], calls.bytes_B, calls.messages)
    blocks = same_host(found.host_of_rank) if len(found.hosts) > 1 and not each_alone else []
    how = (
        "Estimated by the algorithms that MPI libraries usually take, apart from point-to-point messages."
        if calls.source == ESTIMATED
        else "Measured by the MPI library, apart from point-to-point messages."
    )
    inside = " Outlined cells stay inside a host." if blocks else ""
    title = f"Collective calls between {sent.what}s, {calls.source}"
    return _drawing(sent, "collective-traffic", title, f"{how}{inside} Empty: nothing.", blocks)


def same_host(host_of_rank: Sequence[str]) -> list[Outline]:
    """Outlines of what stays inside a host: for each two runs of ranks on one host; none where each is alone on its
    host, or they are too many to be seen."""
    runs: dict[str, list[tuple[int, int]]] = {}
    for host, members in groupby(range(len(host_of_rank)), key=lambda rank: host_of_rank[rank]):
        ranks = list(members)
        runs.setdefault(host, []).append((ranks[0], len(ranks)))
    if len(runs) == len(host_of_rank) or sum(len(of_host) ** 2 for of_host in runs.values()) > MOST_BLOCKS:
        return []
    blocks = [Outline(a[0], b[0], a[1], b[1]) for of_host in runs.values() for a in of_host for b in of_host]
    return sorted(blocks, key=lambda block: (block.row, block.column))


def _drawing(sent: Sent, name: str, title: str, caption: str, blocks: Sequence[Outline]) -> Drawing:
    return Drawing(
        name,
        title,
        f"{caption}{sent.caption(name)}",
        sent.figure(blocks),
        sent.table(),
        whole_csv=sent.csv if sent.summed else None,
        foremost=sent.foremost(),
        members=sent.members(),
    )


def _bytes_of(sent: tuple[int, int, int, int]) -> int:
    return sent[2]


def _ends(names: Sequence[str]) -> str:
    """For example "7", or "8 to 15"."""
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _size(size_B: float) -> TableCell:
    return cell(size_B, words.size(size_B))
