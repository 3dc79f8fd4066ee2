"""For the tests with real LXC containers: their helpers, four containers, and places of their own for what runs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lxc_containers import Containers

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "lxc"), str(TESTS / "lab" / "helpers"), str(TESTS / "mpi" / "helpers")]


@pytest.fixture(scope="session")
def containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Containers"]:
    from lxc_containers import running

    if os.geteuid() != 0:
        pytest.skip("LXC's containers are started as root here")
    if shutil.which("lxc-start") is None:
        pytest.skip("LXC is not installed: `make test-lxc` installs it")
    with running(tmp_path_factory.mktemp("lxc")) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Runs and caches of these tests are not seen by others; the cache's path is short enough for ssh's sockets."""
    cache = Path(f"/tmp/fl-lxc-{os.getpid()}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRLEAD_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
        patch.setenv("XDG_CACHE_HOME", str(cache))
        yield
    for path in (cache / "fairlead" / "ssh").glob("*"):
        closing = ["ssh", "-F", "/dev/null", "-o", f"ControlPath={path}", "-O", "exit", "x"]
        subprocess.run(closing, capture_output=True, check=False)
    shutil.rmtree(cache, ignore_errors=True)
