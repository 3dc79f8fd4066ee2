"""What collective calls send between ranks: estimated from the calls, or as the MPI library counted it. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairlead.profile.analysis import collective_algorithms
from fairlead.profile.analysis.kinds import COLLECTIVE, kind_of
from fairlead.profile.profile import Profile
from fairlead.profile.record import CollectiveSum, Counts


@dataclass
class FunctionTraffic:
    """What the calls of one collective function send, of all ranks together.

    Attributes:
        calls: that are in the estimate.
        left_out: that are not.
    """

    calls: int = 0
    left_out: int = 0
    messages: int = 0
    bytes_B: float = 0.0


@dataclass(frozen=True)
class CollectiveTraffic:
    """Messages that collective calls are made of, from each rank (row) to each (column).

    Attributes:
        messages, bytes_B: shape (ranks, ranks).
        functions: those that were called, most bytes first; empty where they were not estimated.
    """

    messages: Counts
    bytes_B: Counts
    functions: Mapping[str, FunctionTraffic] = field(default_factory=dict)


def estimated(profile: Profile) -> CollectiveTraffic:
    """By the algorithms of `fairlead.profile.analysis.collective_algorithms`, for the mean size of like calls.

    Left out are calls on intercommunicators, between neighbours, of persistent operations, on communicators of which
    not all members are known, and those that a record had no room for.
    """
    world_ranks = _world_ranks(profile)
    messages, bytes_B = np.zeros((2, profile.ranks, profile.ranks))
    functions: defaultdict[str, FunctionTraffic] = defaultdict(FunctionTraffic)
    for record in profile.records:
        for name, usage in record.functions.items():
            if kind_of(name) == COLLECTIVE:
                functions[name].left_out += usage.calls
        for each in record.collective_sums:
            members = world_ranks.get(each.communicator)
            if each.size > 1 and members is None:
                continue
            of_function = functions[each.function]
            of_function.calls += each.calls
            of_function.left_out -= each.calls
            for to, size_B in _sent(each):
                assert members is not None
                messages[record.rank, members[to]] += each.calls
                bytes_B[record.rank, members[to]] += each.calls * size_B
                of_function.messages += each.calls
                of_function.bytes_B += each.calls * size_B
    most_first = dict(sorted(functions.items(), key=lambda item: -item[1].bytes_B))
    return CollectiveTraffic(_whole(messages), _whole(bytes_B), most_first)


def measured(profile: Profile, messages: Counts, bytes_B: Counts) -> CollectiveTraffic:
    """What the MPI library sent in all, less the program's own messages.

    Args:
        messages, bytes_B: as the library counted them, from each rank to each. Shape (ranks, ranks).
    """
    return CollectiveTraffic(_less(messages, profile.messages()), _less(bytes_B, profile.bytes_B()))


def argument_B(each: CollectiveSum) -> float:
    """Of the mean call, the size that `collective_algorithms.sent` goes by."""
    given_B, got_B = each.given_B / each.calls, each.got_B / each.calls
    match collective_algorithms.operation_of(each.function):
        case "gather" | "gatherv" | "reduce_scatter" | "reduce_scatter_block":
            return given_B
        case "scatter" | "scatterv":
            return given_B / each.size if each.rank == each.root else got_B
        case "allgather" | "allgatherv":
            return got_B / each.size
        case "alltoall" | "alltoallv" | "alltoallw":
            return given_B / each.size
        case _:
            return max(given_B, got_B)


def _sent(each: CollectiveSum) -> collective_algorithms.Sent:
    operation = collective_algorithms.operation_of(each.function)
    return collective_algorithms.sent(operation, each.rank, each.size, each.root, argument_B(each))


def _world_ranks(profile: Profile) -> dict[int, list[int]]:
    """Of each communicator the ranks in the world of its members, in their order; where all are known."""
    ranks: defaultdict[int, dict[int, int]] = defaultdict(dict)
    sizes: dict[int, int] = {}
    for record in profile.records:
        for each in record.collective_sums:
            if record.rank is not None and each.size > 1:
                ranks[each.communicator][each.rank] = record.rank
                sizes[each.communicator] = each.size
    return {
        communicator: [of_member[member] for member in range(sizes[communicator])]
        for communicator, of_member in ranks.items()
        if len(of_member) == sizes[communicator]
    }


def _less(all_: Counts, some: Counts) -> Counts:
    return np.where(all_ > some, all_ - some, np.uint64(0))


def _whole(values: NDArray[np.float64]) -> Counts:
    return np.rint(values).astype(np.uint64)
