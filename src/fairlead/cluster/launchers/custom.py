"""A launch line of the user's own: any MPI, any option. fairlead adds nothing to it."""

from fairlead.cluster.job import Job
from fairlead.cluster.launchers.base import Launcher, register


@register("custom")
class Custom(Launcher):
    """Runs the job's argv, a whole mpirun line, unchanged. Hosts are known from the cluster file only."""

    family = None

    def command(self, job: Job) -> list[str]:
        """The line as given."""
        return list(job.argv)

    def environment(self, job: Job) -> dict[str, str]:
        """The job's environment goes to mpirun; what reaches ranks on other hosts is up to the line."""
        return job.environment()
