"""A communication-intensive MPI program on hosts that the managed program does not use (DMCBM 4.2)."""

import os
import shutil
from functools import partial

from fairlead import native
from fairlead.errors import LabError, MissingToolError, NoSuchLabError
from fairlead.lab import idle
from fairlead.lab.congestion.base import Congestion
from fairlead.lab.congestion.description import MpiTraffic
from fairlead.lab.lab import Lab
from fairlead.lab.topology import ResolvedLab

_FOREVER_S = 10**9
_LEAST_B = 32  # of a message of random-traffic: its mark


def hosts(description: MpiTraffic, plan: ResolvedLab) -> list[str]:
    """The hosts that it runs on. Raises LabError for an unknown one, or fewer than two."""
    names = list(description.hosts) or [host.name for host in plan.hosts if host.role == "other"]
    for name in names:
        if name not in plan.host_by_name:
            raise NoSuchLabError(f"congestion: no host {name!r}", hint=f"there are {', '.join(plan.host_by_name)}")
    if len(names) < 2:
        raise LabError(
            f"congestion: MPI traffic needs two hosts, not {len(names)}", hint="name hosts, or set neighbours_per_leaf"
        )
    return names


class MpiCongestion(Congestion):
    """`random-traffic` under Open MPI, started from its first host."""

    def __init__(self, lab: Lab, description: MpiTraffic) -> None:
        super().__init__(lab)
        self.description = description
        self.hosts = hosts(description, lab.plan)
        self.mpirun = shutil.which("mpirun.openmpi")
        if self.mpirun is None:
            raise MissingToolError("mpirun.openmpi is not installed", hint="apt-get install openmpi-bin")
        self.program = native.mpi_program("openmpi", "random-traffic")

    def describe(self) -> str:
        d = self.description
        return f"MPI traffic of {d.message} B messages, seed {d.seed}, on {', '.join(self.hosts)}"

    def _start(self) -> None:
        self._add(self.hosts[0], self._command())
        for host in self.hosts:
            self._wait_until(partial(self._connections_flowing, host), f"MPI traffic from {host} flows")

    def _command(self) -> list[str]:
        d = self.description
        settings = {
            "plm_rsh_agent": str(self.lab.agent_script),
            "plm_rsh_no_tree_spawn": "1",
            "pml": "ob1",
            "btl": "tcp,self,vader",
            "btl_tcp_if_include": "eth0",
            "oob_tcp_if_include": "eth0",
            "mpi_yield_when_idle": "1",
            "odls_base_sigkill_timeout": "0",  # it shall stop at once, not at the end of its round
        }
        line = [str(self.mpirun), "--host", ",".join(f"{host}:{d.ranks_per_host}" for host in self.hosts)]
        line += ["--bind-to", "none"]
        if os.geteuid() == 0 or self.lab.record["user_namespace"]:
            line.append("--allow-run-as-root")
        for key, value in settings.items():
            line += ["--mca", key, value]
        if self.lab.plan.asleep:
            line += ["-x", f"{idle.VARIABLE}={idle.library()}"]
        return [
            *line,
            str(self.program),
            "--seed",
            str(d.seed),
            "--seconds",
            str(_FOREVER_S),
            "--bytes",
            # Each takes as long as unscaled, if that leaves room for its mark.
            str(max(min(_LEAST_B, d.message), round(d.message * self.lab.plan.scale))),
        ]
