"""What a user asks to launch, and the job that comes of it: for each command that runs one program."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.fabric import AUTO, with_chosen_transport
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch, srun_environment
from fairlead.cluster.launchers import Launcher
from fairlead.placement import placed
from fairlead.programs import own_files
from fairlead.programs.own_files import Tell


@dataclass(frozen=True)
class LaunchRequest:
    """A program as a user asks for it.

    Attributes:
        argv: the program and its arguments.
        ranks: number of ranks; None: the placement's, or one a slot of the cluster.
        mpirun: by name or path; None: the cluster's.
        own_mpirun: ``argv`` is a whole launch line.
        bring: files that hosts get, and that ``argv`` names.
        transport: what carries its messages between hosts: see `fairlead.cluster.fabric`.
        placement: file that says on which host each rank runs; None: by slots.
    """

    argv: Sequence[str]
    ranks: int | None = None
    mpirun: str | None = None
    own_mpirun: bool = False
    bring: Sequence[Path] = ()
    transport: str = AUTO
    placement: Path | None = None

    def check(self) -> None:
        """See `own_files.check`."""
        own_files.check(self.bring, self.argv, own_mpirun=self.own_mpirun)

    def cluster_for(self, cluster: Cluster) -> tuple[Cluster, str | None]:
        """The cluster with the mpirun and the transport that are asked for; see `with_chosen_transport`."""
        if self.mpirun:
            cluster = cluster.with_mpirun(self.mpirun)
        if self.own_mpirun:  # what its launch line says counts
            return cluster, None
        return with_chosen_transport(cluster, self.transport)

    def prepare(self, cluster: Cluster, tell: Tell) -> tuple[Launcher, Job]:
        """The job on its hosts, and what launches it; raises as `placed.hosts` and `launch.prepare`."""
        hosts = None
        if self.placement is not None:
            hosts = placed.hosts(self.placement, cluster, self.ranks, own_mpirun=self.own_mpirun)
        launcher, job = launch.prepare(
            cluster,
            self.argv,
            self.ranks or (len(hosts) if hosts else cluster.slots()),
            job_id=secrets.token_hex(4),
            launcher="custom" if self.own_mpirun else None,
            hosts=hosts,
        )
        if remark := srun_environment.remark(cluster, launcher, job):
            tell(remark)
        return launcher, job

    def used_hosts(self, cluster: Cluster, job: Job) -> tuple[str, ...]:
        """Names of the hosts that ranks may be on: where a launch line of the user's own places them is not known."""
        return tuple(cluster.compute_names()) if self.own_mpirun else tuple(job.ranks_on())

    def with_brought(self, cluster: Cluster, job: Job, tell: Tell) -> Job:
        """See `own_files.with_brought`."""
        hosts = self.used_hosts(cluster, job)
        return own_files.with_brought(cluster, job, self.bring, hosts, tell, own_mpirun=self.own_mpirun)
