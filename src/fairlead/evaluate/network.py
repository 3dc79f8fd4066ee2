"""Network configurations as a factor: how the hosts of a lab have their NICs at each level. Pure."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from fairlead.config import Model
from fairlead.lab import aggregate
from fairlead.lab.description import Description, NicsDescription
from fairlead.lab.topology import Plan


class NetworkTable(Model):
    """``[network]``: what every level of ``factor`` makes of the lab's ``host_link``, or its servers' uplinks.

    A level says ``nics`` and ``bond`` as a lab's description does; an empty one is a single NIC.
    """

    factor: str
    levels: dict[str, NicsDescription] = Field(min_length=1)


def configured(description: Description, level: NicsDescription) -> Description:
    """The lab with its NICs as the level says, and with hosts that count what they send."""
    changed = {"nics": level.nics, "bond": level.bond}
    lab = description.lab.model_copy(update={"count_flows": True})
    if description.servers is None:
        links = {"host_link": description.host_link.model_copy(update=changed)}
        return description.model_copy(update={"lab": lab, **links})
    uplink = description.servers.uplink.model_copy(update=changed)
    return description.model_copy(
        update={"lab": lab, "servers": description.servers.model_copy(update={"uplink": uplink})}
    )


def facts(plan: Plan) -> dict[str, Any]:
    """What is kept with every row that runs on a lab: how its hosts or servers are linked, and which way that is."""
    nodes = {server.name for server in plan.servers} or {host.name for host in plan.hosts if host.role == "compute"}
    link = next(link for link in plan.links if link.a in nodes)
    found: dict[str, Any] = {"nics": link.nics, "rate_bps": link.rate_bps}
    if link.bond is None:
        return found
    return {**found, "way": aggregate.WAY, **link.bond.__dict__}
