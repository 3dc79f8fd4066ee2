"""Every message and collective call of a run as tables."""

import struct
from dataclasses import replace
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import MeasurementError
from fairlead.profile import profile
from fairlead.profile.reading import record_files
from fairlead.profile.record import ANY_SOURCE, ANY_TAG, COLLECTIVE, NO_ROOT, RECEIVE, SEND, Record
from fairlead.profile.traces import message_tables

from .. import test_profile_record as record_form
from ..kept_messages import a_record, end

NAN = float("nan")
FUNCTIONS = ("MPI_Send", "MPI_Irecv", "MPI_Allreduce", "MPI_Waitall")


def of_two() -> profile.Profile:
    """A message, one that nobody received yet, an open receive from anybody, and a collective call."""
    whole = {"function": 2, "size_B": 16, "tag": 2}
    zero = [
        end(SEND, 1, 10, 10, 10.5, size_B=100, tag=7),
        end(SEND, 1, 12, 12, 12.25, size_B=200, tag=8),
        end(COLLECTIVE, NO_ROOT, 20, 20, 23, **whole),
    ]
    one = [
        end(RECEIVE, 0, 9, 9.5, 11, size_B=100, tag=7, function=1, by=3, computed_s=0.25),
        end(RECEIVE, ANY_SOURCE, 13, NAN, NAN, size_B=0, tag=ANY_TAG, function=1),
        end(COLLECTIVE, NO_ROOT, 22, 22, 23, member=1, **whole),
    ]
    records = [replace(a_record(rank, ends), function_names=FUNCTIONS) for rank, ends in enumerate((zero, one))]
    return profile.of(records, ["a", "a"])


def test_messages_with_what_is_known_of_them() -> None:
    rows = message_tables.of(of_two())["messages"].to_pylist()
    assert [(row["source"], row["destination"], row["tag"], row["size_B"]) for row in rows] == [
        (0, 1, 7, 100), (0, 1, 8, 200), (None, 1, None, None),
    ]  # fmt: skip
    assert rows[0] == {
        "communicator": f"{77:016x}", "source": 0, "destination": 1, "source_host": "a", "destination_host": "a",
        "tag": 7, "size_B": 100, "send_function": "MPI_Send", "send_begun_s": 1.0, "send_needed_s": 1.0,
        "send_done_s": 1.5, "receive_function": "MPI_Irecv", "receive_begun_s": 0.0, "receive_needed_s": 0.5,
        "receive_computed_s": 0.25, "receive_done_s": 2.0, "clock_error_s": 0.0,
    }  # fmt: skip
    assert (rows[1]["receive_function"], rows[1]["receive_done_s"]) == (None, None)
    assert (rows[2]["send_function"], rows[2]["receive_begun_s"], rows[2]["receive_done_s"]) == (None, 4.0, None)
    assert (rows[2]["source_host"], rows[2]["clock_error_s"]) == (None, None)


def test_collective_calls_by_operation() -> None:
    rows = message_tables.of(of_two())["collectives"].to_pylist()
    assert rows == [
        {
            "operation": 0, "communicator": f"{77:016x}", "function": "MPI_Allreduce", "rank": rank, "host": "a",
            "root": None, "members": 2, "size_B": 16, "entered_s": entered_s, "needed_s": entered_s, "computed_s": 0.0,
            "left_s": 14.0, "clock_error_s": 0.0,
        }
        for rank, entered_s in ((0, 11.0), (1, 13.0))
    ]  # fmt: skip


def test_nothing_was_kept() -> None:
    tables = message_tables.of(profile.of([a_record(0, [], ranks=1)], ["a"]))
    assert [table.num_rows for table in tables.values()] == [0, 0]


def write_two(directory: Path) -> None:
    """Rank 0 in the directory itself, rank 1 in a folder of its host, and there once more what is rank 0's."""
    first = [record_form.names(), record_form.counters(0, [(0, 0, 0, 0)] * 3, {}, 7000)]
    sent = record_form.messages([record_form.a_message(peer=1, done=3004)])
    received = record_form.messages([record_form.a_message(begun=3001, needed=3001, done=3005, end=2)])
    rank0 = record_form.build([*first, sent], rank=0, pid=70, host=b"h0")
    rank1 = record_form.build([*first, received], rank=1, pid=71, host=b"h1")
    (directory / "h1").mkdir(parents=True)
    (directory / "70-0.record").write_bytes(rank0)
    (directory / "h1" / "70-0.record").write_bytes(rank0)
    (directory / "h1" / "71-0.record").write_bytes(rank1)


@pytest.mark.parametrize("file_format", ["csv", "parquet"])
def test_export_of_a_directory_with_messages(tmp_path: Path, file_format: str) -> None:
    write_two(tmp_path / "m")
    arguments = ["export", str(tmp_path / "m"), "--format", file_format, "--output", str(tmp_path / "t")]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert done.exception is None
    files = [tmp_path / "t" / f"{name}.{file_format}" for name in ("messages", "collectives")]
    assert done.output.split() == [str(file) for file in files]
    read = pyarrow.csv.read_csv if file_format == "csv" else pyarrow.parquet.read_table
    (row,) = read(files[0]).to_pylist()
    assert (row["source"], row["destination"], row["source_host"], row["destination_host"]) == (0, 1, "h0", "h1")
    assert row["send_done_s"] == pytest.approx(2e-9)
    assert row["clock_error_s"] is None or row["clock_error_s"] == ""  # nothing comes back: the clocks are not known


def test_what_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "7-0.record").write_bytes(struct.pack("<Q", 7))
    assert record_files.are_in(tmp_path)
    with pytest.raises(MeasurementError, match=r"7-0\.record: is not a record"):
        record_files.read(tmp_path)
    assert not record_files.are_in(tmp_path / "none")


def test_spawned_processes_are_left_out(tmp_path: Path) -> None:
    kept: list[Record] = [a_record(0, [], ranks=1), replace(a_record(0, [], ranks=1), pid=9)]
    assert message_tables.of(profile.of(kept, ["a"]))["messages"].num_rows == 0
