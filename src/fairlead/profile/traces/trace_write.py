"""Writes what ranks kept as a trace that `fairlead-sim` replays (docs/guides/simulate.md has the format).

A rank's time is told apart by its calls: what passes between two of them is computing; how long a call takes is left to
the network that the trace is replayed on. Only messages of which both ends were kept, and collective calls that all
members kept, are written: a trace in which nobody waits for what never comes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from fairlead.errors import FairleadError, MeasurementError
from fairlead.profile.analysis import collectives, waiting
from fairlead.profile.analysis.clocks import ClockCorrection
from fairlead.profile.analysis.waiting import Kept
from fairlead.profile.profile import Profile
from fairlead.profile.record import COLLECTIVE, NO_ROOT, SEND

WORLD = 0
_LEAST_S = 1e-9  # shorter computing is not written
# Of a collective function: the trace's word, and whether its size is that of one block, where a rank's record has that
# of all (what it gives or gets, whichever is more).
_WORDS = {
    "barrier": ("barrier", False), "bcast": ("bcast", False), "reduce": ("reduce", False),
    "allreduce": ("allreduce", False), "gather": ("gather", True), "gatherv": ("gather", True),
    "scatter": ("scatter", True), "scatterv": ("scatter", True), "allgather": ("allgather", True),
    "allgatherv": ("allgather", True), "alltoall": ("alltoall", True), "alltoallv": ("alltoall", True),
    "alltoallw": ("alltoall", True), "reduce_scatter": ("reduce_scatter", False),
    "reduce_scatter_block": ("reduce_scatter", False), "scan": ("scan", False), "exscan": ("scan", False),
}  # fmt: skip
_ONE_ROOT = ("bcast", "reduce", "gather", "scatter")


@dataclass(frozen=True)
class TraceContents:
    """What a trace holds.

    Attributes:
        messages, operations: that are in it.
        ends_left_out: of messages and collective calls, because others of them were not kept or not done.
    """

    messages: int
    operations: int
    ends_left_out: int

    def told(self) -> str:
        """In words."""
        text = f"{self.messages} messages and {self.operations} collective operations"
        return text + (
            f"; {self.ends_left_out} ends left out, whose others were not kept" if self.ends_left_out else ""
        )


def write(found: Profile, path: Path) -> TraceContents:
    """Write the trace of a profiled program.

    Raises:
        MeasurementError: the ranks kept nothing, a rank left no record, or one communicates from several threads.
        FairleadError: the file cannot be written.
    """
    trace = _Trace.of(found)
    try:
        with path.open("w", encoding="ascii") as out:
            trace.write(out)
    except OSError as error:
        raise FairleadError(f"{path}: cannot be written: {error.strerror}") from error
    return trace.written


@dataclass
class _Call:
    """A call of a rank; times by the first host's clock, in s."""

    begun_s: float
    done_s: float
    computed_s: float = 0.0
    begins: list[str] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)


