"""Puts a mover together for a run on a cluster."""

import time
from collections.abc import Sequence

from fairlead import cloud, runtime
from fairlead.agents.agent import EventCallback
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError
from fairlead.manage.migration.controller import MigrationController
from fairlead.manage.migration.mover import Mover
from fairlead.manage.migration.moving import MakeMover
from fairlead.manage.migration.probing import Probing
from fairlead.manage.migration.sharing import Sharing
from fairlead.manage.migration.site_lock import SiteLock


def maker(cluster: Cluster, usual_time_s: float | None, dry_run: bool = False) -> MakeMover:
    """What `Management.mover` is.

    Args:
        usual_time_s: how long the program takes where nothing is congested, if that is known.

    Raises:
        ConfigError: this cluster's hosts are no virtual machines that fairlead can move.
        CloudError: its cloud manager does not answer.
    """
    driver = cloud.of(cluster)
    machines = {vm.name for vm in driver.inventory().vms}
    if not machines & set(cluster.managed_names()):
        raise ConfigError(
            f"{cluster.source}: none of its hosts is a virtual machine of {driver.site}",
            hint="--migrate needs hosts with the names of their machines in the cloud",
        )
    lock = SiteLock(runtime.directory("sites"), driver.site)

    def make(names: Sequence[str], report: EventCallback, probing: Probing, sharing: Sharing) -> Mover:
        controller = MigrationController(names, time.monotonic(), usual_time_s)
        return Mover(controller, driver, lock, names, report, probing, sharing, dry_run=dry_run)

    return make
