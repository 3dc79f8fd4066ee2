"""The TCP flows between a cluster's hosts as they are now, with MAC addresses: of a program that runs."""

import json
import re
from ipaddress import ip_address

from fairlead.bonding.hashing import Flow, FlowEnd
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.execute import on_all, run_on
from fairlead.errors import HostError

_SCRIPT = "PATH=$PATH:/usr/sbin:/sbin; uname -r; ip -j address; ip -j neighbour; echo; ss -Htn state established"
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")  # tunnels and InfiniBand have other addresses


def of_cluster(cluster: Cluster) -> dict[str, tuple[str, list[Flow]]]:
    """By host: its kernel's release, and what it sends to other hosts of the cluster. Idle connections are listed too.

    Raises:
        HostError: a host was not reached, or its tools print what nobody understands.
    """
    executor = executor_of(cluster)
    hosts = {host.name: host for host in cluster.managed_hosts()}
    addresses = {host.address for host in hosts.values()}
    output = on_all(hosts, lambda name: run_on(executor, name, ["sh", "-c", _SCRIPT]))
    return {name: _read(hosts[name], text, addresses) for name, text in output.items()}


def _read(host: Host, text: str, addresses: set[str]) -> tuple[str, list[Flow]]:
    try:
        head, _, connections = text.partition("\n\n")
        release, links, neighbours = head.split("\n", 2)
        own = {
            entry["local"]: bytes.fromhex(link["address"].replace(":", ""))
            for link in json.loads(links)
            for entry in link.get("addr_info", ())
            if _MAC.fullmatch(link.get("address", ""))
        }
        others = {
            entry["dst"]: bytes.fromhex(entry["lladdr"].replace(":", ""))
            for entry in json.loads(neighbours)
            if _MAC.fullmatch(entry.get("lladdr", ""))
        }
    except (ValueError, KeyError) as error:
        raise HostError(f"{host.name}: cannot parse what ip(8) prints: {error}") from error
    flows = []
    for line in connections.splitlines():
        words = line.split()
        if len(words) < 4:
            continue
        (source, source_port), (destination, port) = (_end(word) for word in words[2:4])
        if source == host.address and destination in addresses - {host.address}:
            flows.append(
                Flow(
                    FlowEnd(ip_address(source), int(source_port), own.get(source)),
                    FlowEnd(ip_address(destination), int(port), others.get(destination)),
                )
            )
    return release, flows


def _end(text: str) -> tuple[str, str]:
    """Address and port of an end as ss(8) prints it: "10.0.0.1:5000", "[fd00::1]:5000"; of a socket that is bound to an
    interface "10.0.0.1%eth0:5000", of one for both protocols "[::ffff:10.0.0.1]:5000".
    """
    address, _, port = text.rpartition(":")
    return address.partition("%")[0].removeprefix("[").removesuffix("]").removeprefix("::ffff:"), port
