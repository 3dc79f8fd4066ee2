"""Flows as a person writes them: SOURCE>DESTINATION, each end [MAC@]ADDRESS[:PORT]."""

import re
from ipaddress import AddressValueError, IPv4Address

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
    return Flow(_end(ends[0]), _end(ends[1]))


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
    address, colon, port = rest.partition(":")
    if at and not _MAC.fullmatch(mac_text):
        raise ConfigError(f"{mac_text!r} is not a MAC address")
    if colon and not (port.isdecimal() and int(port) < 65536):
        raise ConfigError(f"{port!r} is not a port")
    try:
        mac = bytes.fromhex(mac_text.replace(":", "")) if at else None
        return FlowEnd(IPv4Address(address), int(port) if colon else None, mac)
    except AddressValueError as error:
        raise ConfigError(f"{address!r} is not an IPv4 address") from error
