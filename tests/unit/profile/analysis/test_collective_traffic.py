"""What collective calls send between ranks: from what records hold, or as the library counted it."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fairlead.placement.compute import traffic_of
from fairlead.profile import findings, json_form, mitigation, profile, tables
from fairlead.profile.analysis import collective_traffic
from fairlead.profile.analysis.collective_traffic import FunctionTraffic, argument_B
from fairlead.profile.json_form import Summary
from fairlead.profile.profile import Profile
from fairlead.profile.record import NO_ROOT, CollectiveSum, Usage
from fairlead.report.profile import profile_report

from ..profile_fixtures import a_record

WORLD, PART = 11, 12


def calls(
    function: str, rank: int, given_B: int, got_B: int, *, number: int = 1, root: int = NO_ROOT, size: int = 3,
    communicator: int = WORLD,
) -> CollectiveSum:  # fmt: skip
    """So many calls of one rank, which give and get so much each."""
    return CollectiveSum(function, communicator, size, rank, root, number, number * given_B, number * got_B)


def profiled(sums: Sequence[Sequence[CollectiveSum]], hosts: Sequence[str] | None = None) -> Profile:
    """Ranks that made these calls, and of whose messages only the first rank's 1000 B to the second are known."""
    records = []
    for rank, of_rank in enumerate(sums):
        record = a_record(rank, [0, 1000 * (rank == 0), *[0] * (len(sums) - 2)], mpi_s=1.0, ranks=len(sums))
        usages: dict[str, Usage] = {}
        for each in of_rank:
            before = usages.get(each.function, Usage(0, 0.0, 0, 0)).calls
            usages[each.function] = Usage(before + each.calls, 0.5, 0, 0)
        records.append(replace(record, functions={**record.functions, **usages}, collective_sums=tuple(of_rank)))
    return profile.of(records, hosts)


def test_calls_of_all_ranks_are_added_up() -> None:
    found = collective_traffic.estimated(
        profiled(
            [
                [calls("MPI_Allreduce", 0, 8, 8, number=10), calls("MPI_Bcast", 0, 0, 100, number=2, root=1)],
                [calls("MPI_Allreduce", 1, 8, 8, number=10), calls("MPI_Bcast", 1, 100, 0, number=2, root=1)],
                [calls("MPI_Allreduce", 2, 8, 8, number=10), calls("MPI_Bcast", 2, 0, 100, number=2, root=1)],
            ]
        )
    )
    # The sum goes from 0 to 1, between 1 and 2, and back; the vector from 1 to both others.
    assert found.messages.tolist() == [[0, 10, 0], [12, 0, 12], [0, 10, 0]]
    assert found.bytes_B.tolist() == [[0, 80, 0], [280, 0, 280], [0, 80, 0]]
    assert dict(found.functions) == {
        "MPI_Bcast": FunctionTraffic(calls=6, left_out=0, messages=4, bytes_B=400),
        "MPI_Allreduce": FunctionTraffic(calls=30, left_out=0, messages=40, bytes_B=320),
    }


def test_members_are_translated_to_ranks_of_the_world() -> None:
    part = {"size": 2, "communicator": PART}
    found = collective_traffic.estimated(
        profiled([[calls("MPI_Allgather", 1, 5, 10, **part)], [], [calls("MPI_Allgather", 0, 5, 10, **part)]])
    )
    assert found.bytes_B.tolist() == [[0, 0, 5], [0, 0, 0], [5, 0, 0]]


def test_calls_on_a_communicator_with_unknown_members_are_left_out() -> None:
    found = collective_traffic.estimated(
        profiled([[calls("MPI_Allreduce", 0, 8, 8)], [calls("MPI_Allreduce", 1, 8, 8)], []])
    )
    assert found.messages.sum() == 0
    assert found.functions["MPI_Allreduce"] == FunctionTraffic(calls=0, left_out=2)


def test_calls_that_are_not_in_the_sums_are_left_out() -> None:
    found = profiled([[calls("MPI_Barrier", 0, 0, 0, size=1, communicator=0)], [], []])
    usages = {**found.records[1].functions, "MPI_Neighbor_alltoall": Usage(7, 0.1, 0, 0)}
    records = [found.records[0], replace(found.records[1], functions=usages), found.records[2]]
    sent = collective_traffic.estimated(profile.of(records))
    assert dict(sent.functions) == {
        "MPI_Barrier": FunctionTraffic(calls=1, left_out=0),  # on a communicator of one
        "MPI_Neighbor_alltoall": FunctionTraffic(calls=0, left_out=7),
    }
    told = "the estimate of collective calls leaves out 7 calls of MPI_Neighbor_alltoall"
    assert told in list(findings.caveats(json_form.of(profile.of(records), ["./a"])))


@pytest.mark.parametrize(
    ("function", "given_B", "got_B", "root", "size_B"),
    [
        ("MPI_Barrier", 0, 0, NO_ROOT, 0),
        ("MPI_Bcast", 0, 12, 0, 12),
        ("MPI_Reduce", 12, 0, 0, 12),
        ("MPI_Gather", 12, 0, 0, 12),
        ("MPI_Scatter", 36, 12, 1, 12),  # the caller is the root
        ("MPI_Scatter", 0, 12, 0, 12),
        ("MPI_Allgatherv", 4, 24, NO_ROOT, 8),
        ("MPI_Ialltoall", 36, 36, NO_ROOT, 12),
        ("MPI_Reduce_scatter_block", 36, 12, NO_ROOT, 36),
        ("MPI_Exscan_c", 12, 0, NO_ROOT, 12),
    ],
)
def test_the_size_that_an_algorithm_goes_by(function: str, given_B: int, got_B: int, root: int, size_B: float) -> None:
    assert argument_B(calls(function, 1, given_B, got_B, number=3, root=root)) == size_B


