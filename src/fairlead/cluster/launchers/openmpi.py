"""Open MPI: 4.1 with its own run time (ORTE), 5 with PRRTE.

All traffic between hosts is put on TCP sockets over the named interface (pml ob1, btl tcp), unless the job leaves it to
the library; inside a host it stays in shared memory. Options: Open MPI documentation, "Tuning: TCP" and mpirun(1);
PRRTE: prterun(1).
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from fairlead.cluster.description import TCP
from fairlead.cluster.job import Job
from fairlead.cluster.launchers.base import Launcher, Mpi, register
from fairlead.errors import ConfigError

MONITORING = "OMPI_MCA_pml_monitoring_enable"
"""Variable of jobs whose messages Open MPI counts (`fairlead.profile.reading.pml_monitoring`)."""
LONGEST_WORD_B = 100_000
"""Of a command line. Linux takes 128 KiB (execve(2)), which a name a rank exceeds from about 15 000 ranks on."""
_VERSION = re.compile(r"^\S+ \((?:Open MPI|OpenRTE)\) (\d+\.\d+\S*)", re.MULTILINE)


class OpenMpi(Launcher):
    """What both generations share."""

    family = "openmpi"

    @classmethod
    def recognise(cls, version_text: str) -> Mpi | None:
        """See `Launcher.recognise`."""
        found = _VERSION.search(version_text)
        return Mpi("openmpi", found.group(1), label="Open MPI") if found else None

    def command(self, job: Job) -> list[str]:
        """See `Launcher.command`.

        Raises:
            ConfigError: there are several programs, of which the first alone would have hosts.
        """
        if ":" in job.argv:
            raise ConfigError(
                "`:` starts several programs, and Open MPI wants the hosts of each beside it, which are known here for "
                "the first alone",
                hint="use your own launch line: `fairlead run CLUSTER --own-mpirun -- mpirun -np 1 --host HOST,... A : "
                "-np 2 --host HOST,... B`",
            )
        return [
            self.mpirun,
            *(["--allow-run-as-root"] if self.as_root else []),
            *self._daemons(job),
            "-np",
            str(job.ranks),
            *self._placement(job),
            *(self._transports(job) if job.transport == TCP else []),
            *(["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"] if job.cores_shared else []),
            *(["--wdir", job.cwd] if job.cwd else []),
            *_exports(job),
            *job.options,
            *job.argv,
        ]

    def environment(self, job: Job) -> dict[str, str]:
        """See `Launcher.environment`. As variables: what the command line names, daemons on other hosts need as well.

        Of a batch job, its own components of plm would start the daemons, and those of ras say where these may be.
        """
        return dict(self._without_batch_job) if job.by_agent_alone else {}

    _without_batch_job: ClassVar[Mapping[str, str]]  # by which hosts, and the way to them, are the command line's

    @abstractmethod
    def _daemons(self, job: Job) -> list[str]:
        """How the run time's daemons are started and find each other.

        Where mpirun's machine is none of the hosts, it has no interface of theirs to be named, and they cannot start
        each other's.
        """

    @abstractmethod
    def _placement(self, job: Job) -> list[str]:
        """Ranks where the job wants them, by options that never find a host too full."""

    @abstractmethod
    def _transports(self, job: Job) -> list[str]:
        """What puts messages between hosts on TCP over the job's interface."""


@register("openmpi4")
class OpenMpi4(OpenMpi):
    """Open MPI 4.0 and 4.1."""

    _without_batch_job: ClassVar = {"OMPI_MCA_plm": "rsh", "OMPI_MCA_ras": "^slurm"}

    def environment(self, job: Job) -> dict[str, str]:
        """See `Launcher.environment`.

        What the command line names is handed to the daemons, and they end if the agent is not on their host, too.
        """
        agent = {"OMPI_MCA_plm_rsh_agent": job.rsh_agent} if job.launcher_address and job.rsh_agent else {}
        return {**super().environment(job), **agent}

    def _daemons(self, job: Job) -> list[str]:
        if job.launcher_address:
            return ["--mca", "plm_rsh_no_tree_spawn", "1", "--mca", "plm_rsh_pass_environ_mca_params", "0"]
        agent = ["--mca", "plm_rsh_agent", job.rsh_agent] if job.rsh_agent else []
        interface = _interface(job)
        return [*agent, *(["--mca", "oob_tcp_if_include", interface] if interface else [])]

    def _placement(self, job: Job) -> list[str]:
        # Mapping by slot would put mpirun's own host first, whatever the order says.
        return [*_hosts(job.hosts), "--map-by", "seq"]

    def _transports(self, job: Job) -> list[str]:
        return _tcp(job, shared_memory="vader")


@register("openmpi5")
class OpenMpi5(OpenMpi):
    """Open MPI 5: the daemons' settings belong to PRRTE and have its names."""

    _without_batch_job: ClassVar = {"PRTE_MCA_plm": "ssh", "PRTE_MCA_ras": "^slurm"}

    def _daemons(self, job: Job) -> list[str]:
        agent = ["--prtemca", "plm_ssh_agent", job.rsh_agent] if job.rsh_agent else []
        if job.launcher_address:
            return [*agent, "--prtemca", "plm_ssh_no_tree_spawn", "1"]
        interface = _interface(job)
        # On this machine alone there are no daemons to find, and PRRTE ends when it is left with the loopback only.
        named = ["--prtemca", "prte_if_include", interface] if interface and interface != "lo" else []
        return [*agent, *named]

    def _placement(self, job: Job) -> list[str]:
        blocks = job.blocks()
        if len(blocks) == len(job.ranks_on()):
            return [*_hosts([f"{host}:{count}" for host, count in blocks]), "--map-by", "slot"]
        # PRRTE 3.0 fails to unpack its own map of one rank a line when there is binding to do as well.
        return [*_hosts(job.hosts), "--map-by", "seq", *([] if job.cores_shared else ["--bind-to", "none"])]

    def _transports(self, job: Job) -> list[str]:
        return _tcp(job, shared_memory="sm")


def _hosts(names: Sequence[str]) -> list[str]:
    """The hosts as one option or more: mpirun puts the lists of several together (orterun.c, ``create_app``)."""
    words: list[str] = []
    together, length = list[str](), 0
    for name in names:
        if length + len(name) >= LONGEST_WORD_B:
            words += ["--host", ",".join(together)]
            together, length = [], 0
        together.append(name)
        length += len(name) + 1
    return [*words, "--host", ",".join(together)]


def _interface(job: Job) -> str | None:
    """The interface by name where all hosts agree on it, else by network: an unknown name is an error.

    Open MPI reads networks of IPv4 only.
    """
    if len(job.interfaces) == 1:
        return job.interfaces[0]
    return job.network if job.family == 4 else None


def _tcp(job: Job, *, shared_memory: str) -> list[str]:
    interface = _interface(job)
    pinned = ["--mca", "btl_tcp_if_include", interface] if interface else []
    # Or it would use both versions of IP where the interface has addresses of both.
    family = ["--mca", "btl_tcp_disable_family", "4"] if job.family == 6 else []
    # The component that counts messages stands before the one that sends them.
    pml = "ob1,monitoring" if MONITORING in job.env else "ob1"
    return ["--mca", "pml", pml, "--mca", "btl", f"tcp,{shared_memory},self", *pinned, *family]


def _exports(job: Job) -> list[str]:
    return [word for name, value in job.environment().items() for word in ("-x", f"{name}={value}")]
