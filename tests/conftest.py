"""For all tests: signals as at a terminal, and a place of their own for what runs."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # helpers of several kinds of tests

# A shell starts background jobs with Ctrl-C ignored, and programs of ours would rightly leave it so.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _own_runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Labs and runs of tests and of this user's other sessions do not see each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime") / "fairlead"))
        yield
