"""A profile in sentences: what was found, and what a reader must know before believing the figures."""

from collections.abc import Iterator, Sequence

from fairlead.display import words
from fairlead.profile import mitigation, priced
from fairlead.profile.analysis.groups import GROUPS, HIGHLY_DEPENDENT, NONE
from fairlead.profile.json_form import ESTIMATED, MEASURED, Collectives, Matrix, Summary, Waiting
from fairlead.profile.mitigation import Mitigation

MOST_NAMED = 8
_SOURCES = {
    ESTIMATED: "estimated, by the algorithms that MPI libraries usually take",
    MEASURED: "measured by the MPI library",
}
_ENDS = {
    "aborted": "ended by MPI_Abort",
    "exited": "ended without MPI_Finalize",
    "running": "ended by a signal",
}
_DEPENDENCE = dict(
    zip(
        GROUPS,
        (
            "highly dependent on the network",
            "dependent on the network",
            "low dependence on the network",
            "no dependence on the network",
        ),
        strict=True,
    )
)


def lead(found: Summary, mitigated: Mitigation | None = None) -> Iterator[str]:
    """What was run, how far it depends on the network and why, who computes longest, what goes where, what it cost.

    Args:
        mitigated: what `mitigation.of` found; None: it is looked for.
    """
    time_s = max(rank.time_s for rank in found.per_rank)
    hosts = found.hosts
    yield (
        f"{' '.join(found.program)}: {words.count(found.ranks, 'rank')} on "
        f"{hosts[0] if len(hosts) == 1 else f'{len(hosts)} hosts'}, "
        f"{words.duration(time_s)} between MPI_Init and MPI_Finalize"
    )
    yield dependence(found)
    yield imbalance(found)
    yield messages(found)
    if found.collectives is not None:
        yield collective_calls(found, found.collectives)
    if found.waiting is not None:
        yield waiting(found, found.waiting)
    yield from mitigation_of(found, mitigated or mitigation.of(found))
    if found.cost is not None and found.ran is not None:
        yield priced.describe(found.ran, found.cost)


def dependence(found: Summary) -> str:
    """The group, and the numbers that it follows from."""
    group, shares = found.group, list(found.group.thresholds.items())
    at = next((number for number, (name, _) in enumerate(shares) if name == group.name), len(shares))
    limits = [f"from {words.percent(shares[at][1], decimals=0)}"] if group.name != NONE else []
    limits += [f"below {words.percent(shares[at - 1][1], decimals=0)}"] if group.name != HIGHLY_DEPENDENT else []
    ranks = (
        f", {words.percent(group.lowest_mpi_share)} to {words.percent(group.highest_mpi_share)} rank by rank"
        if len(found.per_rank) > 1
        else ""
    )
    text = (
        f"{_DEPENDENCE[group.name]}: {words.percent(found.mpi_share)} of the ranks' time is in MPI{ranks} "
        f"(this group: {' and '.join(limits)})"
    )
    return text if len(found.hosts) > 1 else f"{text}; on one host, that is time between processes"


def imbalance(found: Summary) -> str:
    """How unevenly the ranks compute, and who computes longest."""
    text = f"load imbalance {words.percent(found.imbalance)} (longest computing time over the mean, minus 1)"
    return f"{text}: longest on {_names(found.imbalance_ranks)}" if found.imbalance_ranks else text


def waiting(found: Summary, waited: Waiting) -> str:
    """How much of their time the ranks waited for messages and in collective calls, and what for."""
    parts_s = {
        "late senders": sum(waited.late_sender_s),
        "late receivers": sum(waited.late_receiver_s),
        "transfers": sum(waited.transfer_s),
        "late ranks in collective calls": sum(waited.late_others_s or []),
        "collective calls": sum(waited.collective_s or []),
        "unknown": sum(waited.unknown_s),
    }
    whole_s = sum(rank.time_s for rank in found.per_rank)
    if whole_s <= 0:
        return "no time was spent waiting"
    told = ", ".join(f"{words.percent(part_s / whole_s)} {what}" for what, part_s in parts_s.items() if part_s > 0)
    text = f"waiting takes {words.percent(sum(parts_s.values()) / whole_s)} of the ranks' time"
    return f"{text}: {told}" if told else text


def mitigation_of(found: Summary, mitigated: Mitigation) -> Iterator[str]:
    """What transmission costs where it outweighs processing, and what other hosts for the ranks would change."""
    heavy, change = mitigated.pairs, mitigated.better
    whole_s = sum(rank.time_s for rank in found.per_rank)
    if heavy:
        share = (
            words.percent(sum(pair.transmission_s for pair in heavy) / whole_s) if whole_s > 0 else "an unknown share"
        )
        text = (
            f"{words.count(len(heavy), 'pair')} of ranks {'spends' if len(heavy) == 1 else 'spend'} more in "
            f"transmission than the receiver computes between messages; waiting for it takes {share} of the ranks' time"
        )
        yield f"{text}: place these ranks closer, or use larger parts"
    if change is not None:
        less = words.percent(1 - change.after_B / change.before_B)
        yield (
            f"swapping ranks between these hosts would reduce traffic between hosts by {less} "
            f"({words.size(change.before_B)} to {words.size(change.after_B)}): see `fairlead placement`"
        )


