"""For the tests with real libvirt daemons: helpers, and a place of their own for labs."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "lab" / "helpers")]


@pytest.fixture(scope="module", autouse=True)
def private_runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Labs of a module's tests are not seen by others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        yield
