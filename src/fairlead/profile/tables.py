"""The tables of a profile, for terminals and pages."""

from collections.abc import Sequence
from pathlib import Path

from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.profile.analysis.kinds import COLLECTIVE, FILES, ONE_SIDED, kind_of
from fairlead.profile.json_form import CallSite, Function, Matrix, Phase, SizeClass, Summary
from fairlead.profile.mitigation import Mitigation
from fairlead.profile.profile import BEGIN_AND_END
from fairlead.profile.record import RELAY_COUNTS

BAR = 20  # characters
MOST_SIZES = 3  # of a phase's messages


def ranks(found: Summary, most: int | None = None) -> Table:
    """Computing and MPI of every rank; of more than ``most``, those with the longest time in MPI."""
    chosen = {rank.rank for rank in sorted(found.per_rank, key=lambda rank: -rank.mpi_s)[:most]}
    return table(
        [("rank", "rank"), ("host", "host"), ("time", "time_s"), ("computing", "computing_s"), ("MPI", "mpi_s"),
         ("in MPI", "mpi_share"), ("", "bar")],
        [
            [
                cell(rank.rank),
                cell(rank.host),
                *(duration_cell(each) for each in (rank.time_s, rank.computing_s, rank.mpi_s)),
                share_cell(rank.mpi_s, rank.time_s),
                cell(None, _bar(rank.mpi_share)),
            ]
            for rank in found.per_rank
            if rank.rank in chosen
        ],
    )  # fmt: skip


def waiting(found: Summary, most: int | None = None) -> Table:
    """What ranks waited for in messages and collective calls; of more than ``most``, those that waited longest."""
    if found.waiting is None:
        return table([], [])
    waited = found.waiting
    of_collectives = [
        (title, name, times_s)
        for title, name, times_s in (
            ("late others", "late_others_s", waited.late_others_s),
            ("collective", "collective_s", waited.collective_s),
        )
        if times_s is not None
    ]
    titles = [("late sender", "late_sender_s"), ("late receiver", "late_receiver_s"), ("transfer", "transfer_s"),
              *((title, name) for title, name, _ in of_collectives), ("not known", "unknown_s")]  # fmt: skip
    columns = (waited.late_sender_s, waited.late_receiver_s, waited.transfer_s,
               *(times_s for *_, times_s in of_collectives), waited.unknown_s)  # fmt: skip
    rows = list(zip(found.per_rank, *columns, strict=True))
    chosen = {row[0].rank for row in sorted(rows, key=lambda row: -sum(row[1:]))[:most]}
    return table(
        [("rank", "rank"), ("host", "host"), *titles],
        [
            [cell(rank.rank), cell(rank.host), *(duration_cell(each) for each in times_s)]
            for rank, *times_s in rows
            if rank.rank in chosen
        ],
    )


def collectives(found: Summary) -> Table:
    """What all ranks waited for in the kept calls of each collective function."""
    rows = found.waiting.in_function if found.waiting is not None else {}
    return table(
        [("function", "function"), ("calls", "calls"), ("for others", "late_others_s"), ("", "wait_state"),
         ("collective", "collective_s"), ("not known", "unknown_s")],
        [
            [
                cell(name),
                cell(each.calls),
                duration_cell(each.late_others_s),
                cell(each.wait_state),
                duration_cell(each.collective_s),
                duration_cell(each.unknown_s),
            ]
            for name, each in rows.items()
        ],
    )  # fmt: skip


def transmission(mitigated: Mitigation, most: int | None = None) -> Table:
    """Pairs of ranks that spend more in transmission than in processing; of more than ``most``, the longest."""
    return table(
        [("from", "source"), ("to", "destination"), ("hosts", "hosts"), ("messages", "messages"),
         ("bytes", "bytes_B"), ("transmission", "transmission_s"), ("processing", "processing_s")],
        [
            [
                cell(pair.source),
                cell(pair.destination),
                cell(" → ".join(dict.fromkeys(pair.hosts))),
                cell(pair.messages),
                _size(pair.bytes_B),
                duration_cell(pair.transmission_s),
                duration_cell(pair.processing_s),
            ]
            for pair in mitigated.pairs[:most]
        ],
    )  # fmt: skip


def better_hosts(found: Summary, mitigated: Mitigation) -> Table:
    """Ranks by host, as they were and exchanged so that less goes between hosts."""
    change = mitigated.better
    if change is None:
        return table([], [])
    return table(
        [("host", "host"), ("ranks now", "ranks_now"), ("better", "ranks_better")],
        [[cell(host), *(cell(words.ranks_on(host, hosts)) for hosts in (found.host_of_rank, change.host_of_rank))]
         for host in found.hosts],
    )  # fmt: skip


