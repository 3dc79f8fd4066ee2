"""``[cloud]`` of a cluster file: the cloud manager whose virtual machines the hosts are.

Nothing secret stands in it: what a cloud is reached with is in the cloud's usual places.
"""

from typing import Annotated, Literal

from pydantic import Field

from fairlead import config
from fairlead.lab.units import Rate, Time

Uri = Annotated[str, config.text_of(r"[a-z][a-z0-9+.-]*:\S*", "it must be a URI, such as qemu+ssh://server/system")]


class CloudServer(config.Model):
    """One ``[[cloud.servers]]``: a machine that virtual machines run on.

    Attributes:
        uri: how libvirt is reached there, as `virsh -c` takes it.
        receive: where the server receives machines (``tcp://10.0.0.1``); None: where its host name leads.
    """

    uri: Uri
    receive: Uri | None = None


class LibvirtTable(config.Model):
    """``[cloud]`` with ``driver = "libvirt"``.

    Attributes:
        uplink: rate of each server's link, which its machines share; None: unknown, and then nothing is migrated.
        copy_disks: whether disks are copied with a machine; else all servers see the same ones.
    """

    driver: Literal["libvirt"]
    servers: tuple[CloudServer, ...] = Field(min_length=2)
    uplink: Rate | None = None
    copy_disks: bool = False


class OpenstackTable(config.Model):
    """``[cloud]`` with ``driver = "openstack"``.

    Attributes:
        cloud: its name in ``clouds.yaml``; None: the one that ``OS_CLOUD`` names.
        region: where the cloud has several, and ``clouds.yaml`` does not say which.
        servers: compute hosts that machines may be on; none: all of the region.
        uplink: rate of each server's link, which its machines share; None: unknown, and then nothing is migrated.
        dirty_rate: how fast a machine writes to its memory, which Nova does not tell; None: unknown, and then no
            machine is migrated unless by hand.
        downtime: the longest pause of a machine; Nova does not tell it, its own default is this one.
    """

    driver: Literal["openstack"]
    cloud: str | None = Field(default=None, min_length=1)
    region: str | None = Field(default=None, min_length=1)
    servers: tuple[str, ...] = ()
    uplink: Rate | None = None
    dirty_rate: Rate | None = None
    downtime: Time = 0.5


CloudTable = Annotated[LibvirtTable | OpenstackTable, Field(discriminator="driver")]
