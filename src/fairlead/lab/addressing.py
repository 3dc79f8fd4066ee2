"""Which addresses a lab's hosts, switches and trunks have. Pure.

Of IPv4: hosts have 10.64.LEAF.N, trunks two addresses each of 10.65.0.0/16. Of IPv6: hosts have fd00:64:LEAF::N, in
hexadecimal digits, trunks two addresses each of fd00:65::/112. A leaf is number 254 of its hosts' network.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

from fairlead.ip import Family, family_of

_LEAF = 254


def host(family: Family, leaf: int, number: int) -> str:
    """Address of a leaf's host (or server) of that number, 1 to 253."""
    if family == 4:
        return f"10.64.{leaf}.{number}"
    return str(IPv6Address(f"fd00:64:{leaf:x}::{number:x}"))


def leaf(family: Family, number: int) -> str:
    """Address of a leaf, which its hosts have as their gateway."""
    return host(family, number, _LEAF)


def leaf_network(family: Family, number: int) -> str:
    """The network of a leaf's hosts, as ip(8) takes it."""
    return f"10.64.{number}.0/24" if family == 4 else f"{IPv6Address(f'fd00:64:{number:x}::')}/64"


def on_leaf(address: str) -> str:
    """A host's or leaf's address with its network's prefix, as ``ip address add`` takes it."""
    return f"{address}/24" if family_of(address) == 4 else f"{address}/64 nodad"


def trunk(family: Family, number: int) -> tuple[str, str]:
    """Addresses of both ends of a trunk."""
    first = 4 * number + 1  # four addresses each: of IPv4 the outer ones are the network's and its broadcast
    if family == 4:
        return f"10.65.{first // 256}.{first % 256}", f"10.65.{(first + 1) // 256}.{(first + 1) % 256}"
    return str(IPv6Address(f"fd00:65::{first:x}")), str(IPv6Address(f"fd00:65::{first + 1:x}"))


def on_trunk(address: str) -> str:
    """A trunk's address with its network's prefix, as ``ip address add`` takes it."""
    return f"{address}/30" if family_of(address) == 4 else f"{address}/126 nodad"


def mac(address: str) -> str:
    """Locally administered and derived from the address, so that it is the same in every start of a lab."""
    numbers = ip_address(address)
    if isinstance(numbers, IPv4Address):
        four = numbers.packed
    else:  # the bytes in which a lab's addresses differ
        four = bytes(numbers.packed[place] for place in (3, 5, 14, 15))
    return "02:fa:" + four.hex(":")
