"""Runs mpi4py's own test suite on every rank, and writes the outcome of each test to a file at once.

Called as ``mpi4py_suite.py SUITE PACKAGES OUTCOMES [ARGUMENT]...``: the suite's directory, the one that has mpi4py
installed, where the files ``RANK.txt`` go, and arguments of the suite's own runner.
"""

import atexit
import os
import sys
import unittest
from pathlib import Path
from typing import Any

suite, packages, outcomes, *arguments = sys.argv[1:]
sys.path[:0] = [suite, packages]
rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]
told = (Path(outcomes) / f"{rank}.txt").open("w", buffering=1)
atexit.register(told.close)


class Result(unittest.TextTestResult):
    """Each outcome is a line: what it is, and the test's name."""

    def startTest(self, test: unittest.TestCase) -> None:
        told.write(f"began {test.id()}\n")
        super().startTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:
        told.write(f"passed {test.id()}\n")
        super().addSuccess(test)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        told.write(f"skipped {test.id()}\n")
        super().addSkip(test, reason)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        told.write(f"failed {test.id()}\n")
        super().addFailure(test, err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        told.write(f"broke {test.id()}\n")
        super().addError(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            told.write(f"failed {subtest.id()}\n")
        super().addSubTest(test, subtest, err)


class Runner(unittest.TextTestRunner):
    resultclass = Result


import main  # noqa: E402  the suite's

main.TestProgram(module=None, argv=["suite", *arguments], testRunner=Runner)
