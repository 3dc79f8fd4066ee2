"""Transmit hash policies of the Linux bonding driver: the link that a flow takes. Pure.

After Documentation/networking/bonding.rst (xmit_hash_policy), as little-endian machines compute it. Links are numbered
from 0 in the order in which they were enslaved. The driver changed twice what it does with the lowest bit of the hash,
which even ports of connecting sockets made useless: from 4.15 on it is dropped, from 5.18 on by layer3+4 policies only
(stable branches took either change later or earlier).
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

ETHERNET_IPV4, ETHERNET_IPV6 = 0x0800, 0x86DD
LAYER2, LAYER23, LAYER34 = "layer2", "layer2+3", "layer3+4"
ENCAP23, ENCAP34, VLAN_SRCMAC = "encap2+3", "encap3+4", "vlan+srcmac"
POLICIES = (LAYER2, LAYER23, LAYER34, ENCAP23, ENCAP34, VLAN_SRCMAC)

DROPS_LOWEST_BIT = (4, 15)
KEEPS_IT_BELOW_LAYER4 = (5, 18)
_SAME_FOR_ALL = (1, 2, 4, 8)  # numbers of links that the byte order of IPv4's packet type does not matter for


@dataclass(frozen=True)
class FlowEnd:
    """One end of a flow; ``mac`` as six bytes, where it is known."""

    address: IPv4Address | IPv6Address
    port: int | None = None
    mac: bytes | None = None

    def __str__(self) -> str:
        """As `fairlead.bonding.parse` reads it."""
        mac = f"{self.mac.hex(':')}@" if self.mac else ""
        if self.port is None:
            return f"{mac}{self.address}"
        address = f"[{self.address}]" if self.address.version == 6 else f"{self.address}"
        return f"{mac}{address}:{self.port}"


@dataclass(frozen=True)
class Flow:
    """What a host sends: unfragmented, both ends IPv4 or both IPv6. ``source`` is the sending end."""

    source: FlowEnd
    destination: FlowEnd
    protocol: str = "tcp"
    vlan: int | None = None


@dataclass(frozen=True)
class LinkChoice:
    """The link that a flow takes; None: it cannot be told, and ``reason`` says why."""

    link: int | None
    reason: str = ""


def link_of(flow: Flow, policy: str, links: int, kernel: tuple[int, int]) -> LinkChoice:
    """The link of a flow under balance-xor or 802.3ad.

    Args:
        policy: one of `POLICIES`.
        links: number of links that work, at least 1.
        kernel: version of the sending host's kernel, as (6, 1).
    """
    if links == 1:
        return LinkChoice(0)
    if policy == ENCAP34:
        return LinkChoice(None, "encap3+4 takes the socket's own hash where there is one, which is drawn at random")
    if policy == VLAN_SRCMAC:
        return _by_source_mac(flow, links)
    needs_macs = policy in (LAYER2, LAYER23, ENCAP23)
    if needs_macs and (flow.source.mac is None or flow.destination.mac is None):
        return LinkChoice(None, f"{policy} needs both MAC addresses")
    is_same = links in _SAME_FOR_ALL and flow.source.address.version == 4
    if needs_macs and not is_same and kernel < (6, 1):
        return LinkChoice(
            None, f"which byte order kernel {kernel[0]}.{kernel[1]} gives the packet type is not known here"
        )
    if policy == LAYER2:
        return LinkChoice(_of_ethernet(flow) % links)
    if policy == LAYER34 and (flow.source.port is None or flow.destination.port is None):
        return LinkChoice(None, "layer3+4 needs both ports")
    start = _of_ports(flow) if policy == LAYER34 else _of_ethernet(flow)
    hashed = _with_addresses(start, flow)
    if kernel >= DROPS_LOWEST_BIT and (policy == LAYER34 or kernel < KEEPS_IT_BELOW_LAYER4):
        hashed >>= 1
    return LinkChoice(hashed % links)


def _of_ethernet(flow: Flow) -> int:
    assert flow.source.mac is not None
    assert flow.destination.mac is not None
    packet_type = ETHERNET_IPV4 if flow.source.address.version == 4 else ETHERNET_IPV6
    return flow.destination.mac[5] ^ flow.source.mac[5] ^ packet_type


def _of_ports(flow: Flow) -> int:
    """Both ports as they stand in the header, read as one number of four bytes."""
    assert flow.source.port is not None
    assert flow.destination.port is not None
    return int.from_bytes(flow.source.port.to_bytes(2, "big") + flow.destination.port.to_bytes(2, "big"), "little")


def _with_addresses(hashed: int, flow: Flow) -> int:
    for end in (flow.destination, flow.source):
        packed = end.address.packed  # of IPv6 all four words
        for place in range(0, len(packed), 4):
            hashed ^= int.from_bytes(packed[place : place + 4], "little")
    hashed ^= hashed >> 16
    return hashed ^ (hashed >> 8)


def _by_source_mac(flow: Flow, links: int) -> LinkChoice:
    mac = flow.source.mac
    if mac is None:
        return LinkChoice(None, "vlan+srcmac needs the sender's MAC address")
    vendor, device = int.from_bytes(mac[:3], "big"), int.from_bytes(mac[3:], "big")
    return LinkChoice(((flow.vlan or 0) ^ vendor ^ device) % links)
