"""For all tests: signals as at a terminal, no terminal's width, and a place of their own for what runs."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead import interrupts

sys.path.insert(0, str(Path(__file__).parent))  # helpers of several kinds of tests

import draw

# A shell starts background jobs with Ctrl-C ignored, and programs of ours would rightly leave it so.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What is imported stays: looking through all of it again and again takes a tenth of the time of the unit tests.
gc.set_threshold(200_000, 20, 100)

# readline, which pytest loads, sets these for all programs that are started, workers of pytest-xdist among them.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
    os.unsetenv(name)  # what C code has set is not in `os.environ`


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--draw", metavar="SEED", help="of each test marked drawn, run a tenth of its cases, by SEED")
    parser.addoption(
        "--turn",
        metavar="NUMBER",
        type=int,
        help="of each test marked by_turns, run one case that is not slow, by NUMBER",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out: set[str] = set()
    if (seed := config.getoption("--draw")) is not None:
        many = [item.nodeid for item in items if item.get_closest_marker("drawn")]
        left_out |= set(many) - draw.tenth_of_each_test(many, seed)
    if (turn := config.getoption("--turn")) is not None:
        alike = [
            item.nodeid for item in items if item.get_closest_marker("by_turns") and not item.get_closest_marker("slow")
        ]
        left_out |= set(alike) - draw.one_of_each_test(alike, turn)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]


@pytest.fixture(scope="session", autouse=True)
def _own_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Labs and runs of tests and of this user's other sessions do not see each other. Signals stay pytest's, also when
    a test calls `main`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime") / "fairlead"))
        patch.setattr(interrupts, "become_exceptions", lambda: None)
        yield
