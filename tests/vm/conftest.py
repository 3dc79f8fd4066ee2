"""For the tests with virtual machines: two of them with soft RoCE, and places of their own for what runs."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from own_places import own_places

if TYPE_CHECKING:
    from virtual_machines import VirtualMachines

sys.path.insert(0, str(Path(__file__).parent))
NEEDED = ("qemu-system-x86_64", "busybox", "modprobe", "sshd", "ib_send_lat", "rdma")


@pytest.fixture(scope="session")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator["VirtualMachines"]:
    """Machines v1 and v2, each with an RDMA device rxe0 on its interface."""
    from virtual_machines import make_image, running

    if os.geteuid() != 0:
        pytest.skip("taps and a bridge are made as root here")
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    if missing := [name for name in NEEDED if shutil.which(name, path=path) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}; `make test-vm` installs it")
    with running(make_image(tmp_path_factory.mktemp("vm")), 2) as made:
        for number in (1, 2):
            made.run(number, "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0")
        yield made


@pytest.fixture(scope="module", autouse=True)
def _own_places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with own_places("vm", tmp_path_factory.mktemp("runtime")):
        yield
