"""How long the noise programs may take on hosts of any number of processors."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from fairlead.benchmarks.noise import measure
from fairlead.benchmarks.noise.measure import NoiseSettings
from fairlead.benchmarks.noise.output import TimedOutput
from fairlead.errors import MeasurementError
from fairlead.progress import unseen
from fairlead.store import Store


def test_one_core_after_the_other_takes_as_long_as_all_of_them() -> None:
    assert NoiseSettings(seconds=10).lasts_s() == 10
    assert NoiseSettings(seconds=10, in_turn=True, cpus=(0, 3, 5)).lasts_s() == 30
    assert NoiseSettings(seconds=10, in_turn=True).lasts_s() == 80


def started(script: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        ["sh", "-c", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def test_a_program_that_is_not_done_in_time_is_ended_and_that_is_said() -> None:
    output = TimedOutput(started("echo one; exec sleep 60"))
    output.limit(1000.0)
    output.limit(2.0)  # of many processors another limit is known once the program has said how many
    assert list(output.lines()) == ["one"]
    assert output.exit_code() == -9
    assert output.said == "it was not done within 2 s"


def test_one_that_is_done_is_left_alone() -> None:
    output = TimedOutput(started("printf 'one\\ntwo'; echo no luck >&2; exit 3"))
    output.limit(30.0)
    assert list(output.lines()) == ["one", "two"]
    assert (output.exit_code(), output.last_words(), output.said) == (3, "no luck", "")


def test_lines_of_any_length_are_whole() -> None:
    output = TimedOutput(started("head -c 300000 /dev/zero | tr '\\0' x; echo; echo end"))
    output.limit(30.0)
    assert list(output.lines()) == ["x" * 300_000, "end"]
    assert output.exit_code() == 0


def test_one_whose_streams_another_process_holds_open_is_not_waited_for(tmp_path: Path) -> None:
    """As ssh's shared connection does, where the host does not end the program."""
    noted = tmp_path / "pid"
    output = TimedOutput(started(f"echo one; setsid sleep 60 & echo $! >{noted}; exec sleep 60"))
    output.limit(2.0)
    begin_s = time.monotonic()
    try:
        assert list(output.lines()) == ["one"]
        assert output.exit_code() == -9
        assert output.last_words() == ""
        assert time.monotonic() - begin_s < 20
    finally:
        os.kill(int(noted.read_text()), signal.SIGKILL)


def test_one_that_closes_its_output_and_goes_on_is_ended() -> None:
    output = TimedOutput(started("echo one; exec sleep 60 >&-"))
    output.limit(2.0)
    assert list(output.lines()) == ["one"]
    assert output.exit_code() == -9
    assert output.said == "it was not done within 2 s"


def test_who_is_in_a_hurry_is_not_talked_out_of_it() -> None:
    output = TimedOutput(started("exec sleep 60"))
    output.limit(1000.0)
    output.hurry(0.2)
    output.limit(1000.0)
    assert list(output.lines()) == []
    assert output.exit_code() == -9


@pytest.mark.parametrize("end", ["exec sleep 60", "setsid sleep 60 & echo $! >{noted}; exec sleep 60"])
def test_a_host_that_stands_still_is_a_failed_measurement(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str
) -> None:
    """What came before is kept."""
    noted = tmp_path / "pid"
    monkeypatch.setattr(measure, "SETTLING_S", 1.9)
    said = json.dumps({"cpus": [0], "steady_clock_step_s": 1e-9})
    output = TimedOutput(started(f"echo '{said}'; {end.format(noted=noted)}"))
    try:
        with Store.open(tmp_path / "results") as store:
            run = store.begin_run("measure", {})
            with pytest.raises(MeasurementError, match=r"^h0: fairlead-noise ended .* it was not done within 2 s$"):
                measure._keep(store, run, "h0", output, NoiseSettings(seconds=0.1), measure._Count(unseen, 1))
            assert [series.name for series in store.series(run)] == ["clock_step_s"]
    finally:
        if noted.exists():
            os.kill(int(noted.read_text()), signal.SIGKILL)
