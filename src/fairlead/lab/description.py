"""The description of a lab, as a person writes it (TOML). `fairlead.lab.topology` makes a network of it."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from fairlead import config
from fairlead.bonding.explain import HASHING, MODES, parse_mode
from fairlead.bonding.hashing import LAYER2
from fairlead.errors import ConfigError
from fairlead.ip import Family
from fairlead.lab.congestion.description import CongestionDescription
from fairlead.lab.units import Queue, Rate, Size, Time, queue_bytes

MTU_B = 1500
NOT_EMULATED = ("balance-tlb", "balance-alb")
ONE_LINK_BACK = ("active-backup", "broadcast")
FRAME_B = MTU_B + 14  # what a shaper must be able to pass at once


def _check_name(value: str) -> str:
    """1 to 32 letters, digits, - and _, beginning with a letter or digit."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", value):
        raise ValueError("a name has 1 to 32 letters, digits, - and _, and starts with a letter or digit")
    return value


Name = Annotated[str, AfterValidator(_check_name)]


Policy = Literal["layer2", "layer2+3", "layer3+4", "encap2+3", "encap3+4", "vlan+srcmac"]


def _check_mode(value: object) -> str:
    """A mode of Linux bonding, by name or number."""
    try:
        return parse_mode(str(value))
    except ConfigError as error:
        raise ValueError(f"{error.args[0]}; {error.hint}") from error


def not_emulated(bond: "BondDescription | None") -> str | None:
    """Why a lab cannot have such a bond, in words; None: it can."""
    if bond is None or bond.mode not in NOT_EMULATED:
        return None
    there = ", ".join(name for name in MODES if name not in NOT_EMULATED)
    return f"{bond.mode} cannot be emulated: it follows the load of each NIC as the driver sees it; use {there}"


class BondDescription(config.Model):
    """How several NICs are used together, as a bond of Linux. Labs emulate bonds."""

    mode: Annotated[str, BeforeValidator(_check_mode)]
    """Mode of the bond. Labs cannot emulate balance-tlb and balance-alb."""
    hash: Policy | None = None
    """Transmit hash policy; only with balance-xor and 802.3ad. Default there: layer2."""
    switch: Policy | Literal["round-robin"] | None = None
    """How the switch chooses the NIC for traffic to the host. Default: by ``hash``; with balance-rr, in turn."""
    miimon: Time = 0.1
    """Time for which a NIC that went down is still used."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.hash is not None and self.mode not in HASHING:
            raise ValueError(f"hash: {self.mode} has no transmit hash policy")
        if self.switch is not None and self.mode in ONE_LINK_BACK:
            raise ValueError(f"switch: with {self.mode} the switch does not know the group; omit it")
        return self

    @property
    def policy(self) -> str:
        """The transmit hash policy; empty where the mode has none."""
        return (self.hash or LAYER2) if self.mode in HASHING else ""

    @property
    def way_back(self) -> str:
        """How the switch chooses the NIC; empty: the first that works."""
        if self.mode in ONE_LINK_BACK:
            return ""
        return self.switch or self.policy or "round-robin"


class NicsDescription(config.Model):
    """How many NICs an end of a link has, and how they are used together."""

    nics: int = Field(default=1, ge=1, le=8)
    """Number of NICs; more than one need a ``bond``."""
    bond: BondDescription | None = None
    """How the NICs are used together."""

    @model_validator(mode="after")
    def _bonded(self) -> Self:
        if self.nics > 1 and self.bond is None:
            raise ValueError(f'nics: {self.nics} NICs need a bond, for example bond = {{ mode = "802.3ad" }}')
        return self


class LinkDescription(NicsDescription):
    """One kind of link. Each direction has a token bucket of its own."""

    rate: Rate
    """Rate in each direction, of each NIC."""
    queue: Queue = "20ms"
    """Length of the queue before the link, as a size or as the time in which it drains; at least two packets."""
    burst: Size = 16 * 1024
    """Bytes that pass unshaped after a pause; at least one packet (1514 B). Below two packets the link loses rate."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        complaint = not_emulated(self.bond)
        if complaint:
            raise ValueError(f"bond: {complaint}")
        if self.burst < FRAME_B:
            raise ValueError(f"burst: {self.burst} B is less than one packet ({FRAME_B} B)")
        if queue_bytes(self.queue, self.rate) < 2 * FRAME_B:
            raise ValueError(f"queue: {self.queue!r} holds less than two packets at this rate")
        return self


class VmDescription(config.Model):
    """What a virtual machine needs of its server, and what migrating it costs."""

    cpus: int = Field(default=1, ge=1)
    """Processors."""
    memory: Size = 32 * 2**20
    """Memory."""
    disk: Size = 2**30
    """Disk."""
    dirty_rate: Rate = 20_000_000
    """Rate at which the machine writes to memory that is already copied."""
    downtime: Time = 0.3
    """Longest pause of the machine at the end of a migration."""


