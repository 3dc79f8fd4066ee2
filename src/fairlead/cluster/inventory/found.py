"""A cluster that was found, in an allocation or a hostfile, as the text of a cluster file."""

import json

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.inventory.site import Site

_NOTHING_SAID = Site()


def to_toml(cluster: Cluster, site: Site = _NOTHING_SAID) -> str:
    """The cluster file's text, with what the site says of all such clusters."""
    interface = cluster.hosts[0].interface
    usual = {"launch_from": cluster.launch_from or "here"}
    own = {"name": cluster.name, "executor": cluster.executor, "interface": interface}
    lines = [f"# Written by fairlead. Source: {cluster.source}.", "[cluster]"]
    # What JSON says of strings, numbers, truth values and lists of them, TOML says as well.
    lines += [f"{key} = {json.dumps(value)}" for key, value in {**usual, **site.cluster, **own}.items()]
    files = {"shared_files": getattr(cluster, cluster.executor).shared_files}
    lines += ["", f"[{cluster.executor}]"]
    reaching = site.ssh if cluster.executor == "ssh" else {key: site.ssh[key] for key in files if key in site.ssh}
    lines += [f"{key} = {json.dumps(value)}" for key, value in {**files, **reaching}.items()]
    for host in cluster.hosts:
        lines += ["", *_host(host, interface)]
    return "\n".join(lines) + "\n"


def _host(host: Host, interface: str) -> list[str]:
    lines = ["[[hosts]]", f"name = {json.dumps(host.name)}", f"address = {json.dumps(host.address)}"]
    lines += [f"slots = {host.slots}", f"reach = {json.dumps(host.reach)}"]
    lines += [f'role = "{host.role}"'] if host.role != "compute" else []
    return lines + ([f"interface = {json.dumps(host.interface)}"] if host.interface != interface else [])
