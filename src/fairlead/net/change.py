"""From a host's state to the commands that make a bond of its NICs, and to those that take it back. Pure."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from fairlead.bonding.explain import HASHING
from fairlead.cluster.cluster_file import Interface
from fairlead.display import words
from fairlead.errors import ConfigError
from fairlead.net import dhcp
from fairlead.net.dhcp import DhcpClient
from fairlead.net.journal import JOURNAL
from fairlead.net.state import Address, HostNetwork, Nic

MOST_LINKS = 8  # of one aggregate: IEEE 802.3ad as Linux and most switches have it
NEEDS_SPEED = (
    "802.3ad",
    "balance-tlb",
    "balance-alb",
)  # Documentation/networking/bonding.rst, "Bonding Driver Options"
NO_PARTNER = "00:00:00:00:00:00"
_LIFETIME = "valid_lft $left preferred_lft $left"
_INTERFACE = TypeAdapter[str](Interface)


@dataclass(frozen=True)
class Wanted:
    """The bond to make. ``policy`` is used by balance-xor and 802.3ad.

    Raises:
        ConfigError: its name, or a NIC's, cannot be one of an interface.
    """

    name: str
    nics: tuple[str, ...]
    mode: str
    policy: str = "layer2"
    miimon_ms: int = 100
    lacp_rate: str = "slow"

    def __post_init__(self) -> None:
        for name in (self.name, *self.nics):
            try:
                _INTERFACE.validate_python(name)
            except ValidationError as error:
                raise ConfigError(f"{name!r} cannot name an interface: {error.errors()[0]['msg']}") from error


@dataclass(frozen=True)
class NetworkChange:
    """Command lines for a shell, in order. Each one of ``restore`` is tried, whatever became of the others.

    ``addresses`` are those the bond then has, ``leases`` the leased ones as the journal keeps them, and ``remarks`` say
    in words what is leased, who renews it, and who is held.
    """

    apply: tuple[str, ...]
    restore: tuple[str, ...]
    addresses: tuple[str, ...] = ()
    leases: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def plan_change(host: str, now: HostNetwork, wanted: Wanted) -> NetworkChange:
    """What to do on a host.

    Addresses and IPv4 routes of the NICs go over to the bond: leased ones for as long as the lease lasts, while what
    configures the NICs is held. A single lease is renewed on the bond if its client can do that.

    Raises:
        ConfigError: it cannot work; all reasons are named.
    """
    reasons = list(_reasons(now, wanted))
    if reasons:
        raise ConfigError(f"{host}: {'; '.join(reasons)}", hint="see `fairlead net show`")
    return _Plan(now, wanted).change()


def disagreements(now: HostNetwork, wanted: Wanted, addresses: Sequence[str] = ()) -> list[str]:
    """In what the host's bond is not as wanted, in words; ``addresses`` are those that it should have."""
    bond = now.bonds.get(wanted.name)
    if bond is None:
        return [f"there is no bond {wanted.name}"]
    pairs = [("mode", wanted.mode, bond.mode), ("miimon", wanted.miimon_ms, bond.miimon_ms)]
    if wanted.mode in HASHING:
        pairs.append(("xmit_hash_policy", wanted.policy, bond.policy))
    if wanted.mode == "802.3ad":
        pairs.append(("lacp_rate", wanted.lacp_rate, bond.lacp_rate))
    found = [f"{name} is {there}, not {asked}" for name, asked, there in pairs if asked != there]
    if set(bond.members) != set(wanted.nics):
        found.append(f"its members are {', '.join(bond.members) or 'none'}, not {', '.join(wanted.nics)}")
    there = {address.text for address in now.nics[wanted.name].addresses}
    found += [f"it does not have {text}" for text in addresses if text not in there]
    down = [name for name in bond.members if now.nics[name].kind.get("bonding_slave/mii_status") != "up"]
    if down:
        found.append(f"{', '.join(down)} {'has' if len(down) == 1 else 'have'} no link")
    if wanted.mode == "802.3ad" and bond.partner in (None, NO_PARTNER):
        found.append("no LACP partner answers: the switch's ports are not in an 802.3ad group")
    return found


def _reasons(now: HostNetwork, wanted: Wanted) -> Iterator[str]:
    if now.has_journal:
        yield "fairlead has already made a bond: `fairlead net restore` removes it"
    if not now.has_driver:
        yield "its kernel has no bonding driver"
    if wanted.name in now.nics:
        yield f"an interface {wanted.name} already exists"
    if not 1 <= len(set(wanted.nics)) == len(wanted.nics) <= MOST_LINKS:
        yield f"name 1 to {MOST_LINKS} NICs, each once"
    missing = [name for name in wanted.nics if name not in now.nics]
    if missing:
        yield f"there is no interface {', '.join(missing)}"
    nics = [now.nics[name] for name in wanted.nics if name in now.nics]
    yield from _of_nics(nics, wanted)
    for nic in nics:
        yield from _of_leases(nic, dhcp.serving(now.clients, nic.name))
    for client in _of_any(now.clients, nics):
        yield from dhcp.complaints(client, wanted.nics)


