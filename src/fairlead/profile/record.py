"""Reads the record that libfairlead leaves of a process.

docs/reference/profile-record.md says its form; ``native/interpose`` writes it.
Nothing is guessed: a file that does not hold to the form in every field is an error. A file that stops growing because
its process was killed does hold to it.
"""

import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.errors import MeasurementError

VERSION = 5
PAGE_B = 4096
NAME_B = 48
SIZE_CLASSES = 65
STATES = ("running", "finalized", "aborted", "exited")
_MAGIC = b"FAIRLPRF"
_HEADER = struct.Struct("<8s IIII ii II QQ QQ QQ Q 256s 1024s 512s")
_BLOCK = struct.Struct("<IIQ")
_NAMES, _COUNTERS, _PEERS, _MESSAGES, _REGIONS, _CALL_SITES, _RELAY, _COLLECTIVES = range(1, 9)
_SIZES = np.dtype(("<u8", (SIZE_CLASSES,)))
_COUNTERS_HEAD = np.dtype(
    [("last", "<u8"), ("sent", _SIZES), ("received", _SIZES), ("given", _SIZES), ("polled", "<u8")]
)
_ROW = np.dtype([("calls", "<u8"), ("ticks", "<u8"), ("sent_B", "<u8"), ("received_B", "<u8")])
_PEER = np.dtype([("sent_messages", "<u8"), ("sent_B", "<u8"), ("received_messages", "<u8"), ("received_B", "<u8")])
_MESSAGE = np.dtype([
    ("communicator", "<u8"), ("size_B", "<u8"), ("begun", "<u8"), ("needed", "<u8"), ("computed", "<u8"),
    ("done", "<u8"), ("peer", "<i4"), ("tag", "<i4"), ("function", "<u2"), ("completed_by", "<u2"), ("end", "u1"),
    ("number", "u1", 3),
])  # fmt: skip

_REGION = np.dtype([
    ("name", f"S{NAME_B}"), ("entered", "<u8"), ("ticks", "<u8"), ("mpi_ticks", "<u8"), ("calls", "<u8"),
    ("sent_B", "<u8"), ("received_B", "<u8"), ("open", "<u8"),
])  # fmt: skip
_CALL_SITE = np.dtype([
    ("calls", "<u8"), ("ticks", "<u8"), ("sent_B", "<u8"), ("offset", "<u8"), ("function", "<u2"), ("object", "S478"),
])  # fmt: skip
# What the relay plane did in a process, in the order of `Relay` in native/interpose/record/layout.hpp.
RELAY_COUNTS = (
    "direct", "relayed", "takeovers", "cancelled", "cancel_failed", "pulled", "held", "waited", "retransmitted",
    "duplicates", "outside",
)  # fmt: skip
_RELAY_ROW = np.dtype([(name, "<u8") for name in RELAY_COUNTS])

_COLLECTIVE_SUM = np.dtype([
    ("communicator", "<u8"), ("calls", "<u8"), ("given_B", "<u8"), ("got_B", "<u8"), ("root", "<i4"), ("size", "<i4"),
    ("rank", "<i4"), ("function", "<u2"), ("size_class", "<u2"),
])  # fmt: skip

Counts = NDArray[np.uint64]

# One end of a message that was kept, or a collective call; times in s of the host's CLOCK_MONOTONIC, `done_s` NaN while
# it is not done. Functions by their place in `Record.function_names`. `end` is SEND, RECEIVE, CANCELLED or COLLECTIVE.
# Of a collective call, `size_B` is what the rank gives or gets, whichever is more, `peer` the root's rank in the world
# or NO_ROOT, `tag` the number of ranks of which all may wait for all, or NOT_ALL, `member` its own rank among these.
END = np.dtype([
    ("communicator", "u8"), ("size_B", "u8"), ("begun_s", "f8"), ("needed_s", "f8"), ("computed_s", "f8"),
    ("done_s", "f8"), ("peer", "i4"), ("tag", "i4"), ("thread", "u4"), ("function", "u2"),
    ("completed_by", "u2"), ("end", "u1"), ("member", "u4"),
])  # fmt: skip
SEND, RECEIVE, CANCELLED, COLLECTIVE = 1, 2, 3, 4
OUTSIDE = -1  # `peer` that is no rank of the world
ANY_SOURCE = -2  # `peer` of a receive from anybody that is not done
ANY_TAG = -1
NO_ROOT = -1
NOT_ALL = 0  # members that do not wait for all, or whose calls may come in any order


