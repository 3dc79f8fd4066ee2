"""MPICH 4 and 5: UCX or libfabric carries messages.

Which of the two a build uses (and whether it asks for the choice) differs between distributions, so both are told to
use TCP over the named interface; the one that is not there ignores it. Sources: UCX documentation, "Frequently asked
questions" (UCX_NET_DEVICES, UCX_TLS); libfabric fi_tcp(7); MPICH's README.envvar.
"""

import re

from fairlead.cluster.job import Job
from fairlead.cluster.launchers.base import Mpi, register
from fairlead.cluster.launchers.hydra import Hydra

_VERSION = re.compile(r"^HYDRA build details:\s+Version:\s+(\d+\.\d+\S*)", re.MULTILINE)
_DEVICE = re.compile(r"--with-device=([\w:,]+)")


class Mpich(Hydra):
    """What both generations share."""

    _unbound = ("-bind-to", "none")

    @classmethod
    def recognise(cls, version_text: str) -> Mpi | None:
        """See `Launcher.recognise`."""
        found, device = _VERSION.search(version_text), _DEVICE.search(version_text)
        return Mpi("mpich", found.group(1), device.group(1) if device else None, "MPICH") if found else None

    def _transports(self, job: Job) -> dict[str, str]:
        tcp = {"UCX_TLS": "tcp,sm,self", "FI_PROVIDER": "tcp"}
        if job.interfaces:
            tcp["UCX_NET_DEVICES"] = ",".join(job.interfaces)
        if len(job.interfaces) == 1:
            tcp["FI_TCP_IFACE"] = job.interfaces[0]
        return tcp

    def _idle(self) -> dict[str, str]:
        # The default polls 1000 times before it lets anyone else run.
        return {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}


@register("mpich4")
class Mpich4(Mpich):
    """MPICH 4."""


@register("mpich5")
class Mpich5(Mpich):
    """MPICH 5."""
