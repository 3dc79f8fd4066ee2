"""A program of a plan: as a person writes it, resolved at the levels of a row, and as a job."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from fairlead import programs
from fairlead.cluster.description import MOST_RANKS, Cluster, Transport
from fairlead.cluster.fabric import known_transport
from fairlead.cluster.job import Job
from fairlead.cluster.jobs import launch
from fairlead.cluster.launchers import Launcher
from fairlead.config import Model
from fairlead.placement import placed
from fairlead.programs import own_files

PLAN_DIRECTORY = "plan_directory"
"""In braces in a command: the directory of the plan's file, where a program's input may be."""


def in_directory(command: tuple[str, ...], directory: Path) -> tuple[str, ...]:
    """A command with the plan's directory in its place."""
    return tuple(word.replace(f"{{{PLAN_DIRECTORY}}}", str(directory)) for word in command)


class ProgramTable(Model):
    """One program."""

    name: str = Field(min_length=1)
    """Unique name of the program in the plan."""
    command: tuple[str, ...] = Field(min_length=1)
    """Name of a bundled program, or a path, and its arguments. Words may hold ``{plan_directory}``, the directory of
    this file, and in an evaluation ``{factor}``."""
    ranks: int = Field(ge=1, le=MOST_RANKS)
    """Number of ranks."""
    placement: Path | None = None
    """File that ``fairlead placement --json`` wrote for these hosts. Default: ranks fill the hosts in order."""
    mpirun: str | None = None
    """The mpirun to use. Default: the cluster's."""
    timeout_s: float = Field(default=600.0, gt=0)
    """Seconds after which a run is ended and recorded as failed. In an evaluation, the default is ``run.timeout_s``."""

    def under(self, directory: Path) -> Self:
        """The same program with its relative path starting at ``directory``, and that in its command."""
        placement = None if self.placement is None else directory / self.placement
        return self.model_copy(update={"placement": placement, "command": in_directory(self.command, directory)})

    def resolved(self) -> "Program":
        """What is started."""
        return Program(self.command, self.ranks, self.mpirun, self.placement, timeout_s=self.timeout_s)


class ProgramPlan(ProgramTable):
    """One program of a comparison."""

    clean_s: float | None = Field(default=None, gt=0)
    """Approximate run time on a clean network in seconds, for the forecast before pilot runs have measured it."""
    length: str | None = None
    """Option of ``command`` whose whole number, 1 or more, sets how long the program runs, such as ``--iterations``."""
    timed_s: float | None = Field(default=None, gt=0)
    """Wanted length of the program's own timed section on a clean network in seconds; needs ``length``."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.timed_s is not None and self.length is None:
            raise ValueError("timed_s: say which option of the command sets the program's length (length)")
        if self.length is not None:
            self._number_at()
        return self

    def _number_at(self) -> int:
        """Where the number after ``length`` stands in the command."""
        found = [k + 1 for k, word in enumerate(self.command) if word == self.length]
        if len(found) != 1 or found[0] >= len(self.command) or not self.command[found[0]].isdecimal():
            raise ValueError(f"length: the command must have {self.length} once, and a whole number after it")
        if int(self.command[found[0]]) < 1:
            raise ValueError(f"length: the number after {self.length} must be 1 or more")
        return found[0]

    @property
    def number(self) -> int:
        """How long it runs: the number after ``length``. Only for programs that have one."""
        return int(self.command[self._number_at()])

    def of_length(self, number: int) -> Self:
        """The same program with another number after ``length``."""
        at = self._number_at()
        return self.model_copy(update={"command": (*self.command[:at], str(number), *self.command[at + 1 :])})


@dataclass(frozen=True)
class Program:
    """A program with everything that its start needs to know.

    Attributes:
        command: name or path, and arguments.
        mpirun: None: the cluster's.
        placement: file that says on which host each rank runs; None: by slots.
        custom: the command is a whole launch line.
        environment: of the ranks, beside the user's.
        transport: what carries its messages between hosts; None: see `fairlead.cluster.fabric`.
        copies: paths on the hosts of files that the command names (`fairlead.programs.own_files`).
    """

    command: tuple[str, ...]
    ranks: int
    mpirun: str | None = None
    placement: Path | None = None
    custom: bool = False
    timeout_s: float = 600.0
    environment: Mapping[str, str] = field(default_factory=dict)
    transport: Transport | None = None
    copies: Mapping[Path, str] = field(default_factory=dict)

    def mpirun_on(self, cluster: Cluster) -> str | None:
        """The mpirun that starts it there; None: none of ours does."""
        return None if self.custom else self.mpirun or cluster.mpirun

    def transport_on(self, cluster: Cluster) -> Transport | None:
        """What carries its messages there; None: its own launch line says it, or the hosts were not asked yet."""
        return None if self.custom else self.transport or known_transport(cluster)


def prepare_program(cluster: Cluster, program: Program, job_id: str, *, watched: bool = False) -> tuple[Launcher, Job]:
    """A program as a job; raises as `launch.prepare`, `placed.hosts` and `programs.brought`, which has ``watched``."""
    if program.mpirun:
        cluster = cluster.with_mpirun(program.mpirun)
    if program.transport:
        cluster = cluster.with_transport(program.transport)
    hosts = placed.hosts(program.placement, cluster, program.ranks) if program.placement is not None else None
    launcher, job = launch.prepare(
        cluster,
        own_files.with_copies(program.command, program.copies),
        program.ranks,
        job_id=job_id,
        launcher="custom" if program.custom else None,
        env=program.environment,
        hosts=hosts,
    )
    return launcher, programs.brought(cluster, job, launcher.family, watched=watched)
