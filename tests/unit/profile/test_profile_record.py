"""The record file: read strictly, damaged in every way."""

import struct
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fairlead.errors import MeasurementError
from fairlead.profile import record
from fairlead.profile.analysis import waiting
from fairlead.profile.reading import record_files

NAMES = (b"MPI_Init", b"MPI_Send", b"MPI_Barrier")
HEADER = struct.Struct("<8s IIII ii II QQ QQ QQ Q 256s 1024s 512s")


def page(data: bytes) -> bytes:
    return data + bytes(-len(data) % record.PAGE_B)


def block(kind: int, thread: int, body: bytes) -> bytes:
    padded = page(bytes(16) + body)
    return struct.pack("<IIQ", kind, thread, len(padded)) + padded[16:]


def counters(
    thread: int, rows: list[tuple[int, int, int, int]], sent_sizes: dict[int, int], last: int, polled: int = 0
) -> bytes:
    sizes = [sent_sizes.get(number, 0) for number in range(65)]
    head = struct.pack("<Q65Q65Q65QQ", last, *sizes, *[0] * 130, polled)
    return block(2, thread, head + b"".join(struct.pack("<4Q", *row) for row in rows))


def peers(thread: int, rows: list[tuple[int, int, int, int]]) -> bytes:
    return block(3, thread, b"".join(struct.pack("<4Q", *row) for row in rows))


def a_message(**changes: int) -> bytes:
    """Three ticks long, 5 B to rank 0."""
    fields = {
        "communicator": 2**64 - 1, "size": 5, "begun": 3000, "needed": 3000, "computed": 0, "done": 3003, "peer": 0,
        "tag": 7, "function": 1, "by": 1, "end": 1, "number": 0,
    }  # fmt: skip
    *columns, number = {**fields, **changes}.values()
    return struct.pack("<6Q2i2HB", *columns) + struct.pack("<I", number)[:3]


def messages(entries: list[bytes]) -> bytes:
    return block(4, 0, b"".join(entries))


def regions(entries: list[tuple[bytes, int, int, int, int, int, int, int]]) -> bytes:
    return block(5, 0, b"".join(struct.pack("<48s7Q", *entry) for entry in entries))


def call_sites(entries: list[tuple[int, int, int, int, int, bytes]]) -> bytes:
    return block(6, 0, b"".join(struct.pack("<4QH478s", *entry) for entry in entries))


def collectives(entries: list[tuple[int, int, int, int, int, int, int, int, int]]) -> bytes:
    return block(8, 0, b"".join(struct.pack("<4Q3i2H", *entry) for entry in entries))


def names(entries: tuple[bytes, ...] = NAMES) -> bytes:
    return block(1, 0, b"".join(entry.ljust(48, b"\0") for entry in entries))


def build(blocks: list[bytes], **changes: object) -> bytes:
    """A file of rank 1 of 2 whose clock makes 2 ticks a nanosecond; begun at tick 2000, ended at 8000."""
    fields: dict[str, object] = {
        "magic": b"FAIRLPRF", "version": 5, "number": len(blocks), "functions": len(NAMES), "pid": 77, "rank": 1,
        "ranks": 2, "state": 1, "level": 0, "opened": 1000, "opened_ns": 500, "checked": 11000, "checked_ns": 5500,
        "begin": 2000, "end": 8000, "realtime": 1_700_000_000_000_000_000, "host": b"h0", "program": b"./a b",
        "library": b"Some MPI 1.0",
    }  # fmt: skip
    return page(HEADER.pack(*{**fields, **changes}.values())) + b"".join(blocks)


def two_threads() -> list[bytes]:
    first = [(1, 400, 0, 0), (2, 1000, 24, 0), (1, 200, 0, 0)]
    second = [(0, 0, 0, 0), (1, 600, 100, 0), (0, 0, 0, 0)]
    return [
        names(),
        counters(0, first, {4: 2}, 7000),
        peers(0, [(2, 24, 1, 8), (0, 0, 0, 0), (0, 0, 0, 0)]),
        counters(1, second, {7: 1}, 7500, polled=300),
        peers(1, [(0, 0, 0, 0), (0, 0, 0, 0), (1, 100, 0, 0)]),
    ]


