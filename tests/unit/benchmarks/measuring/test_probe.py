"""A program of measurements that ends while it answers."""

import subprocess

import pytest

from fairlead.benchmarks.measuring.probe import RunningProbe
from fairlead.errors import MeasurementError

START = r'printf "{\"library\": \"x\", \"clock_step_s\": 1e-9, \"ranks\": []}\n"; read request; '


def probe(then: str) -> RunningProbe:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return RunningProbe("mpi-x", subprocess.Popen(["sh", "-c", START + then], **pipes))  # type: ignore[call-overload]


@pytest.mark.parametrize("half", ["", r'printf "{\"samples_s\":[[3.9"; '])
def test_half_an_answer_is_none(half: str) -> None:
    asked = probe(half + "echo gone >&2; exit 9")
    assert asked.introduction(5).library == "x"
    with pytest.raises(MeasurementError, match=r"mpi-x ended during a block with exit code 9: gone"):
        asked.ask({"size_B": 8}, 5, "a block")


def test_an_answer_that_is_no_json_is_told() -> None:
    asked = probe(r'printf "{\"samples_s\":[[3.9\n"')
    asked.introduction(5)
    with pytest.raises(MeasurementError, match=r"mpi-x: a block: the answer is not JSON: .*3\.9"):
        asked.ask({"size_B": 8}, 5, "a block")
