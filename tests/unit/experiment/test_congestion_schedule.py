"""Congestion follows its episodes and always ends with the run."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from fairlead.errors import LabError
from fairlead.experiment.factors.congestion import Episode
from fairlead.experiment.running.congestion_schedule import CongestionSchedule, RunningCongestion


class Going:
    def check(self) -> None:
        pass


class Gone:
    def check(self) -> None:
        raise LabError("congestion: iperf3 on h1 ended (status 1)")


class Recorder:
    def __init__(self, traffic: RunningCongestion | None = None) -> None:
        self.log: list[str] = []
        self.traffic = traffic or Going()

    @contextmanager
    def __call__(self, bottleneck: int) -> Iterator[RunningCongestion]:
        self.log.append(f"start {bottleneck}")
        try:
            yield self.traffic
        finally:
            self.log.append(f"stop {bottleneck}")


def until(holds: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def test_moves_from_bottleneck_to_bottleneck() -> None:
    congestion = Recorder()
    with CongestionSchedule([Episode(0.0, 1), Episode(0.5, 0)], congestion) as schedule:
        assert congestion.log == ["start 1"]
        until(lambda: len(congestion.log) == 3)
    assert congestion.log == ["start 1", "stop 1", "start 0", "stop 0"]
    first, second = schedule.occurrences
    assert (first.bottleneck, second.bottleneck) == (1, 0)
    assert 0.25 <= first.ended_s - first.began_s <= 5.0


def test_the_clock_starts_when_what_is_there_from_the_start_is_there() -> None:
    begun: list[int] = []

    @contextmanager
    def slow(bottleneck: int) -> Iterator[RunningCongestion]:
        time.sleep(0.6 if bottleneck == 0 else 0.0)  # until its traffic flows
        begun.append(bottleneck)
        yield Going()

    with CongestionSchedule([Episode(0.0, 0), Episode(0.5, 1)], slow) as schedule:
        begun_s = time.time()
        until(lambda: len(begun) == 2)
    first, second = schedule.occurrences
    assert 0.25 < second.began_s - begun_s < 5.0, "counted from the start, it would begin at once"
    assert first.began_s <= begun_s + 0.05


def test_run_that_ends_early_sees_none() -> None:
    congestion = Recorder()
    with CongestionSchedule([Episode(5.0, 0)], congestion) as schedule:
        pass
    assert congestion.log == []
    assert schedule.occurrences == []


def test_failure_to_start_is_raised_and_does_not_hang() -> None:
    @contextmanager
    def broken(bottleneck: int) -> Iterator[RunningCongestion]:
        raise error
        yield

    error: Exception = LabError("iperf3 is missing")
    with pytest.raises(LabError, match="iperf3"), CongestionSchedule([Episode(0.0, 0)], broken):
        pass
    error = OSError("no space left")
    with pytest.raises(LabError, match="congestion: no space left"), CongestionSchedule([Episode(0.0, 0)], broken):
        pass


@pytest.mark.parametrize("moves", [[], [Episode(30.0, 1)]])
def test_a_run_whose_congestion_died_does_not_count(moves: list[Episode]) -> None:
    congestion = Recorder(Gone())
    schedule = CongestionSchedule([Episode(0.0, 0), *moves], congestion)
    with pytest.raises(LabError, match="iperf3 on h1 ended"), schedule:
        pass
    assert congestion.log == ["start 0", "stop 0"]
    assert schedule.occurrences == []


def test_program_s_own_error_wins() -> None:
    congestion = Recorder()
    with pytest.raises(ZeroDivisionError), CongestionSchedule([Episode(0.0, 0)], congestion):
        _ = 1 / 0
    assert congestion.log == ["start 0", "stop 0"]
