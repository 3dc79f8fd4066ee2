"""IP addresses of both versions, as fairlead keeps them: texts in the form that the kernel prints."""

from ipaddress import IPv4Address, ip_address, ip_network
from typing import Literal

Family = Literal[4, 6]


def family_of(address: str) -> Family:
    """The version of IP that an address belongs to."""
    return 6 if ":" in address else 4


def canonical(text: str) -> str:
    """An address in the one form that it has here: "fd00::1" for "FD00:0:0::1".

    Raises:
        ValueError: it is none, or none by which a host can be reached from any other one.
    """
    try:
        address = ip_address(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an IP address") from None
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        raise ValueError(f"{text!r} is an IPv4 address; write {str(address.ipv4_mapped)!r}")
    if address.is_link_local or address.scope_id is not None:
        raise ValueError(f"{text!r} belongs to one link only; give the host's other address")
    return str(address)


def covering_network(addresses: list[str]) -> str:
    """The smallest network in CIDR notation that holds all addresses, which are of one family."""
    numbers = [int(ip_address(address)) for address in addresses]
    differing = 0
    for number in numbers:
        differing |= number ^ numbers[0]
    first = ip_address(addresses[0])
    return str(ip_network((first, first.max_prefixlen - differing.bit_length()), strict=False))