def messages(found: Summary) -> str:
    """How many messages, how much, and what of it between hosts."""
    number, size_B = (sum(map(sum, each)) for each in (found.messages, found.bytes_B))
    if not number:
        return "no point-to-point messages"
    whole = f"{words.count(number, 'message')} of {words.size(size_B)}"
    if len(found.hosts) == 1:
        return f"{whole}, all inside one host"
    between, between_B = between_hosts(found.host_messages), between_hosts(found.host_bytes_B)
    return f"{whole}, of them between hosts {words.count(between, 'message')} of {words.size(between_B)}"


def collective_calls(found: Summary, sent: Collectives) -> str:
    """What collective calls send, how that is known, and what of it goes between hosts."""
    number, size_B = (sum(map(sum, each)) for each in (sent.messages, sent.bytes_B))
    text = (
        f"collective calls send {words.count(number, 'message')} of {words.size(size_B)} more "
        f"({_SOURCES.get(sent.source, sent.source)})"
    )
    if len(found.hosts) == 1 or not number:
        return text
    between, between_B = between_hosts(sent.host_messages), between_hosts(sent.host_bytes_B)
    return f"{text}, of them between hosts {words.count(between, 'message')} of {words.size(between_B)}"


def collectives_counted(found: Summary) -> Iterator[str]:
    """What figures of all traffic between ranks are of, where collective calls are part of it."""
    if found.collectives is not None:
        source = found.collectives.source
        yield f"what collective calls send is part of these figures ({_SOURCES.get(source, source)})"


def caveats(found: Summary) -> Iterator[str]:
    """What was not seen or is not what it seems."""
    if found.missing_ranks:
        yield f"{_names(found.missing_ranks)} left no record: the tables lack what they sent"
    for state, end in _ENDS.items():
        ended = [rank.rank for rank in found.per_rank if rank.end == state]
        if ended:
            yield f"{_names(ended)} {end}: counted is what was done up to then"
    for name in dict.fromkeys(name for rank in found.per_rank for name, each in rank.regions.items() if each.open):
        ended = [rank.rank for rank in found.per_rank if name in rank.regions and rank.regions[name].open]
        yield f"{_names(ended)} ended in the region {name}: the last time in it is not counted"
    if any(rank.threads > 1 for rank in found.per_rank):
        yield "several threads called MPI: a rank's time in MPI is the mean over its threads"
    if found.waiting is not None:
        yield from _about_waiting(found.waiting)
    if found.pattern is not None and found.pattern.searched is not None:
        what = words.count(found.pattern.searched, "message and collective call", "messages and collective calls")
        yield f"phases were looked for in the first {what} of rank {found.pattern.rank}"
    if found.collectives is not None:
        yield from _about_collectives(found.collectives)
    if mitigation.too_many(found):
        yield (
            f"whether ranks should be swapped between hosts is looked for with up to {mitigation.MOST_RANKS} ranks; "
            "`fairlead placement` does so with more"
        )
    if found.outside_B:
        yield f"{words.size(found.outside_B)} were sent to processes outside the program's world"
    if found.other_processes:
        many = words.count(found.other_processes, "further process", "further processes")
        yield f"{many} called MPI, and {'is' if found.other_processes == 1 else 'are'} not shown"


def _about_waiting(waited: Waiting) -> Iterator[str]:
    if waited.kept < waited.all_ends:
        share = words.percent(waited.kept / waited.all_ends)
        what = f"the first {share} of the messages and collective calls"
        yield f"waiting is known only for {what}; --keep-messages keeps more of them"
    if waited.bound_s is None:
        yield "the clock offsets of some hosts are unknown: too few messages are exchanged between them"
    elif waited.bound_s > 0:
        yield f"times between hosts are right to {words.duration(waited.bound_s)}"


def _about_collectives(sent: Collectives) -> Iterator[str]:
    left_out = {name: each.left_out for name, each in sent.functions.items() if each.left_out}
    if left_out:
        told = ", ".join(f"{words.count(calls, 'call')} of {name}" for name, calls in left_out.items())
        yield f"the estimate of collective calls leaves out {told}"


def between_hosts(by_host: Matrix) -> int:
    """The sum of a matrix by host without its diagonal."""
    return sum(sum(row) - row[host] for host, row in enumerate(by_host))


def _names(ranks: Sequence[int]) -> str:
    """For example "rank 3", "ranks 0, 2, 5 and 12 more"."""
    shown = ranks if len(ranks) <= MOST_NAMED + 1 else ranks[:MOST_NAMED]
    more = f" and {len(ranks) - len(shown)} more" if len(shown) < len(ranks) else ""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(map(str, shown))}{more}"
