"""The program of a run: the bundled ones by name, any other by path; and what it says of itself at its end."""

import difflib
import json
import logging
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from fairlead import native
from fairlead.cluster.description import Cluster
from fairlead.cluster.job import Job
from fairlead.cluster.remote.deploy import deploy_everywhere
from fairlead.errors import NoProgramError
from fairlead.programs import applications, debian_mpich, linkage, npb, workloads

_log = logging.getLogger(__name__)
ADDS = "--monitor adds libfairlead"
BUNDLED = ("cg", "ep", "is", "ft", "mg", "sp", "bt", "lu", "nbody", "random-traffic")


def resolve(argv: Sequence[str], family: str | None, ranks: int | None = None) -> tuple[str, ...]:
    """The argument vector with a bundled program's name (``cg``) replaced by its path for that MPI family, or that of
    a program of the user's own suites (``npb:cg.A``).

    Args:
        family: ``openmpi`` or ``mpich``, as the launcher says; None where only the user knows: nothing is
            replaced then.
        ranks: that it is to run on; None: whether it can is not checked.

    Raises:
        ConfigError: a suite's program that is not known, or does not run on so many ranks.
        MissingToolError: a bundled program that was not built for this MPI.
    """
    if family is not None and argv and workloads.is_workload(argv[0]):
        return (str(workloads.resolve(argv[0], ranks)), *argv[1:])
    if family is None or not argv or argv[0] not in BUNDLED:
        return tuple(argv)
    return (str(native.mpi_program(family, argv[0])), *argv[1:])


def brought(cluster: Cluster, job: Job, family: str | None, *, watched: bool = False) -> Job:
    """`looked_at` without what was seen.

    Args:
        watched: libfairlead is to be loaded into it; that it will see nothing is said.

    Raises:
        ConfigError, MissingToolError, NoProgramError, HostError: see `looked_at`.
    """
    job, linkages = looked_at(cluster, job, family)
    if watched and (why := unseen(job.argv[0], linkages)):
        _log.warning("%s: none of its MPI calls can be seen", why)
    return job


def looked_at(cluster: Cluster, job: Job, family: str | None) -> tuple[Job, Mapping[str, linkage.Linkage]]:
    """The job with its program named by `resolve`, brought to hosts without this machine's files, and looked at there.

    What is none of these is the user's, who says where it is on the hosts. A launch line of the user's own is left as
    it is: which word of it is the program only the user knows.

    Returns:
        The job, and by host what its program runs with; nothing for a launch line of the user's own.

    Raises:
        ConfigError: see `resolve`; or the program is of another MPI than the one that is to start it.
        MissingToolError: see `resolve`.
        NoProgramError: a host does not have it.
        HostError, ConfigError: see `deploy_everywhere`.
    """
    if family is None:
        return job, {}
    argv = resolve(job.argv, family, job.ranks)
    if argv != tuple(job.argv):
        path = Path(argv[0])
        job = replace(job, argv=(deploy_everywhere(cluster, job.hosts, {path.name: path})[path.name], *argv[1:]))
        job = debian_mpich.with_library(cluster, job, path)
    try:
        linkages = linkage.on_hosts(cluster, job)
    except NoProgramError as error:
        near = _near(job.argv[0])
        if near is None:
            raise
        hint = f"{near} Otherwise {error.hint}"
        raise NoProgramError(error.message, hint=hint) from error
    linkage.check_mpi(job.argv[0], linkages.values(), family)
    _warn(job.argv[0], linkages)
    return job, linkages


def _near(program: str) -> str | None:
    """For people: the bundled program whose name was meant, maybe; None: none is called alike."""
    near = difflib.get_close_matches(program, BUNDLED, n=1, cutoff=0.75)
    return f"did you mean {near[0]}, which comes with fairlead?" if near else None


def unseen(program: str, linkages: Mapping[str, linkage.Linkage]) -> str | None:
    """Why libfairlead sees none of a program's calls, in words; None where it does."""
    if foreign := [host for host, each in linkages.items() if each.foreign]:
        return (
            f"{program} was built for another processor or word length than that of {linkage.describe_hosts(foreign)}"
        )
    return f"{program} is linked statically" if any(each.static for each in linkages.values()) else None


def sanitized(program: str, linkages: Mapping[str, linkage.Linkage]) -> str | None:
    """Why a program ends when libfairlead is loaded into it, in words; None where it does not."""
    name = next((each.sanitizer for each in linkages.values() if each.sanitizer), None)
    return f"{program} is built with {name}, beside which nothing should be preloaded" if name else None


