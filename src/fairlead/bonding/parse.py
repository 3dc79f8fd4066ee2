"""Flows as a person writes them: SOURCE>DESTINATION, each end [MAC@]ADDRESS[:PORT].

With a port an IPv6 address is in brackets.
"""

import re
from ipaddress import ip_address

from fairlead.bonding.hashing import Flow, FlowEnd
from fairlead.errors import ConfigError

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


def flow(text: str) -> Flow:
    """A flow, for example "02:00:00:00:00:01@10.0.0.1:5000>02:00:00:00:00:02@10.0.0.2:6000".

    Raises:
        ConfigError: it is not written so.
    """
    ends = text.split(">")
    if len(ends) != 2:
        raise ConfigError(
            f"{text!r} is not a flow", hint="write SOURCE>DESTINATION, each [MAC@]ADDRESS[:PORT], in quotes"
        )
    source, destination = map(_end, ends)
    if source.address.version != destination.address.version:
        raise ConfigError(f"{text!r}: one end is of IPv4, the other of IPv6")
    return Flow(source, destination)


def kernel(text: str) -> tuple[int, int]:
    """Major and minor version of a kernel's release, for example "6.1.0-13-amd64".

    Raises:
        ConfigError: it does not begin with them.
    """
    match = re.match(r"(\d+)\.(\d+)", text)
    if not match:
        raise ConfigError(f"{text!r} is not a kernel version", hint="write for example 6.1")
    return int(match[1]), int(match[2])


def _end(text: str) -> FlowEnd:
    mac_text, at, rest = text.strip().rpartition("@")
    address, colon, port = _parts(rest)
    if at and not _MAC.fullmatch(mac_text):
        raise ConfigError(f"{mac_text!r} is not a MAC address")
    if colon and not (port.isdecimal() and int(port) < 65536):
        raise ConfigError(f"{port!r} is not a port")
    try:
        mac = bytes.fromhex(mac_text.replace(":", "")) if at else None
        return FlowEnd(ip_address(address), int(port) if colon else None, mac)
    except ValueError as error:
        raise ConfigError(f"{address!r} is not an IP address") from error


def _parts(text: str) -> tuple[str, str, str]:
    """Address, colon and port; of IPv6 "[ADDRESS]:PORT", or the address alone with brackets or without."""
    if text.startswith("["):
        address, _, rest = text[1:].partition("]")
        if rest and not rest.startswith(":"):
            raise ConfigError(f"{text!r}: after ] must come : and a port, or nothing")
        return address, rest[:1], rest[1:]
    if text.count(":") > 1:
        return text, "", ""
    return text.partition(":")
