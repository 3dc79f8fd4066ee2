"""What every launcher can do, and the registry of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from fairlead.cluster.job import Job
from fairlead.errors import ConfigError


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

    @abstractmethod
    def command(self, job: Job) -> list[str]:
        """The command line that starts ``job``, to be run on the launching host."""

    def environment(self, job: Job) -> dict[str, str]:
        """What mpirun itself needs in its environment, beyond what it inherits."""
        return {}


_registry: dict[str, type[Launcher]] = {}
LauncherClass = type[Launcher]


def register(name: str) -> Callable[[LauncherClass], LauncherClass]:
    """Class decorator: make a launcher known under ``name``.

    Raises:
        ValueError: the name is taken.
    """

    def add(launcher: LauncherClass) -> LauncherClass:
        if name in _registry:
            raise ValueError(f"launcher {name!r} is registered twice: {_registry[name]!r} and {launcher!r}")
        _registry[name] = launcher
        launcher.name = name
        return launcher

    return add


def names() -> tuple[str, ...]:
    """Names of all launchers."""
    return tuple(sorted(_registry))


def get(name: str) -> LauncherClass:
    """The launcher class of that name.

    Raises:
        ConfigError: unknown.
    """
    if name not in _registry:
        raise ConfigError(f"launcher {name!r} is unknown", hint=f"use one of {', '.join(names())}")
    return _registry[name]