def risk(program: str, linkages: Mapping[str, linkage.Linkage]) -> str | None:
    """Why libfairlead is not loaded into a program unasked, in words; None where that harms nothing that is known.

    It comes into a program that is linked with an MPI library of a known kind, and into nothing else: what a script or
    another launcher starts, maybe with the libraries of a container, is not known.
    """
    if why := unseen(program, linkages) or sanitized(program, linkages):
        return why
    if missing := next((each.missing for each in linkages.values() if each.missing), None):
        return f"{program} needs {missing[0]}, which the loader does not find"
    if unknown := [host for host, each in linkages.items() if each.wrapped is None]:
        where = f" on {linkage.describe_hosts(unknown)}" if len(unknown) < len(linkages) else ""
        return f"{program} itself is not linked with a supported MPI library{where} (--monitor if what it starts is)"
    if preloaded := {host: each.preloaded for host, each in linkages.items() if each.preloaded}:
        return f"LD_PRELOAD is set on {linkage.describe_hosts(preloaded)}: {next(iter(preloaded.values()))} ({ADDS})"
    return None


def _warn(program: str, linkages: Mapping[str, linkage.Linkage]) -> None:
    """Say what will go wrong with a program, as far as it is no error: ranks may have another LD_LIBRARY_PATH, and the
    kernel may have what emulates another processor."""
    if linkages and all(each.absent for each in linkages.values()) and shutil.which(program) is None:
        _log.warning(
            "%s: %s is not in PATH there, nor on this machine: %s",
            linkage.describe_hosts(linkages),
            program,
            _near(program) or "name its path on the hosts, or let `fairlead run --bring FILE` copy it there",
        )
    if foreign := [host for host, each in linkages.items() if each.foreign]:
        _log.warning(
            "%s: %s was built for another processor or word length, and starts only if the kernel has it emulated: "
            "build it on such a host, or use hosts of one kind",
            linkage.describe_hosts(foreign),
            program,
        )
    if without := {host: each.missing for host, each in linkages.items() if each.missing}:
        _log.warning(
            "%s: %s needs %s, which the loader does not find there: name its directory in LD_LIBRARY_PATH, or link with"
            " -Wl,-rpath,DIRECTORY",
            linkage.describe_hosts(without),
            program,
            ", ".join(next(iter(without.values()))),
        )


@dataclass(frozen=True)
class Verdict:
    """What a program printed of its own result: the last line that is a JSON object, the report of an NPB program, or
    that of an application (`fairlead.programs.applications`).

    Attributes:
        verified: the program's own check; None if it makes none or prints nothing of the kind.
        timed_s: its own timed section, in seconds, or None; as it was printed, which `failure` judges.
        data: the whole object.
        result: numbers by name that every run of the same command on the same number of ranks repeats.
        timed_to_the_end: the timed section is the end of the run; else it is of parts of it.
    """

    verified: bool | None = None
    timed_s: float | None = None
    data: dict[str, Any] | None = None
    result: Mapping[str, float] = field(default_factory=dict)
    timed_to_the_end: bool = True


def verdict(output: bytes) -> Verdict:
    """Read the verdict from a program's standard output."""
    for line in reversed(output.splitlines()):
        if not line.startswith(b"{"):
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            continue  # a line of the program's own that only starts like one
        verified, seconds = data.get("verified"), data.get("seconds")
        return Verdict(
            verified if isinstance(verified, bool) else None,
            _float(seconds) if isinstance(seconds, int | float) and not isinstance(seconds, bool) else None,
            data,
            _result(data.get("result")),
        )
    if reported := npb.report(output):
        # NPB prints two decimals: 0.00 is a time too short for it, and tells none.
        return Verdict(reported.verified, reported.time_s or None, asdict(reported))
    if said := applications.report(output):
        return Verdict(said.verified, said.time_s or None, asdict(said), said.result, said.timed_to_the_end)
    return Verdict()


def _result(said: object) -> dict[str, float]:
    """From JSON: a number, or an object of numbers by name; anything else is no result."""
    named = said if isinstance(said, dict) else {"result": said}
    numbers = {name: value for name, value in named.items() if isinstance(value, int | float)}
    return {str(name): _float(value) for name, value in numbers.items() if not isinstance(value, bool)}


def _float(value: float) -> float:
    """Infinite where it is too large for a number."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def failure(program: str, exit_code: int, said: Verdict) -> str | None:
    """Why a run of a program is no sample, in words; None if it is one.

    A program that is known to check its result has to have said so: a verdict that something broke (another process's
    words in the middle of it, a full disk) is no good one.

    Args:
        program: as the user named it: ``cg``, ``npb:cg.A``, a path.
    """
    if exit_code != 0:
        return f"exit code {exit_code}"
    if said.verified is False:
        return "its result is not verified"
    # An NPB program's class without reference values has a report, and in it that nothing could be verified.
    if (program in BUNDLED and said.verified is None) or (workloads.is_workload(program) and said.data is None):
        return "its output holds no verdict that can be read"
    for name, value in said.result.items():
        if not math.isfinite(value):
            return f"{program} prints {value:g} as its result ({name}), which is no number"
    if said.timed_s is not None and not 0 < said.timed_s < math.inf:
        return f"{program} prints {said.timed_s:g} as its own seconds, which is no time that a run takes"
    return None