def allreduced() -> Profile:
    return profiled([[calls("MPI_Allreduce", rank, 8, 8, number=10)] for rank in range(3)], ["a", "a", "b"])


def test_what_the_library_counted_is_less_the_programs_own_messages() -> None:
    counted = np.array([[0, 5, 0], [4, 0, 0], [0, 0, 0]], np.uint64)
    found = collective_traffic.measured(allreduced(), counted, 500 * counted)
    assert found.messages.tolist() == [[0, 4, 0], [4, 0, 0], [0, 0, 0]]
    assert found.bytes_B.tolist() == [[0, 1500, 0], [2000, 0, 0], [0, 0, 0]]
    assert found.functions == {}


def test_json_form_tells_estimated_from_measured() -> None:
    found = json_form.of(allreduced(), ["./a"])
    data = json.loads(found.to_json())
    assert data["messages"] == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert data["collectives"] == {
        "source": "estimated",
        "messages": [[0, 10, 0], [10, 0, 10], [0, 10, 0]],
        "bytes_B": [[0, 80, 0], [80, 0, 80], [0, 80, 0]],
        "host_messages": [[20, 10], [10, 0]],
        "host_bytes_B": [[160, 80], [80, 0]],
        "functions": {"MPI_Allreduce": {"calls": 30, "left_out": 0, "messages": 40, "bytes_B": 320}},
    }
    assert found.all_messages == [[0, 11, 0], [10, 0, 10], [0, 10, 0]]
    assert found.all_host_bytes_B == [[1160, 80], [80, 0]]
    counted = np.array([[0, 5, 0], [4, 0, 0], [0, 0, 0]], np.uint64)
    measured = collective_traffic.measured(allreduced(), counted, 500 * counted)
    sent = json_form.of(allreduced(), ["./a"], measured=measured).collectives
    assert sent is not None
    assert (sent.source, sent.messages, sent.functions) == ("measured", [[0, 4, 0], [4, 0, 0], [0, 0, 0]], {})


def test_a_program_without_collective_calls_has_none() -> None:
    found = json_form.of(profiled([[], [], []]), ["./a"])
    assert found.collectives is None
    assert found.all_bytes_B == found.bytes_B
    assert list(findings.collectives_counted(found)) == []


def test_it_is_told_apart_from_messages_and_said_to_be_an_estimate() -> None:
    found = json_form.of(allreduced(), ["./a"])
    assert (
        "collective calls send 40 messages of 320 B more (estimated, by the algorithms that MPI libraries usually "
        "take), of them between hosts 20 messages of 160 B"
    ) in [text.replace("\u00a0", " ") for text in findings.lead(found)]
    assert tables.collective_traffic(found).csv().splitlines() == [
        "function,calls,messages,bytes_B,left_out", "MPI_Allreduce,30,40,320,0",
    ]  # fmt: skip
    assert tables.collective_matrix(found).csv().splitlines()[1:] == ["0,0,80,0", "1,80,0,80", "2,0,80,0"]
    assert tables.collective_hosts(found).csv().splitlines()[1:] == ["a,160,80", "b,80,0"]
    assert tables.matrix(found).csv().splitlines()[1:] == ["0,0,1000,0", "1,0,0,0", "2,0,0,0"]


def test_the_page_has_a_figure_of_it() -> None:
    drawn = {each.name: each for each in profile_report.drawings(json_form.of(allreduced(), ["./a"]))}
    assert drawn["collective-traffic"].title == "Collective calls between ranks, estimated"
    assert drawn["collective-traffic"].table.csv().splitlines() == [
        "from_rank,to_rank,bytes_B,messages,mean_B", "0,1,80,10,8.0", "1,0,80,10,8.0", "1,2,80,10,8.0", "2,1,80,10,8.0",
    ]  # fmt: skip


def exchanging_with(partner: dict[int, int]) -> Summary:
    """Four ranks on two hosts; those of each two make collective calls on a communicator of their own."""
    sums = []
    for rank in range(4):
        first = min(rank, partner[rank])
        member = {"size": 2, "communicator": 100 + first}
        sums.append([calls("MPI_Allreduce", int(rank != first), 8000, 8000, number=10, **member)])
    return json_form.of(profiled(sums, ["a", "a", "b", "b"]), ["./a"])


def test_placements_count_collective_calls() -> None:
    found = exchanging_with({0: 2, 1: 3, 2: 0, 3: 1})
    assert traffic_of(found).bytes_B.tolist() == found.all_bytes_B
    assert found.all_bytes_B[0] == [0, 1000, 80_000, 0]
    change = mitigation.better(found)
    assert change is not None
    assert change.host_of_rank[0] == change.host_of_rank[2] != change.host_of_rank[1] == change.host_of_rank[3]
    assert (change.before_B, change.after_B) == (4 * 80_000, 1000)
    assert list(findings.collectives_counted(found)) == [
        "what collective calls send is part of these figures (estimated, by the algorithms that MPI libraries usually "
        "take)"
    ]
