"""The record of a managed run whose end somebody or something gets in the way of."""

import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead import interrupts
from fairlead.errors import LaunchError
from fairlead.manage.recording import begun_run, record_outcome, recorded
from fairlead.manage.supervisor import Outcome
from fairlead.store import Store


@pytest.fixture
def ctrl_c() -> Iterator[signal.Signals]:
    """A signal that ends fairlead."""
    before = signal.signal(signal.SIGUSR1, interrupts._raise_once)
    yield signal.SIGUSR1
    signal.signal(signal.SIGUSR1, before)


def test_ctrl_c_after_the_end_of_the_program_does_not_leave_it_unrecorded(
    tmp_path: Path, ctrl_c: signal.Signals
) -> None:
    def record(store: Store, identity: int, outcome: Outcome) -> None:
        signal.raise_signal(ctrl_c)
        record_outcome(store, identity, outcome, outcome.exit_code, None)

    with pytest.raises(interrupts.Interrupted):
        recorded(
            lambda store, identity: Outcome(0, 1.5, 7.0),
            record,
            results=tmp_path,
            argv=["cg"],
            labels={"program": "cg"},
            facts={},
            interrupted="interrupted ({})",
            quiet=True,
        )
    with Store.read(tmp_path) as reader:
        (run,) = reader.runs("run")
        assert (run.status, reader.one_series(run.id, "time_s").scalar()) == ("ok", 1.5)


def test_a_full_disk_does_not_hide_why_a_program_was_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(tmp_path) as store:
        connection = store._connection
        assert isinstance(connection, sqlite3.Connection)
        with (
            pytest.raises(LaunchError, match="mpirun could not be started"),
            begun_run(store, ["cg"], {}, {}, "interrupted ({})") as identity,
        ):
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 1}")
            store.add_event(identity, 1.0, "log", {"text": "x" * 100_000})
            raise LaunchError("mpirun could not be started")
        connection.execute("PRAGMA max_page_count = 1000000")
    assert "the record of this run is incomplete: " in capsys.readouterr().err
