"""How a lab's scale and programs' lengths are found: the search itself, and the trials that it makes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.errors import ConfigError, MeasurementError
from fairlead.experiment.comparisons import calibrate, calibration
from fairlead.experiment.comparisons.calibrate import CalibrationRun
from fairlead.experiment.comparisons.calibration import Calibration, find_scale, first_scale
from fairlead.experiment.factors.congestion import CongestionPlan
from fairlead.experiment.factors.program import ProgramPlan
from fairlead.experiment.plans.comparison import Case, NetworkPlan
from fairlead.lab.processors import Use

BOTTLENECK = {"kind": "streams", "between": ("leaf0", "leaf1")}
CONGESTION = CongestionPlan.model_validate({"bottlenecks": [BOTTLENECK]})
LATER = CongestionPlan.model_validate({"bottlenecks": [BOTTLENECK], "onset": (0.3, 0.4)})
NETWORK = NetworkPlan("mesh8", None, None)


def case(name: str = "cg", congestion: CongestionPlan = CONGESTION, **program: object) -> Case:
    given_ = {"name": name, "command": ("cg", "--iterations", "40"), "ranks": 8, "length": "--iterations", **program}
    return Case(name, ProgramPlan.model_validate(given_), congestion, NETWORK)


def test_the_search_begins_with_what_processors_and_hosts_let_expect() -> None:
    assert first_scale(2, 8) == 0.2
    assert first_scale(2, 16) == 0.1
    assert first_scale(64, 8) == 1.0


@given(st.floats(0.001, 100.0), st.floats(0.0, 0.5), st.floats(0.02, 1.0))
def test_what_is_found_leaves_processors_time_and_wastes_little_of_it(load: float, base: float, first: float) -> None:
    tried = []

    def busy_at(scale: float) -> float:
        tried.append(scale)
        return min(1.0, base + load * scale)

    try:
        scale, busy = find_scale(busy_at, first)
    except MeasurementError:
        assert min(min(1.0, base + load * each) for each in tried) > calibration.MOST_BUSY
        return
    fits = [each for each in tried if min(1.0, base + load * each) <= calibration.MOST_BUSY]
    assert busy == min(1.0, base + load * scale) <= calibration.MOST_BUSY
    assert 0 < scale <= 1
    assert scale == max(fits)
    assert len(tried) <= calibration.MOST_TRIES


def test_busy_machines_and_strong_ones() -> None:
    with pytest.raises(MeasurementError, match="measure them, not the network"):
        find_scale(lambda scale: 0.9, 0.2)
    assert find_scale(lambda scale: 0.1, 1.0) == (1.0, 0.1)
    assert find_scale(lambda scale: 0.3 * scale, 0.2) == (1.0, 0.3)
    # Processors that are busy all the time hide how much too fast the links were.
    scale, busy = find_scale(lambda scale: min(1.0, 5 * scale), 1.0)
    assert 0.03 < scale <= 0.12
    assert busy == pytest.approx(5 * scale)


@pytest.mark.parametrize("busy", [0.65, 0.9, 1.0])
def test_a_search_in_vain_ends_at_the_smallest_scale(busy: float) -> None:
    tried = []

    def busy_at(scale: float) -> float:
        tried.append(scale)
        return busy

    with pytest.raises(
        MeasurementError, match=f"{busy:.0%} busy with the lab's rates times {calibration.LEAST_SCALE:g}:"
    ):
        find_scale(busy_at, 1.0)
    assert tried[-1] == calibration.LEAST_SCALE


def test_a_scale_that_is_known_to_be_too_large_is_not_tried_again() -> None:
    tried = []

    def busy_at(scale: float) -> float:
        tried.append(scale)
        return 0.7 if scale > 0.1 else 0.2

    assert find_scale(busy_at, 0.15)[0] <= 0.1
    assert len(set(tried)) == len(tried)
    assert max(tried[1:]) < 0.15


class Machine:
    """Iterations of 0.02 s at full rates, slower links in proportion; under congestion three times as long."""

    def __init__(self, busy: float = 2.5, tells: bool = True) -> None:
        self.busy, self.tells = busy, tells
        self.runs: list[tuple[str, int | None, float, bool]] = []

    @contextmanager
    def started(self, scale: float | None) -> Iterator[float]:
        yield 1.0 if scale is None else scale

    def trial(self, case: Case, setting: float, number: int | None, congested: bool) -> CalibrationRun:
        self.runs.append((case.program.name, number, setting, congested))
        iterations = 40 if number is None else number
        timed_s = iterations * 0.02 / setting * (3 if congested else 1)
        return CalibrationRun(timed_s if self.tells else None, Use(min(1.0, self.busy * setting), None, 0.0))


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "_check_others", lambda: None)


@pytest.mark.usefixtures("alone")
def test_lengths_follow_the_scale_so_that_a_clean_run_keeps_its_time() -> None:
    machine = Machine()
    cases = [case(timed_s=6.0), case("nbody", timed_s=3.0)]
    found = calibrate.calibrate(cases, "auto", 0.4, machine.started, machine.trial)
    assert found.scale == 0.14
    assert found.busy == pytest.approx(0.35)
    assert found.lengths == {"cg": 42, "nbody": 21}
    assert ("cg", 14, 0.14, True) in machine.runs, "as long as 2 s clean"


def test_a_given_scale_is_used_and_nothing_is_congested_for_it() -> None:
    machine = Machine()
    found = calibrate.calibrate([case(timed_s=6.0)], 0.5, 0.2, machine.started, machine.trial)
    assert (found.scale, found.lengths) == (0.5, {"cg": 150})
    assert not any(congested for *_, congested in machine.runs)


@pytest.mark.usefixtures("alone")
def test_every_congestion_of_a_program_is_tried_once() -> None:
    machine = Machine(busy=2.0)
    cases = [case(), case(congestion=LATER), case("other", length=None)]
    found = calibrate.calibrate(cases, "auto", 0.25, machine.started, machine.trial)
    assert found.lengths == {}, "no time was wanted"
    assert sum(congested for name, _, _, congested in machine.runs if name == "cg") == 2
    others = [run for run in machine.runs if run[0] == "other"]
    assert others == [("other", None, 0.25, congested) for congested in (False, True)]


@pytest.mark.usefixtures("alone")
def test_a_scale_that_is_too_large_for_one_program_needs_no_further_trials() -> None:
    """And at the next scale a program begins with the length that its pace lets expect."""
    machine = Machine(busy=0.5)

    def trial(case: Case, setting: float, number: int | None, congested: bool) -> CalibrationRun:
        told = machine.trial(case, setting, number, congested)
        return (
            told if case.program.name == "cg" else CalibrationRun(told.timed_s, Use(min(1.0, 2.2 * setting), None, 0.0))
        )

    cases = [case(timed_s=6.0), case("nbody", timed_s=6.0), case("last", timed_s=6.0)]
    found = calibrate.calibrate(cases, "auto", 0.4, machine.started, trial)
    assert found.scale == 0.23
    assert found.lengths == dict.fromkeys(("cg", "nbody", "last"), 69)
    tried = [(name, congested) for name, _, scale, congested in machine.runs if scale == 0.4]
    assert [name for name, _ in tried[-1:]] == ["nbody"]
    assert "last" not in [name for name, _ in tried]
    after = [(name, number) for name, number, scale, congested in machine.runs if scale == 0.23 and not congested]
    assert after[:2] == [("cg", 34), ("nbody", 34)], "3 s at the pace of the trial before"
    assert [name for name, _ in dict.fromkeys(after)] == ["cg", "nbody", "last", "last"]


def test_a_program_without_a_clock_has_no_length_that_could_be_found() -> None:
    machine = Machine(tells=False)
    with pytest.raises(ConfigError, match="cg: the program prints no time"):
        calibrate.calibrate([case(timed_s=6.0)], 0.2, 0.2, machine.started, machine.trial)


@pytest.mark.usefixtures("alone")
def test_such_a_program_is_tried_as_it_is_where_only_the_scale_is_wanted() -> None:
    machine = Machine(tells=False)
    found = calibrate.calibrate([case()], "auto", 0.2, machine.started, machine.trial)
    assert (found.scale, found.lengths) == (0.2, {})
    assert [number for _, number, *_ in machine.runs][1:] == [None, None]


def test_what_no_number_makes_longer_is_told() -> None:
    machine = Machine()

    def trial(case: Case, setting: float, number: int | None, congested: bool) -> CalibrationRun:
        machine.trial(case, setting, number, congested)
        return CalibrationRun(0.01, Use(0.1, None, 0.0))

    with pytest.raises(ConfigError, match="does not become longer with the number after --iterations"):
        calibrate.calibrate([case(timed_s=6.0)], 0.2, 0.2, machine.started, trial)
    assert len(machine.runs) == calibration.MOST_TRIALS


def test_programs_of_which_nothing_is_wanted_are_not_tried() -> None:
    machine = Machine()
    calibrate.calibrate([case(timed_s=6.0), case("other")], 0.2, 0.2, machine.started, machine.trial)
    assert {name for name, *_ in machine.runs} == {"cg"}


def test_what_others_do_is_told_and_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate, "OTHERS_S", 0.0)
    monkeypatch.setattr(calibrate.processors.ProcessorWatch, "use", lambda self: Use(0.5, None, 0.0))
    machine = Machine()
    with pytest.raises(MeasurementError, match="others keep this machine's processors 50% busy"):
        calibrate.calibrate([case()], "auto", 0.2, machine.started, machine.trial)
    assert not machine.runs


def test_it_is_kept_as_json() -> None:
    found = Calibration(0.2, {"cg": 60}, 0.55)
    assert Calibration.from_json(found.to_json()) == found
    assert "rates times 0.2, cg of length 60 (processors at most 55% busy" in found.describe()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"length": None, "timed_s": 5.0}, "say which option"),
        ({"length": "--steps"}, "must have --steps once"),
        ({"command": ("cg", "--iterations")}, "must have --iterations once"),
        ({"command": ("cg", "--iterations", "many")}, "a whole number after it"),
        ({"command": ("cg", "--iterations", "0")}, "must be 1 or more"),
    ],
)
def test_lengths_that_cannot_be_set(changed: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        case(**changed)


def test_a_program_of_another_length() -> None:
    program = case(command=("cg", "--class", "A", "--iterations", "40", "--seed", "1")).program
    assert program.number == 40
    assert program.of_length(7).command == ("cg", "--class", "A", "--iterations", "7", "--seed", "1")
