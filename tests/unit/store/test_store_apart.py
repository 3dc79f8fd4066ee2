"""Runs that are recorded apart while others write: all are seen, and each is taken in once, whoever is killed."""

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fairlead.errors import StoreError, StoreHeldError
from fairlead.store import Store, apart, filesystem, numbers, take_in
from fairlead.store.connection import FILE_NAME

EVENTS = 20


def begin(store: Store, name: str) -> int:
    """A run with a series, an attachment and events."""
    run = store.begin_run("run", {"program": name}, plan=[name])
    store.add_series(run, "x", [1.0, 2.0], "1")
    store.attach(run, "output", name.encode())
    for k in range(EVENTS):
        store.add_event(run, float(k), "level_changed", {"k": k})
    return run


def recorded(results: Path, name: str) -> int:
    """The number of a run that has ended and was recorded apart."""
    with Store.open_apart(results) as store:
        run = begin(store, name)
        store.finish_run(run, "ok", 0)
    return run


def assert_whole(results: Path, runs: dict[int, str], status: str = "ok") -> None:
    """These runs are there once each, with all that belongs to them."""
    with Store.read(results) as reader:
        assert {run.id: run.labels["program"] for run in reader.runs("run")} == runs
        for number, name in runs.items():
            assert (reader.run(number).status, reader.run(number).plan) == (status, [name])
            assert reader.one_series(number, "x").values.tolist() == [1.0, 2.0]
            assert [each.content for each in reader.attachments(number)] == [name.encode()]
            assert [event.data["k"] for event in reader.events(number)] == list(range(EVENTS))


def elsewhere(code: str, directory: Path) -> int:
    """Run it in another process, in which this file is ``here``; its exit code."""
    code = f"import os, sys, time; sys.path.insert(0, {str(Path(__file__).parent)!r})\n{HERE}\n{code}"
    return subprocess.run([sys.executable, "-c", code, directory], check=False).returncode


HERE = """
from pathlib import Path
import test_store_apart as here
from fairlead.store import Store, apart
results = Path(sys.argv[1])
die = lambda *_, **__: os.kill(os.getpid(), 9)
"""


def test_runs_beside_a_writer_are_seen_at_once_and_taken_in_with_their_numbers(tmp_path: Path) -> None:
    with Store.open(tmp_path) as main:
        experiment = main.begin_run("experiment", {"name": "demo"})
        with Store.open_apart(tmp_path) as first, Store.open_apart(tmp_path) as second:
            runs = {begin(first, "cg"): "cg", begin(second, "nbody"): "nbody"}
            row = main.begin_run("trial", {"program": "ft"}, parent=experiment)
            assert [experiment, *runs, row] == [1, 2, 3, 4]
            with Store.read(tmp_path) as reader:
                assert [(run.id, run.status) for run in reader.runs()] == [(k, "running") for k in (1, 2, 3, 4)]
                assert [run.id for run in reader.outermost_runs()] == [1, 2, 3]
                assert [run.id for run in reader.runs("run", program="nbody")] == [3]
                with pytest.raises(StoreError, match="no run 5"):
                    reader.run(5)
            first.finish_run(2, "ok", 0)
            second.finish_run(3, "ok", 0)
        assert take_in(tmp_path) == []  # the main store is held
        assert len(apart.stores(tmp_path)) == 2
        assert_whole(tmp_path, runs)
    assert apart.stores(tmp_path) == []  # its writer did it at its end
    assert_whole(tmp_path, runs)
    with Store.open(tmp_path) as main:
        assert main.begin_run("run", {}) == 5


def test_the_next_writer_takes_in_what_nobody_took(tmp_path: Path) -> None:
    number = recorded(tmp_path, "cg")
    with Store.open(tmp_path) as main:
        assert main.run(number).labels == {"program": "cg"}
    assert_whole(tmp_path, {number: "cg"})
    assert list((tmp_path / apart.FOLDER).iterdir()) == []


def test_a_run_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    with Store.open_apart(tmp_path) as store:
        run = begin(store, "cg")
        assert take_in(tmp_path) == []
        store.finish_run(run)
    assert take_in(tmp_path) == []
    assert_whole(tmp_path, {run: "cg"})
    assert apart.stores(tmp_path) == []


