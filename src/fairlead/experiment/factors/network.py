"""Network configurations as a factor: how hosts have their NICs at each level, in labs and really. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, Literal

from pydantic import Field

from fairlead.cluster.cluster_file import Interface
from fairlead.cluster.description import Cluster
from fairlead.config import Model
from fairlead.lab import aggregate
from fairlead.lab.description import BondDescription, Description, NicsDescription, not_emulated
from fairlead.lab.topology import ResolvedLab
from fairlead.net.change import Wanted
from fairlead.net.state import HostNetwork

KERNEL_DRIVER = "kernel"
"""The way of bonds that the running kernel's driver makes."""


class NetworkTable(Model):
    """NICs and bonds of the hosts by level of a factor, which is one of ``[whole_plot]``.

    In a lab a level changes ``[host_link]``, or the servers' uplinks. On real hosts a level with a bond makes it of the
    first ``nics`` of ``interfaces``, and one without leaves the hosts unchanged.
    """

    factor: str
    """Name of the factor."""
    levels: dict[str, NicsDescription] = Field(min_length=1)
    """NICs and bond by level of ``factor``; an empty table is a single NIC."""
    interfaces: tuple[Interface, ...] = ()
    """NICs that bonds are made of, with the same names on every host. Required on real hosts, absent in labs."""
    name: Interface = "fairlead0"
    """Name of the bond on real hosts."""
    lacp_rate: Literal["slow", "fast"] = "slow"
    """LACP rate on real hosts, for 802.3ad."""
    within_s: int = Field(default=60, ge=10, le=3600)
    """Seconds after which a real host that stays unreachable restores its NICs by itself."""

    def complaints(self, *, in_lab: bool) -> Iterator[str]:
        """What does not fit the place; each begins with the key at fault."""
        if in_lab and self.interfaces:
            yield "network.interfaces: a lab's NICs have names of their own; omit it"
        if not in_lab and not self.interfaces:
            yield "network.interfaces: list the hosts' NICs to build bonds from"
        for level, nics in self.levels.items():
            where, reason = f"network.levels.{level}", not_emulated(nics.bond)
            if in_lab and reason:
                yield f"{where}: {reason}"
            if not in_lab and nics.bond and nics.bond.switch:
                yield f"{where}.bond.switch: a real switch is configured there"
            if not in_lab and self.interfaces and nics.nics > len(self.interfaces):
                yield f"{where}.nics: there are only {len(self.interfaces)} interfaces"

    def wanted(self, level: NicsDescription) -> Wanted | None:
        """The bond of real hosts; None: they are left as they are."""
        bond = level.bond
        if bond is None:
            return None
        nics = self.interfaces[: level.nics]
        return Wanted(self.name, nics, bond.mode, bond.policy, round(bond.miimon * 1000), self.lacp_rate)


def over(cluster: Cluster, wanted: Wanted) -> Cluster:
    """The cluster once its hosts have the bond: what was on one of its NICs is on the bond."""
    hosts = [replace(each, interface=wanted.name) if each.interface in wanted.nics else each for each in cluster.hosts]
    return replace(cluster, hosts=tuple(hosts))


def kernel_facts(wanted: Wanted | None, found: Mapping[str, HostNetwork]) -> dict[str, Any]:
    """What is kept with every row on real hosts: what was asked for, and the bonds that were read back."""
    if wanted is None:
        return {"nics": 1}
    asked = {"nics": len(wanted.nics), "way": KERNEL_DRIVER, "mode": wanted.mode, "hash": wanted.policy}
    return {**asked, "bonds": {host: asdict(now.bonds[wanted.name]) for host, now in found.items()}}


def configured(description: Description, level: NicsDescription) -> Description:
    """The lab with its NICs as the level says, and with hosts that count what they send.

    A single NIC is made as a bond of one: what an emulated bond has unlike a plain link is then alike at all levels.
    """
    changed = {"nics": level.nics, "bond": level.bond or BondDescription(mode="active-backup")}
    lab = description.lab.model_copy(update={"count_flows": True})
    if description.servers is None:
        links = {"host_link": description.host_link.model_copy(update=changed)}
        return description.model_copy(update={"lab": lab, **links})
    uplink = description.servers.uplink.model_copy(update=changed)
    return description.model_copy(
        update={"lab": lab, "servers": description.servers.model_copy(update={"uplink": uplink})}
    )


def facts(plan: ResolvedLab) -> dict[str, Any]:
    """What is kept with every row that runs on a lab: how its hosts or servers are linked, and which way that is."""
    nodes = {server.name for server in plan.servers} or {host.name for host in plan.hosts if host.role == "compute"}
    link = next(link for link in plan.links if link.a in nodes)
    found: dict[str, Any] = {"nics": link.nics, "rate_bps": link.rate_bps}
    if link.bond is None:
        return found
    return {**found, "way": aggregate.WAY, **link.bond.__dict__}
