"""The store: what is written comes back, what must be refused is."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from fairlead.errors import HostError, StoreError
from fairlead.interrupts import Interrupted
from fairlead.store import Attachment, Event, Series, Store, filesystem, schema
from fairlead.store.connection import FILE_NAME, LOCK_NAME
from fairlead.store.ending import MeasurementInterrupted, ended
from fairlead.store.lock import holder_session


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "results") as opened:
        yield opened


def begin(store, **labels):
    return store.begin_run("run", {"program": "cg", **labels})


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_number_of_more_than_64_bits_is_refused(store, number):
    with pytest.raises(StoreError, match=r"seed .* more than 64 bits"):
        store.begin_run("run", {"program": "cg"}, seed=number)
    with pytest.raises(StoreError, match=r"label ranks .* more than 64 bits"):
        begin(store, ranks=number)
    assert not store.runs()
    assert store.run(store.begin_run("run", {"n": 2**63 - 1}, seed=-(2**63))).seed == -(2**63)


def test_a_name_that_is_no_text_is_refused(store):
    with pytest.raises(StoreError, match=r"label program .* is no text in UTF-8"):
        begin(store, program=b"a\xff".decode(errors="surrogateescape"))


def test_a_run_comes_back_as_it_was_written(store):
    experiment = store.begin_run("experiment", {}, plan={"programs": ["cg"]}, seed=7)
    run = store.begin_run(
        "run",
        {"program": "cg", "class": "A", "ranks": 8, "load": 0.5},
        parent=experiment,
        plan={"program": "cg", "replication": 2},
        seed=11,
        position=3,
        facts={"here": {"kernel": "6.1"}},
    )
    time_s = np.array([12.345678901234567, 1 / 3])
    store.add_series(run, "time_s", time_s, "s", {"phase": "solve"})
    store.add_event(run, 1000.5, "rerouted", {"source": "h0", "destination": "h1", "relay": "h4"})
    store.attach(run, "stdout", b"zeta = 17.13\n\xff")
    store.finish_run(run, "failed", exit_code=3, error="verification failed")

    record = store.run(run)
    assert (record.kind, record.parent, record.seed, record.position) == ("run", experiment, 11, 3)
    assert record.labels == {"program": "cg", "class": "A", "ranks": 8, "load": 0.5}
    assert type(record.labels["ranks"]) is int
    assert record.plan == {"program": "cg", "replication": 2}
    assert record.facts == {"here": {"kernel": "6.1"}}
    assert (record.status, record.exit_code, record.error) == ("failed", 3, "verification failed")
    assert record.ended_s >= record.started_s

    series = store.one_series(run, "time_s")
    assert series.values.tolist() == time_s.tolist()  # bit for bit
    assert (series.unit, series.labels) == ("s", {"phase": "solve"})
    (event,) = store.events(run, "rerouted")
    assert (event.t_s, event.data["relay"]) == (1000.5, "h4")
    assert store.attachments(run)[0].content == b"zeta = 17.13\n\xff"


@pytest.mark.parametrize(
    ("values", "unit", "dtype"),
    [
        (np.arange(24.0).reshape(2, 3, 4), "s", "<f8"),
        (np.array([[True, False], [False, True]]), "bool", "|b1"),
        (np.array([1, 2, 2**62]), "count", "<i8"),
        (np.array([3.5], dtype=">f4"), "1", "<f8"),
        (np.asfortranarray(np.arange(6).reshape(2, 3)), "index", "<i8"),
        (4.25, "1", "<f8"),
    ],
)
def test_arrays_keep_shape_and_value(store, values, unit, dtype):
    run = begin(store)
    store.add_series(run, "x", values, unit)
    got = store.one_series(run, "x").values
    assert got.dtype.str == dtype
    assert got.shape == np.shape(values)
    assert np.array_equal(got, values)
    assert not got.flags.writeable


@pytest.mark.parametrize(
    ("name", "values", "unit", "reason"),
    [
        ("time_s", [1.0], "ms", "unknown unit 'ms'"),
        ("time_s", [1.0], "B", "its name says 's', its unit 'B'"),
        ("rate_bps", [1.0], "B/s", "its name says 'bit/s'"),
        ("time_s", [1.0, float("nan")], "s", "nan at (1,), 1 such of 2"),
        ("time_s", float("inf"), "s", "inf at its only place"),
        ("time_s", [], "s", "no samples"),
        ("time_s", ["1.0"], "s", "cannot be stored"),
        ("time_s", [1 + 2j], "s", "cannot be stored"),
        ("mask", [True], "1", "does not fit values of type bool"),
        ("x", [2**64 - 1], "count", "exceeds 64-bit"),
        ("../x", [1.0], "1", "letters, digits"),
    ],
)
def test_bad_series_are_refused_and_nothing_is_stored(store, name, values, unit, reason):
    run = begin(store)
    with pytest.raises(StoreError) as caught:
        store.add_series(run, name, values, unit)
    assert reason in str(caught.value)
    assert store.series(run) == []


def test_missing_entries_must_be_announced(store):
    run = begin(store)
    matrix = np.array([[np.nan, 1.0], [2.0, np.nan]])
    with pytest.raises(StoreError, match="2 such of 4"):
        store.add_series(run, "latency_s", matrix, "s")
    store.add_series(run, "latency_s", matrix, "s", missing=True)
    assert np.array_equal(store.one_series(run, "latency_s").values, matrix, equal_nan=True)
    with pytest.raises(StoreError, match="inf"):
        store.add_series(run, "latency_s", np.array([np.inf]), "s", missing=True)


@pytest.mark.parametrize("value", [True, None, float("nan"), [1]])
def test_bad_labels_are_refused(store, value):
    with pytest.raises(StoreError, match="label x"):
        store.begin_run("run", {"x": value})
    assert store.runs() == []


def test_a_host_or_an_error_whose_name_is_no_text_is_written_so(tmp_path, monkeypatch):
    name = os.fsdecode(b"b\xfcro")
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    with Store.open(tmp_path) as store:
        run = begin(store)
        store.finish_run(run, "failed", error=f"/home/{name}/x: no such file")
        assert store.run(run).error == r"/home/b\udcfcro/x: no such file"


def test_queries_select_by_kind_parent_and_labels(store):
    experiment = store.begin_run("experiment", {"name": "demo"})
    ids = [
        store.begin_run("run", {"program": p, "replication": r}, parent=experiment)
        for p in ("cg", "nbody")
        for r in (0, 1)
    ]
    other = store.begin_run("characterization", {"program": "cg"})
    assert [run.id for run in store.runs("run")] == ids
    assert [run.id for run in store.runs(program="cg")] == [ids[0], ids[1], other]
    assert [run.id for run in store.runs("run", program="nbody", replication=1)] == [ids[3]]
    assert [run.id for run in store.runs(parent=experiment, replication=0)] == [ids[0], ids[2]]
    assert store.runs(program="ft") == []
    for number in (99, -1, 2**63):
        with pytest.raises(StoreError, match=f"no run {number}"):
            store.run(number)


def test_the_past_cannot_be_changed(store):
    run = begin(store)
    store.attach(run, "stdout", b"1")
    with pytest.raises(StoreError, match="UNIQUE"):
        store.attach(run, "stdout", b"2")
    store.finish_run(run)
    for change in (
        lambda: store.finish_run(run, "failed"),
        lambda: store.add_series(run, "time_s", 1.0, "s"),
        lambda: store.add_event(run, 1.0, "rerouted", {}),
        lambda: store.attach(run, "stderr", b""),
        lambda: store.begin_run("run", {}, parent=run),
    ):
        with pytest.raises(StoreError, match=f"run {run} has ended"):
            change()
    connection = sqlite3.connect(store.directory / FILE_NAME)
    for statement in ("UPDATE runs SET kind = 'x'", "DELETE FROM endings", "DELETE FROM attachments"):
        with pytest.raises(sqlite3.IntegrityError, match="append only"):
            connection.execute(statement)
    connection.close()


def test_an_end_must_be_one_of_three(store):
    run = begin(store)
    with pytest.raises(StoreError, match="is not a final status"):
        store.finish_run(run, "running")


@pytest.mark.parametrize(
    ("t_s", "data", "reason"),
    [(float("nan"), {}, "its time is nan"), (1.0, {"x": float("inf")}, "not storable"), (1.0, {"x": object()}, "JSON")],
)
def test_bad_events_are_refused(store, t_s, data, reason):
    run = begin(store)
    with pytest.raises(StoreError, match=reason):
        store.add_event(run, t_s, "level_changed", data)


def test_events_are_committed_within_a_second_without_further_calls(store):
    run = begin(store)
    for k in range(100):
        store.add_event(run, 1000.0 + k, "level", {"k": k})
    deadline_s = time.monotonic() + 5.0  # one second on a machine that others do not use
    with Store.read(store.directory) as reader:
        while len(reader.events(run)) < 100 and time.monotonic() < deadline_s:
            time.sleep(0.02)
        assert [event.data["k"] for event in reader.events(run)] == list(range(100))


def test_finishing_commits_the_events(store):
    run = begin(store)
    store.add_event(run, 5.0, "rerouted", {})
    store.finish_run(run)
    with Store.read(store.directory) as reader:
        assert len(reader.events(run)) == 1


def test_a_full_disk_is_an_error_and_the_store_stays_usable(store):
    run = begin(store)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 4}")
    with pytest.raises(StoreError, match="full"):
        store.add_series(run, "x", np.arange(100_000.0), "1")
    store.add_series(run, "x", 1.0, "1")
    assert len(store.series(run)) == 1


def test_failing_event_commits_are_told_to_the_caller(store):
    run = begin(store)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    store.add_event(run, 1.0, "log", {"text": "x" * 100_000})
    deadline_s = time.monotonic() + 10.0
    while store._events._failure is None:
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
    with pytest.raises(StoreError, match="full"):
        store.add_event(run, 2.0, "log", {"text": "y"})
    store._connection.execute("PRAGMA max_page_count = 1000000")
    store.finish_run(run)
    assert [event.t_s for event in store.events(run)] == [1.0, 2.0]


def fill(store, run):
    """The disk is full, and an event is not written yet."""
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    store.add_event(run, 1.0, "log", {"text": "x" * 100_000})


def test_a_disk_that_is_full_at_the_end_does_not_hide_what_ended_a_measurement(store, caplog):
    run = begin(store)
    with pytest.raises(MeasurementInterrupted) as told, ended(store, run):
        fill(store, run)
        raise Interrupted(signal.SIGTERM)
    assert told.value.exit_code == 128 + signal.SIGTERM
    with pytest.raises(HostError, match="h0 is not reached"), ended(store, run):
        raise HostError("h0 is not reached")
    assert f"run {run} is not marked as aborted: " in caplog.text and "full" in caplog.text
    store._connection.execute("PRAGMA max_page_count = 1000000")


def test_a_disk_that_is_full_as_a_store_is_closed_does_not_hide_what_ended_its_block(tmp_path, caplog):
    with pytest.raises(KeyboardInterrupt), Store.open(tmp_path) as store:
        fill(store, begin(store))
        raise KeyboardInterrupt
    assert "full" in caplog.text
    assert holder_session(tmp_path / LOCK_NAME) is None
    with pytest.raises(StoreError, match="full"), Store.open(tmp_path) as store:
        fill(store, begin(store))


# ------------------------------------------------------------------ one writer, many readers


def test_a_second_writer_is_refused_and_told_the_pid(store):
    code = "import sys; from fairlead.store import Store; Store.open(sys.argv[1], patience_s=0)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(store.directory)], capture_output=True, text=True, env=_environment()
    )
    assert done.returncode == 1
    assert f"are being written by process {os.getpid()} on " in done.stderr
    with pytest.raises(StoreError, match="being written"):  # nor from the same process
        Store.open(store.directory, patience_s=0.0)


def test_a_reader_reads_beside_the_writer_and_cannot_write(store):
    run = begin(store)
    with Store.read(store.directory) as reader:
        assert reader.run(run).status == "running"
        for write in (
            lambda: reader.begin_run("run", {}),
            lambda: reader.add_event(run, 1.0, "level_changed", {}),
            lambda: reader.finish_run(run),
        ):
            with pytest.raises(StoreError, match="not open for writing"):
                write()
    store.finish_run(run)


def test_a_writer_waits_for_one_that_is_about_to_end(store):
    threading.Timer(0.3, store.close).start()
    with Store.open(store.directory) as other:
        assert begin(other) == 1


def test_readers_that_ask_for_the_writer_do_not_hold_the_lock(tmp_path):
    Store.open(tmp_path).close()
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            holder_session(tmp_path / LOCK_NAME)

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(50):
        Store.open(tmp_path, patience_s=0.0).close()
    done.set()
    thread.join()


# ------------------------------------------------------------------ death and resumption


def test_an_unfinished_run_is_interrupted_once_its_writer_is_gone(tmp_path):
    with Store.open(tmp_path) as store:
        experiment = store.begin_run("experiment", {}, plan=[1, 2])
        run = store.begin_run("run", {}, parent=experiment)
        assert {r.status for r in store.runs()} == {"running"}
    with Store.open(tmp_path) as store:
        assert {r.status for r in store.runs()} == {"interrupted"}
        again = store.begin_run(
            "run", {}, parent=experiment
        )  # resumed: the experiment runs again, the old run does not
        assert [(r.id, r.status) for r in store.runs()] == [
            (experiment, "running"),
            (run, "interrupted"),
            (again, "running"),
        ]


WRITER = """
import sys, numpy as np
from fairlead.store import Store
store = Store.open(sys.argv[1])
experiment = store.begin_run("experiment", {}, plan="endless")
k = 0
while True:
    run = store.begin_run("run", {"k": k}, parent=experiment, plan=k)
    store.add_event(run, float(k), "level_changed", {"k": k})
    store.add_series(run, "time_s", np.full(2000, float(k)), "s")
    store.finish_run(run, "ok", 0)
    print(k, flush=True)
    k += 1
