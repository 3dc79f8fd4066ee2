"""How busy processors were, from the kernel's files."""

import time
from pathlib import Path

import pytest

from fairlead.errors import MeasurementError
from fairlead.lab import processors
from fairlead.lab.processors import ProcessorCounters, Use, between, read, watched

STAT = """cpu  300 0 100 1600 0 0 0 0 0 0
cpu0 200 10 30 700 60 1 2 7 150 0
cpu1 100 0 50 850 0 0 0 0 0 0
intr 1
"""
PRESSURE = (
    "some avg10=43.68 avg60=38.63 avg300=27.25 total=2791657031\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "stat").write_text(STAT)
    (tmp_path / "pressure").mkdir()
    (tmp_path / "pressure" / "cpu").write_text(PRESSURE)
    return tmp_path


def test_idle_time_waits_for_disks_and_guests_are_no_work_of_their_own(proc: Path) -> None:
    found = read(proc, [0])
    assert (found.processors, found.busy_s) == (1, pytest.approx(2.50))
    assert read(proc, [1, 0]).busy_s == pytest.approx(4.0)
    assert found.waited_s == pytest.approx(2791.657031)


def test_a_kernel_that_does_not_count_who_waits(proc: Path) -> None:
    (proc / "pressure" / "cpu").unlink()
    assert read(proc, [0]).waited_s is None
    reading = ProcessorCounters(0.0, 2, 1.0, None)
    assert between(reading, ProcessorCounters(10.0, 2, 11.0, None)) == Use(busy=0.5, pressure=None, late_s=0.0)


def test_a_processor_that_is_not_there_is_no_idle_one(proc: Path) -> None:
    with pytest.raises(MeasurementError, match="processors \\[7\\]"):
        read(proc, [7])
    (proc / "stat").write_text("cpu0 a few\n")
    with pytest.raises(MeasurementError):
        read(proc, [0])


def test_shares_are_of_the_time_and_of_all_processors() -> None:
    use = between(
        ProcessorCounters(5.0, 2, 10.0, 3.0), ProcessorCounters(15.0, 2, 28.0, 7.0), [0.001] * 95 + [0.02] * 5
    )
    assert use == Use(busy=0.9, pressure=0.4, late_s=0.02)
    assert use.limited
    assert not between(ProcessorCounters(5.0, 2, 10.0, 3.0), ProcessorCounters(15.0, 2, 22.0, 7.0)).limited
    with pytest.raises(MeasurementError):
        between(ProcessorCounters(5.0, 2, 10.0, 3.0), ProcessorCounters(5.0, 2, 10.0, 3.0))


def test_a_block_is_watched_also_when_it_fails() -> None:
    watch = processors.ProcessorWatch()
    with pytest.raises(MeasurementError):
        watch.use()
    with pytest.raises(KeyError), watched(watch):
        time.sleep(5 * processors.PERIOD_S)
        raise KeyError
    assert 0.0 <= watch.use().busy <= 1.0
    assert watch.use().late_s > 0.0


def test_a_timed_section_is_the_end_of_a_run() -> None:
    readings = [
        ProcessorCounters(float(at_s), 2, busy_s, None) for at_s, busy_s in enumerate((0.0, 2.0, 4.0, 5.0, 6.0))
    ]
    watch = processors.ProcessorWatch(readings, [(0.5, 0.1), (2.5, 0.002), (3.5, 0.003)])
    assert watch.use() == Use(busy=0.75, pressure=None, late_s=0.1)
    assert watch.use(2.0) == Use(busy=0.5, pressure=None, late_s=0.003)
    assert watch.use(2.5) == Use(busy=4 / 6, pressure=None, late_s=0.003), "from the last reading before it"
    assert watch.use(60.0) == watch.use()