def test_threads_are_added_up() -> None:
    read = record.parse(build(two_threads()), source="x")
    assert (read.rank, read.ranks, read.state, read.threads) == (1, 2, "finalized", 2)
    assert (read.host, read.program, read.library, read.pid) == ("h0", "./a b", "Some MPI 1.0", 77)
    assert read.opened == datetime.fromtimestamp(1_700_000_000, UTC)
    assert read.time_s == pytest.approx(3000e-9)
    assert read.functions["MPI_Send"] == record.Usage(3, pytest.approx(800e-9), 124, 0)
    assert set(read.functions) == {"MPI_Init", "MPI_Send", "MPI_Barrier"}
    assert read.polled_s == pytest.approx(150e-9)
    assert read.messages.sent_messages.tolist() == [2, 0, 1]
    assert read.messages.sent_B.tolist() == [24, 0, 100]
    assert read.messages.received_B.tolist() == [8, 0, 0]
    assert {number: int(count) for number, count in enumerate(read.sizes.sent) if count} == {4: 2, 7: 1}


def test_a_peer_that_is_no_rank_is_outside_the_world() -> None:
    read = record.parse(build([*two_threads(), messages([a_message(peer=1), a_message(peer=2)])]), source="x")
    assert read.ends["peer"].tolist() == [1, record.OUTSIDE]
    assert waiting.of([read], 2, ["a", "a"]) is not None


def test_a_damaged_name_of_a_function_is_no_traceback() -> None:
    damaged = [names((b"MPI_Init", b"MPI_S\xff\xfe", b"MPI_Barrier")), *two_threads()[1:]]
    assert "MPI_S\ufffd\ufffd" in record.parse(build(damaged), source="x").functions


def test_messages_one_by_one() -> None:
    received = a_message(size=9, begun=3100, needed=3200, computed=40, done=3400, peer=-2, tag=-1, by=2, end=2)
    open_one = a_message(begun=3500, needed=0, done=0, end=2)
    read = record.parse(build([*two_threads(), messages([a_message(), received]), messages([open_one])]), source="x")
    opened_s = 500e-9
    assert read.ends["end"].tolist() == [record.SEND, record.RECEIVE, record.RECEIVE]
    assert read.ends["communicator"].tolist() == [2**64 - 1] * 3
    assert read.ends["size_B"].tolist() == [5, 9, 5]
    assert read.ends["begun_s"] - opened_s == pytest.approx([1000e-9, 1050e-9, 1250e-9])
    assert read.ends["needed_s"] - opened_s == pytest.approx([1000e-9, 1100e-9, float("nan")], nan_ok=True)
    assert read.ends["computed_s"] == pytest.approx([0, 20e-9, 0])
    assert read.ends["done_s"] - opened_s == pytest.approx([1001.5e-9, 1200e-9, float("nan")], nan_ok=True)
    assert read.ends["peer"].tolist() == [0, record.ANY_SOURCE, 0]
    assert read.ends["tag"].tolist() == [7, record.ANY_TAG, 7]
    assert [read.function_names[number] for number in read.ends["completed_by"]] == [
        "MPI_Send",
        "MPI_Barrier",
        "MPI_Send",
    ]


def test_a_collective_call() -> None:
    entered = a_message(peer=record.NO_ROOT, tag=70_000, function=2, by=2, end=4, number=65_537)
    sent = a_message(number=5)  # of a message it is not of the file
    read = record.parse(build([*two_threads(), messages([entered, sent])]), source="x")
    assert read.ends["end"].tolist() == [record.COLLECTIVE, record.SEND]
    assert read.ends["member"].tolist() == [65_537, 0]
    assert (read.ends["tag"][0], read.ends["peer"][0]) == (70_000, record.NO_ROOT)


def test_regions_of_threads_are_added_up() -> None:
    blocks = [
        regions([(b"solve", 2, 4000, 1000, 7, 80, 90, 0), (b"output", 1, 200, 100, 1, 0, 0, 0)]),
        regions([(b"solve", 1, 2000, 600, 3, 8, 9, 1), (b"", 0, 0, 0, 0, 0, 0, 0)]),
    ]
    read = record.parse(build([*two_threads(), *blocks]), source="x")
    assert read.regions == {
        "solve": record.Region(3, pytest.approx(3e-6), pytest.approx(0.8e-6), 10, 88, 99, 1),
        "output": record.Region(1, pytest.approx(0.1e-6), pytest.approx(0.05e-6), 1, 0, 0, 0),
    }


def test_what_the_relay_plane_did() -> None:
    read = record.parse(build([*two_threads(), block(7, 0, struct.pack("<11Q", *range(1, 12)))]), source="x")
    assert read.relay["direct"] == 1
    assert read.relay["cancel_failed"] == 5
    assert read.relay["outside"] == 11
    assert record.parse(build(two_threads()), source="x").relay == {}


