"""Bundled programs with Debian's MPICH, whose library has another name than everybody else's.

The wheel's programs need ``libmpi.so.12``. Debian has ``libmpich.so.12``, of the same binary interface: an empty
library of the first name that needs the second, in a directory of its own, brings the two together.
"""

import os
from dataclasses import replace
from pathlib import Path

from fairlead import native
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.remote.deploy import deploy_everywhere
from fairlead.programs import linkage

NAME = "libmpi.so.12"
_VARIABLE = "LD_LIBRARY_PATH"


def with_library(cluster: Cluster, job: Job, program: Path) -> Job:
    """A bundled program's job, so that the loader finds Debian's MPICH where the hosts have no other.

    Args:
        program: the job's, as a file of this machine.

    Raises:
        HostError, ConfigError: see `deploy_everywhere`.
        NoProgramError: see `linkage.on_hosts`.
    """
    library = native.directory() / "mpi" / "debian" / NAME
    if not library.is_file() or f"{NAME}\0".encode() not in program.read_bytes():
        return job
    if not all(NAME in each.missing for each in linkage.on_hosts(cluster, job).values()):
        return job
    directory = str(Path(deploy_everywhere(cluster, job.hosts, {NAME: library})[NAME]).parent)
    before = job.env.get(_VARIABLE, os.environ.get(_VARIABLE))
    with_debians = replace(job, env={**job.env, _VARIABLE: f"{directory}:{before}" if before else directory})
    found = linkage.on_hosts(cluster, with_debians).values()
    return job if any(each.missing for each in found) else with_debians