def phases(found: Summary) -> Table:
    """What one rank does again and again."""
    rows = found.pattern.phases if found.pattern is not None else []
    return table(
        [("from", "begun_s"), ("repetitions", "repetitions"), ("in the whole run", "expected_repetitions"),
         ("one takes", "repetition_s"), ("messages", "messages"), ("bytes", "bytes_B"), ("sizes", "sizes"),
         ("collective calls", "collectives"), ("share", "share")],
        [
            [
                duration_cell(phase.begun_s),
                cell(phase.repetitions),
                cell(phase.expected_repetitions),
                duration_cell(phase.repetition_s),
                cell(phase.messages),
                _size(phase.bytes_B),
                cell(_phase_sizes(phase)),
                cell(_phase_calls(phase)),
                cell(phase.share, words.percent(phase.share)),
            ]
            for phase in rows
        ],
    )  # fmt: skip


def call_sites(found: Summary, most: int | None = None) -> Table:
    """The places with the longest time in MPI, all ranks together. Shares are of the time of all threads."""
    whole_s = threads_s(found)
    sites = [site for site in found.call_sites if site.function not in BEGIN_AND_END]
    return table(
        [("function", "function"), ("called in", "where"), ("at", "place"), ("ranks", "ranks"), ("calls", "calls"),
         ("time", "time_s"), ("share", "share"), ("sent", "sent_B")],
        [
            [
                cell(site.function),
                cell(site.where, site.where or "?"),
                cell(*_place(site)),
                cell(site.ranks),
                cell(site.calls),
                duration_cell(site.time_s),
                share_cell(site.time_s, whole_s),
                _size(site.sent_B),
            ]
            for site in sites[:most]
        ],
    )  # fmt: skip


def _place(site: CallSite) -> tuple[str, str]:
    """File and line, else object and offset: with the whole path, and without."""
    if site.line:
        return f"{site.file}:{site.line}", f"{Path(site.file).name}:{site.line}"
    return f"{site.object}+{site.offset:#x}", f"{Path(site.object).name}+{site.offset:#x}"


def regions(found: Summary, most: int | None = None) -> Table:
    """What every rank did in the regions that the program names; of more than ``most`` ranks, as in `ranks`."""
    chosen = sorted(found.per_rank, key=lambda rank: -rank.mpi_s)[:most]
    names = dict.fromkeys(name for rank in found.per_rank for name in rank.regions)
    return table(
        [("region", "region"), ("rank", "rank"), ("entered", "entered"), ("time", "time_s"), ("MPI", "mpi_s"),
         ("in MPI", "mpi_share"), ("calls", "calls"), ("sent", "sent_B"), ("received", "received_B")],
        [
            [
                cell(name),
                cell(rank.rank),
                cell(region.entered),
                *(duration_cell(each) for each in (region.time_s, region.mpi_s)),
                share_cell(region.mpi_s, region.time_s),
                cell(region.calls),
                _size(region.sent_B),
                _size(region.received_B),
            ]
            for name in names
            for rank in sorted(chosen, key=lambda rank: rank.rank)
            if (region := rank.regions.get(name)) is not None
        ],
    )  # fmt: skip


def relay(found: Summary) -> Table:
    """What the relay plane did in every rank; no rows without it."""
    return table(
        [("rank", "rank"), *((name.replace("_", " "), name) for name in RELAY_COUNTS)],
        [
            [cell(rank.rank), *(cell(rank.relay.get(name, 0)) for name in RELAY_COUNTS)]
            for rank in found.per_rank
            if rank.relay
        ],
    )


def stayed_direct(found: Summary) -> Table:
    """Functions whose bytes the relay plane leaves to the MPI library, all ranks together; no rows without it."""
    left = {COLLECTIVE, ONE_SIDED, FILES}
    used = [(name, usage) for name, usage in found.functions.items() if kind_of(name) in left]
    return table(
        [("function", "function"), ("calls", "calls"), ("sent", "sent_B")],
        [
            [cell(name), cell(usage.calls), _size(usage.sent_B)]
            for name, usage in used
            if any(rank.relay for rank in found.per_rank)
        ],
    )


def _phase_sizes(phase: Phase) -> str:
    """The sizes that carry most messages or bytes, for example "106 of 8 B, 78 of 28000 B"."""
    carried = sorted(phase.sizes, key=lambda each: -each.messages)[:MOST_SIZES]
    carried += [
        each for each in sorted(phase.sizes, key=lambda each: -each.messages * each.size_B)[:1] if each not in carried
    ]
    told = ", ".join(f"{each.messages} of {words.size(each.size_B)}" for each in carried)
    return told if len(carried) == len(phase.sizes) else f"{told}, others"


def _phase_calls(phase: Phase) -> str:
    """Those of which there are most, for example "2 MPI_Allreduce of 8 B, 1 MPI_Barrier"."""
    ordered = sorted(phase.collectives, key=lambda each: -each.calls)
    told = ", ".join(
        f"{each.calls} {each.function}{f' of {words.size(each.size_B)}' if each.size_B else ''}"
        for each in ordered[:MOST_SIZES]
    )
    return f"{told}, others" if len(ordered) > MOST_SIZES else told


