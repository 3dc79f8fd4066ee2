"""A placement on a terminal: where each rank goes, and what that is expected to change."""

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.markup import escape

from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.display.terminal import rich_table
from fairlead.placement.json_form import Link, Placement


def show(found: Placement, console: Console) -> None:
    """Print the tables and what they mean."""
    console.print(rich_table(ranks(found), "Ranks by host"))
    console.print(rich_table(gain(found), "Expected of the messages between hosts"))
    for text in sentences(found):
        console.print(escape(text), highlight=False, soft_wrap=True)


def ranks(found: Placement) -> Table:
    """A row for each host that has ranks before or after."""
    hosts = list(dict.fromkeys([*found.hosts_before, *found.host_of_rank]))
    before = "as profiled" if found.profiled else "by slots"
    return table(
        [("host", "host"), (before, "ranks_before"), ("placed", "ranks_after")],
        [[cell(host), *(cell(words.ranks_on(host, of_rank)) for of_rank in (found.hosts_before, found.host_of_rank))]
         for host in hosts],
    )  # fmt: skip


def gain(found: Placement) -> Table:
    """Before, after, and the share that goes."""
    before, after = found.before, found.after
    rows = [
        _row("messages", before.messages, after.messages, str),
        _row("bytes", before.bytes_B, after.bytes_B, words.size),
        _row("a rank's, one after another", before.rank_s, after.rank_s, words.duration),
        _row("busiest shared bottleneck", before.busiest_s, after.busiest_s, words.duration),
    ]
    return table(
        [("", "what"), ("before", "before"), ("placed", "placed"), ("less", "less")],
        [row for row in rows if row],
    )


def sentences(found: Placement) -> Iterator[str]:
    """What the figures are of."""
    if found.hosts_before == found.host_of_rank:
        yield "no better placement found: leave the ranks where they are"
    if found.before.busiest is not None:
        yield f"the busiest bottleneck before is that of {link(found.before.busiest)}"
    if found.characterization is None:
        yield (
            f"{found.cluster} was not measured: all its hosts count as equally far apart; fairlead characterize "
            "measures it"
        )
    else:
        yield f"the network is that of run {found.characterization}; messages overlap, so the run time changes by less"


def link(shared: Link) -> str:
    """For example "h0→h4 and 15 other pairs, 190 Mbit/s"."""
    (source, destination), *others = shared.pairs
    more = f" and {words.count(len(others), 'other pair')}" if others else ""
    return f"{source}→{destination}{more}, {words.rate(shared.rate_bps)}"


def _row(what: str, before: float | None, after: float | None, shown: Callable[[float], str]) -> list[TableCell]:
    if before is None or after is None:
        return []
    less = cell(1 - after / before, words.percent(1 - after / before)) if before else cell(None)
    return [cell(what), cell(before, shown(before)), cell(after, shown(after)), less]
