"""What every executor can do, and the registry of them: a new one is a file beside this one."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fairlead.registry import Registry

if TYPE_CHECKING:
    from fairlead.cluster.description import Cluster


class Executor(ABC):
    """How to run something on the hosts of one cluster.

    Attributes:
        name: what a cluster file calls it.
        shares_files: hosts see this machine's files at the same paths, so that nothing has to be copied.
        passes_signals: a signal to the process started here reaches the command on the host.
        other_machines: hosts have files, limits and facts of their own, and their processes are not this one's.
        has_launch_host: mpirun may run on a host, which gets from there to the others; else it runs on this machine.
        own_files: which of this machine's paths are others on its hosts, and the way out; empty: none in particular.
    """

    name: ClassVar[str]
    passes_signals: ClassVar[bool]
    other_machines: ClassVar[bool] = False
    has_launch_host: ClassVar[bool] = True
    own_files: ClassVar[str] = ""
    shares_files: bool = True

    def __init__(self, cluster: "Cluster") -> None:
        self._cluster = cluster

    @abstractmethod
    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        """Command line that runs ``argv`` on ``host`` when started on this machine.

        stdin, stdout, stderr and the exit code are those of ``argv``. ``env`` is added to the environment there and
        stands in the command line: no secrets.

        Raises:
            ConfigError: no such host in the cluster.
        """

    def lasting(self, host: str, argv: Sequence[str]) -> list[str]:
        """As `command`, for what stays as long as a run: it ends here soon when the way to the host is cut."""
        return self.command(host, argv)

    def on_terminal(self, host: str, argv: Sequence[str]) -> list[str]:
        """As `command`, for what asks the person at this terminal."""
        return self.command(host, argv)

    def look(self, host: str) -> str:
        """How a person finds out why a host is not reached: a command to try, where there is one."""
        return ""

    def way_out(self, host: str, said: bytes) -> str:
        """As `look`, with what helps against the reason for which the way to the host failed.

        Args:
            said: the stderr of what did not get there.
        """
        return self.look(host)

    def log_out(self, host: str) -> list[str]:
        """What to run here so that the next command on a host logs in anew, with the groups that its user has then.

        Empty: nothing helps, or nothing is needed.
        """
        return []

    def lost_by(self, host: str, exit_code: int, said: bytes) -> str | None:
        """The program that did not get to the host, or not back, if a command ended so and said this on stderr."""
        return None

    def machine(self, host: str) -> str:
        """A name for the machine whose processors a host runs on: hosts of the same one share them."""
        return "this machine"

    def preloaded(self) -> Path | None:
        """A library that ranks on hosts of this kind have loaded; None: none."""
        return None

    @abstractmethod
    def rsh_agent(self) -> Path | None:
        """Program that MPI launchers call in place of ssh as ``AGENT HOST COMMAND...``, or None where they need none.

        It takes the cluster file's host names.
        """


EXECUTORS: Registry[type[Executor]] = Registry("executor", "fairlead.cluster.executors")
register, names = EXECUTORS.register_class, EXECUTORS.names


def has_launch_host(name: str) -> bool:
    """Whether mpirun may run on a host of the executor of that name; one that is not known has none."""
    return name in EXECUTORS and EXECUTORS.get(name).has_launch_host


def executor_of(cluster: "Cluster") -> Executor:
    """The executor that a cluster asks for.

    Raises:
        ConfigError: unknown executor.
    """
    return EXECUTORS.get(cluster.executor, where=f"{cluster.source}: ")(cluster)


def with_environment(argv: Sequence[str], env: Mapping[str, str] | None, cwd: str | None) -> list[str]:
    """``argv`` behind coreutils' ``env``, which sets variables and working directory; plain where there are none."""
    settings = [f"--chdir={cwd}"] if cwd else []
    settings += [f"{name}={value}" for name, value in (env or {}).items()]
    return ["env", *settings, *argv] if settings else list(argv)
