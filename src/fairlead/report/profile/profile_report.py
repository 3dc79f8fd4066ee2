"""The page of a profile (``fairlead profile --html``): one file, made of the profile's JSON form."""

from collections.abc import Sequence
from pathlib import Path

from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.profile import findings, mitigation, tables
from fairlead.profile.analysis.groups import NONE
from fairlead.profile.json_form import Summary
from fairlead.report import page
from fairlead.report.figures import Drawing
from fairlead.report.profile import profile_figures, traffic_figures

LIMITS = (
    "Collective and one-sided communication is not in the matrices of messages. What collective calls send is "
    "estimated, unless the MPI library has counted it, and has a matrix of its own. One-sided calls and their bytes "
    "are listed with the functions.",
    "MPI's own start and end (MPI_Init, MPI_Finalize) are not counted as communication.",
    "Between two tests that find nothing done, a rank counts as waiting, unless it uses the processor: then it "
    "computes.",
    "Time in MPI includes waiting for ranks that compute longer, and time between processes of one host: only "
    "part of it is due to the network.",
    "The group holds for this program on these hosts, with this number of ranks, on this network.",
)


def write(found: Summary, html: Path, *, figures: Path | None = None) -> list[Path]:
    """Write the page and, if asked for, its figures as files; returns what was written.

    Raises:
        FairleadError: a file cannot be written.
    """
    drawn, mitigated = drawings(found), mitigation.of(found)
    content = page.render(
        "profile.html.j2",
        heading=Path(found.program[0]).name,
        command=" ".join(found.program),
        begun=_begun(found),
        findings=[_sentence(text) for text in list(findings.lead(found, mitigated))[1:]],
        caveats=[_sentence(text) for text in findings.caveats(found)],
        groups=groups(found),
        drawings=drawn,
        traffic=traffic(found),
        functions=tables.functions(found),
        transmission=tables.transmission(mitigated, page.MOST_ROWS),
        transmissions=len(mitigated.pairs),
        better_hosts=tables.better_hosts(found, mitigated),
        phases=tables.phases(found),
        collectives=tables.collectives(found),
        collective_traffic=tables.collective_traffic(found),
        regions=tables.regions(found),
        call_sites=tables.call_sites(found),
        relay=tables.relay(found),
        stayed_direct=tables.stayed_direct(found),
        phases_rank=found.pattern.rank if found.pattern is not None else None,
        limits=LIMITS,
        conditions=conditions(found),
    )
    saved = [path for each in drawn for path in each.save(figures)] if figures is not None else []
    return [page.write(html, content, option="--html"), *saved]


def drawings(found: Summary) -> list[Drawing]:
    """All figures that the profile has numbers for."""
    drawn = [profile_figures.times(found)]
    if found.waiting is not None and (found.waiting.joined or found.waiting.in_function):
        drawn.append(profile_figures.waiting(found, found.waiting))
    if any(map(any, found.messages)):
        drawn += [traffic_figures.host_traffic(found)] if len(found.hosts) > 1 else []
        each_alone = found.ranks == len(found.hosts)  # then the hosts' matrix says it all
        drawn += [traffic_figures.rank_traffic(found)] if not each_alone else []
    if found.collectives is not None and any(map(any, found.collectives.messages)):
        drawn.append(traffic_figures.collective_traffic(found, found.collectives))
    return [*drawn, profile_figures.sizes(found)] if found.sizes else drawn


def groups(found: Summary) -> Table:
    """The four groups, and which one it is."""
    thresholds = found.group.thresholds
    limits = [(name, least, f"from {words.percent(least, decimals=0)}") for name, least in thresholds.items()]
    limits.append((NONE, 0.0, f"below {words.percent(min(thresholds.values()), decimals=0)}"))
    return table(
        [("group", "group"), ("share of time in MPI", "least_mpi_share"), ("this program", "mpi_share")],
        [
            [
                cell(name),
                cell(least, shown),
                cell(found.mpi_share, words.percent(found.mpi_share)) if name == found.group.name else cell(None, ""),
            ]
            for name, least, shown in limits
        ],
    )


def traffic(found: Summary) -> Table:
    """Messages and bytes between hosts apart from those inside a host; no rows where there is one host or none."""
    parts = [
        (sum(map(sum, by_host)), findings.between_hosts(by_host))
        for by_host in (found.host_messages, found.host_bytes_B)
    ]
    (messages, between), (bytes_B, between_B) = parts
    rows = [("between hosts", between, between_B), ("inside a host", messages - between, bytes_B - between_B)]
    return table(
        [("point-to-point", "where"), ("messages", "messages"), ("of all", "messages_share"), ("bytes", "bytes_B"),
         ("of all", "bytes_share")],
        [
            [cell(where), cell(number), tables.share_cell(number, messages), cell(size_B, words.size(size_B)),
             tables.share_cell(size_B, bytes_B)]
            for where, number, size_B in (rows if messages and len(found.hosts) > 1 else [])
        ],
    )  # fmt: skip


def conditions(found: Summary) -> list[tuple[str, str]]:
    """Where it ran, by name."""
    ranks_of: dict[str, list[int]] = {host: [] for host in found.hosts}
    for rank, host in enumerate(found.host_of_rank):
        ranks_of.setdefault(host, []).append(rank)
    placed = [f"{host}: {_ranges(ranks)}" for host, ranks in ranks_of.items()]
    return [
        ("program", " ".join(found.program)),
        ("begun", _begun(found)),
        ("MPI library", found.library),
        *([("cluster", found.ran.cluster)] if found.ran is not None else []),
        ("ranks", str(found.ranks)),
        *(("ranks of host", each) for each in placed),
        ("threads that called MPI", str(max(rank.threads for rank in found.per_rank)) + " a rank at most"),
    ]


def _begun(found: Summary) -> str:
    """When the program began; a trace that does not tell it has 0 there."""
    return words.moment(found.begun_s) if found.begun_s > 0 else "at a time that the trace does not tell"


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers, for example "0 to 3, 8, 12 to 15"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
