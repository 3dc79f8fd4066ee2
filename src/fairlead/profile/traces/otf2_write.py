"""Writes the messages that ranks kept as an OTF2 trace, for Vampir, Scalasca, otf2-print and the like.

One location for each thread of a rank. Functions that began or completed kept messages are regions; what a rank did
otherwise was not kept and is not there. A call that only began a message has no length, as its end was not kept.
Events: OTF2 documentation, "List of all event records". Times are those of the first host's clock where the others'
are known against it (`fairlead.profile.analysis.clocks`).
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import otf2
from _otf2 import Error as Otf2Error
from otf2.enums import GroupType, LocationType, Paradigm, RegionRole

from fairlead.errors import ConfigError, FairleadError, MeasurementError
from fairlead.profile.analysis import kinds, waiting
from fairlead.profile.analysis.clocks import ClockCorrection
from fairlead.profile.profile import Profile
from fairlead.profile.record import RECEIVE, SEND, Record

TICKS_PER_S = 1_000_000_000
ARCHIVE = "traces"  # NAME.otf2 is the file to open


@dataclass
class _Call:
    """A call of an MPI function. Times by the reference's clock, in s; events are given the writer and a time."""

    name: str
    begun_s: float
    done_s: float
    at_begin: list[tuple[Any, ...]] = field(default_factory=list)
    at_end: list[tuple[Any, ...]] = field(default_factory=list)


def write(profile: Profile, directory: Path) -> Path:
    """Write a trace; returns the file to open.

    Raises:
        MeasurementError: no messages were kept.
        ConfigError: the directory has something in it.
        FairleadError: it cannot be written.
    """
    if not any(len(record.ends) for record in profile.records):
        raise MeasurementError("--otf2: the ranks kept no messages to write", hint="see --keep-messages")
    check(directory)
    try:
        with otf2.writer.open(str(directory), archive_name=ARCHIVE, timer_resolution=TICKS_PER_S) as trace:
            _Writer(trace, profile).write()
    except (Otf2Error, otf2.error.TraceWriterError) as error:
        raise FairleadError(f"{directory}: no trace can be written: {error}") from error
    return directory / f"{ARCHIVE}.otf2"


def check(directory: Path) -> None:
    """See that a trace can be written there, before the program runs for it.

    Raises:
        ConfigError: it has something in it, or is no directory.
    """
    if directory.exists() and not directory.is_dir():
        raise ConfigError(f"--otf2 {directory}: is not a directory")
    if directory.is_dir() and any(directory.iterdir()):
        raise ConfigError(f"--otf2 {directory}: is not empty", hint="an OTF2 trace needs a directory of its own")