"""


@pytest.mark.parametrize("delay_s", [0.03, 0.11, 0.23])
def test_kill_9_loses_at_most_the_sample_in_flight(tmp_path, delay_s):
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=_environment()
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    time.sleep(delay_s)
    process.kill()
    told = [0] + [int(line) for line in process.stdout.read().split("\n")[:-1]]
    process.stdout.close()
    process.wait()

    with Store.open(tmp_path) as store:
        assert store._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        finished = [run for run in store.runs("run") if run.status == "ok"]
        ks = [run.labels["k"] for run in finished]
        assert ks[: len(told)] == told  # all that the process had been told is durable
        assert len(ks) <= len(told) + 1
        for run in finished:
            assert store.one_series(run.id, "time_s").values.tolist() == [float(run.labels["k"])] * 2000
            assert len(store.events(run.id)) == 1
        rest = [run for run in store.runs() if run.status != "ok"]
        assert all(run.status == "interrupted" for run in rest)
        assert len(rest) <= 2  # the experiment and the run in flight


# ------------------------------------------------------------------ versions and file systems


def _set_version(directory: Path, version: int) -> None:
    connection = sqlite3.connect(directory / FILE_NAME)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()


@pytest.mark.parametrize("opening", [Store.open, Store.read])
def test_a_newer_schema_is_refused(tmp_path, opening):
    Store.open(tmp_path).close()
    _set_version(tmp_path, schema.VERSION + 1)
    with pytest.raises(StoreError, match=f"schema version {schema.VERSION + 1} was written by a newer fairlead"):
        opening(tmp_path)


def test_an_older_schema_is_migrated_by_a_writer_only(tmp_path, monkeypatch):
    with Store.open(tmp_path) as store:
        run = begin(store)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "ALTER TABLE runs ADD COLUMN note TEXT;"))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(StoreError, match="migrates it"):
        Store.read(tmp_path)
    Store.open(tmp_path).close()
    with Store.read(tmp_path) as store:
        assert store._connection.fetch("PRAGMA user_version", ()) == [(schema.VERSION,)]
        assert store.run(run).labels == {"program": "cg"}


def test_a_failing_migration_changes_nothing(tmp_path, monkeypatch):
    Store.open(tmp_path).close()
    before = schema.VERSION
    broken = "ALTER TABLE runs ADD COLUMN note TEXT; ALTER TABLE absent ADD COLUMN x;"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, broken))
    monkeypatch.setattr(schema, "VERSION", before + 1)
    with pytest.raises(StoreError, match="no such table"):
        Store.open(tmp_path)
    monkeypatch.undo()
    with Store.read(tmp_path) as store:
        assert store._connection.fetch("PRAGMA user_version", ()) == [(before,)]
        assert "note" not in [row[1] for row in store._connection.fetch("PRAGMA table_info(runs)", ())]


def test_other_files_are_refused(tmp_path):
    with pytest.raises(StoreError, match="no results here"):
        Store.read(tmp_path)
    with pytest.raises(StoreError, match="no results here"):
        Store.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but long enough to be mistaken for one" * 100)
    with pytest.raises(StoreError, match="not a database"):
        Store.open(tmp_path)
    (tmp_path / FILE_NAME).unlink()
    other = sqlite3.connect(tmp_path / FILE_NAME)
    other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        Store.open(tmp_path)


MOUNTS = """\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:40 / /home rw - nfs4 server:/home rw
31 30 0:41 / /home/me/my\\040scratch rw - xfs /dev/sdb rw
32 22 0:42 / /lustre rw,flock shared:7 - lustre mgs:/fs rw
33 22 0:43 / /over rw - ext4 /dev/sdc rw
34 22 0:44 / /over rw - fuse.sshfs host: rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "journal"),
    [
        ("/tmp/results", "ext4", "WAL"),
        ("/home/me/results", "nfs4", "DELETE"),
        ("/home/me/my scratch/results", "xfs", "WAL"),
        ("/lustre", "lustre", "DELETE"),
        ("/lustrefs", "ext4", "WAL"),
        ("/over/x", "fuse.sshfs", "DELETE"),
    ],
)
def test_the_journal_suits_the_file_system(path, kind, journal):
    assert filesystem.type_of(Path(path), MOUNTS) == kind
    assert filesystem.journal_mode(kind) == journal


