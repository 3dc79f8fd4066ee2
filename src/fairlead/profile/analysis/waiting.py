"""What ranks waited for in messages and collective calls: late partners, or the transfer. Pure.

The two ends of a message are joined by the k-th message of one sender to one receiver with one tag on one communicator:
MPI matches these in order, so the k-th that was sent is the k-th receive that was begun (not that was completed).

A rank waits from when it needs a message (`fairlead.profile.record.END`) until the call that completes it returns. Of
that time, what passes before the sender has begun to send is for a late sender, and for a message that is sent, what
passes before the receiver has begun to receive is for a late receiver, if it mattered: small messages do not wait for
it. The rest is transfer. A call that completes several messages waited for the last of them.

In a collective call, what passes before those have entered whose data it needs is waiting for others
(`fairlead.profile.analysis.collectives`), the rest is the collective's own time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.array_types import Floats
from fairlead.profile.analysis import clocks, collectives
from fairlead.profile.analysis.clocks import ClockCorrection
from fairlead.profile.analysis.collectives import Joined
from fairlead.profile.record import ANY_SOURCE, ANY_TAG, COLLECTIVE, END, RECEIVE, SEND, Record

Ints = NDArray[np.intp]

_KEY = np.dtype([("communicator", "u8"), ("source", "i4"), ("destination", "i4"), ("tag", "i4"), ("number", "i8")])


@dataclass(frozen=True)
class Waiting:
    """Waiting of each rank, in s. Shapes (ranks), in the order of the records.

    Attributes:
        late_sender_s: for messages that were not sent yet.
        late_receiver_s: until the receiver of a message was there.
        transfer_s: for the message itself, once both were there.
        late_others_s: in collective calls, for others that had not entered.
        collective_s: in collective calls, once they had.
        unknown_s: for messages whose other end, and collective calls whose others, or their clocks, are not known.
        transfer_between_s: `transfer_s` by sender (row) and receiver (column), whoever waited. Shape (ranks, ranks).
        receiving_between_s: of that, what the receivers waited, t_t of a pair. Shape (ranks, ranks).
        processing_between_s: between a rank's waiting for messages, by the message that it received next, t_p of a pair
            (DMCBM 3.4.4). Shape (ranks, ranks).
        in_function: of collective functions, what all ranks waited in them.
        joined: messages of which both ends are known.
        kept: ends of messages and collective calls that the ranks kept, which were in the beginning of the program.
        all_ends: how many there were.
        bound_s: how wrong times between hosts may be at most; None: they are not known at all between some.
    """

    late_sender_s: Floats
    late_receiver_s: Floats
    transfer_s: Floats
    late_others_s: Floats
    collective_s: Floats
    unknown_s: Floats
    transfer_between_s: Floats
    receiving_between_s: Floats
    processing_between_s: Floats
    in_function: dict[str, "InFunction"]
    joined: int
    kept: int
    all_ends: int
    bound_s: float | None


@dataclass(frozen=True)
class InFunction:
    """Waiting in one collective function, of all ranks together; calls that were kept. As in `Waiting`."""

    calls: int
    late_others_s: float
    collective_s: float
    unknown_s: float


@dataclass(frozen=True)
class Kept:
    """What all ranks kept.

    Attributes:
        ends: `fairlead.profile.record.END`, their functions by their place in `functions`. Shape (n).
        rank, host: whose each is. Shapes (n).
        hosts: how many.
    """

    ends: NDArray[np.void]
    functions: tuple[str, ...]
    rank: Ints
    host: Ints
    hosts: int

    @classmethod
    def of(cls, records: Sequence[Record], hosts: Sequence[str]) -> "Kept":
        functions: dict[str, int] = {}
        parts = [np.zeros(0, END)]
        for record in records:
            part = record.ends.copy()
            numbers = [functions.setdefault(name, len(functions)) for name in record.function_names]
            for column in ("function", "completed_by"):
                part[column] = np.array(numbers)[part[column]] if numbers else part[column]
            parts.append(part)
        rank = np.repeat([record.rank or 0 for record in records], [len(record.ends) for record in records])
        names = list(dict.fromkeys(hosts))
        host = np.array([names.index(name) for name in hosts], np.intp)
        return cls(np.concatenate(parts), tuple(functions), rank, host[rank], len(names))


def of(records: Sequence[Record], ranks: int, hosts: Sequence[str]) -> Waiting | None:
    """Of a program's ranks; None where they kept no messages.

    Args:
        records: of its ranks.
        ranks: of the program.
        hosts: of every rank. Shape (ranks).
    """
    kept = Kept.of(records, hosts)
    if len(kept.ends) == 0:
        return None
    sends, receives = joined(kept.ends, kept.rank)
    operations = collectives.joined(kept.ends, kept.rank, kept.functions)
    found = _clocks(kept, sends, receives, operations)
    partner_s = _partners(kept, sends, receives, operations, found)
    calls = _calls(kept.ends, kept.rank, partner_s)
    bounds = [clock.bound_s if clock else None for clock in found]
    received = calls["rank"] == calls["destination"]
    return Waiting(
        **_by_rank(calls, records),
        transfer_between_s=_between(ranks, calls, calls["transfer_s"]),
        receiving_between_s=_between(ranks, calls, np.where(received, calls["transfer_s"], 0)),
        processing_between_s=_between(ranks, calls, calls["processing_s"]),
        in_function=_in_function(calls, kept.functions),
        joined=len(sends),
        kept=len(kept.ends),
        all_ends=sum(
            int(each.messages.sent_messages.sum() + each.messages.received_messages.sum() + each.sizes.given.sum())
            for each in records
        ),
        bound_s=None if None in bounds else max(bound for bound in bounds if bound is not None),
    )


def clocks_of(records: Sequence[Record], hosts: Sequence[str]) -> dict[str, ClockCorrection | None]:
    """The clock of each host, by what the ranks kept; None: not known. ``hosts``: of every rank."""
    kept = Kept.of(records, hosts)
    operations = collectives.joined(kept.ends, kept.rank, kept.functions)
    found = _clocks(kept, *joined(kept.ends, kept.rank), operations)
    return dict(zip(dict.fromkeys(hosts), found, strict=True))


def joined(ends: NDArray[np.void], rank: Ints) -> tuple[Ints, Ints]:
    """Both ends of each message that has them.

    Args:
        ends: of all ranks. Shape (n), `fairlead.profile.record.END`.
        rank: whose each is. Shape (n).

    Returns:
        Places in ``ends`` of the messages' sending and receiving ends. Messages whose sizes differ are no pair, nor are
        others between the same two: their order was lost.
    """
    sends = np.flatnonzero(ends["end"] == SEND)
    # An open receive from anybody belongs to no sender.
    receives = np.flatnonzero((ends["end"] == RECEIVE) & (ends["peer"] != ANY_SOURCE) & (ends["tag"] != ANY_TAG))
    send_keys = _numbered(ends[sends], rank[sends], ends["peer"][sends])
    receive_keys = _numbered(ends[receives], ends["peer"][receives], rank[receives])
    _, in_sends, in_receives = np.intersect1d(send_keys, receive_keys, assume_unique=True, return_indices=True)
    sends, receives = sends[in_sends], receives[in_receives]
    keys = send_keys[in_sends][["communicator", "source", "destination", "tag"]]
    differ = (ends["size_B"][sends] != ends["size_B"][receives]) & ~np.isnan(ends["done_s"][receives])
    kept = ~np.isin(keys, keys[differ])
    return sends[kept], receives[kept]


def _numbered(ends: NDArray[np.void], source: Ints, destination: Ints) -> NDArray[np.void]:
    """What two ends of a message have in common and no others, in the order of ``ends``. Shape (n), `_KEY`."""
    keys = np.zeros(len(ends), _KEY)
    keys["communicator"], keys["tag"] = ends["communicator"], ends["tag"]
    keys["source"], keys["destination"] = source, destination
    columns = [keys[name] for name in ("communicator", "source", "destination", "tag")]
    order = np.lexsort((ends["begun_s"], *columns))
    new = np.ones(len(order), bool)
    new[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    first = np.flatnonzero(new)
    keys["number"][order] = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return keys


def _clocks(kept: Kept, sends: Ints, receives: Ints, operations: Joined) -> list[ClockCorrection | None]:
    done = ~np.isnan(kept.ends["done_s"][receives])
    sends, receives = sends[done], receives[done]
    messages = (kept.host[sends], kept.host[receives], kept.ends["begun_s"][sends], kept.ends["done_s"][receives])
    told = collectives.flights(kept.ends, kept.host, operations)
    source, destination, sent_s, received_s = (np.concatenate(both) for both in zip(messages, told, strict=True))
    return clocks.of(kept.hosts, source, destination, sent_s, received_s)


def _partners(
    kept: Kept, sends: Ints, receives: Ints, operations: Joined, found: Sequence[ClockCorrection | None]
) -> Floats:
    """Up to when each had to wait for its other end, or for others, to begin, by its own clock; NaN: not known.
    Shape (n)."""
    ends, host = kept.ends, kept.host
    nothing = ClockCorrection(np.nan, np.nan, np.nan)
    known = [clock or nothing for clock in found]
    rate = np.array([clock.rate for clock in known])
    shift_s = np.array([clock.shift_s for clock in known])
    reference_s = rate[host] * ends["begun_s"] + shift_s[host]
    partner_s = np.full(len(ends), np.nan)
    for here, there in ((sends, receives), (receives, sends)):
        partner_s[here] = (reference_s[there] - shift_s[host[here]]) / rate[host[here]]
        alike = host[here] == host[there]  # one clock: nothing to be known of it
        partner_s[here[alike]] = ends["begun_s"][there[alike]]
    entered_s = collectives.others_entered(ends, kept.rank, operations, reference_s)
    partner_s[operations.places] = (entered_s - shift_s[host[operations.places]]) / rate[host[operations.places]]
    # A message that was out before its receiver came did not wait for it.
    partner_s[(ends["end"] == SEND) & (partner_s > ends["done_s"])] = -np.inf
    return partner_s


_WAITED = ("late_sender_s", "late_receiver_s", "transfer_s", "late_others_s", "collective_s", "unknown_s")
_CALL = np.dtype([
    ("rank", "i4"), ("source", "i4"), ("destination", "i4"), ("late_sender_s", "f8"), ("late_receiver_s", "f8"),
    ("transfer_s", "f8"), ("late_others_s", "f8"), ("collective_s", "f8"), ("unknown_s", "f8"), ("processing_s", "f8"),
    ("function", "i4"),
])  # fmt: skip


def _calls(ends: NDArray[np.void], rank: Ints, partner_s: Floats) -> NDArray[np.void]:
    """Each call that completed messages or collective operations: what it waited for, between whom the last message
    went, and the function of a collective that was last, else -1. `_CALL`."""
    done = np.flatnonzero(~np.isnan(ends["done_s"]) & ((ends["peer"] >= 0) | (ends["end"] == COLLECTIVE)))
    # In a call's own order: those without a known partner last, as the latest.
    order = done[np.lexsort((partner_s[done], ends["done_s"][done], ends["thread"][done], rank[done]))]
    ends, rank, partner_s = ends[order], rank[order], partner_s[order]
    if len(ends) == 0:
        return np.zeros(0, _CALL)
    new = np.ones(len(ends), bool)
    new[1:] = (np.diff(rank) != 0) | (np.diff(ends["thread"].astype(int)) != 0) | (np.diff(ends["done_s"]) != 0)
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(ends)) - 1
    needed_s = np.minimum.reduceat(ends["needed_s"], first)
    # What is waited for with others at a time, by a loop of tests, is not waited for twice.
    follows = (rank[first][1:] == rank[first][:-1]) & (ends["thread"][first][1:] == ends["thread"][first][:-1])
    needed_s[1:] = np.where(follows, np.maximum(needed_s[1:], ends["done_s"][last][:-1]), needed_s[1:])
    computed_s = np.maximum.reduceat(ends["computed_s"], first)
    waited_s = np.maximum(ends["done_s"][last] - needed_s - computed_s, 0)
    late_s = np.clip(partner_s[last] - needed_s, 0, waited_s)  # NaN: not known
    known = ~np.isnan(late_s)
    received, collective = ends["end"][last] == RECEIVE, ends["end"][last] == COLLECTIVE
    sent = ~received & ~collective
    calls = np.zeros(len(first), _CALL)
    calls["rank"] = rank[last]
    peer = np.where(collective, rank[last], ends["peer"][last])
    calls["source"] = np.where(received, peer, rank[last])
    calls["destination"] = np.where(received, rank[last], peer)
    calls["late_sender_s"] = np.where(known & received, late_s, 0)
    calls["late_receiver_s"] = np.where(known & sent, late_s, 0)
    calls["transfer_s"] = np.where(known & ~collective, waited_s - late_s, 0)
    calls["late_others_s"] = np.where(known & collective, late_s, 0)
    calls["collective_s"] = np.where(known & collective, waited_s - late_s, 0)
    calls["unknown_s"] = np.where(known, 0, waited_s)
    calls["function"] = np.where(collective, ends["function"][last].astype(int), -1)
    between_s = np.zeros(len(first))
    between_s[1:] = np.where(follows, needed_s[1:] - ends["done_s"][last][:-1], 0)
    between_s += np.minimum(computed_s, ends["done_s"][last] - needed_s)
    calls["processing_s"] = _until_received(between_s, received, np.concatenate([[True], ~follows]))
    return calls


def _by_rank(calls: NDArray[np.void], records: Sequence[Record]) -> dict[str, Floats]:
    """What each record's rank waited for, by the names of `Waiting`; the mean of its threads. Shapes (records)."""
    threads = np.array([max(record.threads, 1) for record in records])
    place = {record.rank: index for index, record in enumerate(records)}
    index = np.array([place[each] for each in calls["rank"]], int)
    return {name: np.bincount(index, calls[name], len(records)) / threads for name in _WAITED}


