"""A profile on a terminal: who computes, who waits in MPI, what goes where, in which sizes."""

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape

from fairlead.display.tables import Table
from fairlead.display.terminal import rich_table
from fairlead.profile import findings, mitigation, tables
from fairlead.profile.json_form import ESTIMATED, Summary
from fairlead.profile.mitigation import Mitigation

MOST_RANKS = 32  # rows of the table of ranks
MOST_COLUMNS = 16  # of a matrix: more do not fit a terminal
MOST_FUNCTIONS = 12
MOST_PAIRS = 12
MOST_SITES = 20


def show(found: Summary, console: Console) -> None:
    """Print all sentences and tables."""
    mitigated = mitigation.of(found)
    for text in findings.lead(found, mitigated):
        console.print(escape(text), highlight=False, soft_wrap=True)
    console.print()
    for title, source in _tables(found, mitigated).items():
        if source.rows:
            console.print(rich_table(source, title))
    for text in [*_left_out(found), *findings.caveats(found)]:
        console.print(escape(text), highlight=False, soft_wrap=True)


def _tables(found: Summary, mitigated: Mitigation) -> dict[str, Table]:
    drawn = {
        "Computing and MPI": tables.ranks(found, MOST_RANKS),
        "Waiting for messages and others": tables.waiting(found, MOST_RANKS),
        "Waiting in collective calls, all ranks together": tables.collectives(found),
        "More transmission than processing": tables.transmission(mitigated, MOST_PAIRS),
        "Ranks exchanged": tables.better_hosts(found, mitigated),
        "MPI functions": tables.functions(found, MOST_FUNCTIONS),
        "Where MPI is called": tables.call_sites(found, MOST_SITES),
        "Regions that the program names": tables.regions(found, MOST_RANKS),
        "Message sizes": tables.sizes(found),
        "Messages on two paths": tables.relay(found),
        "Stayed on the direct path": tables.stayed_direct(found),
    }
    if found.pattern is not None:
        drawn[f"What rank {found.pattern.rank} repeats"] = tables.phases(found)
    hosts = len(found.hosts)
    if 1 < hosts <= MOST_COLUMNS:
        drawn["Sent from host (row) to host (column)"] = tables.hosts(found)
    each_alone = found.ranks == hosts > 1  # then the hosts' matrix says it all
    if found.ranks <= MOST_COLUMNS and not each_alone and any(map(any, found.messages)):
        drawn["Sent from rank (row) to rank (column)"] = tables.matrix(found)
    if found.collectives is not None and any(map(any, found.collectives.messages)):
        source = found.collectives.source
        if source == ESTIMATED:
            drawn["What collective calls send, estimated"] = tables.collective_traffic(found)
        if 1 < hosts <= MOST_COLUMNS:
            drawn[f"By collective calls, from host to host, {source}"] = tables.collective_hosts(found)
        if found.ranks <= MOST_COLUMNS and not each_alone:
            drawn[f"By collective calls, from rank to rank, {source}"] = tables.collective_matrix(found)
    return drawn


def _left_out(found: Summary) -> Iterator[str]:
    if len(found.per_rank) > MOST_RANKS:
        yield f"of the ranks, the {MOST_RANKS} with the longest time in MPI are shown; --json holds all"
    if found.ranks > MOST_COLUMNS:
        yield f"the matrix of {found.ranks} ranks does not fit here; --json holds it"
