"""Hydra, the process manager of MPICH and of the libraries that come from it."""

from abc import abstractmethod

from fairlead.cluster.description import TCP
from fairlead.cluster.job import Job
from fairlead.cluster.launchers.base import Launcher
from fairlead.errors import ConfigError


class Hydra(Launcher):
    """The options that every Hydra has; what else its library needs is the library's own.

    Source: Hydra's own --help.
    """

    family = "mpich"

    def command(self, job: Job) -> list[str]:
        """See `Launcher.command`.

        Raises:
            ConfigError: the hosts have IPv6 addresses.
        """
        if job.family == 6:
            raise ConfigError(
                f"{self.mpirun}: the mpiexec of MPICH and Intel MPI (Hydra) reaches hosts by IPv4 addresses only",
                hint="use Open MPI (`--mpirun`), or give the hosts' IPv4 addresses in the cluster file",
            )
        transports = self._transports(job) if job.transport == TCP else {}
        environment = {**transports, **(self._idle() if job.cores_shared else {}), **job.environment()}
        return [
            self.mpirun,
            *(["-launcher", "ssh", "-launcher-exec", job.rsh_agent] if job.rsh_agent else []),
            *self._network(job),
            *self._hosts(job),
            *(self._unbound if job.cores_shared else ()),
            *(["-wdir", job.cwd] if job.cwd else []),
            *[word for name, value in environment.items() for word in ("-genv", name, value)],
            *job.options,
            *self._ranks(job),
        ]

    def _network(self, job: Job) -> list[str]:
        """How its proxies find mpirun. A machine that is none of the hosts has no interface of theirs to be named."""
        if job.launcher_address:
            return ["-localhost", job.launcher_address.address]
        return ["-iface", job.interfaces[0]] if job.interfaces else []

    def _hosts(self, job: Job) -> list[str]:
        """The options that name the hosts, in rank order."""
        return ["-hosts", ",".join(f"{host}:{count}" for host, count in job.blocks())]

    def _ranks(self, job: Job) -> list[str]:
        """How many ranks, and of what."""
        return ["-n", str(job.ranks), *job.argv]

    _unbound: tuple[str, ...] = ()  # the options by which ranks are bound to no core

    @abstractmethod
    def _transports(self, job: Job) -> dict[str, str]:
        """Variables that put messages between hosts on TCP over the job's interface."""

    @abstractmethod
    def _idle(self) -> dict[str, str]:
        """Variables by which a rank that waits lets others run on its core."""
