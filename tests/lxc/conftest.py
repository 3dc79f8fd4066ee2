"""For the tests with real LXC containers: their helpers, four containers, and places of their own for what runs."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from own_places import own_places

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
def _own_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_places("lxc", tmp_path_factory.mktemp("runtime")):
        yield
