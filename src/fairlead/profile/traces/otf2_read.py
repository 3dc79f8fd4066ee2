"""Reads an OTF2 trace of an MPI program, as Score-P writes it, into the records that a profile is made of.

Time in MPI is the time in regions of the paradigm MPI that the program called; messages and what ranks waited for come
from the events of point-to-point communication, sizes of collective calls from those of their ends. Counted are the
locations of processes that are in the trace's list of MPI locations; metrics, other paradigms and one-sided
communication are left aside. Events: OTF2 documentation, "List of all event records".
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import otf2
from _otf2 import Error as Otf2Error
from otf2.enums import GroupType, LocationType, Paradigm

from fairlead.errors import ConfigError
from fairlead.profile.record import (
    ANY_SOURCE,
    CANCELLED,
    END,
    RECEIVE,
    SEND,
    SIZE_CLASSES,
    Messages,
    Record,
    SizeHistogram,
    Usage,
)

NAN = float("nan")
_UNKNOWN_TIME = 2**64 - 1


def read(file: Path) -> list[Record]:
    """The record of each rank, in rank order.

    Args:
        file: the trace's anchor, NAME.otf2.

    Raises:
        ConfigError: it cannot be read, or has no MPI in it.
    """
    if not file.is_file():
        raise ConfigError(f"{file}: no such file", hint="name the trace's anchor, NAME.otf2")
    try:
        with otf2.reader.open(str(file)) as trace:
            records = _Reader(file, trace).records()
    except (Otf2Error, otf2.error.TraceReaderError) as error:
        raise ConfigError(f"{file}: cannot be read as an OTF2 trace: {error}") from error
    if not records:
        raise ConfigError(f"{file}: holds no events of MPI ranks")
    return records


@dataclass
class _End:
    """An end of a message on its way to `END`."""

    kind: int
    peer: int
    communicator: int
    tag: int
    size_B: int
    begun_s: float
    function: int
    needed_s: float = NAN
    done_s: float = NAN
    completed_by: int = 0


@dataclass
class _Thread:
    """What one location has done so far.

    Attributes:
        inside: MPI function that the program called, and when; None outside MPI.
        depth: of MPI regions in each other.
        completed: ends that the present call completes.
    """

    calls: dict[str, list[float]] = field(default_factory=dict)  # name: calls, time, sent bytes, received bytes
    inside: tuple[str, float] | None = None
    depth: int = 0
    ends: list[_End] = field(default_factory=list)
    requests: dict[int, _End] = field(default_factory=dict)
    completed: list[_End] = field(default_factory=list)
    given: list[int] = field(default_factory=list)  # sizes of collective calls
    first_s: float = NAN
    last_s: float = NAN
    init_s: float | None = None
    finalize_s: float | None = None


class _Reader:
    """One trace."""

    def __init__(self, file: Path, trace: Any) -> None:
        self._file = file
        self._trace = trace
        self._clock = trace.definitions.clock_properties
        self._world = self._locations()
        self._names: dict[str, int] = {}
        self._threads: dict[Any, _Thread] = {}
        self._rank_of = {location.group: rank for rank, location in enumerate(self._world)}
        self._ranks_of_group: dict[Any, list[int]] = {}
        self._handlers: dict[type, Callable[[_Thread, float, Any], None]] = {
            otf2.events.Enter: self._enter,
            otf2.events.Leave: self._leave,
            otf2.events.MpiSend: self._send,
            otf2.events.MpiIsend: self._isend,
            otf2.events.MpiIsendComplete: self._completes,
            otf2.events.MpiRecv: self._receive,
            otf2.events.MpiIrecvRequest: self._receive_request,
            otf2.events.MpiIrecv: self._received,
            otf2.events.MpiRequestTest: self._tested,
            otf2.events.MpiRequestCancelled: self._cancelled,
            otf2.events.MpiCollectiveEnd: self._collective,
        }

    def records(self) -> list[Record]:
        for location, event in self._trace.events:
            if location.group not in self._rank_of or location.type != LocationType.CPU_THREAD:
                continue
            time_s = (event.time - self._clock.global_offset) / self._clock.timer_resolution
            thread = self._threads.setdefault(location, _Thread(first_s=time_s))
            thread.last_s = time_s
            handler = self._handlers.get(type(event))
            if handler is not None:
                handler(thread, time_s, event)
        by_rank: dict[int, list[_Thread]] = {rank: [] for rank in range(len(self._world))}
        for location, thread in self._threads.items():
            by_rank[self._rank_of[location.group]].append(thread)
        return [self._record(rank, threads) for rank, threads in by_rank.items() if threads]

    def _locations(self) -> list[Any]:
        """The location of each rank of the world."""
        for group in self._trace.definitions.groups:
            if group.group_type == GroupType.COMM_LOCATIONS and group.paradigm == Paradigm.MPI:
                return list(group.members)
        raise ConfigError(f"{self._file}: has no MPI locations: it is not a trace of an MPI program")

    def _enter(self, thread: _Thread, time_s: float, event: Any) -> None:
        if event.region.paradigm != Paradigm.MPI:
            return
        thread.depth += 1
        if thread.depth > 1:
            return
        name = event.region.name
        thread.inside = name, time_s
        thread.calls.setdefault(name, [0, 0.0, 0, 0])[0] += 1
        if name == "MPI_Finalize":
            thread.finalize_s = time_s

    def _leave(self, thread: _Thread, time_s: float, event: Any) -> None:
        if event.region.paradigm != Paradigm.MPI or thread.inside is None:
            return
        thread.depth -= 1
        if thread.depth > 0:
            return
        name, begun_s = thread.inside
        thread.calls[name][1] += time_s - begun_s
        for end in thread.completed:
            end.done_s, end.completed_by = time_s, self._function(name)
            if np.isnan(end.needed_s):
                end.needed_s = begun_s
        thread.completed.clear()
        thread.inside = None
        if name in ("MPI_Init", "MPI_Init_thread"):
            thread.init_s = time_s

    def _send(self, thread: _Thread, time_s: float, event: Any) -> None:
        thread.completed.append(self._begun(thread, time_s, event, SEND, event.receiver))

    def _isend(self, thread: _Thread, time_s: float, event: Any) -> None:
        thread.requests[event.request_id] = self._begun(thread, time_s, event, SEND, event.receiver)

    def _receive(self, thread: _Thread, time_s: float, event: Any) -> None:
        thread.completed.append(self._begun(thread, time_s, event, RECEIVE, event.sender))

    def _receive_request(self, thread: _Thread, time_s: float, event: Any) -> None:
        name, begun_s = thread.inside or ("MPI_Irecv", time_s)
        end = _End(RECEIVE, ANY_SOURCE, 0, 0, 0, begun_s, self._function(name))
        thread.ends.append(end)
        thread.requests[event.request_id] = end

    def _received(self, thread: _Thread, time_s: float, event: Any) -> None:
        end = thread.requests.pop(event.request_id, None)
        if end is None:  # begun before the trace: counted, but when it began is not known
            thread.completed.append(self._begun(thread, time_s, event, RECEIVE, event.sender))
            return
        end.peer = self._world_rank(event.communicator, event.sender)
        end.communicator, end.tag, end.size_B = event.communicator._ref, event.msg_tag, event.msg_length
        self._count(thread, RECEIVE, event.msg_length)
        thread.completed.append(end)

    def _completes(self, thread: _Thread, time_s: float, event: Any) -> None:
        end = thread.requests.pop(event.request_id, None)
        if end is not None:
            thread.completed.append(end)

    def _tested(self, thread: _Thread, time_s: float, event: Any) -> None:
        end = thread.requests.get(event.request_id)
        if end is not None and np.isnan(end.needed_s):
            end.needed_s = thread.inside[1] if thread.inside else time_s

    def _cancelled(self, thread: _Thread, time_s: float, event: Any) -> None:
        end = thread.requests.pop(event.request_id, None)
        if end is not None and end.kind == RECEIVE:
            end.kind = CANCELLED

    def _collective(self, thread: _Thread, time_s: float, event: Any) -> None:
        self._count(thread, SEND, event.size_sent)
        self._count(thread, RECEIVE, event.size_received)
        if thread.inside is not None:
            thread.given.append(event.size_sent // max(len(self._ranks(event.communicator)), 1))

    def _begun(self, thread: _Thread, time_s: float, event: Any, kind: int, peer: int) -> _End:
        name, begun_s = thread.inside or ("MPI", time_s)
        end = _End(kind, self._world_rank(event.communicator, peer), event.communicator._ref, event.msg_tag,
                   event.msg_length, begun_s, self._function(name))  # fmt: skip
        thread.ends.append(end)
        self._count(thread, kind, event.msg_length)
        return end

    def _count(self, thread: _Thread, kind: int, size_B: int) -> None:
        if thread.inside is not None:
            thread.calls[thread.inside[0]][2 if kind == SEND else 3] += size_B

    def _world_rank(self, communicator: Any, rank: int) -> int:
        ranks = self._ranks(communicator)
        return ranks[rank] if rank < len(ranks) else -1  # of an intercommunicator: not told here

    def _ranks(self, communicator: Any) -> list[int]:
        """Ranks in the world of a communicator's members."""
        group = getattr(communicator, "group", None)
        if group not in self._ranks_of_group:
            members = group.members if group is not None else ()
            self._ranks_of_group[group] = [self._rank_of.get(member.group, -1) for member in members]
        return self._ranks_of_group[group]

    def _function(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _record(self, rank: int, threads: list[_Thread]) -> Record:
        begin_s = next((thread.init_s for thread in threads if thread.init_s is not None),
                       min(thread.first_s for thread in threads))  # fmt: skip
        finalized = [thread.finalize_s for thread in threads if thread.finalize_s is not None]
        end_s = finalized[0] if finalized else max(thread.last_s for thread in threads)
        ends = [(thread, end) for thread in range(len(threads)) for end in threads[thread].ends]
        ranks = len(self._world)
        given = np.array([size for thread in threads for size in thread.given], np.int64)
        return Record(
            source=str(self._file),
            pid=0,
            host=self._host(rank),
            program=self._file.stem,
            library="not in the trace",
            opened=self._opened(),
            state="finalized" if finalized else "exited",
            rank=rank,
            ranks=ranks,
            time_s=max(end_s - begin_s, 0.0),
            threads=sum(1 for thread in threads if thread.calls) or 1,
            functions=_usages(threads),
            messages=_messages([end for _, end in ends], ranks),
            sizes=SizeHistogram(_classes(_sizes(ends, SEND)), _classes(_sizes(ends, RECEIVE)), _classes(given)),
            ends=_table(ends),
            function_names=tuple(self._names),
        )

    def _host(self, rank: int) -> str:
        node = self._world[rank].group.system_tree_parent
        while node is not None and node.class_name != "node" and node.parent is not None:
            node = node.parent
        return str(node.name) if node is not None else "?"

    def _opened(self) -> datetime:
        realtime_ns = self._clock.realtime_timestamp
        known = realtime_ns is not None and realtime_ns != _UNKNOWN_TIME
        return datetime.fromtimestamp(realtime_ns / 1e9 if known else 0, UTC)


def _usages(threads: list[_Thread]) -> dict[str, Usage]:
    sums: dict[str, np.ndarray] = {}
    for thread in threads:
        for name, counted in thread.calls.items():
            sums[name] = sums.get(name, np.zeros(4)) + np.array(counted)
    return {name: Usage(int(row[0]), float(row[1]), int(row[2]), int(row[3])) for name, row in sums.items()}


def _messages(ends: list[_End], ranks: int) -> Messages:
    """By peer; those of processes outside the world last. A receive that is not done is no message."""
    counts = np.zeros((4, ranks + 1), np.uint64)
    for end in ends:
        if end.kind == SEND or (end.kind == RECEIVE and not np.isnan(end.done_s)):
            row = 0 if end.kind == SEND else 2
            counts[row, end.peer] += np.uint64(1)
            counts[row + 1, end.peer] += np.uint64(end.size_B)
    return Messages(*counts)


def _sizes(ends: list[tuple[int, _End]], kind: int) -> np.ndarray:
    return np.array([end.size_B for _, end in ends if end.kind == kind], np.int64)


def _classes(sizes_B: np.ndarray) -> np.ndarray:
    """How many there are of each size class. Shape (65)."""
    numbers = [int(size).bit_length() for size in sizes_B]
    return np.bincount(np.array(numbers, int), minlength=SIZE_CLASSES).astype(np.uint64)


def _table(ends: list[tuple[int, _End]]) -> np.ndarray:
    return np.array(
        [
            (end.communicator, end.size_B, end.begun_s, end.begun_s if np.isnan(end.needed_s) else end.needed_s, 0.0,
             end.done_s, end.peer, end.tag, thread, end.function, end.completed_by, end.kind, 0)
            for thread, end in ends
        ],
        END,
    )  # fmt: skip