class NothingYet(MeasurementError):
    """The process of a file ended, or had no room, before there was anything in it to read."""


@dataclass(frozen=True)
class Usage:
    """A function's counters in one process.

    Attributes:
        calls: made by the program itself.
        time_s: inside it, of all threads together.
        sent_B, received_B: of what calls of this function described.
    """

    calls: int
    time_s: float
    sent_B: int
    received_B: int


@dataclass(frozen=True)
class Region:
    """What a process did in a region that the program names (docs/guides/profile.md), of all threads together.

    Attributes:
        entered: how often.
        time_s: in it; of one that the process ended in, without its last time.
        mpi_s: of this in MPI.
        calls: of MPI functions.
        sent_B, received_B: of what these calls described.
        open: how many threads ended in it.
    """

    entered: int
    time_s: float
    mpi_s: float
    calls: int
    sent_B: int
    received_B: int
    open: int = 0


@dataclass(frozen=True)
class CallSite:
    """Calls of one function from one place of a process.

    Attributes:
        object: path of the file that the code is from; empty: of none.
        offset: of the return address in it, as its symbols count.
        sent_B: by these calls.
    """

    function: str
    object: str
    offset: int
    calls: int
    time_s: float
    sent_B: int


@dataclass(frozen=True)
class CollectiveSum:
    """Collective calls of one process that are alike: of one function, on one communicator, with one root, and of sizes
    between the same two powers of two.

    Attributes:
        communicator: the same number on all its members; 0: it has no other member.
        size, rank: number of its members, and which one the process is.
        root: of the members; `NO_ROOT`: none.
        given_B, got_B: by the arguments of all calls together.
    """

    function: str
    communicator: int
    size: int
    rank: int
    root: int
    calls: int
    given_B: int
    got_B: int


@dataclass(frozen=True)
class Messages:
    """Point-to-point messages of a process by peer. Shape of each: (ranks + 1); the last entry is outside the world."""

    sent_messages: Counts
    sent_B: Counts
    received_messages: Counts
    received_B: Counts


@dataclass(frozen=True)
class SizeHistogram:
    """How many of each size. Shape of each: (65); entry 0 counts 0 B, entry k 2^(k-1) B to 2^k - 1 B."""

    sent: Counts
    received: Counts
    given: Counts


@dataclass(frozen=True)
class Record:
    """What one process did.

    Attributes:
        source: the file, and the host that it is from.
        pid, host, program, library: which process, as it saw itself.
        opened: its first MPI call.
        state: ``finalized``, ``aborted`` (MPI_Abort), ``exited`` (without MPI_Finalize) or ``running``: it was killed,
            or is not over.
        rank, ranks: in the world; None and 0 where it ended before they were known.
        time_s: from the return of MPI_Init to the entry of MPI_Finalize, else to the end of the last call; 0 where
            it ended before.
        threads: that called MPI at a time.
        functions: by name, those that were called.
        polled_s: between calls, after tests that found nothing done, without work; of all threads together.
        ends: of messages that were kept one by one, and collective calls, in the order in which each thread began
            them. Shape (n), `END`.
        function_names: that `ends` refer to.
        regions: by name, in the order in which they were first entered.
        call_sites: of all threads together, where they were asked for.
        collective_sums: of calls of which it is known who takes part; of all threads together.
        relay: `RELAY_COUNTS` (docs/explanation/relay-plane.md); empty without the relay plane, and before MPI_Finalize.
    """

    source: str
    pid: int
    host: str
    program: str
    library: str
    opened: datetime
    state: str
    rank: int | None
    ranks: int
    time_s: float
    threads: int
    functions: dict[str, Usage]
    messages: Messages
    sizes: SizeHistogram
    polled_s: float = 0.0
    ends: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, END))
    function_names: tuple[str, ...] = ()
    regions: dict[str, Region] = field(default_factory=dict)
    call_sites: tuple[CallSite, ...] = ()
    collective_sums: tuple[CollectiveSum, ...] = ()
    relay: dict[str, int] = field(default_factory=dict)


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        NothingYet: there is nothing in it.
        MeasurementError: it cannot be read, or is no record of this version.
    """
    return parse(content(path), source=str(path))


def content(path: Path) -> bytes:
    """What is in a file.

    Raises:
        MeasurementError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise MeasurementError(f"{path}: cannot be read: {error.strerror}") from error


