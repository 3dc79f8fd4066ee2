"""A profile on a terminal: who computes, who waits in MPI, what goes where, in which sizes."""

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.markup import escape

from fairlead.profile.json_form import size_class
from fairlead.profile.profile import BEGIN_AND_END, Profile
from fairlead.profile.record import Counts, Record, Usage
from fairlead.report import words
from fairlead.report.tables import Cell, Table, cell, table
from fairlead.report.terminal import rich_table

MOST_RANKS = 32  # rows of the table of ranks
MOST_COLUMNS = 16  # of a matrix: more do not fit a terminal
MOST_FUNCTIONS = 12
BAR = 20  # characters
_ENDS = {
    "aborted": "ended by MPI_Abort",
    "exited": "ended without MPI_Finalize",
    "running": "ended by a signal",
}


def show(profile: Profile, program: Sequence[str], console: Console) -> None:
    """Print all tables."""
    for text in lead(profile, program):
        console.print(escape(text), highlight=False, soft_wrap=True)
    console.print()
    drawn = {
        "Computing and MPI": ranks(profile),
        "MPI functions": functions(profile),
        "Message sizes": sizes(profile),
        "Sent from host (row) to host (column)": hosts(profile),
        "Sent from rank (row) to rank (column)": matrix(profile),
    }
    for title, source in drawn.items():
        if source is not None and source.rows:
            console.print(rich_table(source, title))
    for text in remarks(profile):
        console.print(escape(text), highlight=False, soft_wrap=True)


def lead(profile: Profile, program: Sequence[str]) -> Iterator[str]:
    """The profile in sentences."""
    time_s = float(profile.time_s.max())
    hosts = profile.host_names
    yield (
        f"{' '.join(program)}: {profile.ranks} ranks on {hosts[0] if len(hosts) == 1 else f'{len(hosts)} hosts'}, "
        f"{words.duration(time_s)} between MPI_Init and MPI_Finalize"
    )
    yield (
        f"{words.percent(profile.mpi_share)} of the ranks' time is in MPI; load imbalance "
        f"{words.percent(profile.imbalance)} (the longest computing time over the mean)"
    )
    messages, sent_B = profile.messages(), profile.bytes_B()
    if len(hosts) > 1 and messages.any():
        between, between_B = (_between(profile.by_host(each)) for each in (messages, sent_B))
        yield (
            f"{_count(messages.sum(), 'message')} of {words.size(int(sent_B.sum()))}, of them between hosts "
            f"{_count(between, 'message')} of {words.size(between_B)}"
        )
    elif messages.any():
        yield f"{_count(messages.sum(), 'message')} of {words.size(int(sent_B.sum()))}, all inside one host"
    else:
        yield "no point-to-point messages"


def ranks(profile: Profile) -> Table:
    """Computing and MPI of every rank; of many, those with the longest time in MPI."""
    inside_s, time_s, computing_s = profile.mpi_s, profile.time_s, profile.computing_s
    chosen = sorted(np.argsort(-inside_s, kind="stable")[:MOST_RANKS])
    return table(
        [("rank", "rank"), ("host", "host"), ("time", "time_s"), ("computing", "computing_s"), ("MPI", "mpi_s"),
         ("in MPI", "mpi_share"), ("", "bar")],
        [
            [
                cell(profile.records[index].rank),
                cell(profile.hosts[profile.records[index].rank or 0]),
                cell(time_s[index], words.duration(time_s[index])),
                cell(computing_s[index], words.duration(computing_s[index])),
                cell(inside_s[index], words.duration(inside_s[index])),
                _share(inside_s[index], time_s[index]),
                cell(None, _bar(inside_s[index], time_s[index])),
            ]
            for index in chosen
        ],
    )  # fmt: skip


def functions(profile: Profile) -> Table:
    """The functions with the longest time, all ranks together."""
    whole_s = float(profile.time_s.sum())
    used = [(name, usage) for name, usage in profile.functions().items() if name not in BEGIN_AND_END]
    return table(
        [("function", "function"), ("calls", "calls"), ("time", "time_s"), ("share", "share"),
         ("a call", "call_s"), ("sent", "sent_B"), ("received", "received_B")],
        [
            [
                cell(name),
                cell(usage.calls),
                cell(usage.time_s, words.duration(usage.time_s)),
                _share(usage.time_s, whole_s),
                _mean(usage),
                _size(usage.sent_B),
                _size(usage.received_B),
            ]
            for name, usage in used[:MOST_FUNCTIONS]
        ],
    )  # fmt: skip


