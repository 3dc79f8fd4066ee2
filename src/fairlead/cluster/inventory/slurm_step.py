"""The hosts of a step that srun is about to start: what the Slurm plugin has managed (native/spank)."""

import os
from collections.abc import Mapping
from typing import Literal

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.inventory import host_addresses, slurm, slurm_components
from fairlead.cluster.inventory.host_addresses import Resolve
from fairlead.cluster.inventory.slurm import Expand
from fairlead.errors import ConfigError

Nodes = Literal["job", "step"]
"""Which nodes take part: all of the job's, or the step's alone."""


def from_step(
    environment: Mapping[str, str] = os.environ,
    *,
    nodes: Nodes = "job",
    interface: str | None = None,
    expand: Expand | None = None,
    resolve: Resolve | None = None,
) -> Cluster:
    """The nodes as a cluster that steps of the job itself reach.

    The step's come first. The job's other nodes have the role ``relay``: none of the step's tasks is there.

    Args:
        environment: srun's own, in which the step's nodes are ``SLURM_NODELIST``.
        interface: what MPI uses; None: the one that has a node's address.
        expand, resolve: `scontrol show hostnames` and the resolver, unless given.

    Raises:
        ConfigError: not within srun, or its variables contradict each other.
        MissingToolError: no scontrol.
        HostError: a name has no address, or several have one of the loopback device; or a node was not reached.
    """
    expand, resolve = expand or slurm.expanded, resolve or host_addresses.resolved
    step, number = environment.get("SLURM_NODELIST"), environment.get("SLURM_STEP_ID", "0")
    if not step:
        raise ConfigError("there is no Slurm step here (SLURM_NODELIST is not set)", hint="srun --fairlead has one")
    jobs = {node: job for job, listed in _jobs(environment) for node in expand(listed)}
    # Of a heterogeneous step, srun names the nodes of one component, be it of which it may.
    of_step = list(jobs) if slurm_components.is_heterogeneous(environment) else expand(step)
    if unknown := [node for node in of_step if node not in jobs]:
        raise ConfigError(f"{', '.join(unknown)}: SLURM_NODELIST={step!r} has nodes that are not the job's")
    names = list(dict.fromkeys([*of_step, *(jobs if nodes == "job" else ())]))
    addresses = host_addresses.seen_by_others(names, [resolve(name) for name in names])
    hosts = [
        Host(name, address, reach=f"{name}@{jobs[name]}", role="compute" if name in of_step else "relay")
        for name, address in zip(names, addresses, strict=True)
    ]
    job = environment.get("SLURM_JOB_ID", "job")
    cluster = Cluster(f"slurm-{job}.{number}", "slurm", tuple(hosts), source=f"Slurm step {job}.{number}")
    return host_addresses.with_interface(cluster, interface or host_addresses.interface_of(cluster))


def _jobs(environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """(job, its nodes), of a heterogeneous one (job+component, its nodes) for each component."""
    # An srun that has made the job itself knows no other nodes than the step's.
    listed = {slurm_components.NODES: environment["SLURM_NODELIST"], **environment}
    job = listed.get("SLURM_JOB_ID")
    if job is None:
        raise ConfigError("there is no Slurm job here (SLURM_JOB_ID is not set)")
    return [
        (f"{job}+{ending.rpartition('_')[2]}" if ending else job, listed[slurm_components.NODES + ending])
        for ending in slurm_components.endings(listed)
    ]
