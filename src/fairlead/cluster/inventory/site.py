"""What an administrator or a user says once of all Slurm allocations, or of all hostfiles: guardian, ssh options."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from fairlead import config, home
from fairlead.cluster.cluster_file import CommandLine, Interface, SshTable

VARIABLE = "FAIRLEAD_SITE"
Source = Literal["slurm", "hostfile"]
"""Where the hosts come from. Each has a site file of its own, called so."""


class SiteTable(config.Model):
    """The keys of a cluster file's ``[cluster]`` that neither Slurm nor a hostfile knows."""

    interface: Interface | None = None
    """Network interface of MPI and the agents. Default: in an allocation the one with this host's address, or beside it
    with its first host's; with a hostfile, on each host the one with its address."""
    ports: tuple[int, int] | None = None
    """First and last port that agents may listen on, TCP and UDP. Default: 19600, 19699."""
    mpirun: str | None = Field(default=None, min_length=1)
    """The mpirun to use, by name or absolute path. Default: ``mpirun``."""
    launch_from: str | None = None
    """Host that runs mpirun, or ``here`` for this machine. Default: ``here``; beside a Slurm allocation, its first
    host."""
    guardian: CommandLine | None = None
    """Path of the guardian on the hosts, or command that starts it. Default: the installed one, or fairlead's copy."""


class SiteFile(config.Model):
    """A whole site file: settings that fairlead puts into the cluster file of every Slurm allocation or hostfile."""

    cluster: SiteTable = SiteTable()
    """The cluster as a whole."""
    ssh: SshTable = SshTable()
    """How ssh is called."""


@dataclass(frozen=True)
class Site:
    """What was said, as keys and values of a cluster file's tables; empty without a site file."""

    cluster: Mapping[str, Any] = field(default_factory=dict)
    ssh: Mapping[str, Any] = field(default_factory=dict)


def places(environment: Mapping[str, str] = os.environ, source: Source = "slurm") -> list[Path]:
    """Where a site file may be; the first that exists counts."""
    if named := environment.get(VARIABLE):
        return [Path(named)]
    named = environment.get("XDG_CONFIG_HOME")
    home = Path(named) if named else Path(environment.get("HOME", "/")) / ".config"
    return [directory / f"{source}.toml" for directory in (home / "fairlead", Path("/etc/fairlead"))]


def read(environment: Mapping[str, str] = os.environ, source: Source = "slurm") -> Site:
    """The site file's content; relative paths in it are meant from where it lies.

    Raises:
        ConfigError: it cannot be read, or is not as `SiteFile` says; or ``FAIRLEAD_SITE`` names none.
    """
    path = next((place for place in places(environment, source) if place.is_file()), None)
    if path is None and VARIABLE not in environment:
        return Site()
    path = path or Path(environment[VARIABLE])
    written = config.load(path, SiteFile).model_dump(mode="json", exclude_unset=True)
    ssh = written.get("ssh", {})
    for key in ("identity", "config"):
        if key in ssh:
            ssh[key] = str(path.absolute().parent / home.expand(Path(ssh[key])))
    return Site(written.get("cluster", {}), ssh)
