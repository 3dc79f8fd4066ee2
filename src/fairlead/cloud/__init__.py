"""Cloud managers behind one small interface: who is where, who has room, move a virtual machine.

`fairlead.cloud.driver` is the interface, one module each makes it for a cloud; `of` finds a cluster's.
"""

from fairlead.cloud.driver import DRIVERS, CloudWork, Created, Creation, Driver, Migration, Moved, Progress
from fairlead.cloud.inventory import Inventory, Load, Server, Vm
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError

__all__ = [
    "CloudWork",
    "Created",
    "Creation",
    "Driver",
    "Inventory",
    "Load",
    "Migration",
    "Moved",
    "Progress",
    "Server",
    "Vm",
    "of",
]


def of(cluster: Cluster) -> Driver:
    """The driver of the cloud that a cluster's hosts are virtual machines of.

    Raises:
        MissingToolError: the cloud's Python library is not installed.
        ConfigError: its hosts are no virtual machines that fairlead can move.
    """
    if cluster.cloud is not None:
        return DRIVERS.get(cluster.cloud.driver)(cluster)
    if cluster.executor == "lab" and cluster.lab:
        return DRIVERS.get("lab")(cluster)
    raise ConfigError(
        f"{cluster.source}: it does not name the cloud of its hosts",
        hint="add a [cloud] table; labs with servers need none",
    )
