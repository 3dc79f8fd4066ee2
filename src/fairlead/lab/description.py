"""The description of a lab, as a person writes it (TOML). `fairlead.lab.topology` makes a network of it."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from fairlead import config
from fairlead.bonding.explain import HASHING, MODES, parse_mode
from fairlead.bonding.hashing import LAYER2
from fairlead.errors import ConfigError
from fairlead.lab.congestion.description import CongestionDescription
from fairlead.lab.units import Queue, Rate, Size, Time, queue_bytes

MTU_B = 1500
NOT_EMULATED = ("balance-tlb", "balance-alb")
ONE_LINK_BACK = ("active-backup", "broadcast")
FRAME_B = MTU_B + 14  # what a shaper must be able to pass at once


def _check_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", value):
        raise ValueError("a name has 1 to 32 letters, digits, - and _, and starts with a letter or digit")
    return value


Name = Annotated[str, AfterValidator(_check_name)]


Policy = Literal["layer2", "layer2+3", "layer3+4", "encap2+3", "encap3+4", "vlan+srcmac"]


def _check_mode(value: object) -> str:
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
    """``bond = { mode = ..., hash = ..., switch = ... }``: how several NICs are used together; in labs, emulated.

    ``hash`` is for balance-xor and 802.3ad. ``switch`` is how the other end chooses the NIC of what it sends: by
    default the same hash, with balance-rr in turn. A NIC that was taken down is used for another ``miimon``.
    """

    mode: Annotated[str, BeforeValidator(_check_mode)]
    hash: Policy | None = None
    switch: Policy | Literal["round-robin"] | None = None
    miimon: Time = 0.1

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.hash is not None and self.mode not in HASHING:
            raise ValueError(f"hash: {self.mode} has no transmit hash policy")
        if self.switch is not None and self.mode in ONE_LINK_BACK:
            raise ValueError(f"switch: with {self.mode} the switch knows of no group; leave it away")
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
    bond: BondDescription | None = None

    @model_validator(mode="after")
    def _bonded(self) -> Self:
        if self.nics > 1 and self.bond is None:
            raise ValueError(f'nics: {self.nics} NICs need a bond, for example bond = {{ mode = "802.3ad" }}')
        return self


class LinkDescription(NicsDescription):
    """One kind of link. Each direction has a token bucket of its own.

    A burst of many packets hides messages of that size from the shaper; one of fewer than two packets loses rate.
    With a ``bond`` it is ``nics`` such links.
    """

    rate: Rate
    queue: Queue = "20ms"
    burst: Size = 16 * 1024

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
    """``[servers.vm]``: what a virtual machine needs of its server, and what moving it costs.

    ``dirty_rate`` is how fast it writes to memory that was copied already, ``downtime`` how long it may be paused for
    the last of it.
    """

    cpus: int = Field(default=1, ge=1)
    memory: Size = 32 * 2**20
    disk: Size = 2**30
    dirty_rate: Rate = 20_000_000
    downtime: Time = 0.3


class ServersTable(config.Model):
    """``[servers]``: hosts are virtual machines on servers, which share their server's uplink to the switch.

    Servers of a leaf are filled one after another with ``vms_per_server`` hosts each, so that the last may stay empty;
    ``others_per_server`` are virtual machines of others, on every one. Relays and neighbours have links of their own.
    """

    per_leaf: int = Field(ge=2, le=50)
    vms_per_server: int = Field(default=1, ge=1, le=64)
    others_per_server: int = Field(default=0, ge=0, le=16)
    cpus: int = Field(default=8, ge=1)
    memory: Size = 2**29
    disk: Size = 16 * 2**30
    uplink: LinkDescription
    vm: VmDescription = VmDescription()

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
    """``[lab]``: what there is. Counts of hosts are per leaf; a star has one leaf, its switch.

    ``count_flows``: hosts count the bytes that they send by each TCP connection (`lab show --flows`). ``scale`` is what
    all rates are times, those of links and of congestion (`fairlead.lab.resolve`). With it ranks that wait sleep
    (`fairlead.lab.idle`): the network limits programs then, and not this machine's processors.
    """

    name: Name
    topology: Literal["star", "mesh", "leaf-spine"]
    leafs: int = Field(default=1, ge=1, le=64)
    spines: int = Field(default=0, ge=0, le=32)
    hosts_per_leaf: int = Field(ge=1, le=120)
    relays_per_leaf: int = Field(default=0, ge=0, le=32)
    neighbours_per_leaf: int = Field(default=0, ge=0, le=60)
    slots: int = Field(default=1, ge=1, le=1024)
    congestion_control: Annotated[
        str, config.text_of(r"[a-z0-9_]{1,15}", "it must be the name of a congestion control, such as cubic")
    ] = "cubic"
    share: tuple[Path, ...] = ()
    count_flows: bool = False
    scale: Scale | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.topology == "star" and self.leafs != 1:
            raise ValueError("leafs: a star has one switch; leave leafs away")
        if self.topology != "star" and self.leafs < 2:
            raise ValueError(f"leafs: a {self.topology} needs at least 2")
        if (self.topology == "leaf-spine") != (self.spines > 0):
            raise ValueError("spines: a leaf-spine needs at least 1; other topologies have none")
        if self.hosts_per_leaf + self.relays_per_leaf + self.neighbours_per_leaf > 200:
            raise ValueError("more than 200 hosts on one leaf")
        return self


class Description(config.Model):
    """A whole file. ``[host_link]`` joins a host to its switch or server, ``[trunk]`` joins two switches.

    Every ``[[congestion]]`` starts with the lab.
    """

    lab: LabTable
    host_link: LinkDescription
    trunk: LinkDescription | None = None
    servers: ServersTable | None = None
    congestion: tuple[CongestionDescription, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.trunk is None) != (self.lab.topology == "star"):
            raise ValueError("trunk: every topology but a star needs a [trunk] table, a star has no trunk")
        if self.trunk is not None and self.trunk.bond is not None:
            raise ValueError("trunk: bond: links between switches are not aggregated; [host_link] and uplinks may be")
        if self.servers is not None:
            if self.host_link.bond is not None:
                raise ValueError("host_link: bond: hosts are virtual machines here; bond [servers.uplink]")
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
