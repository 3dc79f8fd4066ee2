"""The hosts of the Slurm allocation that we run in."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping

from fairlead.cluster import addresses as own_addresses
from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.inventory.host_addresses import Resolve, interface_here, resolved, seen_by_others
from fairlead.errors import ConfigError, MissingToolError

Expand = Callable[[str], list[str]]  # Slurm's compressed node list -> names


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


def _interface_of(addresses: list[str]) -> str:
    """The interface of this machine that has one of the addresses; others are assumed to call it the same."""
    found = interface_here(addresses)
    if found is None:
        raise ConfigError(
            f"no interface of this machine has one of the allocation's addresses ({', '.join(addresses)})",
            hint="run inside the allocation (salloc, sbatch), or give a cluster file that names the interface",
        )
    return found
