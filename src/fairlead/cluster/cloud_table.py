"""``[cloud]`` of a cluster file: the cloud manager whose virtual machines the hosts are."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from fairlead import config
from fairlead.lab.units import Rate

Uri = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9+.-]*:\S*$")]


class CloudServer(config.Model):
    """One ``[[cloud.servers]]``: a machine that virtual machines run on.

    Attributes:
        uri: how libvirt is reached there, as `virsh -c` takes it.
        receive: where the server receives machines (``tcp://10.0.0.1``); None: where its host name leads.
    """

    uri: Uri
    receive: Uri | None = None


class CloudTable(config.Model):
    """``[cloud]``.

    Attributes:
        uplink: rate of each server's link, which its machines share; None: unknown, and then nothing is migrated.
        copy_disks: whether disks are copied with a machine; else all servers see the same ones.
    """

    driver: Literal["libvirt"]
    servers: tuple[CloudServer, ...] = Field(min_length=2)
    uplink: Rate | None = None
    copy_disks: bool = False