def functions(found: Summary, most: int | None = None) -> Table:
    """The functions with the longest time, all ranks together. Shares are of the time of all threads."""
    whole_s = threads_s(found)
    used = [(name, usage) for name, usage in found.functions.items() if name not in BEGIN_AND_END]
    return table(
        [("function", "function"), ("calls", "calls"), ("time", "time_s"), ("share", "share"),
         ("a call", "call_s"), ("sent", "sent_B"), ("received", "received_B")],
        [
            [
                cell(name),
                cell(usage.calls),
                duration_cell(usage.time_s),
                share_cell(usage.time_s, whole_s),
                _mean(usage),
                _size(usage.sent_B),
                _size(usage.received_B),
            ]
            for name, usage in used[:most]
        ]
        + _polling(found, whole_s),
    )  # fmt: skip


def _polling(found: Summary, whole_s: float) -> list[list[TableCell]]:
    """The row of the time between functions that only tested."""
    polled_s = sum(rank.polled_s * rank.threads for rank in found.per_rank)
    if not polled_s:
        return []
    nothing = cell(None, "·")
    return [
        [
            cell("between tests"),
            nothing,
            duration_cell(polled_s),
            share_cell(polled_s, whole_s),
            *[nothing] * 3,
        ]
    ]


def sizes(found: Summary) -> Table:
    """Messages and collective calls by size."""
    most = max([1, *(each.messages for each in found.sizes)])
    return table(
        [("size", "from_B"), ("messages", "messages"), ("", "bar"), ("collective calls", "collective_calls")],
        [
            [
                cell(each.from_B, size_words(each)),
                cell(each.messages),
                cell(None, "█" * round(BAR * each.messages / most)),
                cell(each.collective_calls),
            ]
            for each in found.sizes
        ],
    )


def hosts(found: Summary) -> Table:
    """Bytes and messages from host to host, those inside a host on the diagonal."""
    return _matrix(found.hosts, found.host_bytes_B, found.host_messages)


def matrix(found: Summary) -> Table:
    """Bytes and messages from rank to rank."""
    return _matrix([str(rank) for rank in range(found.ranks)], found.bytes_B, found.messages)


def collective_traffic(found: Summary) -> Table:
    """What the calls of each collective function are estimated to send, all ranks together."""
    rows = found.collectives.functions if found.collectives is not None else {}
    return table(
        [("function", "function"), ("calls", "calls"), ("messages", "messages"), ("bytes", "bytes_B"),
         ("calls left out", "left_out")],
        [
            [cell(name), cell(each.calls), cell(each.messages), _size(each.bytes_B), cell(each.left_out)]
            for name, each in rows.items()
        ],
    )  # fmt: skip


def collective_hosts(found: Summary) -> Table:
    """As `hosts`, of what collective calls send."""
    sent = found.collectives
    return _matrix(found.hosts, sent.host_bytes_B, sent.host_messages) if sent is not None else table([], [])


def collective_matrix(found: Summary) -> Table:
    """As `matrix`, of what collective calls send."""
    sent, names = found.collectives, [str(rank) for rank in range(found.ranks)]
    return _matrix(names, sent.bytes_B, sent.messages) if sent is not None else table([], [])


def size_words(sizes: SizeClass) -> str:
    """For example "0 B", "1 B", "8 KiB to < 16 KiB"."""
    first = words.size(sizes.from_B)
    return first if sizes.from_B == sizes.to_B else f"{first} to < {words.size(sizes.to_B + 1)}"


def _matrix(names: Sequence[str], bytes_B: Matrix, messages: Matrix) -> Table:
    def sent(row: int, column: int) -> TableCell:
        number, size_B = messages[row][column], bytes_B[row][column]
        return cell(size_B, f"{words.size(size_B)}\n{number}×") if number else cell(0, "·")

    return table(
        [("", "from"), *((name, name) for name in names)],
        [[cell(name), *(sent(row, column) for column in range(len(names)))] for row, name in enumerate(names)],
    )


def _bar(mpi_share: float) -> str:
    """Computing light, MPI dark."""
    dark = min(round(BAR * mpi_share), BAR)
    return "░" * (BAR - dark) + "█" * dark


def threads_s(found: Summary) -> float:
    """How long all threads that call MPI ran together: what functions' times, which add up theirs, are a part of."""
    return sum(rank.time_s * max(rank.threads, 1) for rank in found.per_rank)


def share_cell(part: float, whole: float) -> TableCell:
    """A part of a whole in percent; empty where there is nothing."""
    return cell(part / whole, words.percent(part / whole)) if whole > 0 else cell(None)


def _mean(usage: Function) -> TableCell:
    mean_s = usage.time_s / max(usage.calls, 1)
    return duration_cell(mean_s)


def _size(size_B: int) -> TableCell:
    return cell(size_B, words.size(size_B)) if size_B else cell(0, "·")
