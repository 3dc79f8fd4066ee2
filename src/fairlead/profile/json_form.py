"""A profile as JSON, a contract (`fairlead.contract`). Tables, figures and pages are made of it, new or stored."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from pydantic import Field

from fairlead.contract import Document, Finite, Part
from fairlead.located_json import Location
from fairlead.prices.cost_json import Cost
from fairlead.profile import consistency
from fairlead.profile.analysis import call_sites, collective_traffic, phases, waiting
from fairlead.profile.analysis.collective_traffic import CollectiveTraffic
from fairlead.profile.analysis.collectives import WAIT_STATES, pattern_of
from fairlead.profile.analysis.groups import group_of
from fairlead.profile.profile import Profile, mpi_s
from fairlead.profile.ran import Ran
from fairlead.profile.record import Counts, Record, Usage
from fairlead.profile.settings import ProfileSettings

SCHEMA_VERSION = "1.9"
ESTIMATED, MEASURED = "estimated", "measured"  # how what collective calls send is known
SCHEMA_FILE = Path(__file__).with_name("profile.schema.json")

Matrix = list[list[int]]


class Function(Part):
    """Calls of one MPI function; times in seconds, of all threads together."""

    calls: int
    time_s: Finite
    sent_B: int
    received_B: int


class SizeClass(Part):
    """How many there are of a size; ``from_B`` to ``to_B`` inclusive."""

    from_B: int
    to_B: int
    messages: int
    collective_calls: int


class Region(Part):
    """What a rank did in a region that the program names, of all threads together.

    ``time_s``: in it, ``mpi_s`` of this in MPI. ``open``: threads that were in it when the program ended without
    MPI_Finalize; their last time in it is not counted.
    """

    entered: int
    time_s: Finite
    mpi_s: Finite
    calls: int
    sent_B: int
    received_B: int
    open: int


class Rank(Part):
    """One rank. ``end``: finalized, aborted, exited (without MPI_Finalize) or running (killed).

    ``polled_s``: of ``mpi_s``, what passed between calls in which it only tested for messages. ``relay``: what the
    relay plane did (`fairlead.profile.record.RELAY_COUNTS`); empty without it.
    """

    rank: int
    host: str
    pid: int
    end: str
    threads: int
    time_s: Finite
    mpi_s: Finite
    computing_s: Finite
    polled_s: Finite = 0.0
    functions: dict[str, Function]
    sizes: list[SizeClass]
    regions: dict[str, Region] = Field(default_factory=dict)
    relay: dict[str, int] = Field(default_factory=dict)

    @property
    def mpi_share(self) -> float:
        """Time in MPI over its wall clock; 0 of a rank without duration."""
        return self.mpi_s / self.time_s if self.time_s > 0 else 0.0


class CollectiveWaiting(Part):
    """Waiting in the kept calls of one collective function, of all ranks together, as in `Waiting`.

    ``wait_state``: what waiting for others is called (`fairlead.profile.analysis.collectives`).
    """

    wait_state: str
    calls: int
    late_others_s: Finite
    collective_s: Finite
    unknown_s: Finite


class Waiting(Part):
    """What ranks waited for in messages and collective calls (`fairlead.profile.analysis.waiting`), seconds in the
    order of ``per_rank``: for senders that had not begun, receivers that were not there, the transfer, in collective
    calls for others that had not entered and for the collective itself, or it is not known. The two of collective
    calls are null in files before 1.5, where ``unknown_s``, ``kept`` and ``all_ends`` are of messages only.

    ``transfer_between_s``: the transfers by sending (row) and receiving rank; ``receiving_between_s``: what the
    receivers waited of them; ``processing_between_s``: between their waiting, by the message that they received next;
    both null in files before 1.3. ``in_function``: of all ranks, by collective function. ``joined`` messages are known
    from both ends; ``kept`` of ``all_ends`` are what this is of, from the beginning on. ``bound_s``: how wrong times
    between hosts may be; null: between some they are not known.
    """

    late_sender_s: list[Finite]
    late_receiver_s: list[Finite]
    transfer_s: list[Finite]
    unknown_s: list[Finite]
    transfer_between_s: list[list[Finite]]
    late_others_s: list[Finite] | None = None
    collective_s: list[Finite] | None = None
    in_function: dict[str, CollectiveWaiting] = Field(default_factory=dict)
    receiving_between_s: list[list[Finite]] | None = None
    processing_between_s: list[list[Finite]] | None = None
    joined: int
    kept: int
    all_ends: int
    bound_s: Finite | None


class PhaseSize(Part):
    """How many messages of one size a repetition sends."""

    size_B: int
    messages: int


class PhaseCalls(Part):
    """How many calls of a collective function a repetition makes; ``size_B``: what the rank gives or gets in one,
    whichever is more; the median, where it differs."""

    function: str
    size_B: int
    calls: int


class Phase(Part):
    """What a rank does again and again (`fairlead.profile.analysis.phases`): ``messages`` that it sends, their
    ``bytes_B`` and ``sizes``, and ``collectives``, in files before 1.5 always empty.

    ``begun_s``: since the rank's first. ``repetitions`` were seen; ``expected_repetitions`` are those of the
    whole run, if the phase went on where the record or the search ends. ``repetition_s``: their median time. ``share``:
    of the messages and collective calls that were searched.
    """

    begun_s: Finite
    messages: int
    bytes_B: int
    sizes: list[PhaseSize]
    collectives: list[PhaseCalls] = Field(default_factory=list)
    repetitions: int
    expected_repetitions: int
    repetition_s: Finite
    share: Finite


class Pattern(Part):
    """The repetitive phases of the rank that kept most messages that it sent and collective calls.

    ``searched``: how many of these, from the beginning on; null: all, and in files before 1.7.
    """

    rank: int
    phases: list[Phase]
    searched: int | None = None


class CallSite(Part):
    """Calls of an MPI function from one place in the program, of all ranks together.

    ``object`` (a path) and ``offset``, of the return address, say where; ``where`` (the function that calls), ``file``
    and ``line`` are empty and 0 where the object has no symbols or is not on this machine.
    """

    function: str
    object: str
    offset: int
    where: str
    file: str
    line: int
    ranks: int
    calls: int
    time_s: Finite
    sent_B: int


class CollectiveFunction(Part):
    """Calls of one collective function, of all ranks together: ``calls`` that were estimated, ``left_out`` others, and
    the ``messages`` and ``bytes_B`` that these send by the estimate."""

    calls: int
    left_out: int
    messages: int
    bytes_B: int


class Collectives(Part):
    """Messages between ranks that collective calls are made of; none of them is among the point-to-point messages.

    ``source``: estimated, by the algorithms that libraries usually take
    (`fairlead.profile.analysis.collective_algorithms`), or measured, by the MPI library. ``functions``: most
    bytes first; empty where it was measured.
    """

    source: str
    messages: Matrix
    bytes_B: Matrix
    host_messages: Matrix
    host_bytes_B: Matrix
    functions: dict[str, CollectiveFunction] = Field(default_factory=dict)


class Group(Part):
    """How far the program depends on the network, by the share of all ranks' time in MPI
    (`fairlead.profile.analysis.groups`).

    ``name``: highly dependent, dependent, low or none. ``lowest_mpi_share``, ``highest_mpi_share``: of a single rank.
    ``thresholds``: the least share of each group.
    """

    name: str
    lowest_mpi_share: Finite
    highest_mpi_share: Finite
    thresholds: dict[str, Finite]


class Summary(Document):
    """The whole file. Matrices have a row for each sending rank (or host) and a column for each receiving one.

    ``begun_s``: the first MPI call, seconds since the epoch. ``imbalance``: the longest computing time of a rank over
    the mean, less 1; ``imbalance_ranks``: those with at least half of that excess, longest first. ``messages`` and
    ``bytes_B`` are point-to-point, ``collectives`` those of collective calls; null: none, and in files before 1.8.
    ``ran``: null of a trace, and in files before 1.9; ``cost``: null without a price book.
    """

    schema_name: str = Field(alias="schema", default="fairlead.profile")
    schema_version: str = SCHEMA_VERSION
    program: list[str]
    library: str
    begun_s: Finite
    ranks: int
    missing_ranks: list[int]
    other_processes: int
    mpi_share: Finite
    group: Group
    imbalance: Finite
    imbalance_ranks: list[int]
    hosts: list[str]
    host_of_rank: list[str]
    per_rank: list[Rank]
    functions: dict[str, Function]
    messages: Matrix
    bytes_B: Matrix
    host_messages: Matrix
    host_bytes_B: Matrix
    outside_B: int
    sizes: list[SizeClass]
    waiting: Waiting | None = None
    pattern: Pattern | None = None
    call_sites: list[CallSite] = Field(default_factory=list)
    collectives: Collectives | None = None
    ran: Ran | None = None
    cost: Cost | None = None

    @property
    def all_messages(self) -> Matrix:
        """With those of collective calls, estimated ones too; likewise the next three."""
        return _sum(self.messages, self.collectives.messages if self.collectives else None)

    @property
    def all_bytes_B(self) -> Matrix:
        return _sum(self.bytes_B, self.collectives.bytes_B if self.collectives else None)

    @property
    def all_host_messages(self) -> Matrix:
        return _sum(self.host_messages, self.collectives.host_messages if self.collectives else None)

    @property
    def all_host_bytes_B(self) -> Matrix:
        return _sum(self.host_bytes_B, self.collectives.host_bytes_B if self.collectives else None)

    def contradictions(self) -> Iterator[tuple[Location, str]]:
        return consistency.of(self)


def of(
    profile: Profile,
    program: Sequence[str],
    settings: ProfileSettings | None = None,
    measured: CollectiveTraffic | None = None,
    ran: Ran | None = None,
) -> Summary:
    """The JSON form of a profile.

    Args:
        measured: what collective calls sent, by the MPI library; None: it is estimated.
        ran: what the program ran on; None: it is not known.
    """
    messages, bytes_B = profile.messages(), profile.bytes_B()
    per_rank = [_rank(profile, record) for record in profile.records]
    return Summary(
        program=list(program),
        library=profile.records[0].library.splitlines()[0],
        begun_s=min(record.opened for record in profile.records).timestamp(),
        ranks=profile.ranks,
        missing_ranks=profile.missing,
        other_processes=len(profile.others),
        mpi_share=profile.mpi_share,
        group=_group(profile.mpi_share, per_rank, settings or ProfileSettings()),
        imbalance=profile.imbalance,
        imbalance_ranks=profile.imbalance_ranks,
        hosts=profile.host_names,
        host_of_rank=list(profile.hosts),
        per_rank=per_rank,
        functions=_functions(profile.functions()),
        messages=messages.tolist(),
        bytes_B=bytes_B.tolist(),
        host_messages=profile.by_host(messages).tolist(),
        host_bytes_B=profile.by_host(bytes_B).tolist(),
        outside_B=profile.outside_B(),
        sizes=_sizes(profile.sizes(), profile.collective_sizes()),
        waiting=_waiting(profile),
        pattern=_pattern(profile),
        call_sites=[_call_site(each) for each in call_sites.of(profile.records)],
        collectives=_collectives(profile, measured),
        ran=ran,
    )


def with_settings(summary: Summary, settings: ProfileSettings) -> Summary:
    """A stored profile, its group found anew."""
    return summary.model_copy(update={"group": _group(summary.mpi_share, summary.per_rank, settings)})


def size_class(number: int) -> tuple[int, int]:
    """First and last size in bytes of a class of `fairlead.profile.record.SizeHistogram`."""
    return (0, 0) if number == 0 else (2 ** (number - 1), 2**number - 1)


def matrix(rows: Matrix) -> Counts:
    """A matrix of the file as an array of the same shape."""
    return np.array(rows, np.uint64)


def _group(mpi_share: float, ranks: Sequence[Rank], settings: ProfileSettings) -> Group:
    shares = [rank.mpi_share for rank in ranks]
    return Group(
        name=group_of(mpi_share, settings.groups),
        lowest_mpi_share=min(shares),
        highest_mpi_share=max(shares),
        thresholds=settings.groups.least(),
    )


def _sum(one: Matrix, other: Matrix | None) -> Matrix:
    return one if other is None else (matrix(one) + matrix(other)).tolist()


def _collectives(profile: Profile, measured: CollectiveTraffic | None) -> Collectives | None:
    found = measured or collective_traffic.estimated(profile)
    if measured is None and not found.functions:
        return None
    return Collectives(
        source=ESTIMATED if measured is None else MEASURED,
        messages=found.messages.tolist(),
        bytes_B=found.bytes_B.tolist(),
        host_messages=profile.by_host(found.messages).tolist(),
        host_bytes_B=profile.by_host(found.bytes_B).tolist(),
        functions={
            name: CollectiveFunction(
                calls=each.calls, left_out=each.left_out, messages=each.messages, bytes_B=round(each.bytes_B)
            )
            for name, each in found.functions.items()
        },
    )


def _waiting(profile: Profile) -> Waiting | None:
    found = waiting.of(profile.records, profile.ranks, profile.hosts)
    if found is None:
        return None
    return Waiting(
        late_sender_s=found.late_sender_s.tolist(),
        late_receiver_s=found.late_receiver_s.tolist(),
        transfer_s=found.transfer_s.tolist(),
        unknown_s=found.unknown_s.tolist(),
        transfer_between_s=found.transfer_between_s.tolist(),
        late_others_s=found.late_others_s.tolist(),
        collective_s=found.collective_s.tolist(),
        in_function={
            name: CollectiveWaiting(wait_state=WAIT_STATES[pattern_of(name)], **asdict(each))
            for name, each in found.in_function.items()
        },
        receiving_between_s=found.receiving_between_s.tolist(),
        processing_between_s=found.processing_between_s.tolist(),
        joined=found.joined,
        kept=found.kept,
        all_ends=found.all_ends,
        bound_s=found.bound_s,
    )


def _pattern(profile: Profile) -> Pattern | None:
    found = phases.of(profile.records)
    if found is None:
        return None
    return Pattern(rank=found.rank, phases=[_phase(each) for each in found.phases], searched=found.searched)


def _phase(phase: phases.Phase) -> Phase:
    sizes_B, counts = np.unique(phase.sizes_B, return_counts=True)
    return Phase(
        begun_s=phase.begun_s,
        messages=len(phase.sizes_B),
        bytes_B=int(phase.sizes_B.sum()),
        sizes=[
            PhaseSize(size_B=int(size_B), messages=int(count)) for size_B, count in zip(sizes_B, counts, strict=True)
        ],
        collectives=[
            PhaseCalls(function=name, size_B=size_B, calls=calls)
            for (name, size_B), calls in Counter(phase.collectives).items()
        ],
        repetitions=phase.repetitions,
        expected_repetitions=phase.expected_repetitions,
        repetition_s=phase.repetition_s,
        share=phase.share,
    )


def _call_site(each: call_sites.Calls) -> CallSite:
    place = each.place
    return CallSite(
        function=each.function,
        object=place.object,
        offset=place.offset,
        where=place.function,
        file=place.file,
        line=place.line,
        ranks=each.ranks,
        calls=each.calls,
        time_s=each.time_s,
        sent_B=each.sent_B,
    )


def _rank(profile: Profile, record: Record) -> Rank:
    assert record.rank is not None
    inside_s = mpi_s(record)
    return Rank(
        rank=record.rank,
        host=profile.hosts[record.rank],
        pid=record.pid,
        end=record.state,
        threads=record.threads,
        time_s=record.time_s,
        mpi_s=inside_s,
        computing_s=max(record.time_s - inside_s, 0.0),
        polled_s=record.polled_s / max(record.threads, 1),
        functions=_functions(record.functions),
        sizes=_sizes(record.sizes.sent, record.sizes.given),
        regions={name: Region(**asdict(each)) for name, each in record.regions.items()},
        relay=record.relay,
    )


def _functions(usages: dict[str, Usage]) -> dict[str, Function]:
    return {
        name: Function(calls=each.calls, time_s=each.time_s, sent_B=each.sent_B, received_B=each.received_B)
        for name, each in usages.items()
    }


def _sizes(messages: Counts, collective_calls: Counts) -> list[SizeClass]:
    return [
        SizeClass(
            from_B=size_class(number)[0],
            to_B=size_class(number)[1],
            messages=int(sent),
            collective_calls=int(given),
        )
        for number, (sent, given) in enumerate(zip(messages, collective_calls, strict=True))
        if sent or given
    ]