class ServersTable(config.Model):
    """Hosts are virtual machines on servers and share their server's uplink to the switch.

    The servers of a leaf are filled one after another, so the last ones may stay empty. Relays and neighbours have
    links of their own.
    """

    per_leaf: int = Field(ge=2, le=50)
    """Servers on each leaf."""
    vms_per_server: int = Field(default=1, ge=1, le=64)
    """Hosts on each server."""
    others_per_server: int = Field(default=0, ge=0, le=16)
    """Virtual machines of other users on each server."""
    cpus: int = Field(default=8, ge=1)
    """Processors of a server."""
    memory: Size = 2**29
    """Memory of a server."""
    disk: Size = 16 * 2**30
    """Disk of a server."""
    uplink: LinkDescription
    """Link from a server to its switch."""
    vm: VmDescription = VmDescription()
    """Each virtual machine."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        count = self.vms_per_server + self.others_per_server
        for key, unit in (("cpus", ""), ("memory", " B"), ("disk", " B")):
            needed, there = count * getattr(self.vm, key), getattr(self, key)
            if needed > there:
                raise ValueError(f"{key}: {count} virtual machines need {needed}{unit}, a server has {there}{unit}")
        return self


Scale = Annotated[float, Field(ge=0.001, le=10)]


class LabTable(config.Model):
    """Switches and hosts. A leaf has at most 200 hosts, relays, neighbours and other virtual machines together."""

    name: Name
    """Name of the lab."""
    topology: Literal["star", "mesh", "leaf-spine"]
    """``star``: one switch. ``mesh``: leafs joined pairwise. ``leaf-spine``: every leaf joined to every spine."""
    leafs: int = Field(default=1, ge=1, le=64)
    """Leaf switches; at least 2, except in a star, which has one."""
    spines: int = Field(default=0, ge=0, le=32)
    """Spine switches; at least 1 in a leaf-spine, else none."""
    ecmp: bool = False
    """How a leaf-spine uses its spines. False: each pair of leafs has a fixed one. True: leafs choose one for each
    connection of compute hosts and relays by a hash of addresses, protocol and ports; neighbours, from which congestion
    comes, keep the fixed one."""
    hosts_per_leaf: int = Field(ge=1, le=120)
    """Compute hosts on each leaf."""
    relays_per_leaf: int = Field(default=0, ge=0, le=32)
    """Hosts on each leaf that run no ranks but may relay traffic."""
    neighbours_per_leaf: int = Field(default=0, ge=0, le=60)
    """Hosts on each leaf outside of jobs; congestion comes from them."""
    family: Family = 4
    """Version of IP of all addresses: 4 or 6."""
    slots: int = Field(default=1, ge=1, le=1024)
    """Ranks that fill a compute host."""
    congestion_control: Annotated[
        str, config.text_of(r"[a-z0-9_]{1,15}", "it must be the name of a congestion control, such as cubic")
    ] = "cubic"
    """TCP congestion control of the hosts."""
    share: tuple[Path, ...] = ()
    """Directories below /tmp shared with the hosts, which have their own /tmp."""
    count_flows: bool = False
    """Hosts count the bytes that they send over each TCP connection (``fairlead lab show --flows``)."""
    scale: Scale | None = None
    """Factor for all rates of links and congestion. With it, ranks sleep while they wait. Default: rates unchanged."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.topology == "star" and self.leafs != 1:
            raise ValueError("leafs: a star has one switch; omit leafs")
        if self.topology != "star" and self.leafs < 2:
            raise ValueError(f"leafs: a {self.topology} needs at least 2")
        if (self.topology == "leaf-spine") != (self.spines > 0):
            raise ValueError("spines: a leaf-spine needs at least 1; other topologies have none")
        if self.ecmp and self.spines < 2:
            raise ValueError("ecmp: a choice needs at least 2 spines")
        if self.hosts_per_leaf + self.relays_per_leaf + self.neighbours_per_leaf > 200:
            raise ValueError("more than 200 hosts on one leaf")
        return self


class Description(config.Model):
    """A whole description: the topology, the links, and congestion that starts with the lab."""

    lab: LabTable
    """Switches and hosts."""
    host_link: LinkDescription
    """Link from a host to its switch or server. With ``[servers]`` it has no bond."""
    trunk: LinkDescription | None = None
    """Link between two switches, without a bond. Required unless the topology is a star, which has none."""
    servers: ServersTable | None = None
    """Servers, for a lab whose hosts are virtual machines."""
    congestion: tuple[CongestionDescription, ...] = ()
    """Congestion that starts with the lab."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.trunk is None) != (self.lab.topology == "star"):
            raise ValueError("trunk: every topology but a star needs a [trunk] table, a star has no trunk")
        if self.trunk is not None and self.trunk.bond is not None:
            raise ValueError("trunk: bond: links between switches are not aggregated; [host_link] and uplinks may be")
        if self.servers is not None:
            if self.host_link.bond is not None:
                raise ValueError("host_link: bond: hosts are virtual machines here; put the bond in [servers.uplink]")
            self._check_servers(self.servers)
        return self

    def _check_servers(self, servers: ServersTable) -> None:
        lab = self.lab
        if lab.hosts_per_leaf > servers.per_leaf * servers.vms_per_server:
            raise ValueError(
                f"servers: {servers.per_leaf} servers with {servers.vms_per_server} virtual machines each have no place"
                f" for lab.hosts_per_leaf = {lab.hosts_per_leaf}"
            )
        others = servers.per_leaf * servers.others_per_server
        if lab.hosts_per_leaf + lab.relays_per_leaf + lab.neighbours_per_leaf + others > 200:
            raise ValueError("servers: more than 200 hosts on one leaf")


def load(path: Path) -> Description:
    """Read a lab's description.

    Raises:
        ConfigError: see `fairlead.config.load`.
    """
    return config.load(path, Description)
