"""Collective calls of all ranks joined, and up to when each had to wait for the others. Pure.

The members of a communicator make collective calls on it in one order (MPI 4.1, 6.1 and 6.12), so the k-th of each
member are one operation. How long one has to wait for others follows from where its data come from, as Scalasca's
performance properties have it:

- of all others (a barrier, or N to N): until the last of them has entered ("Wait at Barrier", "Wait at N x N");
- of the root (1 to N): until that has ("Late Broadcast");
- at the root (N to 1): until the last of the others has ("Early Reduce"); the others wait for nobody;
- of those before it (a prefix reduction): until the last of these has ("Early Scan").

Where nothing is moved nobody needs to wait, but for a barrier.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.array_types import Floats
from fairlead.profile.analysis.kinds import COLLECTIVE as COLLECTIVE_KIND
from fairlead.profile.analysis.kinds import kind_of
from fairlead.profile.record import COLLECTIVE, NOT_ALL

Ints = NDArray[np.intp]

BARRIER, N_TO_N, ONE_TO_N, N_TO_ONE, PREFIX, UNTOLD = range(6)
WAIT_STATES = {
    BARRIER: "wait at barrier", N_TO_N: "wait at N to N", ONE_TO_N: "late broadcast", N_TO_ONE: "early reduce",
    PREFIX: "early scan", UNTOLD: "not known",
}  # fmt: skip
_PATTERNS = {
    "barrier": BARRIER, "bcast": ONE_TO_N, "scatter": ONE_TO_N, "scatterv": ONE_TO_N, "reduce": N_TO_ONE,
    "gather": N_TO_ONE, "gatherv": N_TO_ONE, "scan": PREFIX, "exscan": PREFIX, "allreduce": N_TO_N,
    "allgather": N_TO_N, "allgatherv": N_TO_N, "alltoall": N_TO_N, "alltoallv": N_TO_N, "alltoallw": N_TO_N,
    "reduce_scatter": N_TO_N, "reduce_scatter_block": N_TO_N,
}  # fmt: skip


def pattern_of(function: str) -> int:
    """Where the data of a collective function come from; `UNTOLD` of others, and of those between neighbours."""
    name = function.removeprefix("MPI_").removesuffix("_c").lower()
    return _PATTERNS.get(name, _PATTERNS.get(name.removeprefix("i"), UNTOLD))


def has_counts(function: str) -> bool:
    """Whether each rank has a count of its own, so that sizes differ from call to call, and some may give nothing."""
    name = function.removesuffix("_c")
    return kind_of(function) == COLLECTIVE_KIND and name.endswith(("v", "w", "reduce_scatter"))


@dataclass(frozen=True)
class Joined:
    """Collective calls by operation.

    Attributes:
        places: of the calls in the ends, those of one operation next to each other. Shape (calls).
        first: place in ``places`` where each operation begins. Shape (operations).
        pattern: of each operation, `UNTOLD` where its calls do not belong together or some are missing.
            Shape (operations).
        has_counts: whether some may give others nothing. Shape (operations).
    """

    places: Ints
    first: Ints
    pattern: Ints
    has_counts: NDArray[np.bool_]

    @property
    def operation(self) -> Ints:
        """Of each call. Shape (calls)."""
        return np.repeat(np.arange(len(self.first)), np.diff(np.append(self.first, len(self.places))))


def joined(ends: NDArray[np.void], rank: Ints, functions: Sequence[str]) -> Joined:
    """The calls of each operation.

    Args:
        ends: of all ranks, `fairlead.profile.record.END`. Shape (n).
        rank: whose each is. Shape (n).
        functions: names that ``ends`` refer to.
    """
    places = np.flatnonzero(ends["end"] == COLLECTIVE)
    calls, of_rank = ends[places], rank[places]
    order = np.lexsort((calls["begun_s"], of_rank, calls["communicator"]))
    new = _differs(calls["communicator"][order], of_rank[order])
    number = np.zeros(len(places), np.intp)
    number[order] = np.arange(len(order)) - np.flatnonzero(new)[np.cumsum(new) - 1] if len(order) else []
    order = np.lexsort((calls["member"], number, calls["communicator"]))
    first = np.flatnonzero(_differs(calls["communicator"][order], number[order]))
    places, calls = places[order], calls[order]
    if len(places) == 0:
        return Joined(places, first, first, np.zeros(0, bool))
    patterns = np.array([pattern_of(name) for name in functions])[calls["function"]]
    pattern = patterns[first]
    number_of_calls = np.diff(np.append(first, len(places)))
    for alike in (patterns, calls["tag"]):
        pattern = np.where(np.minimum.reduceat(alike, first) == np.maximum.reduceat(alike, first), pattern, UNTOLD)
    members = calls["tag"][first]
    pattern = np.where((members != NOT_ALL) & (members == number_of_calls), pattern, UNTOLD)
    counts = np.array([has_counts(name) for name in functions])[calls["function"][first]]
    return Joined(places, first, pattern, counts)


def _differs(*columns: NDArray) -> NDArray[np.bool_]:
    """Where a sequence of rows begins to be another than the one before. Shape (rows)."""
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return new


def others_entered(ends: NDArray[np.void], rank: Ints, found: Joined, begun_s: Floats) -> Floats:
    """Up to when each collective call had to wait for others; -inf: for nobody; NaN: not known. Shape (calls).

    Args:
        begun_s: when each of ``ends`` began, all by one clock; NaN: not known. Shape (n).
    """
    calls, of_rank, entered_s = ends[found.places], rank[found.places], begun_s[found.places]
    if len(calls) == 0:
        return np.zeros(0)
    operation = found.operation
    pattern = found.pattern[operation]
    is_root = calls["peer"] == of_rank
    last_s = np.maximum.reduceat(entered_s, found.first)[operation]
    root_s = np.maximum.reduceat(np.where(is_root, entered_s, -np.inf), found.first)[operation]
    until_s = np.full(len(calls), np.nan)
    nobody_s = np.full(len(calls), -np.inf)
    for chosen, by_s in (
        (BARRIER, last_s),
        (N_TO_N, last_s),
        (ONE_TO_N, np.where(is_root, nobody_s, np.where(np.isneginf(root_s), np.nan, root_s))),
        (N_TO_ONE, np.where(is_root, last_s, nobody_s)),
    ):
        until_s = np.where(pattern == chosen, by_s, until_s)
    for number in np.flatnonzero(found.pattern == PREFIX):
        mine = np.flatnonzero(operation == number)  # in the order of their ranks in the communicator
        until_s[mine[0]] = -np.inf
        until_s[mine[1:]] = np.maximum.accumulate(entered_s[mine])[:-1]
    return np.where((calls["size_B"] == 0) & (pattern != BARRIER) & (pattern != UNTOLD), -np.inf, until_s)


def flights(ends: NDArray[np.void], host: Ints, found: Joined) -> tuple[Ints, Ints, Floats, Floats]:
    """What operations in which all need data of all tell of clocks, as `fairlead.profile.analysis.clocks.of` wants it
    of messages: nobody leaves one before all have entered. Each tells of its first host and every other one.

    Args:
        host: of each end. Shape (n).
    """
    moved = (ends["size_B"][found.places] > 0) | (found.pattern[found.operation] == BARRIER)
    all_of_all = np.isin(found.pattern, (BARRIER, N_TO_N)) & ~found.has_counts
    told = moved & all_of_all[found.operation]
    places, operation = found.places[told], found.operation[told]
    if len(places) == 0:
        return np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0), np.zeros(0)
    # Of each operation and host: the last that entered it and the first that left it.
    order = np.lexsort((host[places], operation))
    places, operation = places[order], operation[order]
    starts = np.flatnonzero(_differs(operation, host[places]))
    operation, hosts = operation[starts], host[places][starts]
    entered_s = np.maximum.reduceat(ends["begun_s"][places], starts)
    left_s = np.fmin.reduceat(ends["done_s"][places], starts)
    centre = np.flatnonzero(_differs(operation))[np.cumsum(_differs(operation)) - 1]
    other = np.arange(len(centre))
    source, destination = np.concatenate([centre, other]), np.concatenate([other, centre])
    use = (hosts[source] != hosts[destination]) & ~np.isnan(left_s[destination])
    source, destination = source[use], destination[use]
    return hosts[source], hosts[destination], entered_s[source], left_s[destination]
