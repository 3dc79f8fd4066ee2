"""From the wheel to a report of moved traffic, in a batch job of Slurm's; see `walk`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
import walk
from slurm_hosts import slurm_hosts
from ssh_hosts import SshHosts

if TYPE_CHECKING:
    from bare_tree import Tree

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]

JOB = f"""\
#!/bin/sh
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --output=job.out
exec fairlead run slurm --results {walk.RESULTS} -- {" ".join(walk.PROGRAM)}
"""


@pytest.fixture
def site(slurm_tree: "Tree") -> Iterator[SshHosts]:
    with slurm_hosts(slurm_tree, walk.ROOTS_FAIRLEAD, "site", walk.LAB, walk.ADDRESSES) as hosts:
        yield hosts


def test_from_the_wheel_to_a_report_of_moved_traffic(site: SshHosts) -> None:
    walk.install(site)
    walk.look(site, "salloc", "--quiet", "--nodes=4", "fairlead", "doctor", "slurm", "--json")
    (site.tree.home / "job.sh").write_text(JOB)
    with walk.beside_others(site):
        submitted = site.as_user("sbatch", "--wait", "job.sh", path=f"{walk.BIN}:/usr/bin:/bin")
    said = (site.tree.home / "job.out").read_text()
    assert submitted.returncode == 0, submitted.stderr + said
    walk.assert_traffic_moved(said)
    walk.assert_reported(site)
