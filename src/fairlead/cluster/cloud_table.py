"""``[cloud]`` of a cluster file: the cloud manager whose virtual machines the hosts are.

Nothing secret stands in it: what a cloud is reached with is in the cloud's usual places.
"""

from typing import Annotated, Literal

from pydantic import Field

from fairlead import config
from fairlead.lab.units import Rate, Time

Uri = Annotated[str, config.text_of(r"[a-z][a-z0-9+.-]*:\S*", "it must be a URI, such as qemu+ssh://server/system")]


class CloudServer(config.Model):
    """One server that virtual machines run on."""

    uri: Uri
    """URI of the server's libvirt, as ``virsh -c`` takes it."""
    receive: Uri | None = None
    """Where the server receives machines, for example ``tcp://10.0.0.1``. Default: the address of its host name."""


class LibvirtTable(config.Model):
    """The hosts are virtual machines of libvirt, named as in the cluster file."""

    driver: Literal["libvirt"]
    """Cloud manager."""
    servers: tuple[CloudServer, ...] = Field(min_length=2)
    """Servers that may host the machines; they share one network."""
    uplink: Rate | None = None
    """Rate of each server's uplink, which its machines share. Without it nothing is migrated."""
    copy_disks: bool = False
    """Disks are copied with a machine. If false, all servers see the same disks."""


class OpenstackTable(config.Model):
    """The hosts are virtual machines of OpenStack, named as in the cluster file."""

    driver: Literal["openstack"]
    """Cloud manager."""
    cloud: str | None = Field(default=None, min_length=1)
    """Name of the cloud in ``clouds.yaml``. Default: the one that ``OS_CLOUD`` names."""
    region: str | None = Field(default=None, min_length=1)
    """Region, where the cloud has several and ``clouds.yaml`` names none."""
    servers: tuple[str, ...] = ()
    """Compute hosts that may run the machines. Default: all of the region."""
    uplink: Rate | None = None
    """Rate of each server's uplink, which its machines share. Without it nothing is migrated."""
    dirty_rate: Rate | None = None
    """Rate at which a machine writes to its memory. Without it only manual migrations are made."""
    downtime: Time = 0.5
    """Longest pause of a machine; the default is Nova's own (live_migration_downtime)."""


CloudTable = Annotated[LibvirtTable | OpenstackTable, Field(discriminator="driver")]
