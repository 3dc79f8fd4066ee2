"""For all tests: signals as at a terminal, no terminal's width, and a place of their own for what runs."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead import interrupts

sys.path.insert(0, str(Path(__file__).parent))  # helpers of several kinds of tests

# A shell starts background jobs with Ctrl-C ignored, and programs of ours would rightly leave it so.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# readline, which pytest loads, sets these for all programs that are started, workers of pytest-xdist among them.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
    os.unsetenv(name)  # what C code has set is not in `os.environ`


@pytest.fixture(scope="session", autouse=True)
def _own_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Labs and runs of tests and of this user's other sessions do not see each other. Signals stay pytest's, also when
    a test calls `main`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime") / "fairlead"))
        patch.setattr(interrupts, "become_exceptions", lambda: None)
        yield
