"""What a Slurm job hands to each srun in it, by variables: mpirun calls srun to start its daemons.

Options with which a job was submitted are handed on: after ``sbatch --export=NONE`` an srun hands no environment to its
tasks, and daemons that it starts lack PATH and LD_LIBRARY_PATH. No mpirun changes that by itself. Sources: sbatch(1),
``--export``; srun(1), "INPUT ENVIRONMENT VARIABLES".
"""

import os
from collections.abc import Mapping

from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.launchers import Launcher

EXPORT = "SLURM_EXPORT_ENV"
_ALL = "ALL"
# By which steps of a job that was submitted with --fairlead are managed (native/spank).
_OF_STEPS = "SLURM_SPANK__SLURM_SPANK_OPTION_fairlead_fairlead"


def changes(
    cluster: Cluster, launcher: Launcher, job: Job, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """What mpirun gets in place of what the Slurm job says, for the srun that it calls.

    That manages nothing, since whether and how the program is managed, its starter says. And the daemons have mpirun's
    environment, as ranks on its own host do. A launch line of the user's own hands on what the user wants.
    """
    found = {_OF_STEPS: "off"} if _OF_STEPS in environment else {}
    if _withheld(environment) is not None and _has_daemons_by_srun(cluster, launcher, job):
        found[EXPORT] = _ALL
    return found


def remark(cluster: Cluster, launcher: Launcher, job: Job, environment: Mapping[str, str] = os.environ) -> str | None:
    """What a person is to know of that, where it matters; None: it does not."""
    withheld = _withheld(environment)
    if withheld is None or cluster.launch_from is not None:
        return None
    told = f"{EXPORT}={withheld} (sbatch --export)"
    if launcher.family is None:
        if any(word.startswith((f"{EXPORT}=", "--export")) for word in job.argv):
            return None
        return (
            f"{told}: an srun in your launch line, or of its mpirun, hands neither this environment nor fairlead's "
            f"variables to ranks; begin the line with `env {EXPORT}={_ALL}` to have both"
        )
    if not _has_daemons_by_srun(cluster, launcher, job) or len(set(job.hosts)) < 2:
        return None
    return f"{told} would keep this environment from mpirun's daemons: it is {_ALL} for mpirun"


def _has_daemons_by_srun(cluster: Cluster, launcher: Launcher, job: Job) -> bool:
    """Open MPI's, where mpirun runs in the Slurm job and that has all hosts. Hydra is told to go by ssh."""
    return cluster.launch_from is None and launcher.family == "openmpi" and not job.by_agent_alone


def _withheld(environment: Mapping[str, str]) -> str | None:
    """What an srun here hands to its tasks in place of the whole environment: ``NONE``, or names; None: all of it."""
    said = environment.get(EXPORT)
    if said is None or "SLURM_JOB_ID" not in environment:
        return None
    return None if _ALL in said.upper().split(",") else said
