"""Results of programs, compared with those of undisturbed runs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fairlead.analysis.program_results import RESULT, Deviation, describe, deviations
from fairlead.store import Series, Store


def experiment(
    directory: Path,
    *runs: tuple[bool, dict[str, float]],
    mpirun: str = "mpirun",
    command: str = "lmp -in melt.in",
    native: Sequence[int] = (),
) -> list[Deviation]:
    """Deviations among runs, (disturbed, result) each. ``native``: places of those over native transport."""
    with Store.open(directory) as store:
        parent = store.begin_run("experiment", {})
        for number, (disturbed, result) in enumerate(runs):
            about = {"command": command, "environment": "", "mpirun": mpirun, "ranks": 8, "disturbed": disturbed}
            transport = {"transport": "native"} if number in native else {}
            series = [
                Series(RESULT, "1", {**about, **transport, "number": name}, np.array([value]))
                for name, value in result.items()
            ]
            store.record("run", {}, parent=parent, plan=None, started_s=0.0, exit_code=0, series=series)
        return deviations(store, parent)


def test_a_run_that_repeats_the_result_is_no_deviation(tmp_path: Path) -> None:
    runs = (False, {"TotEng": -2.281301}), (True, {"TotEng": -2.281301}), (True, {"TotEng": -2.281302})
    assert experiment(tmp_path, *runs) == []


def test_a_run_that_computed_something_else_is_named_with_the_number_that_is_farthest_off(tmp_path: Path) -> None:
    runs = (False, {"Temp": 1.5, "TotEng": -2.0}), (True, {"Temp": 1.6, "TotEng": -1.0})
    found = experiment(tmp_path, *runs)
    assert found == [Deviation(3, "lmp -in melt.in", "TotEng", -1.0, -2.0, -2.0)]
    assert describe(found) == (
        "1 run computed another result than undisturbed runs of the same command: run 3 (TotEng -1 instead of -2). "
        "Do not use these figures before you know why."
    )


def test_what_undisturbed_runs_do_not_repeat_is_not_asked_of_others(tmp_path: Path) -> None:
    alone = (False, {"TotEng": -2.0}), (False, {"TotEng": -2.5})
    found = experiment(tmp_path, *alone, (True, {"TotEng": -2.2}), (True, {"TotEng": -3.0}))
    assert [(each.run, each.low, each.high) for each in found] == [(5, -2.5, -2.0)]
    assert "(TotEng -3 instead of -2.5 to -2)" in describe(found)


def test_without_an_undisturbed_run_nothing_is_expected(tmp_path: Path) -> None:
    assert experiment(tmp_path, (True, {"TotEng": -2.0}), (True, {"TotEng": -1.0})) == []


def test_where_zero_is_expected_any_other_number_deviates(tmp_path: Path) -> None:
    runs = (False, {"errors": 0.0}), (True, {"errors": 3.0}), (True, {"errors": 0.0}), (True, {"errors": 2e-14})
    assert [each.run for each in experiment(tmp_path, *runs)] == [3]


def test_another_transport_may_add_up_in_another_order(tmp_path: Path) -> None:
    runs = (False, {"TotEng": -2.0}), (True, {"TotEng": -3.0}), (False, {"TotEng": -3.0}), (True, {"TotEng": -2.0})
    found = experiment(tmp_path, *runs, native=(1, 2))
    assert found == []
    assert [each.run for each in experiment(tmp_path / "alike", *runs[:2])] == [3]


def test_another_mpi_may_add_up_in_another_order(tmp_path: Path) -> None:
    assert experiment(tmp_path, (False, {"TotEng": -2.0})) == []
    assert experiment(tmp_path, (True, {"TotEng": -3.0}), mpirun="mpirun.mpich") == []


def test_nothing_to_tell_is_an_empty_sentence() -> None:
    assert describe([]) == ""