def test_call_sites_of_threads_are_added_up() -> None:
    blocks = [
        call_sites([(2, 400, 80, 0x1234, 1, b"/bin/p"), (1, 200, 0, 0x1234, 2, b"/bin/p"), (0, 0, 0, 0, 0, b"")]),
        call_sites([(1, 200, 8, 0x1234, 1, b"/bin/p")]),
    ]
    read = record.parse(build([*two_threads(), *blocks]), source="x")
    assert read.call_sites == (
        record.CallSite("MPI_Send", "/bin/p", 0x1234, 3, pytest.approx(300e-9), 88),
        record.CallSite("MPI_Barrier", "/bin/p", 0x1234, 1, pytest.approx(100e-9), 0),
    )


def test_sums_of_collective_calls() -> None:
    blocks = [
        collectives([(2**64 - 1, 3, 24, 48, -1, 2, 1, 2, 4), (0, 0, 0, 0, 0, 0, 0, 0, 0)]),
        collectives([(7, 1, 0, 5, 0, 2, 0, 2, 3)]),
    ]
    read = record.parse(build([*two_threads(), *blocks]), source="x")
    assert read.collective_sums == (
        record.CollectiveSum(
            "MPI_Barrier", 2**64 - 1, size=2, rank=1, root=record.NO_ROOT, calls=3, given_B=24, got_B=48
        ),
        record.CollectiveSum("MPI_Barrier", 7, size=2, rank=0, root=0, calls=1, given_B=0, got_B=5),
    )


def test_a_killed_process_ends_with_its_last_call() -> None:
    read = record.parse(build(two_threads(), state=0, end=0), source="x")
    assert read.state == "running"
    assert read.time_s == pytest.approx((7500 - 2000) / 2 * 1e-9)


def test_before_mpi_was_initialized_there_is_no_rank_and_no_time() -> None:
    data = build([names()], rank=-1, ranks=0, state=0, begin=0, end=0, checked=0, checked_ns=0)
    read = record.parse(data, source="x")
    assert (read.rank, read.time_s, read.functions) == (None, 0.0, {})


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:100], "is not a record"),
        (lambda data: b"X" + data[1:], "is not a record"),
        (lambda _: build(two_threads(), version=1), "has version 1; this fairlead reads version 5"),
        (lambda _: build(two_threads(), state=9), "unknown state 9"),
        (lambda _: build(two_threads(), rank=2), "is of rank 2 of 2"),
        (lambda _: build(two_threads(), rank=-2), "is of rank -2 of 2"),
        (lambda _: build(two_threads(), number=6), "has a block of 0 B"),
        (lambda data: data[:-1], "has a block of 0 B at"),
        (lambda _: build([names(), block(9, 0, b"")]), "unknown kind 9"),
        (lambda _: build([*two_threads(), messages([a_message(end=5)])]), "unknown end 5"),
        (lambda _: build([*two_threads(), messages([a_message(function=3)])]), "a message of an unknown function"),
        (lambda _: build([*two_threads(), call_sites([(1, 1, 1, 1, 3, b"p")])]), "a call site of an unknown function"),
        (lambda _: build([*two_threads(), collectives([(7, 1, 0, 0, 0, 2, 0, 3, 0)])]), "calls of an unknown function"),
        (lambda _: build([*two_threads(), collectives([(7, 1, 0, 0, 0, 2, 2, 1, 0)])]), "member 2 of 2 with root 0"),
        (lambda _: build([*two_threads(), collectives([(7, 1, 0, 0, 2, 2, 0, 1, 0)])]), "member 0 of 2 with root 2"),
        (lambda _: build(two_threads()[1:]), "names 0 functions of 3"),
        (lambda _: build([names()], functions=200), "too short for 200 entries of 48 B"),
        (lambda _: build(two_threads(), checked=900), "clocks that do not run forward"),
    ],
)
def test_damage_is_told(damage: Callable[[bytes], bytes], reason: str) -> None:
    with pytest.raises(MeasurementError, match=f"^somewhere: .*{reason}"):
        record.parse(damage(build(two_threads())), source="somewhere")


@pytest.mark.parametrize("data", [b"", bytes(record.PAGE_B), build([])], ids=["no bytes", "no header", "no names"])
def test_where_nothing_was_written_yet_the_others_are_read(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(record.NothingYet, match=r"^somewhere: holds nothing"):
        record.parse(data, source="somewhere")
    (tmp_path / "77-0.record").write_bytes(build(two_threads()))
    (tmp_path / "78-0.record").write_bytes(data)
    found = record_files.read(tmp_path)
    assert [each.rank for each in found.records] == [1]
    assert found.missing == [0]
    assert "78-0.record: holds nothing" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match=r"no\.record: cannot be read"):
        record.read(tmp_path / "no.record")
