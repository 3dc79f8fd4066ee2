"""Every message and collective call that ranks kept, as tables with a row each; both ends of a message in one. Pure.

Times are seconds since the first of all, on the first host's clock where the others' are known against it
(`fairlead.profile.analysis.clocks`), else on the host's own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairlead.array_types import Floats
from fairlead.profile.analysis import collectives, waiting
from fairlead.profile.analysis.clocks import ClockCorrection
from fairlead.profile.analysis.waiting import Kept
from fairlead.profile.profile import Profile
from fairlead.profile.record import ANY_SOURCE, ANY_TAG, NO_ROOT, RECEIVE, SEND

Ints = NDArray[np.intp]


def of(profile: Profile) -> dict[str, Any]:
    """The tables ``messages`` and ``collectives`` (docs/guides/monitor.md), as Arrow tables."""
    kept = Kept.of(profile.records, profile.hosts)
    clocks = list(waiting.clocks_of(profile.records, profile.hosts).values())
    times = _times(kept, clocks)
    return {
        "messages": _messages(kept, profile.host_names, times, clocks),
        "collectives": _collectives(kept, profile.host_names, times, clocks),
    }


def _times(kept: Kept, clocks: Sequence[ClockCorrection | None]) -> NDArray[np.void]:
    """The ends with times since the first."""
    ends = kept.ends.copy()
    for host, clock in enumerate(clocks):
        mine = kept.host == host
        for name in ("begun_s", "needed_s", "done_s"):
            ends[name][mine] = (clock or ClockCorrection()).to_reference(ends[name][mine])
    first_s = ends["begun_s"].min(initial=np.inf)
    for name in ("begun_s", "needed_s", "done_s"):
        ends[name] -= first_s
    return ends


def _messages(
    kept: Kept, hosts: Sequence[str], times: NDArray[np.void], clocks: Sequence[ClockCorrection | None]
) -> Any:
    """A row a message, with the ends that are known of it."""
    sends, receives = waiting.joined(kept.ends, kept.rank)
    is_send, is_receive = (kept.ends["end"] == kind for kind in (SEND, RECEIVE))
    is_send[sends] = is_receive[receives] = False
    alone, unsent = np.flatnonzero(is_send), np.flatnonzero(is_receive)
    send = np.concatenate([sends, alone, np.full(len(unsent), -1)])
    receive = np.concatenate([receives, np.full(len(alone), -1), unsent])
    of_either = np.where(send >= 0, send, receive)
    order = np.argsort(times["begun_s"][of_either], kind="stable")
    send, receive, either = send[order], receive[order], of_either[order]
    peer = kept.ends["peer"][either]
    sized = (send >= 0) | ~np.isnan(times["done_s"][receive])
    source = np.where(send >= 0, kept.rank[send], peer)
    destination = np.where(send >= 0, peer, kept.rank[receive])
    host_of = dict(zip(kept.rank.tolist(), kept.host.tolist(), strict=True))
    here, there = (np.array([host_of.get(rank, -1) for rank in ranks.tolist()], np.intp)
                   for ranks in (source, destination))  # fmt: skip
    return pa.table({
        "communicator": _communicators(kept.ends["communicator"][either]),
        "source": _numbers(source, source != ANY_SOURCE),
        "destination": _numbers(destination),
        "source_host": _names(hosts, here),
        "destination_host": _names(hosts, there),
        "tag": _numbers(kept.ends["tag"][either], kept.ends["tag"][either] != ANY_TAG),
        "size_B": _numbers(kept.ends["size_B"][either], sized),
        "send_function": _names(kept.functions, kept.ends["function"][send], send >= 0),
        "send_begun_s": _seconds(times["begun_s"], send),
        "send_needed_s": _seconds(times["needed_s"], send),
        "send_done_s": _seconds(times["done_s"], send),
        "receive_function": _names(kept.functions, kept.ends["function"][receive], receive >= 0),
        "receive_begun_s": _seconds(times["begun_s"], receive),
        "receive_needed_s": _seconds(times["needed_s"], receive),
        "receive_computed_s": _seconds(times["computed_s"], receive),
        "receive_done_s": _seconds(times["done_s"], receive),
        "clock_error_s": _errors(clocks, here, there),
    })  # fmt: skip


def _collectives(
    kept: Kept, hosts: Sequence[str], times: NDArray[np.void], clocks: Sequence[ClockCorrection | None]
) -> Any:
    """A row for each rank's call; those of one operation have its number."""
    joined = collectives.joined(kept.ends, kept.rank, kept.functions)
    # Operations in the order in which they were first entered.
    entered_s = times["begun_s"][joined.places]
    begun_s = np.minimum.reduceat(entered_s, joined.first) if len(joined.first) else entered_s
    number = np.empty(len(begun_s), np.intp)
    number[np.argsort(begun_s, kind="stable")] = np.arange(len(begun_s))
    operation = number[joined.operation]
    order = np.lexsort((entered_s, operation))
    places, operation = joined.places[order], operation[order]
    ends = times[places]
    host = kept.host[places]
    return pa.table({
        "operation": _numbers(operation),
        "communicator": _communicators(ends["communicator"]),
        "function": _names(kept.functions, ends["function"]),
        "rank": _numbers(kept.rank[places]),
        "host": _names(hosts, host),
        "root": _numbers(ends["peer"], ends["peer"] != NO_ROOT),
        "members": _numbers(ends["tag"], ends["tag"] > 0),
        "size_B": _numbers(ends["size_B"]),
        "entered_s": _seconds(ends["begun_s"]),
        "needed_s": _seconds(ends["needed_s"]),
        "computed_s": _seconds(ends["computed_s"]),
        "left_s": _seconds(ends["done_s"]),
        "clock_error_s": _errors(clocks, host, np.zeros(len(host), np.intp)),
    })  # fmt: skip


def _communicators(identities: NDArray[np.uint64]) -> Any:
    """As 16 hexadecimal digits: no tool takes them for numbers to add up."""
    return pa.array([f"{int(identity):016x}" for identity in identities], pa.string())


def _numbers(values: NDArray[Any], known: NDArray[np.bool_] | None = None) -> Any:
    return pa.array(values.astype(np.int64), mask=None if known is None else ~known)


def _names(names: Sequence[str], numbers: NDArray[Any], known: NDArray[np.bool_] | None = None) -> Any:
    chosen = numbers >= 0 if known is None else known
    return pa.array(
        [names[number] if told else None for number, told in zip(numbers, chosen, strict=True)], pa.string()
    )


def _seconds(times_s: Floats, places: Ints | None = None) -> Any:
    """Times at places (-1: not known), or all of them, to the nanosecond. Empty where not known."""
    values = times_s if places is None else np.where(places >= 0, times_s[places], np.nan)
    return pa.array(values.round(9), from_pandas=True)


def _errors(clocks: Sequence[ClockCorrection | None], here: Ints, there: Ints) -> Any:
    """How wrong the difference of two hosts' times may be; empty where it is not known."""
    bounds_s = np.array([np.nan if clock is None else clock.bound_s for clock in clocks] + [np.nan])
    error_s = np.where(here == there, 0.0, bounds_s[here] + bounds_s[there])
    return pa.array(np.where((here < 0) | (there < 0), np.nan, error_s).round(9), from_pandas=True)
