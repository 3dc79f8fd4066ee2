"""How long the noise programs may take on hosts of any number of processors."""

import subprocess

from fairlead.benchmarks.noise.measure import NoiseSettings, _Watch


def test_one_core_after_the_other_takes_as_long_as_all_of_them() -> None:
    assert NoiseSettings(seconds=10).lasts_s() == 10
    assert NoiseSettings(seconds=10, in_turn=True, cpus=(0, 3, 5)).lasts_s() == 30
    assert NoiseSettings(seconds=10, in_turn=True).lasts_s() == 80


def test_a_program_that_is_not_done_in_time_is_ended_and_that_is_said() -> None:
    process = subprocess.Popen(["sleep", "60"], text=True, start_new_session=True)
    watch = _Watch(process)
    watch.set(1000.0)
    watch.set(0.05)  # of many processors another limit is known once the program has said how many
    assert process.wait(10) == -9
    assert watch.said == "it was not done within 0.05 s"


def test_one_that_is_done_is_left_alone() -> None:
    process = subprocess.Popen(["sleep", "0.2"], text=True, start_new_session=True)
    watch = _Watch(process)
    watch.set(0.1)
    watch.cancel()
    assert (process.wait(10), watch.said) == (0, "")
