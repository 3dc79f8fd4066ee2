"""Hosts that are known by name only: their addresses, and the interfaces that have these."""

import ipaddress
import json
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace

from fairlead import ip
from fairlead.cluster import addresses as own_addresses
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote.execute import attempt, unexpected
from fairlead.errors import ConfigError, HostError, MissingToolError, reason_of

Resolve = Callable[[str], str]  # name -> address
_ADDRESSES = ["ip", "-json", "address"]
_NAME_IT = "give a cluster file, or name the interface in the site file (docs/guides/clusters.md)"


def resolved(name: str) -> str:
    """A host's IPv4 address; where it has none, its IPv6 address. Raises HostError if none is known."""
    try:
        try:
            return str(socket.getaddrinfo(name, None, socket.AF_INET)[0][4][0])
        except OSError:
            return ip.canonical(str(socket.getaddrinfo(name, None, socket.AF_INET6)[0][4][0]))
    except (OSError, ValueError) as error:
        raise HostError(
            f"{name}: no address is known for it: {reason_of(error)}",
            hint=f"`getent hosts {name}` must print one on this machine (DNS, /etc/hosts); or give a cluster file, "
            "which has addresses",
        ) from error


def seen_by_others(names: list[str], addresses: list[str]) -> list[str]:
    """With this host's address in its network, where its name stands for the loopback device (Debian's /etc/hosts).

    Raises:
        HostError: several names do.
    """
    others = [address for address in addresses if not ipaddress.ip_address(address).is_loopback]
    looped = [name for name, address in zip(names, addresses, strict=True) if address not in others]
    if not looped or len(names) == 1:
        return addresses
    if len(looped) > 1:
        raise HostError(
            f"{' and '.join(looped)} have loopback addresses here",
            hint="fix /etc/hosts on this host: each name needs its address in the cluster's network",
        )
    own = own_addresses.towards(others[0]).address
    return [own if ipaddress.ip_address(address).is_loopback else address for address in addresses]


def interface_here(addresses: list[str]) -> str | None:
    """The interface of this machine that has one of the addresses.

    Raises:
        MissingToolError: there is no ``ip`` here.
    """
    try:
        said = subprocess.run(_ADDRESSES, capture_output=True, text=True, errors="replace", check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise MissingToolError("`ip` does not work here, so the interface is not known", hint=_NAME_IT) from error
    return _interface_with(addresses, said)


def interface_on(executor: Executor, host: Host) -> str:
    """The interface of a host that has its address.

    Raises:
        MissingToolError: there is no ``ip`` there. HostError: the host was not reached, or its shell prints something.
        ConfigError: no interface there has the address.
    """
    done = attempt(executor, host.name, _ADDRESSES)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or "(no output)"
        raise MissingToolError(
            f"{host.name}: `ip` does not work there, so the interface is not known: {said}",
            hint=f"install iproute2 there; or {_NAME_IT}",
        )
    told = done.stdout.decode(errors="replace")
    try:
        found = _interface_with([host.address], told)
    except ValueError as error:
        raise unexpected(host.name, told) from error
    if found is None:
        raise ConfigError(f"{host.name}: no interface there has its address, {host.address}", hint=_NAME_IT)
    return found


def interface_of(cluster: Cluster) -> str:
    """The interface of MPI: this machine's that has a host's address, else that of the first host.

    Raises:
        See `interface_here` and `interface_on`.
    """
    here = interface_here([host.address for host in cluster.hosts])
    return here if here is not None else interface_on(executor_of(cluster), cluster.hosts[0])


def with_interface(cluster: Cluster, interface: str) -> Cluster:
    """The same cluster, whose hosts all call their interface so."""
    return replace(cluster, hosts=tuple(replace(host, interface=interface) for host in cluster.hosts))


def _interface_with(addresses: list[str], links: str) -> str | None:
    """The interface that has one of the addresses, by what `_ADDRESSES` printed. Raises ValueError: that it is not."""
    for link in json.loads(links):
        if any(entry.get("local") in addresses for entry in link["addr_info"]):
            return str(link["ifname"])
    return None
