"""MPICH 4 and 5: hydra starts the ranks, UCX or libfabric carries messages.

Which of the two a build uses (and whether it asks for the choice) differs between distributions, so both are told to
use TCP over the named interface; the one that is not there ignores it. Sources: Hydra's own --help; UCX documentation,
"Frequently asked questions" (UCX_NET_DEVICES, UCX_TLS); libfabric fi_tcp(7); MPICH's README.envvar.
"""

from fairlead.cluster.job import Job
from fairlead.cluster.launchers.base import Launcher, register


class Mpich(Launcher):
    """What both generations share."""

    family = "mpich"

    def command(self, job: Job) -> list[str]:
        """See `Launcher.command`."""
        environment = {**_transports(job), **self._idle(job), **job.environment()}
        return [
            self.mpirun,
            *(["-launcher", "ssh", "-launcher-exec", job.rsh_agent] if job.rsh_agent else []),
            *(["-iface", job.interfaces[0]] if job.interfaces else []),
            "-hosts",
            ",".join(f"{host}:{count}" for host, count in job.blocks()),
            *(["-bind-to", "none"] if job.cores_shared else []),
            *(["-wdir", job.cwd] if job.cwd else []),
            *[word for name, value in environment.items() for word in ("-genv", name, value)],
            *job.options,
            "-n",
            str(job.ranks),
            *job.argv,
        ]

    def _idle(self, job: Job) -> dict[str, str]:
        # The default polls 1000 times before it lets anyone else run.
        return {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"} if job.cores_shared else {}


@register("mpich4")
class Mpich4(Mpich):
    """MPICH 4."""


@register("mpich5")
class Mpich5(Mpich):
    """MPICH 5."""


def _transports(job: Job) -> dict[str, str]:
    tcp = {"UCX_TLS": "tcp,sm,self", "FI_PROVIDER": "tcp"}
    if job.interfaces:
        tcp["UCX_NET_DEVICES"] = ",".join(job.interfaces)
    if len(job.interfaces) == 1:
        tcp["FI_TCP_IFACE"] = job.interfaces[0]
    return tcp