def parse(data: bytes, *, source: str) -> Record:
    """As `read`, of a file's content; ``source`` stands for the file in messages."""
    return _Reader(source, data).record()


class _Blocks(NamedTuple):
    """What the blocks of a file hold: names of the functions; counters of each thread as (head, rows); peers of
    each thread that has any; messages as (thread, ends); regions, call sites and sums of collective calls of each
    thread that has any; what the relay plane did."""

    names: list[str]
    counters: list[tuple[np.void, np.ndarray]]
    peers: list[np.ndarray]
    messages: list[tuple[int, np.ndarray]]
    regions: list[np.ndarray]
    call_sites: list[np.ndarray]
    collectives: list[np.ndarray]
    relay: list[np.void]


class _Reader:
    """One file on its way to a `Record`."""

    def __init__(self, source: str, data: bytes) -> None:
        self._source = source
        self._data = data
        if len(data) <= PAGE_B and not data[:8].strip(b"\0"):
            raise self._nothing_yet()
        if len(data) < PAGE_B or data[:8] != _MAGIC:
            raise self._error("is not a record of libfairlead")
        fields = _HEADER.unpack_from(data)
        (_, version, self._blocks, self._functions, self._pid, self._rank, self._ranks, self._state, _) = fields[:9]
        self._opened, self._checked = fields[9:11], fields[11:13]
        self._begin, self._end, self._realtime_ns = fields[13:16]
        self._host, self._program, self._library = map(_text, fields[16:])
        if version != VERSION:
            raise self._error(f"has version {version}; this fairlead reads version {VERSION}")
        if self._blocks == 0:
            raise self._nothing_yet()
        if self._state >= len(STATES):
            raise self._error(f"has the unknown state {self._state}")
        if not (-1 <= self._rank < max(self._ranks, 1)) or self._ranks < 0:
            raise self._error(f"is of rank {self._rank} of {self._ranks}")

    def record(self) -> Record:
        names, counters, peers, messages, regions, call_sites, collectives, relay = self._read_blocks()
        rows, sizes, last, polled = self._added_up(counters)
        by_peer = {
            name: sum((thread[name] for thread in peers), np.zeros(self._ranks + 1, np.uint64))
            for name in ("sent_messages", "sent_B", "received_messages", "received_B")
        }
        rate = self._ticks_per_s()
        end = self._end or last
        return Record(
            source=self._source,
            pid=self._pid,
            host=self._host,
            program=self._program,
            library=self._library,
            opened=datetime.fromtimestamp(self._realtime_ns / 1e9, UTC),
            state=STATES[self._state],
            rank=self._rank if self._rank >= 0 else None,
            ranks=self._ranks,
            time_s=max(end - self._begin, 0) / rate if self._begin else 0.0,
            threads=len(counters),
            functions={
                name: Usage(int(row["calls"]), int(row["ticks"]) / rate, int(row["sent_B"]), int(row["received_B"]))
                for name, row in zip(names, rows, strict=True)
                if row["calls"] or row["sent_B"] or row["received_B"]
            },
            messages=Messages(**by_peer),
            sizes=SizeHistogram(**sizes),
            polled_s=polled / rate,
            ends=self._ends(messages),
            function_names=tuple(names),
            regions=self._regions(regions),
            call_sites=self._call_sites(call_sites, names),
            collective_sums=self._collective_sums(collectives, names),
            relay={name: int(row[name]) for row in relay for name in RELAY_COUNTS},
        )

    def _added_up(
        self, counters: list[tuple[np.void, np.ndarray]]
    ) -> tuple[np.ndarray, dict[str, np.ndarray], int, int]:
        """Of all threads: counts by function, counts by size, the last time stamp, and ticks spent polling."""
        rows = np.zeros(self._functions, _ROW)
        sizes = {name: np.zeros(SIZE_CLASSES, np.uint64) for name in ("sent", "received", "given")}
        last = polled = 0
        for head, thread_rows in counters:
            for column in ("calls", "ticks", "sent_B", "received_B"):
                rows[column] += thread_rows[column]
            for name, sums in sizes.items():
                sums += head[name]
            last = max(last, int(head["last"]))
            polled += int(head["polled"])
        return rows, sizes, last, polled

    def _read_blocks(self) -> _Blocks:
        names: list[str] = []
        counters, peers, messages, regions, call_sites, collectives, relay = [], [], [], [], [], [], []
        at = PAGE_B
        for _ in range(self._blocks):
            kind, thread, size_B = _BLOCK.unpack_from(self._data, at) if at + PAGE_B <= len(self._data) else (0, 0, 0)
            if size_B < PAGE_B or size_B % PAGE_B or at + size_B > len(self._data):
                raise self._error(f"has a block of {size_B} B at {at}, and {len(self._data)} B in all")
            body = memoryview(self._data)[at + _BLOCK.size : at + size_B]
            if kind == _NAMES:
                entries = self._part(body, f"S{NAME_B}", self._functions)
                names = [entry.decode(errors="replace") for entry in entries]
            elif kind == _COUNTERS:
                head = self._part(body, _COUNTERS_HEAD, 1)[0]
                rows = self._part(body[_COUNTERS_HEAD.itemsize :], _ROW, self._functions)
                counters.append((head, rows))
            elif kind == _PEERS:
                peers.append(self._part(body, _PEER, self._ranks + 1))
            elif kind == _MESSAGES:
                messages.append((thread, self._part(body, _MESSAGE, len(body) // _MESSAGE.itemsize)))
            elif kind == _REGIONS:
                regions.append(self._part(body, _REGION, len(body) // _REGION.itemsize))
            elif kind == _CALL_SITES:
                call_sites.append(self._part(body, _CALL_SITE, len(body) // _CALL_SITE.itemsize))
            elif kind == _COLLECTIVES:
                collectives.append(self._part(body, _COLLECTIVE_SUM, len(body) // _COLLECTIVE_SUM.itemsize))
            elif kind == _RELAY:
                relay.append(self._part(body, _RELAY_ROW, 1)[0])
            else:
                raise self._error(f"has a block of the unknown kind {kind} at {at}")
            at += size_B
        if len(names) != self._functions:
            raise self._error(f"names {len(names)} functions of {self._functions}")
        return _Blocks(names, counters, peers, messages, regions, call_sites, collectives, relay)

    def _ends(self, blocks: list[tuple[int, np.ndarray]]) -> NDArray[np.void]:
        blocks = [(thread, block[block["end"] != 0]) for thread, block in blocks]
        written = np.concatenate([np.zeros(0, _MESSAGE), *(block for _, block in blocks)])
        if written["end"].max(initial=0) > COLLECTIVE:
            raise self._error(f"has a message with the unknown end {written['end'].max()}")
        if max(written["function"].max(initial=0), written["completed_by"].max(initial=0)) >= max(self._functions, 1):
            raise self._error("has a message of an unknown function")
        ends = np.zeros(len(written), END)
        ends["thread"] = np.repeat([thread for thread, _ in blocks], [len(block) for _, block in blocks])
        for name in ("communicator", "size_B", "peer", "tag", "function", "completed_by", "end"):
            ends[name] = written[name]
        # As in the counts by peer: what is no rank of the world is outside it.
        ends["peer"][written["peer"] >= self._ranks] = OUTSIDE
        number = written["number"].astype(np.uint32) @ np.array([1, 1 << 8, 1 << 16], np.uint32)
        ends["member"] = np.where(written["end"] == COLLECTIVE, number, 0)
        rate = self._ticks_per_s()
        for name in ("begun", "needed", "done"):
            # The differences first: the counters themselves are too long for a double.
            since_opened = (written[name] - np.uint64(self._opened[0])).astype(np.int64)
            ends[f"{name}_s"] = self._opened[1] / 1e9 + since_opened / rate
        open_ones = written["done"] == 0
        ends["done_s"][open_ones] = np.nan
        ends["needed_s"][written["needed"] == 0] = np.nan
        ends["computed_s"] = np.where(open_ones, 0, written["computed"]) / rate
        return ends

    def _regions(self, blocks: list[np.ndarray]) -> dict[str, Region]:
        rate = self._ticks_per_s()
        found: dict[str, list[int]] = {}
        for row in np.concatenate([np.zeros(0, _REGION), *blocks]):
            if row["entered"]:
                sums = found.setdefault(row["name"].decode(errors="replace"), [0] * 7)
                for index, column in enumerate(_REGION.names[1:] if _REGION.names else ()):
                    sums[index] += int(row[column])
        return {
            name: Region(entered, ticks / rate, mpi_ticks / rate, *rest)
            for name, (entered, ticks, mpi_ticks, *rest) in found.items()
        }

    def _call_sites(self, blocks: list[np.ndarray], names: list[str]) -> tuple[CallSite, ...]:
        rate = self._ticks_per_s()
        sums: dict[tuple[str, str, int], list[int]] = {}
        for row in np.concatenate([np.zeros(0, _CALL_SITE), *blocks]):
            if not row["calls"]:
                continue
            if row["function"] >= len(names):
                raise self._error("has a call site of an unknown function")
            place = (names[row["function"]], row["object"].decode(errors="replace"), int(row["offset"]))
            site = sums.setdefault(place, [0, 0, 0])
            for index, column in enumerate(("calls", "ticks", "sent_B")):
                site[index] += int(row[column])
        return tuple(CallSite(*place, calls, ticks / rate, sent_B) for place, (calls, ticks, sent_B) in sums.items())

    def _collective_sums(self, blocks: list[np.ndarray], names: list[str]) -> tuple[CollectiveSum, ...]:
        rows = np.concatenate([np.zeros(0, _COLLECTIVE_SUM), *blocks])
        found = []
        for row in rows[rows["calls"] > 0]:
            size, rank, root = int(row["size"]), int(row["rank"]), int(row["root"])
            if row["function"] >= len(names):
                raise self._error("has collective calls of an unknown function")
            if not (0 <= rank < size and NO_ROOT <= root < size):
                raise self._error(f"has collective calls of member {rank} of {size} with root {root}")
            found.append(
                CollectiveSum(
                    names[row["function"]], int(row["communicator"]), size, rank, root,
                    *(int(row[name]) for name in ("calls", "given_B", "got_B")),
                )
            )  # fmt: skip
        return tuple(found)

    def _part(self, body: memoryview, form: np.dtype | str, count: int) -> np.ndarray:
        form = np.dtype(form)
        if form.itemsize * count > len(body):
            raise self._error(f"has a block too short for {count} entries of {form.itemsize} B")
        return np.frombuffer(body, form, count)

    def _ticks_per_s(self) -> float:
        """Rate of the clock, from the two moments that both clocks were read."""
        ticks, ns = (checked - opened for opened, checked in zip(self._opened, self._checked, strict=True))
        if not any(self._checked):
            return 1e9  # ended in MPI_Init: no time is told of it
        if ticks <= 0 or ns <= 0:
            raise self._error("holds clocks that do not run forward")
        return ticks / ns * 1e9

    def _nothing_yet(self) -> NothingYet:
        return NothingYet(f"{self._source}: holds nothing: its process ended or ran out of space while creating it")

    def _error(self, what: str) -> MeasurementError:
        return MeasurementError(f"{self._source}: {what}")


def _text(field: bytes) -> str:
    return field.split(b"\0")[0].decode(errors="replace")