def test_a_mount_whose_name_is_no_text_is_one_like_others(tmp_path, monkeypatch):
    mountinfo = tmp_path / "mountinfo"
    mountinfo.write_bytes(MOUNTS.encode() + b"35 22 0:45 / /media/B\xfcro rw - vfat /dev/sdd1 rw\n")
    monkeypatch.setattr(filesystem, "Path", lambda path: mountinfo)
    assert filesystem.type_of(Path("/home/me/results")) == "nfs4"
    assert filesystem.type_of(Path(os.fsdecode(b"/media/B\xfcro/results"))) == "vfat"


@pytest.mark.parametrize(("kind", "mode"), [("ext4", "wal"), ("nfs4", "delete")])
def test_the_journal_is_used(tmp_path, monkeypatch, kind, mode):
    monkeypatch.setattr(filesystem, "type_of", lambda path: kind)
    with Store.open(tmp_path) as store:
        begin(store)
        assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == mode
        assert store._connection.execute("PRAGMA synchronous").fetchone()[0] == 2
        with Store.read(tmp_path) as reader:
            assert len(reader.runs()) == 1


def test_a_store_copied_from_a_local_to_a_network_file_system_opens(tmp_path, monkeypatch):
    monkeypatch.setattr(filesystem, "type_of", lambda path: "ext4")
    with Store.open(tmp_path) as store:
        begin(store)
    monkeypatch.setattr(filesystem, "type_of", lambda path: "nfs4")
    with Store.open(tmp_path) as store:
        assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert len(store.runs()) == 1


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "src")}