def sizes(profile: Profile) -> Table:
    """Messages and collective calls by size."""
    messages, collective = profile.sizes(), profile.collective_sizes()
    most = max(int(messages.max()), 1)
    return table(
        [("size", "from_B"), ("messages", "messages"), ("", "bar"), ("collective calls", "collective_calls")],
        [
            [
                cell(size_class(number)[0], _size_words(number)),
                cell(int(sent)),
                cell(None, "█" * round(BAR * int(sent) / most)),
                cell(int(given)),
            ]
            for number, (sent, given) in enumerate(zip(messages, collective, strict=True))
            if sent or given
        ],
    )


def hosts(profile: Profile) -> Table | None:
    """Bytes and messages between hosts, those inside a host on the diagonal; None of one host, or of too many."""
    if not 1 < len(profile.host_names) <= MOST_COLUMNS:
        return None
    return _matrix_table(profile.host_names, profile.by_host(profile.bytes_B()), profile.by_host(profile.messages()))


def matrix(profile: Profile) -> Table | None:
    """Bytes and messages between ranks; None of too many ranks, no messages, or where each is alone on its host."""
    messages = profile.messages()
    if profile.ranks > MOST_COLUMNS or profile.ranks == len(profile.host_names) > 1 or not messages.any():
        return None
    return _matrix_table([str(rank) for rank in range(profile.ranks)], profile.bytes_B(), messages)


def remarks(profile: Profile) -> Iterator[str]:
    """What a reader must know before believing the tables."""
    if len(profile.records) > MOST_RANKS:
        yield f"of the ranks, the {MOST_RANKS} with the longest time in MPI are shown; --json holds all"
    if profile.ranks > MOST_COLUMNS:
        yield f"the matrix of {profile.ranks} ranks does not fit here; --json holds it"
    if profile.missing:
        yield f"{_names(profile.missing)} left no record: what they sent is not in the tables"
    for state, end in _ENDS.items():
        ended = [record for record in profile.records if record.state == state]
        if ended:
            yield f"{_names([_rank(record) for record in ended])} {end}: counted is what was done up to then"
    if any(record.threads > 1 for record in profile.records):
        yield "several threads called MPI: a rank's time in MPI is their mean"
    if profile.outside_B():
        yield f"{words.size(profile.outside_B())} were sent to processes outside the program's world"
    if profile.others:
        number = len(profile.others)
        many = _count(number, "further process", "further processes")
        yield f"{many} called MPI, and {'is' if number == 1 else 'are'} not shown"


def _matrix_table(names: Sequence[str], bytes_B: Counts, messages: Counts) -> Table:
    def sent(row: int, column: int) -> Cell:
        number, size_B = int(messages[row, column]), int(bytes_B[row, column])
        return cell(size_B, f"{words.size(size_B)}\n{number}×") if number else cell(0, "·")

    return table(
        [("", "from"), *((name, name) for name in names)],
        [[cell(name), *(sent(row, column) for column in range(len(names)))] for row, name in enumerate(names)],
    )


def _bar(part: float, whole: float) -> str:
    """Computing light, MPI dark."""
    dark = min(round(BAR * part / whole), BAR) if whole > 0 else 0
    return "░" * (BAR - dark) + "█" * dark


def _share(part: float, whole: float) -> Cell:
    return cell(part / whole, words.percent(part / whole)) if whole > 0 else cell(None)


def _mean(usage: Usage) -> Cell:
    mean_s = usage.time_s / max(usage.calls, 1)
    return cell(mean_s, words.duration(mean_s))


def _size(size_B: int) -> Cell:
    return cell(size_B, words.size(size_B)) if size_B else cell(0, "·")


def _size_words(number: int) -> str:
    first, _ = size_class(number)
    return words.size(first) if number < 2 else f"{words.size(first)} to < {words.size(2 * first)}"


def _between(by_host: Counts) -> int:
    return int(by_host.sum() - np.trace(by_host))


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _names(numbers: Sequence[int]) -> str:
    return f"{'rank' if len(numbers) == 1 else 'ranks'} {', '.join(map(str, numbers))}"


def _rank(record: Record) -> int:
    return record.rank if record.rank is not None else -1