class _Trace:
    """The events of all ranks."""

    def __init__(self, kept: Kept, ranks: int, chosen: NDArray[np.intp]) -> None:
        self._kept = kept
        self._ranks = ranks
        self._chosen = chosen
        self._numbers: dict[tuple[bool, int], int] = {}
        self._members: dict[int, list[int]] = {}
        self.written = TraceContents(0, 0, 0)

    @classmethod
    def of(cls, found: Profile) -> "_Trace":
        _check(found)
        kept = _on_one_clock(found)
        done = ~np.isnan(kept.ends["done_s"])
        sends, receives = waiting.joined(kept.ends, kept.rank)
        both = done[sends] & done[receives]
        operations = collectives.joined(kept.ends, kept.rank, kept.functions)
        whole = np.ones(0, bool)
        if len(operations.first):
            whole = np.logical_and.reduceat(done[operations.places], operations.first)
        told = (operations.pattern != collectives.UNTOLD) & whole
        calls = operations.places[told[operations.operation]]
        chosen = np.sort(np.concatenate([sends[both], receives[both], calls]))
        trace = cls(kept, found.ranks, chosen)
        trace._name_communicators(operations.places)
        trace.written = TraceContents(int(both.sum()), int(told.sum()), len(kept.ends) - len(chosen))
        return trace

    def write(self, out: TextIO) -> None:
        out.write(f"fairlead-trace 1\nranks {self._ranks}\n")
        for number, members in sorted(self._members.items()):
            if number != WORLD:
                out.write(f"communicator {number} {' '.join(map(str, members))}\n")
        first_s = min((float(self._kept.ends["begun_s"][place]) for place in self._chosen), default=0.0)
        for rank in range(self._ranks):
            for event in self._events(self._chosen[self._kept.rank[self._chosen] == rank], first_s):
                out.write(f"{rank} {event}\n")

    def _name_communicators(self, places: NDArray[np.intp]) -> None:
        """Numbers for communicators, those of messages apart from those of collective calls: of a message's, only is
        known that its members are ranks of the world."""
        everybody = list(range(self._ranks))
        has_world = set()
        members: dict[int, dict[int, int]] = defaultdict(dict)
        for place in places:
            end = self._kept.ends[place]
            members[int(end["communicator"])][int(end["member"])] = int(self._kept.rank[place])
        chosen = self._kept.ends[self._chosen]
        for collective in (False, True):
            used = Counter(chosen["communicator"][(chosen["end"] == COLLECTIVE) == collective].tolist())
            for communicator, _ in used.most_common():
                of = [rank for _, rank in sorted(members[communicator].items())] if collective else everybody
                number = WORLD if of == everybody and collective not in has_world else len(self._members) + 1
                if number == WORLD:
                    has_world.add(collective)
                self._numbers[collective, communicator] = number
                self._members[number] = of

    def _events(self, places: NDArray[np.intp], first_s: float) -> Iterator[str]:
        """What one rank does, in order."""
        last_s = first_s
        for call in sorted(self._calls(places), key=lambda each: (each.done_s, each.begun_s)):
            begun_s = max(call.begun_s, last_s)
            yield from _computing(begun_s - last_s)
            yield from call.begins
            # Between the tests of a program that polls: it goes on whether the message is there or not.
            yield from _computing(min(call.computed_s, max(call.done_s - begun_s, 0.0)))
            yield from call.ends
            last_s = max(last_s, call.done_s)

    def _calls(self, places: NDArray[np.intp]) -> Iterator[_Call]:
        """Ends that one call completed have the same end."""
        completed: dict[float, list[int]] = defaultdict(list)
        for place in places.tolist():
            end = self._kept.ends[place]
            if end["end"] == COLLECTIVE:
                yield self._collective(place)
            else:
                completed[float(end["done_s"])].append(place)
        requests = 0
        for together in completed.values():
            call = self._completing(together)
            for place in together:
                end = self._kept.ends[place]
                word, arguments = self._message(place)
                if self._blocks(place) and len(together) == 1:
                    call.begins.append(f"{word} {arguments}")
                    continue
                requests += 1
                if self._blocks(place):  # MPI_Sendrecv: both at the same time
                    call.begins.append(f"i{word} {arguments} {requests}")
                else:
                    yield _Call(
                        float(end["begun_s"]), float(end["begun_s"]), begins=[f"i{word} {arguments} {requests}"]
                    )
                call.ends.append(f"wait {requests}")
            yield call

    def _completing(self, places: list[int]) -> _Call:
        ends = self._kept.ends[places]
        return _Call(
            float(ends["needed_s"].min()), float(ends["done_s"].max()), computed_s=float(ends["computed_s"].max())
        )

    def _blocks(self, place: int) -> bool:
        end = self._kept.ends[place]
        return bool(end["function"] == end["completed_by"] and end["needed_s"] == end["begun_s"])

    def _message(self, place: int) -> tuple[str, str]:
        end = self._kept.ends[place]
        number = self._numbers[False, int(end["communicator"])]
        word = "send" if end["end"] == SEND else "recv"
        return word, f"{end['peer']} {end['size_B']} {end['tag']} {number}"

    def _collective(self, place: int) -> _Call:
        """A non-blocking one is carried out where it is waited for."""
        end = self._kept.ends[place]
        name = self._kept.functions[end["function"]].removeprefix("MPI_").removesuffix("_c").lower()
        word, blocks = _WORDS[name] if name in _WORDS else _WORDS[name.removeprefix("i")]
        number = self._numbers[True, int(end["communicator"])]
        members, size_B = len(self._members[number]), int(end["size_B"])
        root = int(end["peer"])
        if blocks and (root in (NO_ROOT, int(self._kept.rank[place]))):
            size_B = -(-size_B // members)
        call = _Call(float(end["needed_s"]), float(end["done_s"]), computed_s=float(end["computed_s"]))
        arguments = [word, *([] if word == "barrier" else [str(size_B)]), str(number)]
        call.ends.append(" ".join([*arguments, *([str(root)] if word in _ONE_ROOT else [])]))
        return call


def _check(found: Profile) -> None:
    if found.missing:
        raise MeasurementError(f"--trace: rank {found.missing[0]} left no record, and the others' messages need it")
    if not any(len(record.ends) for record in found.records):
        raise MeasurementError("--trace: the ranks kept no messages to write", hint="see --keep-messages")
    for record in found.records:
        if len(np.unique(record.ends["thread"])) > 1:
            raise MeasurementError(
                f"--trace: rank {record.rank} communicates from several threads; a trace has one a rank"
            )


def _on_one_clock(found: Profile) -> Kept:
    """What was kept, by the first host's clock. Of a host whose clock is not known against it the first event is taken
    for as early as the first host's."""
    kept = Kept.of(found.records, found.hosts)
    clocks = list(waiting.clocks_of(found.records, found.hosts).values())
    begun_s = kept.ends["begun_s"].copy()
    first_s = begun_s[kept.host == kept.host[0]].min()
    for host in np.unique(kept.host):
        mine = kept.host == host
        clock = clocks[host] or ClockCorrection(shift_s=first_s - begun_s[mine].min())
        for name in ("begun_s", "needed_s", "done_s"):
            kept.ends[name][mine] = clock.to_reference(kept.ends[name][mine])
    return kept


def _computing(duration_s: float) -> Iterator[str]:
    if duration_s >= _LEAST_S:
        yield f"compute {duration_s:.9f}"
