"""What a host's NICs and bonds are now, read in one go."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fairlead.errors import HostError
from fairlead.net.dhcp import ENDS_BEFORE_S, FIND, DhcpClient, read_clients
from fairlead.net.journal import JOURNAL

_FOR_EVER = 2**32 - 1  # seconds, as ip(8) prints it

READ = rf"""
PATH=$PATH:/usr/sbin:/sbin
echo "== driver"; [ -d /sys/module/bonding ] || modprobe -n bonding 2>/dev/null && echo yes
echo "== journal"; [ -e {JOURNAL}/restore ] && echo yes
echo "== leases"; cat {JOURNAL}/leases 2>/dev/null
echo "== uptime"; cut -d. -f1 /proc/uptime
echo "== clients"
{FIND}
echo "== addresses"; ip -json address show || exit 1
echo "== routes"; ip -4 route show table all || exit 1
echo "== routes6"; [ ! -e /proc/net/if_inet6 ] || ip -6 route show table all || exit 1
echo "== neighbours"; ip neighbour show nud permanent || exit 1
for path in /sys/class/net/*; do
  [ -e "$path/ifindex" ] || continue
  name=${{path##*/}}
  echo "== nic $name"
  for key in speed duplex bonding/mode bonding/xmit_hash_policy bonding/miimon bonding/lacp_rate bonding/slaves \
      bonding/ad_partner_mac bonding_slave/mii_status; do
    value=$(cat "$path/$key" 2>/dev/null) && echo "$key $value"
  done
  driver=$(readlink "$path/device/driver" 2>/dev/null) && echo "driver ${{driver##*/}}"
  echo "uppers $(cd "$path" && echo upper_*)"
done
exit 0
"""
"""Shell script that prints all of it, in sections."""


@dataclass(frozen=True)
class Address:
    """An address of an interface, with its prefix: "10.0.0.1/24".

    ``valid_s`` is None for one that stays for ever, as one of DHCP may, too; ``has_own_route`` means that the route to
    its network is not the kernel's.
    """

    text: str
    broadcast: str | None
    dynamic: bool
    valid_s: int | None = None
    has_own_route: bool = False


@dataclass(frozen=True)
class Nic:
    """An interface. ``speed_Mbps`` and ``duplex`` are None where the kernel does not know them, as without a link.

    ``routes`` and ``routes6`` (IPv6) are those of all tables that are lost when it is set down: not the ones that come
    with its addresses or from a router. ``uppers`` are the VLANs and other interfaces made of it, and its master;
    ``contested`` are those of the routes that another interface, named with each, has as well, with the same metric.
    ``neighbours`` are addresses with the MAC that somebody has set for each.
    """

    name: str
    mac: str
    mtu_B: int
    is_up: bool
    has_link: bool
    master: str | None
    addresses: tuple[Address, ...]
    routes: tuple[str, ...]
    speed_Mbps: int | None
    duplex: str | None
    driver: str | None
    kind: Mapping[str, str]
    routes6: tuple[str, ...] = ()
    uppers: tuple[str, ...] = ()
    contested: tuple[tuple[str, str], ...] = ()
    neighbours: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class BondState:
    """A bond as the driver has it. ``partner`` is the switch's address in 802.3ad, None in other modes."""

    name: str
    mode: str
    policy: str
    miimon_ms: int
    lacp_rate: str
    members: tuple[str, ...]
    partner: str | None


@dataclass(frozen=True)
class HostNetwork:
    """A host's interfaces by name, its bonds, whether it has a bonding driver and a journal of ours.

    ``clients`` are the DHCP clients that run in its network namespace, ``uptime_s`` when this was read, ``until_s`` the
    uptime at which a bond of ours goes because a lease ends, and ``renewed_by`` the client that puts this off.
    """

    nics: Mapping[str, Nic]
    bonds: Mapping[str, BondState]
    has_driver: bool
    has_journal: bool
    clients: tuple[DhcpClient, ...] = ()
    uptime_s: int = 0
    until_s: int | None = None
    renewed_by: str | None = None