def test_what_is_just_being_made_is_left_alone(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    path = apart.made(tmp_path, "0123456789")
    assert take_in(tmp_path) == []
    assert path.is_dir()
    (path / FILE_NAME).touch()  # SQLite has made it, and nothing is in it
    with Store.read(tmp_path) as reader:
        assert reader.runs() == []
    assert take_in(tmp_path) == []  # its process is dead, or it would hold the lock
    assert not path.exists()
    path = apart.made(tmp_path, "0123456789")
    os.utime(path, (0, 0))
    assert take_in(tmp_path) == []
    assert not path.exists()


def test_what_is_no_store_of_ours_stays(tmp_path: Path) -> None:
    mine = tmp_path / apart.FOLDER / "notes"
    mine.mkdir(parents=True)
    (mine / "text").write_text("mine")
    os.utime(mine, (0, 0))
    Store.open(tmp_path).close()
    assert (mine / "text").read_text() == "mine"


def test_a_writer_takes_runs_in_after_each_of_its_own(tmp_path: Path) -> None:
    with Store.open(tmp_path) as main:
        experiment = main.begin_run("experiment", {})
        first = recorded(tmp_path, "cg")
        main.record("trial", {}, parent=experiment, plan=1, started_s=1.0)
        assert apart.stores(tmp_path) == []
        second = recorded(tmp_path, "nbody")
        main.finish_run(experiment)
        assert apart.stores(tmp_path) == []
        assert [run.id for run in main.runs("run")] == [first, second]


def test_a_run_that_was_killed_is_taken_in_as_interrupted(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    code = "store = Store.open_apart(results); here.begin(store, 'cg'); time.sleep(1); die()"
    assert elsewhere(code, tmp_path) == -9
    assert_whole(tmp_path, {1: "cg"}, "interrupted")
    Store.open(tmp_path).close()
    assert apart.stores(tmp_path) == []
    assert_whole(tmp_path, {1: "cg"}, "interrupted")


@pytest.mark.parametrize(
    "killed",
    [
        "real = apart._copy_rows\napart._copy_rows = lambda cursor, table, *a: "
        "(real(cursor, table, *a), table == 'events' and die())",  # some rows are copied, nothing is committed
        "apart._remove = die",  # it is committed, and still there
        "apart.shutil.rmtree = die",  # it is out of sight, and its files are there
    ],
)
def test_kill_9_while_runs_are_taken_in_loses_and_doubles_nothing(tmp_path: Path, killed: str) -> None:
    Store.open(tmp_path).close()
    runs = {recorded(tmp_path, name): name for name in ("cg", "nbody")}
    assert elsewhere(f"{killed}\nStore.open(results)", tmp_path) == -9
    assert_whole(tmp_path, runs)
    Store.open(tmp_path).close()
    assert_whole(tmp_path, runs)
    assert list((tmp_path / apart.FOLDER).iterdir()) == []


def test_a_reader_sees_each_run_once_while_they_are_taken_in(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    runs = {recorded(tmp_path, f"p{k}"): f"p{k}" for k in range(12)}
    with Store.read(tmp_path) as reader:
        thread = threading.Thread(target=take_in, args=(tmp_path,))
        thread.start()
        looks = 0
        while thread.is_alive() or not looks:
            assert [run.id for run in reader.runs("run")] == list(runs)
            assert [len(reader.events(run)) for run in runs] == [EVENTS] * 12
            looks += 1
        thread.join()
        assert [run.id for run in reader.runs("run")] == list(runs)
    assert apart.stores(tmp_path) == []


@pytest.mark.parametrize("kind", ["ext4", "nfs4"])
def test_runs_of_many_processes_have_numbers_of_their_own(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"here.filesystem.type_of = lambda path: {kind!r}\nfor k in range(5): here.recorded(results, str(k))"
    threads = [threading.Thread(target=elsewhere, args=(code, tmp_path)) for _ in range(4)]
    monkeypatch.setattr(filesystem, "type_of", lambda path: kind)
    with Store.open(tmp_path) as main:
        for thread in threads:
            thread.start()
        mine = [main.begin_run("trial", {}) for _ in range(20)]
        for thread in threads:
            thread.join()
    with Store.read(tmp_path) as reader:
        assert [run.id for run in reader.runs()] == list(range(1, 41))
        assert len(reader.runs("run")) == 20 and [run.id for run in reader.runs("trial")] == mine
        assert sorted(str(run.labels["program"]) for run in reader.runs("run")) == sorted([*"01234"] * 4)


def test_a_store_without_a_counter_keeps_its_numbers(tmp_path: Path) -> None:
    with Store.open(tmp_path) as main:
        assert [main.begin_run("trial", {}) for _ in range(3)] == [1, 2, 3]
        (tmp_path / numbers.FILE_NAME).unlink()
        assert recorded(tmp_path, "cg") == 4
        assert main.begin_run("trial", {}) == 5


def test_a_number_that_was_drawn_by_a_killed_process_is_no_other_runs(tmp_path: Path) -> None:
    with Store.open(tmp_path) as main:
        assert main.begin_run("trial", {}) == 1
    killed = "store = Store.open(results)\nstore._insert_run = lambda *_: (store._draw(), die())\n"
    assert elsewhere(f"{killed}store.begin_run('trial', {{}})", tmp_path) == -9
    with Store.open(tmp_path) as main:
        assert main.begin_run("trial", {}) == 3
        assert [run.id for run in main.runs()] == [1, 3]


def test_a_run_whose_number_is_taken_gets_another_one(tmp_path: Path) -> None:
    with Store.open(tmp_path) as main, Store.open_apart(tmp_path) as store:
        number = begin(store, "cg")
        (tmp_path / numbers.FILE_NAME).unlink()
        assert main.begin_run("trial", {}) == number == 1
        store.finish_run(1)
    with Store.read(tmp_path) as reader:
        assert [(run.id, run.kind) for run in reader.runs()] == [(1, "trial"), (2, "run")]
        assert len(reader.events(2)) == EVENTS


def test_a_broken_store_of_a_run_stops_no_writer_and_is_named(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    recorded(tmp_path, "cg")
    (broken,) = apart.stores(tmp_path)
    (broken / FILE_NAME).write_bytes(b"not a database, but long enough to be mistaken for one" * 100)
    number = recorded(tmp_path, "nbody")
    with Store.open(tmp_path) as main:
        assert [run.id for run in main.runs()] == [number]
        (problem,) = main.problems
    assert str(problem).startswith(f"{broken / FILE_NAME}: file is not a database")
    with pytest.raises(StoreError, match=f"^{broken / FILE_NAME}: file is not a database\n  move {broken} else"):
        Store.read(tmp_path)
    assert apart.stores(tmp_path) == [broken]


def test_two_writers_of_the_main_store_still_exclude_each_other(tmp_path: Path) -> None:
    with Store.open(tmp_path), pytest.raises(StoreHeldError, match="are being written by process"):
        Store.open(tmp_path, patience_s=0.1)


# ------------------------------------------------------------------ network file systems


def test_on_a_network_file_system_readers_use_locks_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "type_of", lambda path: "nfs4")
    number = recorded(tmp_path, "cg")
    with Store.open(tmp_path) as main:
        begin(main, "nbody")
        with Store.read(tmp_path) as reader:
            assert [run.labels["program"] for run in reader.runs()] == ["cg", "nbody"]
            main.begin_run("trial", {})
            assert len(reader.runs()) == 3
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader._connection.fetch("DELETE FROM runs", ())
    with Store.read(tmp_path) as reader:
        assert reader._connection._unchanged is None  # what the kernel says of the file may be old
        assert reader.run(number).status == "ok"
        left = [path.name for path in tmp_path.iterdir()]
    assert sorted(left) == ["results.lock", "results.numbers", "results.runs", "results.sqlite"]


def test_a_log_of_the_file_server_is_read_from_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path) as main:  # where the file system is a local one
        run = begin(main, "cg")
        main.finish_run(run)
        monkeypatch.setattr(filesystem, "type_of", lambda path: "nfs4")
        with Store.read(tmp_path) as reader:
            assert [each.status for each in reader.runs()] == ["ok"]
            assert reader._connection._copy is not None
            copies = Path(reader._connection._copy.name)
        assert not copies.exists()
        assert (tmp_path / f"{FILE_NAME}-wal").exists()


def test_a_directory_that_cannot_be_listed_is_told_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file server that was restarted: the program has ended, and its exit code counts."""

    def stale(_results: Path) -> list[Path]:
        raise OSError(116, "Stale file handle")

    monkeypatch.setattr(apart, "_folders", stale)
    assert [str(each) for each in take_in(tmp_path)] == [
        f"{tmp_path}/results.runs: cannot be listed: Stale file handle"
    ]


def test_a_results_directory_whose_name_is_no_text_is_one(tmp_path: Path) -> None:
    results = tmp_path / os.fsdecode(b"b\xfcro")
    run = recorded(results, "cg")
    assert take_in(results) == []
    assert not apart.stores(results)
    assert_whole(results, {run: "cg"})
