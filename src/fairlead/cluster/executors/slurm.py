"""Hosts are nodes of a Slurm job, and each command is a step of that job: no ssh, accounted to the job, ended with it.

A host's ``reach`` is ``node@job``, of a heterogeneous job ``node@job+component``. Source: srun(1).
"""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import rsh_agent
from fairlead.cluster.executors.base import Executor, register, with_environment

FAILED = 255
"""What srun is told to end with when it is Slurm that failed (``SLURM_EXIT_ERROR``)."""

# A step beside the program's, of one task, which takes nothing from it: neither cores, memory nor devices.
_BESIDE = ("--overlap", "--nodes=1", "--ntasks=1", "--mem=0", "--gres=none", "--cpu-bind=none", "--mpi=none")
_PLAIN = ("--quiet", "--kill-on-bad-exit=0", "--chdir=/", "--job-name=fairlead")
# Which Slurm it is; everything else that srun would read from its environment is about some other step.
_KEPT = ("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_CLUSTERS", "SLURM_WORKING_CLUSTER")


@register("slurm")
class SlurmExecutor(Executor):
    """Runs commands by ``srun --overlap`` in a job that holds the nodes already."""

    passes_signals = False
    other_machines = True
    has_launch_host = False

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.shares_files = cluster.slurm.shared_files

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """See `Executor.command`. Of this process's environment, the command has all but what is Slurm's."""
        return [*_srun(), *self._step(host), *with_environment(argv, env, cwd)]

    def look(self, host: str) -> str:
        """See `Executor.look`."""
        job = self._cluster.host(host).reach.partition("@")[2]
        step = f"srun {shlex.join(self._place(host))} --overlap -N1 -n1 true"
        return f"does the job run (`squeue -j {job}`)? `{step}` must work"

    def lost_by(self, host: str, exit_code: int, said: bytes) -> str | None:
        """See `Executor.lost_by`."""
        return "srun" if exit_code == FAILED and b"srun: " in said else None

    def machine(self, host: str) -> str:
        """See `Executor.machine`: each node is one."""
        return host

    def rsh_agent(self) -> Path:
        """A script that makes a step of what mpirun would have ssh run."""
        entries = {host.name: f'set -- {shlex.join(self._step(host.name))} sh -c "$*"' for host in self._cluster.hosts}
        return rsh_agent.write(entries, after=_STEP.format(kept="|".join(_KEPT), failed=FAILED))

    def _step(self, host: str) -> list[str]:
        return [*self._place(host), *_BESIDE, *_PLAIN]

    def _place(self, host: str) -> list[str]:
        """Options by which srun makes a step on a host."""
        node, _, job = self._cluster.host(host).reach.partition("@")
        job, plus, component = job.partition("+")
        group = [f"--het-group={component}"] if plus else []
        return [f"--jobid={job}", *group, f"--nodelist={node}"]


def _srun() -> list[str]:
    """srun in an environment without what an srun around us was told, or has told its tasks."""
    foreign = sorted(name for name in os.environ if _is_slurms(name) and name not in _KEPT)
    return ["env", *(word for name in foreign for word in ("-u", name)), f"SLURM_EXIT_ERROR={FAILED}", "srun"]


def _is_slurms(name: str) -> bool:
    return name.startswith(("SLURM_", "_SLURM_", "SLURMD_", "SRUN_", "SPANK_"))


# The agent may be called by a task of a step, whose variables are not those of the node that we have them from.
_STEP = """for name in $(env | sed -nE 's/^(_?(SLURM|SRUN|SLURMD|SPANK)_[A-Za-z0-9_]*)=.*/\\1/p'); do
  case "$name" in {kept}) ;; *) unset "$name" ;; esac
done
SLURM_EXIT_ERROR={failed} exec srun "$@"
"""
