"""The hosts of the Slurm allocation that we run in."""

import ipaddress
import json
import os
import re
import socket
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace

from fairlead.cluster import addresses as own_addresses
from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.execute import run_on
from fairlead.cluster.executors import executor_of
from fairlead.cluster.site import Site
from fairlead.errors import ConfigError, HostError, MissingToolError

Expand = Callable[[str], list[str]]  # Slurm's compressed node list -> names
Resolve = Callable[[str], str]  # name -> IPv4 address
_NOTHING_SAID = Site()
_ADDRESSES = ["ip", "-json", "-4", "address"]
_NAME_IT = "give a cluster file, or name the interface in the site file (docs/guides/clusters.md)"


def from_slurm(
    environment: Mapping[str, str] = os.environ,
    *,
    interface: str | None = None,
    expand: Expand | None = None,
    resolve: Resolve | None = None,
) -> Cluster:
    """The allocation as a cluster: hosts by ssh, slots from the allocation's tasks.

    Args:
        environment: where Slurm's variables are (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES").
        interface: what MPI shall use; None: the one that has this host's address.
        expand, resolve: `scontrol show hostnames` and the resolver, unless given.

    Raises:
        ConfigError: not inside an allocation, or its variables contradict each other.
        MissingToolError: no scontrol.
        HostError: a name has no address, or several have one of the loopback device.
        LaunchError: no route leads from here to the other hosts.
    """
    nodes = environment.get("SLURM_JOB_NODELIST")
    if not nodes:
        raise ConfigError(
            "there is no Slurm allocation here (SLURM_JOB_NODELIST is not set)",
            hint="start one with salloc or sbatch, or give a cluster file",
        )
    names = (expand or expanded)(nodes)
    slots = tasks_per_node(environment.get("SLURM_TASKS_PER_NODE", "1"))
    if len(slots) == 1:
        slots *= len(names)
    if len(slots) != len(names):
        raise ConfigError(
            f"SLURM_TASKS_PER_NODE={environment['SLURM_TASKS_PER_NODE']!r} has {len(slots)} nodes, "
            f"SLURM_JOB_NODELIST={nodes!r} has {len(names)}"
        )
    addresses = seen_by_others(names, [(resolve or resolved)(name) for name in names])
    device = interface or _interface_of(addresses)
    hosts = tuple(
        Host(name=name, address=address, slots=count, reach=name, interface=device)
        for name, address, count in zip(names, addresses, slots, strict=True)
    )
    return Cluster(
        name=f"slurm-{environment.get('SLURM_JOB_ID', 'job')}",
        executor="ssh",
        hosts=hosts,
        # mpirun belongs into the job itself, with its directory and environment, if we are in it and not beside it.
        launch_from=None if any(own_addresses.is_own(address) for address in addresses) else names[0],
        ssh=Ssh(shared_files=True),
        source="Slurm allocation",
    )


def to_toml(cluster: Cluster, site: Site = _NOTHING_SAID) -> str:
    """An allocation as the text of a cluster file, with what the site says of all of them."""
    usual = {"launch_from": cluster.launch_from or "here"}
    own = {"name": cluster.name, "executor": cluster.executor, "interface": cluster.hosts[0].interface}
    lines = ["# Written by fairlead from a Slurm allocation.", "[cluster]"]
    # What JSON says of strings, numbers, truth values and lists of them, TOML says as well.
    lines += [f"{key} = {json.dumps(value)}" for key, value in {**usual, **site.cluster, **own}.items()]
    files = {"shared_files": getattr(cluster, cluster.executor).shared_files}
    lines += ["", f"[{cluster.executor}]"]
    reaching = site.ssh if cluster.executor == "ssh" else {key: site.ssh[key] for key in files if key in site.ssh}
    lines += [f"{key} = {json.dumps(value)}" for key, value in {**files, **reaching}.items()]
    for host in cluster.hosts:
        lines += ["", "[[hosts]]", f"name = {json.dumps(host.name)}", f"address = {json.dumps(host.address)}"]
        lines += [f"slots = {host.slots}", f"reach = {json.dumps(host.reach)}"]
        lines += [f'role = "{host.role}"'] if host.role != "compute" else []
    return "\n".join(lines) + "\n"


def tasks_per_node(text: str) -> list[int]:
    """SLURM_TASKS_PER_NODE, for example ``2(x3),1`` -> [2, 2, 2, 1].

    Raises:
        ConfigError: not of that form.
    """
    counts: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if not found:
            raise ConfigError(f"SLURM_TASKS_PER_NODE={text!r} is not understood (expected for example 2(x3),1)")
        counts += [int(found.group(1))] * int(found.group(2) or 1)
    return counts


def expanded(nodes: str) -> list[str]:
    """Slurm's compressed node list as names.

    Raises:
        MissingToolError: no scontrol. ConfigError: it does not understand the list.
    """
    try:
        done = subprocess.run(["scontrol", "show", "hostnames", nodes], capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise MissingToolError("scontrol is not in PATH, so the allocation's hosts cannot be listed") from error
    except subprocess.CalledProcessError as error:
        raise ConfigError(f"scontrol show hostnames {nodes}: {error.stderr.strip()}") from error
    return done.stdout.split()


def resolved(name: str) -> str:
    """A node's IPv4 address. Raises HostError if none is known."""
    try:
        return str(socket.getaddrinfo(name, None, socket.AF_INET)[0][4][0])
    except OSError as error:
        raise HostError(f"{name}: no IPv4 address is known for it: {error}") from error


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
            f"{' and '.join(looped)} have addresses of the loopback device here",
            hint="fix /etc/hosts on this host: each name needs its address in the cluster's network",
        )
    own = own_addresses.towards(others[0]).address
    return [own if ipaddress.ip_address(address).is_loopback else address for address in addresses]


def interface_of(cluster: Cluster) -> str:
    """The interface of MPI: this machine's that has a host's address, else that of the first host.

    Raises:
        MissingToolError: there is no ``ip`` here. HostError: the host was not reached, or has none.
        ConfigError: no interface there has the address.
    """
    first = cluster.hosts[0]
    here = _interface_with([host.address for host in cluster.hosts], _addresses_here())
    if here is not None:
        return here
    there = _interface_with([first.address], run_on(executor_of(cluster), first.name, _ADDRESSES))
    if there is None:
        raise ConfigError(f"{first.name}: no interface there has its address, {first.address}", hint=_NAME_IT)
    return there


def with_interface(cluster: Cluster, interface: str) -> Cluster:
    """The same cluster, whose hosts all call their interface so."""
    return replace(cluster, hosts=tuple(replace(host, interface=interface) for host in cluster.hosts))


def _interface_of(addresses: list[str]) -> str:
    """The interface of this machine that has one of the addresses; others are assumed to call it the same."""
    found = _interface_with(addresses, _addresses_here())
    if found is None:
        raise ConfigError(
            f"no interface of this machine has one of the allocation's addresses ({', '.join(addresses)})",
            hint="run inside the allocation (salloc, sbatch), or give a cluster file that names the interface",
        )
    return found


def _addresses_here() -> str:
    try:
        return subprocess.run(_ADDRESSES, capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        raise MissingToolError("`ip` does not work here, so the interface is not known", hint=_NAME_IT) from error


def _interface_with(addresses: list[str], links: str) -> str | None:
    """The interface that has one of the addresses, by what `_ADDRESSES` printed."""
    for link in json.loads(links):
        if any(entry.get("local") in addresses for entry in link["addr_info"]):
            return str(link["ifname"])
    return None