class _Writer:
    """Definitions, and the events that refer to them."""

    def __init__(self, trace: Any, profile: Profile) -> None:
        self._trace = trace
        self._profile = profile
        self._define = trace.definitions
        self._regions: dict[str, Any] = {}
        self._communicators: dict[int, Any] = {}
        self._locations: dict[tuple[int, int], Any] = {}

    def write(self) -> None:
        records = self._profile.records
        clocks = waiting.clocks_of(records, self._profile.hosts)
        first_s = min(self._to_reference(record, clocks, record.ends["begun_s"]).min(initial=np.inf)
                      for record in records)  # fmt: skip
        self._define_locations()
        for record in records:
            for thread in np.unique(record.ends["thread"]):
                ends = record.ends[record.ends["thread"] == thread].copy()
                for name in ("begun_s", "needed_s", "done_s"):
                    ends[name] = self._to_reference(record, clocks, ends[name]) - first_s
                self._write_thread(self._locations[record.rank or 0, int(thread)], record, ends)

    def _to_reference(self, record: Record, clocks: dict[str, ClockCorrection | None], times_s: Any) -> Any:
        clock = clocks[self._profile.hosts[record.rank or 0]]
        return clock.to_reference(times_s) if clock is not None else times_s

    def _define_locations(self) -> None:
        machine = self._define.system_tree_node("machine", class_name="machine")
        nodes = {host: self._define.system_tree_node(host, class_name="node", parent=machine)
                 for host in self._profile.host_names}  # fmt: skip
        threads = {record.rank: {0, *record.ends["thread"].tolist()} for record in self._profile.records}
        for rank, host in enumerate(self._profile.hosts):
            group = self._define.location_group(f"MPI Rank {rank}", system_tree_parent=nodes[host])
            for thread in sorted(threads.get(rank, {0})):
                name = "Master thread" if thread == 0 else f"Thread {thread}"
                self._locations[rank, thread] = self._define.location(name, type=LocationType.CPU_THREAD, group=group)
        world = [self._locations[rank, 0] for rank in range(self._profile.ranks)]
        self._define.group(
            "MPI locations", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=tuple(world)
        )
        self._world = self._define.group(
            "world", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=tuple(world)
        )

    def _write_thread(self, location: Any, record: Record, ends: Any) -> None:
        writer = self._trace.event_writer_from_location(location)
        last = 0
        for call in sorted(_calls(record, ends), key=lambda each: each.done_s):
            region = self._region(call.name)
            begin = max(last, round(call.begun_s * TICKS_PER_S))
            end = max(begin, round(call.done_s * TICKS_PER_S))
            writer.enter(begin, region)
            for name, *arguments in call.at_begin:
                getattr(writer, name)(begin, *self._with_communicator(arguments))
            for name, *arguments in call.at_end:
                getattr(writer, name)(end, *self._with_communicator(arguments))
            writer.leave(end, region)
            last = end

    def _with_communicator(self, arguments: list[Any]) -> list[Any]:
        """A message's second argument is its communicator; that of a request's completion is none."""
        if len(arguments) < 2:
            return arguments
        return [arguments[0], self._communicator(arguments[1]), *arguments[2:]]

    def _communicator(self, number: int) -> Any:
        """Every one has the ranks of the world here: a peer is told by its rank there."""
        if number not in self._communicators:
            self._communicators[number] = self._define.comm(f"communicator {number:x}", group=self._world)
        return self._communicators[number]

    def _region(self, name: str) -> Any:
        if name not in self._regions:
            roles = {kinds.POINT_TO_POINT: RegionRole.POINT2POINT, kinds.COMPLETION: RegionRole.POINT2POINT}
            self._regions[name] = self._define.region(
                name, region_role=roles.get(kinds.kind_of(name), RegionRole.FUNCTION), paradigm=Paradigm.MPI
            )
        return self._regions[name]


def _calls(record: Record, ends: Any) -> list[_Call]:
    """The calls of one thread. Ends that one call completed have the same end; the requests are numbered."""
    calls: list[_Call] = []
    completing: dict[float, _Call] = {}
    for number, end in enumerate(ends):
        begun, done = (record.function_names[end[name]] for name in ("function", "completed_by"))
        message = (int(end["peer"]), int(end["communicator"]), max(int(end["tag"]), 0), int(end["size_B"]))
        is_done = not np.isnan(end["done_s"])
        sends = end["end"] == SEND
        if end["end"] not in (SEND, RECEIVE) or (end["peer"] < 0):
            continue
        blocking = is_done and begun == done and end["needed_s"] == end["begun_s"]
        if blocking:
            call = completing.setdefault(float(end["done_s"]), _Call(done, end["begun_s"], end["done_s"]))
            (call.at_begin if sends else call.at_end).append(("mpi_send" if sends else "mpi_recv", *message))
            continue
        first = ("mpi_isend", *message, number) if sends else ("mpi_irecv_request", number)
        calls.append(_Call(begun, end["begun_s"], end["begun_s"], at_begin=[first]))
        if is_done:
            call = completing.setdefault(float(end["done_s"]), _Call(done, end["needed_s"], end["done_s"]))
            call.begun_s = min(call.begun_s, end["needed_s"])
            call.at_end.append(("mpi_isend_complete", number) if sends else ("mpi_irecv", *message, number))
    return [*calls, *completing.values()]