def _of_nics(nics: Sequence[Nic], wanted: Wanted) -> Iterator[str]:
    for nic in nics:
        if nic.name == "lo" or "bonding/mode" in nic.kind:
            yield f"{nic.name} is not a NIC"
        if nic.master:
            yield f"{nic.name} belongs to {nic.master}"
        if uppers := [name for name in nic.uppers if name != nic.master]:
            yield f"{nic.name} carries {', '.join(uppers)}, whose routes would be lost"
        if nic.speed_Mbps is None and wanted.mode in NEEDS_SPEED:
            yield f"{nic.name} reports no speed, which {wanted.mode} needs"
        if nic.duplex == "half":
            yield f"{nic.name} is half duplex"
        for route in (*nic.routes, *nic.routes6):
            if {"nexthop", "nhid"} & set(route.split()):
                yield f"{nic.name} has a route of next hops of its own, which could not be put back: {route}"
        for route, other in nic.contested:
            if other not in wanted.nics:
                yield f"{other} has a route like one of {nic.name}, of which one would be lost: {route}"
    speeds = {nic.speed_Mbps for nic in nics if nic.speed_Mbps is not None}
    if len(speeds) > 1:
        yield "its NICs differ in speed: " + ", ".join(f"{nic.name} {nic.speed_Mbps} Mbit/s" for nic in nics)
    if len({nic.mtu_B for nic in nics}) > 1:
        yield "its NICs differ in MTU: " + ", ".join(f"{nic.name} {nic.mtu_B} B" for nic in nics)


def _of_leases(nic: Nic, clients: Sequence[DhcpClient]) -> Iterator[str]:
    leased = [address for address in nic.addresses if address.dynamic]
    if leased and not clients:
        yield (
            f"{nic.name} gets its address by DHCP, from none of {words.listing(list(dhcp.KNOWN))}, and would lose it: "
            "give it a static one"
        )
    for address in leased:
        if address.valid_s is not None and address.valid_s < dhcp.LEAST_S:
            yield f"{nic.name}'s lease of {address.text} ends in {address.valid_s} s: try again once it is renewed"
    if nic.addresses and not leased and any(client.program == "udhcpc" for client in clients):
        yield f"{nic.name}: udhcpc did not tell the kernel when its lease ends (valid_lft): give it a static address"


def _of_any(clients: Sequence[DhcpClient], nics: Sequence[Nic]) -> list[DhcpClient]:
    """The clients that configure one of the NICs."""
    return [client for client in clients if any(client in dhcp.serving(clients, nic.name) for nic in nics)]


