"""The repetitive phases of a program: what a rank does again and again (DMCBM 3.3.1). Pure.

What a rank does is a sequence of messages that it sends, each of a function, communicator, receiver, tag and size, and
of collective calls, each of a function, communicator, root and size; of those in which each rank has a count of its own
the size follows from the data, and does not matter. A phase is a stretch of it that is one block repeated: the longest
stretch first, then what is left beside it. Of loops in loops that is the outermost one, and of the blocks that fit, the
shortest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.profile.analysis.collectives import has_counts
from fairlead.profile.record import COLLECTIVE, SEND, Record

LEAST_REPETITIONS = 3
LEAST_SHARE = 0.02  # of the messages and calls: what is shorter is no phase
MOST_SEARCHED = 32_768  # of them, from the beginning on: the search takes time with the square of their number
_NEARLY_ALL = 0.98  # of the longest stretch: a shorter block is worth what it lacks at the ends

Tokens = NDArray[np.int64]


@dataclass(frozen=True)
class Phase:
    """A block of messages and collective calls, and its repetitions.

    Attributes:
        begun_s: from the rank's first message or collective call to the first of this phase.
        sizes_B: of the messages of one repetition, in their order. Shape (messages).
        collectives: function and size of the collective calls of one repetition, in their order: what the rank gives
            or gets, whichever is more; the median, where it differs.
        repetitions: that were found.
        expected_repetitions: of the whole run, if the phase was going on where the record, or the search, ends; else
            `repetitions`.
        repetition_s: median time from the beginning of one to that of the next.
        share: of the searched messages and collective calls.
    """

    begun_s: float
    sizes_B: NDArray[np.uint64]
    collectives: tuple[tuple[str, int], ...]
    repetitions: int
    expected_repetitions: int
    repetition_s: float
    share: float


@dataclass(frozen=True)
class Pattern:
    """The phases of one rank, in their order.

    Attributes:
        searched: how many of the kept messages and collective calls, from the beginning on; None: all.
    """

    rank: int
    phases: tuple[Phase, ...]
    searched: int | None = None


def of(records: Sequence[Record]) -> Pattern | None:
    """The phases of the rank that kept most messages that it sent and collective calls; None where no rank kept any."""
    own = [record.ends[np.isin(record.ends["end"], (SEND, COLLECTIVE))] for record in records]
    most = max(range(len(records)), key=lambda index: len(own[index]), default=None)
    if most is None or len(own[most]) == 0:
        return None
    record, kept = records[most], own[most]
    all_kept = len(kept)
    kept = kept[np.argsort(kept["begun_s"], kind="stable")][:MOST_SEARCHED]
    tokens = _tokens(kept, record.function_names)
    not_searched = int(record.messages.sent_messages.sum() + record.sizes.given.sum()) - len(kept)
    found = [
        _phase(kept, record.function_names, start, period, length, not_searched)
        for start, period, length in sorted(stretches(tokens, max(1, int(LEAST_SHARE * len(tokens)))))
    ]
    return Pattern(record.rank or 0, tuple(found), len(kept) if len(kept) < all_kept else None)


def _tokens(kept: NDArray[np.void], functions: Sequence[str]) -> Tokens:
    """Equal numbers for what is alike. Shape (n)."""
    alike = kept[["end", "function", "communicator", "peer", "tag", "size_B"]].copy()
    by_data = [number for number, name in enumerate(functions) if has_counts(name)]
    alike["size_B"][(kept["end"] == COLLECTIVE) & np.isin(kept["function"], by_data)] = 0
    return np.unique(alike, return_inverse=True)[1].astype(np.int64)


def stretches(tokens: Tokens, least: int = 1) -> Iterator[tuple[int, int, int]]:
    """Stretches that are one block repeated: start, length of the block, length of the stretch.

    Args:
        tokens: shape (n); equal numbers mean alike messages.
        least: shorter stretches are left out.
    """
    parts = [(0, len(tokens))]
    while parts:
        first, end = parts.pop()
        found = _longest(tokens[first:end], least)
        if found is None:
            continue
        start, period, length = found
        yield first + start, period, length
        parts += [(first, first + start), (first + start + length, end)]


def _longest(tokens: Tokens, least: int) -> tuple[int, int, int] | None:
    """The longest stretch of all blocks, by the shortest block that is nearly as good."""
    found: list[tuple[int, int, int]] = []
    for period in range(1, len(tokens) // LEAST_REPETITIONS + 1):
        start, alike = _longest_run(tokens[:-period] == tokens[period:])
        length = alike + period
        if alike >= (LEAST_REPETITIONS - 1) * period and length >= least:
            found.append((start, period, length))
            if length >= _NEARLY_ALL * len(tokens):
                break  # no other is longer, and every further block is
    if not found:
        return None
    longest = max(length for _, _, length in found)
    return next(each for each in found if each[2] >= _NEARLY_ALL * longest)


def _longest_run(true: NDArray[np.bool_]) -> tuple[int, int]:
    """Start and length of the longest run of True."""
    ends = np.concatenate([[-1], np.flatnonzero(~true), [len(true)]])
    gaps = np.diff(ends) - 1
    longest = int(np.argmax(gaps))
    return int(ends[longest]) + 1, int(gaps[longest])


def _phase(
    kept: NDArray[np.void], functions: Sequence[str], start: int, period: int, length: int, not_searched: int
) -> Phase:
    repetitions = length // period
    blocks = kept[start : start + repetitions * period].reshape(repetitions, period)
    calls = np.flatnonzero(blocks["end"][0] == COLLECTIVE)
    sizes_B = np.median(blocks["size_B"][:, calls], axis=0)
    names = [functions[number] for number in blocks["function"][0, calls]]
    goes_on = start + length == len(kept)
    return Phase(
        begun_s=float(kept["begun_s"][start] - kept["begun_s"][0]),
        sizes_B=blocks["size_B"][0][blocks["end"][0] == SEND],
        collectives=tuple((name, int(size_B)) for name, size_B in zip(names, sizes_B, strict=True)),
        repetitions=repetitions,
        expected_repetitions=(length + (not_searched if goes_on else 0)) // period,
        repetition_s=float(np.median(np.diff(blocks["begun_s"][:, 0]))),
        share=length / len(kept),
    )
