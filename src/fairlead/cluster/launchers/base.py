"""What every launcher can do, and the registry of them: a new one is a file beside this one."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from fairlead.cluster.job import Job
from fairlead.registry import Registry


@dataclass(frozen=True)
class Mpi:
    """An MPI as its mpirun describes itself.

    Attributes:
        family: ``openmpi``, ``mpich`` or ``intelmpi``.
        version: as printed, for example ``4.1.4``.
        device: MPICH's communication device (``ch4:ucx``), where the build options name one.
        label: what people call the family: ``Open MPI``.
    """

    family: str
    version: str
    device: str | None = None
    label: str = field(default="", compare=False)

    @property
    def launcher(self) -> str:
        """Name of the launcher class for it."""
        return f"{self.family}{self.version.split('.')[0]}"

    def __str__(self) -> str:
        return f"{self.label or self.family} {self.version}" + (f" ({self.device})" if self.device else "")


class Launcher(ABC):
    """Builds the command line of one kind of mpirun, and passes the environment its way.

    Attributes:
        name: how options and records call it.
        family: binary interface of programs that it starts: ``openmpi`` or ``mpich``; None where only the user knows.
    """

    name: ClassVar[str]
    family: ClassVar[str | None]

    def __init__(self, mpirun: str = "mpirun", *, as_root: bool = False) -> None:
        """
        Args:
            mpirun: name in PATH, or absolute path, on the host that launches.
            as_root: it runs as root there.
        """
        self.mpirun = mpirun
        self.as_root = as_root

    @classmethod
    def recognise(cls, version_text: str) -> Mpi | None:
        """The MPI of this kind, in any version, that printed this for ``mpirun --version``; None: another one."""
        return None

    @abstractmethod
    def command(self, job: Job) -> list[str]:
        """The command line that starts ``job``, to be run on the launching host."""

    def environment(self, job: Job) -> dict[str, str]:
        """What mpirun itself needs in its environment, beyond what it inherits."""
        return {}


LAUNCHERS: Registry[type[Launcher]] = Registry("launcher", "fairlead.cluster.launchers")
register, names, get = LAUNCHERS.register_class, LAUNCHERS.names, LAUNCHERS.get