def test_a_run_that_is_over_is_recorded_whole_or_not_at_all(store):
    parent = store.begin_run("evaluation", {})
    series = [Series("time_s", "s", {"part": 1}, np.array([1.5, 2.5]))]
    whole = {
        "parent": parent,
        "plan": {"row": 1},
        "started_s": 100.0,
        "seed": 3,
        "position": 7,
        "facts": {"here": {"kernel": "6.1"}},
        "series": series,
        "events": [Event(101.0, "set_up", {"level": "x"})],
        "attachments": [Attachment("output", b"said")],
    }
    run = store.record("row", {"level": "x"}, **whole)
    found = store.run(run)
    assert (found.started_s, found.seed, found.position, found.plan, found.status) == (100.0, 3, 7, {"row": 1}, "ok")
    assert store.one_series(run, "time_s").values.tolist() == [1.5, 2.5]
    assert [event.kind for event in store.events(run)] == ["set_up"]
    assert store.attachments(run) == [Attachment("output", b"said")]
    with pytest.raises(StoreError, match="use letters"):
        store.record("row", {}, **{**whole, "attachments": [Attachment("a/b", b"")]})
    with pytest.raises(StoreError, match="nan at"):
        store.record("row", {}, **{**whole, "series": [Series("time_s", "s", {}, np.array([np.nan]))]})
    with pytest.raises(StoreError):  # two of one name: nothing of it stays
        store.record("row", {}, **{**whole, "attachments": [Attachment("a", b""), Attachment("a", b"")]})
    assert [each.id for each in store.runs("row")] == [run]
    assert store.series_of_children(parent, "time_s")[run][0].labels == {"part": 1}
    failed = store.record("row", {}, parent=parent, plan={}, started_s=1.0, series=series, status="failed", error="why")
    assert (store.run(failed).status, store.run(failed).error) == ("failed", "why")
    assert list(store.series_of_children(parent, "time_s")) == [run]
