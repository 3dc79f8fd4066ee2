"""The hosts of the Slurm allocation that we run in."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping

from fairlead.cluster import addresses as own_addresses
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.cluster.inventory import slurm_components
from fairlead.cluster.inventory.found import to_toml
from fairlead.cluster.inventory.host_addresses import Resolve, interface_of, resolved, seen_by_others, with_interface
from fairlead.cluster.inventory.site import Site
from fairlead.errors import ConfigError, MissingToolError

Expand = Callable[[str], list[str]]  # Slurm's compressed node list -> names
_NOTHING_SAID = Site()


def from_slurm(
    environment: Mapping[str, str] = os.environ,
    site: Site = _NOTHING_SAID,
    *,
    expand: Expand | None = None,
    resolve: Resolve | None = None,
) -> Cluster:
    """The allocation as a cluster: hosts by ssh, slots from its tasks; of a heterogeneous one, all components.

    Args:
        environment: where Slurm's variables are (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES").
        site: its interface is MPI's; without it, the one that has this host's address, or on a machine beside the
            allocation the first host's, which is asked by the site's ways.
        expand, resolve: `scontrol show hostnames` and the resolver, unless given.

    Raises:
        ConfigError: not inside an allocation, or its variables contradict each other, or one of them is missing; or
            the site file has a mistake.
        MissingToolError: no scontrol; or no ``ip``, so that the interface is not known.
        HostError: a name has no address, or several have one of the loopback device; or the first host was not reached.
        LaunchError: no route leads from here to the other hosts.
    """
    slots: dict[str, int] = {}
    for ending in slurm_components.endings(environment):
        for name, count in _component(environment, ending, expand or expanded):
            slots[name] = slots.get(name, 0) + count  # components may share a node
    names = list(slots)
    addresses = seen_by_others(names, [(resolve or resolved)(name) for name in names])
    hosts = tuple(
        Host(name, address, slots=count, reach=name)
        for (name, count), address in zip(slots.items(), addresses, strict=True)
    )
    cluster = Cluster(
        name=_name(environment),
        executor="ssh",
        hosts=hosts,
        # mpirun belongs into the job itself, with its directory and environment, if we are in it and not beside it.
        launch_from=None if any(own_addresses.is_own(address) for address in addresses) else names[0],
        ssh=Ssh(shared_files=True),
        source="Slurm allocation",
    )
    return with_interface(cluster, site.cluster.get("interface") or _interface_of(cluster, site))


def _name(environment: Mapping[str, str]) -> str:
    """Its own for each start of a job: when Slurm has requeued it, it may have other nodes, by the same number."""
    job, restarts = environment.get("SLURM_JOB_ID", "job"), environment.get("SLURM_RESTART_COUNT", "0")
    return f"slurm-{job}" if restarts == "0" else f"slurm-{job}-restart{restarts}"


def _component(environment: Mapping[str, str], ending: str, expand: Expand) -> list[tuple[str, int]]:
    """(name, slots) of each node of a component, whose variables' names end so.

    Raises:
        ConfigError: its variables contradict each other, or one of them is missing.
    """
    variable = slurm_components.NODES + ending
    nodes = environment.get(variable)
    if not nodes:
        raise ConfigError(
            f"there is no Slurm allocation here ({variable} is not set)",
            hint="start one with salloc or sbatch, or give a cluster file",
        )
    names = expand(nodes)
    source, slots = _slots(environment, ending, len(names))
    if len(slots) != len(names):
        raise ConfigError(
            f"{source}={environment[source]!r} has {len(slots)} nodes, {variable}={nodes!r} has {len(names)}",
            hint="a task of a step has the step's: call fairlead in the batch script, or in the shell of salloc",
        )
    return list(zip(names, slots, strict=True))


def _slots(environment: Mapping[str, str], ending: str, nodes: int) -> tuple[str, list[int]]:
    """The slots of a component's nodes, and the variable that tells them: its tasks, else its processors.

    Of a job that is not heterogeneous Slurm tells the tasks; where it does not, each node has one slot.

    Raises:
        ConfigError: it is not understood; or a component of a heterogeneous job has neither.
    """
    tasks, processors = f"SLURM_TASKS_PER_NODE{ending}", f"SLURM_JOB_CPUS_PER_NODE{ending}"
    if tasks in environment:
        return tasks, tasks_per_node(environment[tasks], tasks)
    if ending and processors in environment:
        each_task = f"SLURM_CPUS_PER_TASK{ending}"
        share = environment.get(each_task, "1")
        if not re.fullmatch(r"[1-9]\d*", share):
            raise ConfigError(f"{each_task}={share!r} is not a number of processors")
        counts = tasks_per_node(environment[processors], processors)
        return processors, [max(count // int(share), 1) for count in counts]
    if ending:
        raise ConfigError(
            f"neither {tasks} nor {processors} is set, so the slots of this component's nodes are not known",
            hint=slurm_components.WAY_OUT,
        )
    return tasks, [1] * nodes


def tasks_per_node(text: str, variable: str = "SLURM_TASKS_PER_NODE") -> list[int]:
    """What SLURM_TASKS_PER_NODE says, or another variable of that form, for example ``2(x3),1`` -> [2, 2, 2, 1].

    Raises:
        ConfigError: not of that form.
    """
    counts: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part)
        if not found:
            raise ConfigError(f"{variable}={text!r} is not understood (expected for example 2(x3),1)")
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
        raise MissingToolError(
            "scontrol is not in PATH, so the allocation's hosts cannot be listed",
            hint="add the directory of Slurm's commands, such as /opt/slurm/bin; or give a cluster file",
        ) from error
    except subprocess.CalledProcessError as error:
        raise ConfigError(f"scontrol show hostnames {nodes}: {error.stderr.strip()}") from error
    return done.stdout.split()


def _interface_of(cluster: Cluster, site: Site) -> str:
    """See `host_addresses.interface_of`; the others are assumed to call it the same. Raises as that does."""
    # As the cluster file will have it, with the site's ways to the hosts; the interface in it is for now.
    return interface_of(parse_cluster(to_toml(cluster, site), source=cluster.source))