def _between(ranks: int, calls: NDArray[np.void], times_s: Floats) -> Floats:
    """Times of calls by the sender (row) and receiver (column) of their last message. Shape (ranks, ranks)."""
    found = np.zeros((ranks, ranks))
    np.add.at(found, (calls["source"], calls["destination"]), times_s)
    return found


def _in_function(calls: NDArray[np.void], functions: Sequence[str]) -> dict[str, InFunction]:
    """By function, in the order of the time in it."""
    found = {}
    for number in np.unique(calls["function"][calls["function"] >= 0]):
        chosen = calls[calls["function"] == number]
        sums = [float(chosen[name].sum()) for name in ("late_others_s", "collective_s", "unknown_s")]
        found[functions[number]] = InFunction(len(chosen), *sums)
    return dict(sorted(found.items(), key=lambda item: -(item[1].late_others_s + item[1].collective_s)))


def _until_received(processing_s: Floats, received: NDArray[np.bool_], begins: NDArray[np.bool_]) -> Floats:
    """What passes before calls that send is counted with the next one of the same thread that receives.

    ``begins``: whether a call is its thread's first. Shapes (calls).
    """
    sums_s = np.cumsum(processing_s)
    starts = np.flatnonzero(begins)
    thread = np.cumsum(begins) - 1
    places = np.flatnonzero(received)
    before_s = (sums_s - processing_s)[starts][thread[places]]
    same = thread[places][1:] == thread[places][:-1]
    before_s[1:] = np.where(same, sums_s[places][:-1], before_s[1:])
    found = np.zeros(len(processing_s))
    found[places] = sums_s[places] - before_s
    return found