class _Plan:
    """The change of a host where nothing speaks against it."""

    def __init__(self, now: HostNetwork, wanted: Wanted) -> None:
        self._wanted = wanted
        self._now_s = now.uptime_s
        self._nics = [now.nics[name] for name in wanted.nics]
        self._clients = _of_any(now.clients, self._nics)
        self._leased = [(nic, each) for nic in self._nics for each in nic.addresses if each.valid_s is not None]
        self._renewing = self._who_renews()

    def change(self) -> NetworkChange:
        client = f" {self._renewing.program}" if self._renewing else ""
        return NetworkChange(
            tuple(self._apply()),
            tuple(self._restore()),
            tuple(address.text for nic in self._nics for address in nic.addresses),
            tuple(
                f"{self._wanted.name} {address.text} {self._now_s + (address.valid_s or 0)}{client}"
                for _, address in self._leased
            ),
            tuple(self._remarks()),
        )

    def _who_renews(self) -> DhcpClient | None:
        """The client of the only lease: the bond has one MAC address, so it cannot have those of several NICs."""
        if len(self._leased) != 1:
            return None
        (client, *others) = dhcp.serving(self._clients, self._leased[0][0].name)
        return client if client.program in dhcp.RENEWING and not others else None

    def _remarks(self) -> Iterator[str]:
        for nic, address in self._leased:
            what = (
                f"{self._renewing.program} renews it on {self._wanted.name}"
                if self._renewing
                else (f"nobody renews it meanwhile, so the bond goes {dhcp.ENDS_BEFORE_S} s before")
            )
            yield f"the lease of {address.text} ({nic.name}) ends in {words.span(address.valid_s or 0)}: {what}"
        for client in self._clients:
            yield dhcp.held(client)

    def _apply(self) -> Iterator[str]:
        wanted, nics = self._wanted, self._nics
        options = ["mode", wanted.mode, "miimon", str(wanted.miimon_ms)]
        if wanted.mode in HASHING:
            options += ["xmit_hash_policy", wanted.policy]
        if wanted.mode == "802.3ad":
            options += ["lacp_rate", wanted.lacp_rate]
        yield _ip("link", "add", wanted.name, "type", "bond", *options)
        yield _ip("link", "set", wanted.name, "mtu", str(nics[0].mtu_B))
        if self._leased:  # the server knows the host by it
            yield _ip("link", "set", wanted.name, "address", self._leased[0][0].mac)
        for client in self._clients:
            renewed = self._leased[0][0].name if client is self._renewing else None
            yield from dhcp.hold(client, wanted.name, wanted.nics, renewed)
        for nic in nics:
            yield _ip("address", "flush", "dev", nic.name, "scope", "global")
            yield _ip("link", "set", nic.name, "down")  # the driver takes no interface that is up
            yield _ip("link", "set", nic.name, "master", wanted.name)
        yield _ip("link", "set", wanted.name, "up")
        for nic in nics:
            yield from self._addressed(nic, wanted.name)
        if self._renewing:
            nic, address = self._leased[0]
            yield from dhcp.renew(self._renewing, wanted.name, nic.name, address.text)

    def _restore(self) -> Iterator[str]:
        """Also of a bond that is there in part only."""
        name = self._wanted.name
        if self._renewing:
            yield from dhcp.renew_no_more(self._renewing, name)
        there = shlex.quote(f"/sys/class/net/{name}")
        yield f"! [ -e {there} ] || {_ip('link', 'delete', name)}"  # which lets go of its NICs
        for nic in self._nics:
            state = "up" if nic.is_up else "down"
            yield _ip("link", "set", nic.name, "address", nic.mac, "mtu", str(nic.mtu_B), state)
            yield _ip("address", "flush", "dev", nic.name, "scope", "global")
            yield from self._addressed(nic, nic.name)
            for address, mac in nic.neighbours:
                yield _ip("neighbour", "replace", address, "lladdr", mac, "dev", nic.name, "nud", "permanent")
            for route in _gateways_last(nic.routes6):
                yield _soon(_ip("-6", "route", "replace", *route.split(), "dev", nic.name))
        for client in self._clients:
            yield from dhcp.let_go(client, self._wanted.nics)

    def _addressed(self, nic: Nic, device: str) -> Iterator[str]:
        """The NIC's addresses and routes, on ``device``: while its leases last."""
        for address in nic.addresses:
            broadcast = ["broadcast", address.broadcast] if address.broadcast else []
            line = _ip("address", "add", address.text, *broadcast, "dev", device)
            yield line if address.valid_s is None else self._leasing(address, device, f"{line} {_LIFETIME}")
        leased = [address for address in nic.addresses if address.valid_s is not None]
        for route in _gateways_last(nic.routes):
            line = _ip("route", "replace", *route.split(), "dev", device)
            yield self._while_valid(leased[0], line) if leased else line

    def _leasing(self, address: Address, device: str, line: str) -> str:
        """``line``, which adds the address; systemd-networkd, where it renews, may have been quicker."""
        if self._renewing and self._renewing.program == dhcp.NETWORKD and device == self._wanted.name:
            shown = _ip("-o", "address", "show", "dev", device, "to", address.text.partition("/")[0])
            line = f"{line} || {shown} | grep -q ."
        return self._while_valid(address, line)

    def _while_valid(self, address: Address, line: str) -> str:
        """``line``, with the seconds that the lease still has in ``$left``; nothing once it has ended."""
        end = f"sed -n 's|^{self._wanted.name} {address.text} \\([0-9]*\\).*|\\1|p' {JOURNAL}/leases"
        return f"left=$(($({end}) - $(cut -d. -f1 /proc/uptime))); [ $left -le 0 ] || {line}"


def _gateways_last(routes: Sequence[str]) -> list[str]:
    """What makes gateways reachable first."""
    return sorted(routes, key=lambda route: " via " in f" {route} ")


def _soon(line: str) -> str:
    """``line``, tried for some seconds: IPv6 addresses are checked first, or come from a router."""
    return f"n=0; until {line} 2>/dev/null; do n=$((n + 1)); [ $n -lt 5 ] || exec {line}; sleep 1; done"


def _ip(*words: str) -> str:
    """A line for a root's shell: names and addresses in it are what a host or a person says."""
    return shlex.join(["ip", *words])
