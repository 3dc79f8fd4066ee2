"""From the wheel to a report of moved traffic, on hosts that the user reaches by ssh; see `walk`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
import walk
from ssh_hosts import SshHosts, ssh_hosts

if TYPE_CHECKING:
    from bare_tree import Tree

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]


@pytest.fixture
def site(tree: "Tree") -> Iterator[SshHosts]:
    with ssh_hosts(tree, walk.ROOTS_FAIRLEAD, "site", walk.LAB, walk.ADDRESSES) as hosts:
        yield hosts


def test_from_the_wheel_to_a_report_of_moved_traffic(site: SshHosts) -> None:
    walk.install(site)
    cluster = site.write_cluster("site.toml", f"{walk.BIN}/mpirun")
    walk.look(site, "fairlead", "doctor", cluster, "--json")
    with walk.beside_others(site):
        said = walk.step(site, "fairlead", "run", cluster, "--results", walk.RESULTS, "--", *walk.PROGRAM)
    walk.assert_traffic_moved(said)
    walk.assert_reported(site)
