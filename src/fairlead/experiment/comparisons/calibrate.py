"""Short runs before a comparison: they find the scale of a lab's rates, and the lengths of programs."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, TypeVar

from fairlead.errors import ConfigError, MeasurementError
from fairlead.experiment.comparisons import calibration
from fairlead.experiment.comparisons.calibration import Calibration
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.experiment.plans.comparison import Case
from fairlead.lab import processors
from fairlead.lab.processors import Use

OTHERS_S = 0.5
OTHERS_LOOKS = 10
MOST_OTHERS = 0.25
"""Share of the processors that others may keep busy where a scale is to be found."""


@dataclass(frozen=True)
class CalibrationRun:
    """What one run told. ``timed_s`` is the program's timed section; None: it prints none."""

    timed_s: float | None
    use: Use | None


S = TypeVar("S")
RunTrial = Callable[[Case, S, int | None, bool], CalibrationRun]
"""Runs a case's program once on what was set up: of that length (None: as its command says), clean or congested."""


def needed(cases: Sequence[Case], scale: str | float | None) -> bool:
    """Whether anything has to be tried."""
    return scale == "auto" or any(case.program.timed_s is not None for case in cases)


def calibrate(
    cases: Sequence[Case],
    scale: str | float | None,
    first: float,
    started: Callable[[float | None], AbstractContextManager[S]],
    trial: RunTrial[S],
    announce: Callable[[str], None] = lambda text: None,
) -> Calibration:
    """Find what one network's cases need.

    Args:
        scale: "auto": it is to be found; a number or None: it is that, or the description's.
        first: the scale to begin with.
        started: the network, started anew with rates times a scale, for the length of a block.

    Raises:
        MeasurementError: processors are too busy whatever the scale.
        ConfigError: a program whose length is to be found prints no time of its own.
        FairleadError: something could not be started, or a program failed.
    """
    lengths: dict[float | None, dict[str, int]] = {}
    trials = _Trials(cases, trial, congest=scale == "auto")

    def busy_at(tried: float | None) -> float:
        with started(tried) as setting:
            lengths[tried], busy = trials.at(tried, setting, _told(announce, tried))
        return busy

    if scale != "auto":
        assert not isinstance(scale, str)
        busy = busy_at(scale)
        return Calibration(scale, lengths[scale], busy)
    _check_others()
    found, busy = calibration.find_scale(busy_at, first)
    return Calibration(found, lengths[found], busy)


def _told(announce: Callable[[str], None], scale: float | None) -> Callable[[str], None]:
    return lambda text: announce(text if scale is None else f"{text}, rates times {scale:g}")


def _check_others() -> None:
    least = 1.0
    for _ in range(OTHERS_LOOKS):  # a lab that has just ended takes the kernel a while
        watch = processors.ProcessorWatch()
        with processors.watched(watch):
            time.sleep(OTHERS_S)
        least = min(least, watch.use().busy)
        if least <= MOST_OTHERS:
            return
    raise MeasurementError(
        f"others keep this machine's processors {least:.0%} busy: a lab would measure that load, not its network",
        hint="wait until they end, or set `scale` to a number to measure anyway",
    )


class _Trials(Generic[S]):
    """The programs of one network's cases, tried on this network with one scale after another."""

    def __init__(self, cases: Sequence[Case], trial: RunTrial[S], *, congest: bool) -> None:
        self._trial, self._congest = trial, congest
        self._cases: dict[ProgramPlan, list[Case]] = {}
        for case in cases:
            if congest or case.program.timed_s is not None:
                self._cases.setdefault(case.program, []).append(case)
        self._work_s: dict[str, float] = {}  # time at full rates that one more of a program's length takes, about

    def at(self, scale: float | None, setting: S, announce: Callable[[str], None]) -> tuple[dict[str, int], float]:
        """Lengths of the programs, and how busy processors were in the busiest trial.

        Where that is more than they may be, the trials end there: lengths are then missing.
        """
        lengths: dict[str, int] = {}
        busy = 0.0
        for program in self._cases:
            for found in self._of(program, scale or 1.0, setting, announce, lengths):
                busy = max(busy, 0.0 if found.use is None else found.use.busy)
                if self._congest and busy > calibration.MOST_BUSY:
                    return lengths, busy
        return lengths, busy

    def _of(
        self, program: ProgramPlan, scale: float, setting: S, announce: Callable[[str], None], lengths: dict[str, int]
    ) -> Iterator[CalibrationRun]:
        """One program's trials: clean, and under each congestion once; its length goes to ``lengths``."""
        cases = self._cases[program]
        announce(f"{program.name}: trial on a clean network")
        number, found = _pace(
            program, self._first(program, scale), lambda length: self._trial(cases[0], setting, length, False)
        )
        if number is not None and found.timed_s is not None:
            self._work_s[program.name] = found.timed_s / number * scale
            if program.timed_s is not None:
                lengths[program.name] = calibration.for_time(number, found.timed_s, program.timed_s)
        yield found
        if not self._congest:
            return
        if number is not None and found.timed_s is not None:
            number = calibration.for_time(number, found.timed_s, calibration.ENOUGH_S)
        for case in {case.congestion: case for case in cases}.values():
            announce(f"{program.name}: trial under congestion")
            yield self._trial(case, setting, number, True)

    def _first(self, program: ProgramPlan, scale: float) -> int | None:
        """Length of the first clean trial, by what a trial at another scale told; None: it cannot be chosen."""
        if program.length is None:
            return None
        if program.name in self._work_s:
            return calibration.for_time(1, self._work_s[program.name] / scale, calibration.TRIAL_S)
        return calibration.first_number(program.number)


def _pace(
    program: ProgramPlan, first: int | None, run: Callable[[int | None], CalibrationRun]
) -> tuple[int | None, CalibrationRun]:
    """A clean trial that is long enough, and its length; None: the program's length cannot be chosen.

    ``first``: the length to begin with; None if it cannot.
    """
    if first is None:
        return None, run(None)
    number = first
    for _ in range(calibration.MOST_TRIALS):
        found = run(number)
        if found.timed_s is None:
            if program.timed_s is None:
                return None, run(None)
            raise ConfigError(
                f"{program.name}: the program prints no time by which its length could be chosen",
                hint="omit timed_s and length, or choose a program that prints a verdict with its time_s",
            )
        further = calibration.longer(number, found.timed_s)
        if further is None:
            return number, found
        number = further
    raise ConfigError(
        f"{program.name}: its timed section does not become longer with the number after {program.length}",
        hint="length must name the option that sets the program's length",
    )