def read(host: str, text: str) -> HostNetwork:
    """What `READ` printed.

    Raises:
        HostError: it is not understood.
    """
    parts = dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", text, re.MULTILINE))
    try:
        neighbours = [line.split() for line in parts["neighbours"].splitlines()]  # address, "dev", interface, ...
        lost = _Lost(_routes(parts["routes"]), _routes(parts["routes6"]), neighbours)
        facts = {
            name.removeprefix("nic "): dict(line.split(" ", 1) for line in body.splitlines() if " " in line)
            for name, body in parts.items()
            if name.startswith("nic ")
        }
        links = json.loads(parts["addresses"])
        leases = [line.split() for line in parts["leases"].splitlines()]  # bond, address, end, who renews it
        nics = {each["ifname"]: _nic(each, lost, facts.get(each["ifname"], {})) for each in links}
        bonds = {name: _bond(name, kind) for name, kind in facts.items() if "bonding/mode" in kind}
        return HostNetwork(
            nics,
            bonds,
            has_driver=bool(parts["driver"].strip()),
            has_journal=bool(parts["journal"].strip()),
            clients=read_clients(parts["clients"], frozenset(nics)),
            uptime_s=int(parts["uptime"]),
            until_s=min(int(lease[2]) for lease in leases) - ENDS_BEFORE_S if leases else None,
            renewed_by=next((lease[3] for lease in leases if len(lease) > 3), None),
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise HostError(f"{host}: cannot parse what ip(8) and /sys/class/net print: {error!r}") from error


def _routes(text: str) -> list[str]:
    """A line each, also those with several next hops."""
    return [line.strip() for line in re.sub(r"\n\s+nexthop ", " nexthop ", text).splitlines()]


@dataclass(frozen=True)
class _Lost:
    """What ip(8) prints, of all interfaces, of what one loses when it is set down."""

    routes: list[str]
    routes6: list[str]
    neighbours: list[list[str]]

    def of(self, name: str, has_own_route: bool) -> dict[str, tuple[Any, ...]]:
        """Attributes of a `Nic`."""
        own = [line for line in self.routes if _is_own(line, name, has_own_route)]
        own6 = [line for line in self.routes6 if _is_own(line, name) and not _comes(line)]
        contested = [(line, each) for line in own for each in _rivals(line, name, self.routes)]
        contested += [(line, each) for line in own6 for each in _rivals(line, name, self.routes6)]
        found = [words for words in self.neighbours if words[2] == name and "lladdr" in words]
        return {
            "routes": tuple(map(_without_state, own)),
            "routes6": tuple(map(_without_state, own6)),
            "contested": tuple(contested),
            "neighbours": tuple((words[0], words[words.index("lladdr") + 1]) for words in found),
        }


def _nic(link: Mapping[str, Any], lost: _Lost, kind: Mapping[str, str]) -> Nic:
    name = str(link["ifname"])
    speed = int(kind.get("speed", "-1"))
    addresses = tuple(
        _address(each)
        for each in link.get("addr_info", ())
        if each.get("scope") == "global" and not _is_advertised(each)
    )
    return Nic(
        name=name,
        mac=str(link.get("address", "")),
        mtu_B=int(link["mtu"]),
        is_up="UP" in link["flags"],
        has_link="LOWER_UP" in link["flags"],
        master=link.get("master"),
        addresses=addresses,
        speed_Mbps=speed if speed > 0 else None,
        duplex=kind["duplex"] if kind.get("duplex") in ("full", "half") else None,
        driver=kind.get("driver"),
        kind=kind,
        uppers=tuple(word.removeprefix("upper_") for word in kind.get("uppers", "").split() if word != "upper_*"),
        **lost.of(name, any(address.has_own_route for address in addresses)),
    )


def _address(found: Mapping[str, Any]) -> Address:
    valid_s = int(found.get("valid_life_time", _FOR_EVER))
    return Address(
        f"{found['local']}/{found['prefixlen']}",
        found.get("broadcast"),
        dynamic=bool(found.get("dynamic")),
        valid_s=None if valid_s == _FOR_EVER else valid_s,
        has_own_route=bool(found.get("noprefixroute")),
    )


def _is_advertised(address: Mapping[str, Any]) -> bool:
    """Whether a router advertises it: it comes by itself wherever the interface is used."""
    return address.get("family") == "inet6" and bool(address.get("dynamic"))


def _rivals(route: str, name: str, routes: list[str]) -> list[str]:
    """Other interfaces that have one to the same destination, which ``ip route replace`` could hit instead."""
    alike = [dict(pairwise(each.split())).get("dev", "") for each in routes if _place(each) == _place(route)]
    return [device for device in alike if device not in ("", name)]


def _place(route: str) -> tuple[str | None, ...]:
    """Of a line of ``ip route`` what the kernel replaces one by: the destination, and what chooses among several."""
    words = route.split()
    pairs = dict(pairwise(words))
    return words[0], *(pairs.get(key) for key in ("table", "metric", "tos"))


def _is_own(route: str, name: str, has_own_route: bool = False) -> bool:
    """Whether a line of ``ip route`` is of this interface, and not one that comes with its address."""
    is_made = has_own_route or "proto kernel" not in route
    return f" dev {name} " in f"{route} " and " table local " not in f"{route} " and is_made


def _comes(route: str) -> bool:
    """Whether an IPv6 route comes by itself wherever the interface is used."""
    return " proto ra " in f"{route} " or " expires " in route


def _without_state(route: str) -> str:
    """A line of ``ip route`` as it may be given to ``ip route add``, without its interface if it has only one."""
    words = [word for word in route.split() if word not in ("linkdown", "dead")]
    if "nexthop" in words:
        return " ".join(words)
    at = words.index("dev")
    return " ".join(words[:at] + words[at + 2 :])


def _bond(name: str, kind: Mapping[str, str]) -> BondState:
    mode = kind["bonding/mode"].split()[0]
    return BondState(
        name=name,
        mode=mode,
        policy=kind.get("bonding/xmit_hash_policy", "").partition(" ")[0],
        miimon_ms=int(kind.get("bonding/miimon", "0")),
        lacp_rate=kind.get("bonding/lacp_rate", "").partition(" ")[0],
        members=tuple(kind.get("bonding/slaves", "").split()),
        partner=kind.get("bonding/ad_partner_mac") if mode == "802.3ad" else None,
    )
