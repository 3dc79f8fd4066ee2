"""OTF2 traces: written of kept messages, and read as Score-P writes them."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import otf2
import pytest
from click.testing import CliRunner
from otf2.enums import CollectiveOp, GroupType, LocationType, Paradigm, RegionRole

from fairlead.cli.main import command
from fairlead.errors import ConfigError, MeasurementError
from fairlead.profile import json_form, profile
from fairlead.profile.analysis import waiting
from fairlead.profile.profile import Profile
from fairlead.profile.record import RECEIVE, SEND
from fairlead.profile.traces import otf2_read, otf2_write

from ..kept_messages import a_record, end

NAMES = ("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Waitall")
SEND_CALL, RECV_CALL, ISEND_CALL, IRECV_CALL, WAITALL_CALL = range(5)
TICKS_PER_S = 1_000_000


def of_two() -> Profile:
    """Rank 0 sends 8 B, then both exchange 24 B by non-blocking calls that one Waitall completes."""
    both = {"by": WAITALL_CALL, "tag": 7, "size_B": 24}
    ends = [
        [
            end(SEND, 1, 10, 10, 10.5, function=SEND_CALL, by=SEND_CALL),
            end(RECEIVE, 1, 11, 13, 14, function=IRECV_CALL, **both),
            end(SEND, 1, 12, 13, 14, function=ISEND_CALL, **both),
        ],
        [
            end(RECEIVE, 0, 10, 10, 10.75, function=RECV_CALL, by=RECV_CALL),
            end(RECEIVE, 0, 11, 12, 13.5, function=IRECV_CALL, **both),
            end(SEND, 0, 11.5, 12, 13.5, function=ISEND_CALL, **both),
        ],
    ]
    records = [replace(a_record(rank, each), function_names=NAMES) for rank, each in enumerate(ends)]
    return profile.of(records, ["a", "a"])


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    anchor = otf2_write.write(of_two(), tmp_path / "trace")
    assert anchor == tmp_path / "trace" / "traces.otf2"
    records = otf2_read.read(anchor)
    assert [record.host for record in records] == ["a", "a"]
    found, before = profile.of(records), of_two()
    assert found.messages().tolist() == [[0, 2], [1, 0]]
    assert found.bytes_B().tolist() == [[0, 32], [24, 0]]
    for new, old in zip(records, before.records, strict=True):
        for name in ("begun_s", "needed_s", "done_s"):
            order = np.argsort(new.ends["begun_s"])
            np.testing.assert_allclose(
                new.ends[name][order] - new.ends["begun_s"].min(), old.ends[name] - 10, atol=1e-8
            )
    again = waiting.of(records, 2, ["a", "a"])
    first = waiting.of(before.records, 2, ["a", "a"])
    assert again is not None and first is not None
    assert again.joined == first.joined == 3
    np.testing.assert_allclose(again.transfer_between_s, first.transfer_between_s, atol=1e-8)
    np.testing.assert_allclose(again.late_sender_s, first.late_sender_s, atol=1e-8)


@pytest.mark.skipif(shutil.which("otf2-print") is None, reason="Debian: apt install otf2-tools")
def test_other_tools_read_it(tmp_path: Path) -> None:
    anchor = otf2_write.write(of_two(), tmp_path / "trace")
    done = subprocess.run(["otf2-print", str(anchor)], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    kinds = ("ENTER", "LEAVE", "MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_IRECV", "MPI_ISEND_COMPLETE")
    counted = [sum(line.split()[:1] == [kind] for line in lines) for kind in kinds]
    assert counted == [8, 8, 1, 1, 2, 2, 2]


def test_a_trace_needs_messages_and_a_place(tmp_path: Path) -> None:
    nothing = profile.of([a_record(0, [], ranks=1)], ["a"])
    with pytest.raises(MeasurementError, match="kept no messages to write"):
        otf2_write.write(nothing, tmp_path / "trace")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    with pytest.raises(ConfigError, match="full: is not empty"):
        otf2_write.check(tmp_path / "full")
    with pytest.raises(ConfigError, match="x: is not a directory"):
        otf2_write.check(tmp_path / "full" / "x")


def score_p(directory: Path) -> Path:
    """A trace with what Score-P writes of two ranks on two nodes: the program's own regions, MPI and its records.

    Rank 0 sends 100 B on a communicator with the ranks in the other order; rank 1 receives by Irecv, tests in vain at
    2 s, and waits from 3 s to 5 s. Then both reduce 8 B.
    """
    with otf2.writer.open(str(directory), archive_name="traces", timer_resolution=TICKS_PER_S) as trace:
        define = trace.definitions
        machine = define.system_tree_node("cluster", class_name="machine")
        places = []
        for rank in range(2):
            node = define.system_tree_node(f"node{rank}", class_name="node", parent=machine)
            group = define.location_group(f"MPI Rank {rank}", system_tree_parent=node)
            places.append(define.location("Master thread", type=LocationType.CPU_THREAD, group=group))
        metric = define.location("metrics", type=LocationType.METRIC, group=places[0].group)
        mpi = {"paradigm": Paradigm.MPI}
        define.group("", group_type=GroupType.COMM_LOCATIONS, members=tuple(places), **mpi)
        world = define.group("", group_type=GroupType.COMM_GROUP, members=tuple(places), **mpi)
        turned = define.group("turned", group_type=GroupType.COMM_GROUP, members=tuple(reversed(places)), **mpi)
        comm, other = define.comm("MPI_COMM_WORLD", group=world), define.comm("", group=turned)
        names = ("MPI_Init", "MPI_Send", "MPI_Irecv", "MPI_Test", "MPI_Wait", "MPI_Allreduce", "MPI_Finalize")
        regions = {name: define.region(name, region_role=RegionRole.FUNCTION, **mpi) for name in names}
        regions["main"] = define.region("main", region_role=RegionRole.FUNCTION, paradigm=Paradigm.COMPILER)
        writers = [trace.event_writer_from_location(place) for place in places]

        def at(time_s: float) -> int:
            return 500 + round(time_s * TICKS_PER_S)

        def call(rank: int, name: str, begin_s: float, end_s: float, *events: tuple[object, ...]) -> None:
            writers[rank].enter(at(begin_s), regions[name])
            for method, *arguments in events:
                getattr(writers[rank], str(method))(at(end_s), *arguments)
            writers[rank].leave(at(end_s), regions[name])

        for rank in range(2):
            writers[rank].enter(at(0), regions["main"])
            call(rank, "MPI_Init", 0, 1)
        call(0, "MPI_Send", 4, 4.5, ("mpi_send", 0, other, 3, 100))
        call(1, "MPI_Irecv", 1, 1.25, ("mpi_irecv_request", 77))
        call(1, "MPI_Test", 2, 2.5, ("mpi_request_test", 77))
        call(1, "MPI_Wait", 3, 5, ("mpi_irecv", 1, other, 3, 100, 77))
        for rank in range(2):
            ended = ("mpi_collective_end", CollectiveOp.ALLREDUCE, comm, 0xFFFFFFFF, 16, 16)
            call(rank, "MPI_Allreduce", 6, 7, ended)
            call(rank, "MPI_Finalize", 9, 10)
            writers[rank].leave(at(10), regions["main"])
        trace.event_writer_from_location(metric)
    return directory / "traces.otf2"


def test_a_trace_of_score_p(tmp_path: Path) -> None:
    found = json_form.of(profile.of(otf2_read.read(score_p(tmp_path / "scorep"))), ["t"])
    assert (found.ranks, found.hosts, found.host_of_rank) == (2, ["node0", "node1"], ["node0", "node1"])
    assert [rank.time_s for rank in found.per_rank] == pytest.approx([8, 8])
    assert [rank.mpi_s for rank in found.per_rank] == pytest.approx([0.5 + 1, 0.25 + 0.5 + 2 + 1])
    assert [rank.end for rank in found.per_rank] == ["finalized"] * 2
    assert found.messages == [[0, 1], [0, 0]]  # rank 0 of the turned communicator is rank 1 of the world
    assert found.bytes_B == [[0, 100], [0, 0]]
    assert found.functions["MPI_Allreduce"].sent_B == found.functions["MPI_Allreduce"].received_B == 32
    assert found.functions["MPI_Wait"].received_B == 100
    assert found.sizes[0].collective_calls == 2 and found.sizes[0].from_B == 8
    assert "main" not in found.functions


def test_waiting_of_a_trace_of_score_p(tmp_path: Path) -> None:
    records = otf2_read.read(score_p(tmp_path / "scorep"))
    assert records[1].ends["needed_s"][0] == pytest.approx(2)  # the test that found nothing
    found = waiting.of(records, 2, ["one", "one"])
    assert found is not None and found.joined == 1
    assert found.late_sender_s.tolist() == pytest.approx([0, 2])
    assert found.receiving_between_s[0, 1] == pytest.approx(1)


def test_show_reads_a_trace(tmp_path: Path) -> None:
    anchor = score_p(tmp_path / "scorep")
    words = ["profile", "show", str(anchor), "--json", str(tmp_path / "p.json")]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.exception is None
    assert "2 ranks on 2 hosts, 8.00 s" in done.output.replace("\u00a0", " ")
    assert json_form.Summary.read(tmp_path / "p.json").bytes_B == [[0, 100], [0, 0]]


def test_files_that_are_no_trace(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.otf2: no such file"):
        otf2_read.read(tmp_path / "none.otf2")
    (tmp_path / "bad.otf2").write_text("no trace")
    with pytest.raises(ConfigError, match=r"bad\.otf2: cannot be read as an OTF2 trace"):
        otf2_read.read(tmp_path / "bad.otf2")
