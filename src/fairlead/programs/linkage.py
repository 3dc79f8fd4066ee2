"""Which MPI library an executable file runs with, as the dynamic loader finds it; and whether a host has the file.

The loader itself is asked for the libraries: those that others need, RPATH, RUNPATH, LD_LIBRARY_PATH and the cache are
then taken as in a run. It is glibc's own of that host, called by its path with what `ldd` sets (ld.so(8),
LD_TRACE_LOADED_OBJECTS): it lists what it would load and ends. No instruction of the program or its libraries is
executed, whatever interpreter the file names.
"""

import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fairlead.cluster.description import Cluster
from fairlead.cluster.executors.base import Executor, executor_of
from fairlead.cluster.job import Job
from fairlead.cluster.remote.execute import on_all, run_on, unexpected
from fairlead.errors import ConfigError, NoProgramError

FILE = r"""cd "$1"
case $2 in */*) file=$2 ;; *) file=$(command -v -- "$2") || file=./$2 ;; esac"""
"""Of the shell, with directory and program as arguments: ``$file`` is the program; one without a slash is a builtin."""
LOADERS = "/lib64/ld-linux*.so.* /lib64/ld64.so.* /lib/ld-linux*.so.*"

# Arguments: directory, program. What it says begins with one of `_WORDS`. "foreign": an executable for another
# processor or word length; "other": a script, or any executable where no loader of glibc is.
# What tells an MPI library that is part of the file: a symbol's name, or a text that is left where symbols are not.
# Behind the standard ABI any library may be: a text of its own tells which the loader has found.
_LOOK = rf"""
{FILE}
case $file in */*) ;; *) echo other; exit 0 ;; esac
[ -e "$file" ] || {{ echo absent; exit 0; }}
[ -f "$file" ] && [ -x "$file" ] || {{ echo closed; exit 0; }}
machine() {{ od -An -tx1 -N6 "$1"; od -An -tx1 -j18 -N2 "$1"; }} 2>/dev/null
if [ "$(machine "$file")" != "$(machine /bin/sh)" ]; then
  case $(machine "$file") in ' 7f 45 4c 46'*) echo foreign ;; *) echo other ;; esac
  exit 0
fi
known= listed=
for loader in {LOADERS}; do
  [ -x "$loader" ] || continue
  [ "$known" ] || echo executable
  known=yes
  "$loader" --verify "$file" >/dev/null 2>&1
  case $? in 0 | 2) listed=$(LD_TRACE_LOADED_OBJECTS=1 "$loader" "$file" 2>/dev/null); break ;; esac
done
[ "$known" ] || {{ echo other; exit 0; }}
[ "$LD_PRELOAD" ] && printf 'preloaded %s\n' "$LD_PRELOAD"
printf '%s\n' "$listed"
behind=$(printf '%s\n' "$listed" | sed -n 's/^[[:space:]]*libmpi_abi\.so\.1 => \(.*\) (0x[0-9a-f]*)$/\1/p')
if [ "$behind" ]; then
  LC_ALL=C grep -aoE 'MPICH Version:|Intel\(R\) MPI Library' "$behind" | sort -u | sed 's/^/behind /'
fi
LC_ALL=C grep -aoE 'ompi_mpi_comm_world|MPIR_Process|MPICH Version:|__(a|hwa|l|m|t)san_init' "$file" | sort -u
true
"""
_WORDS = ("absent", "closed", "foreign", "other", "executable")
_LOADED = re.compile(r"^\t(?P<name>\S+)(?: => (?P<path>.*?))?(?: \(0x[0-9a-f]+\))?$", re.MULTILINE)
# The libraries of C and Fortran programs by the number of their binary interface; libmpich is MPICH's old name.
_LIBRARY = re.compile(r"^libmpi(?:ch|chfort|fort|_\w+)?\.so\.(\d+)")
# That with the standard ABI, whose first it is; libmpifort_abi is a binding for it.
_STANDARD = re.compile(r"^libmpi(?:fort)?_abi\.so\.1\b")
_FAMILIES = {"40": "openmpi", "12": "mpich"}
# Those that libfairlead has wrappers for, as native/interpose/shim/targets.cpp tells them, and whose these are.
_WRAPPED = {
    "libmpi.so.40": "openmpi",
    "libmpi.so.12": "mpich",
    "libmpich.so.12": "mpich",
    "libmpi_abi.so.1": "standard",
}
# What has to be loaded before all else, or takes memory that others wrote for unwritten: as a library, or a part.
_SANITIZER = re.compile(r"^(?:lib(?:clang_rt\.)?(a|hwa|l|m|t)san\b|__(a|hwa|l|m|t)san_init$)")
_SANITIZERS = {"a": "Address", "hwa": "HWAddress", "l": "Leak", "m": "Memory", "t": "Thread"}
_PARTS = {"ompi_mpi_comm_world": "openmpi", "MPIR_Process": "mpich", "MPICH Version:": "mpich"}


@dataclass(frozen=True)
class Linkage:
    """What an executable file runs with.

    Attributes:
        mpi: its MPI library, ``openmpi`` or ``mpich`` and its kin; None: it has none, or it is not known.
        static: that library, or every library, is part of the file: what is loaded beside it sees none of its calls.
        missing: libraries that it or another one needs and the loader does not find.
        standard: it was built for MPI's standard ABI, so its library is the one that the loader finds.
        foreign: it was built for another processor or word length than the host's shell: nothing of ours is loaded
            into it.
        wrapped: the binary interface whose wrappers libfairlead has for its MPI library (``openmpi``, ``mpich``,
            ``standard``); None: there are none, or another program has to be started before it is known.
        sanitizer: the name of the one that it is built with.
        preloaded: LD_PRELOAD of the host's user.
        absent: its name has no directory and is not in PATH of a log-in, where mpirun may find it all the same.
    """

    mpi: str | None = None
    static: bool = False
    missing: tuple[str, ...] = ()
    standard: bool = False
    foreign: bool = False
    wrapped: str | None = field(default=None, compare=False)
    sanitizer: str | None = None
    preloaded: str = ""
    absent: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        if self.foreign:
            return "for another processor or word length"
        if self.static:
            return f"{self.mpi}, linked statically" if self.mpi else "linked statically"
        words = self.mpi or ("MPI" if self.standard else "no MPI library")
        words += " by the standard ABI" if self.standard else ""
        return f"{words}; not found: {', '.join(self.missing)}" if self.missing else words


def here(program: Path) -> Linkage:
    """Of a file on this machine.

    Raises:
        NoProgramError: it is no executable file.
    """
    question = ["sh", "-c", _LOOK, "sh", ".", str(program.absolute())]
    said = subprocess.run(question, capture_output=True, text=True, errors="replace", check=True).stdout
    if why := _unusable(said):
        raise NoProgramError(f"{program} {why}", hint="build it again, or remove it")
    return read(said)


def on_hosts(cluster: Cluster, job: Job) -> dict[str, Linkage]:
    """Of a job's program on each of its hosts, in the job's directory and environment.

    Raises:
        NoProgramError: a host does not have it, as an executable file.
        HostError: a host was not reached.
    """
    executor = executor_of(cluster)
    question = ["sh", "-c", _LOOK, "sh", job.cwd or ".", job.argv[0]]
    said = on_all(dict.fromkeys(job.hosts), lambda host: run_on(executor, host, question, env=job.env))
    for host, answer in said.items():
        if not answer.startswith(_WORDS):
            raise unexpected(host, answer)
    _check_there(executor, job, said)
    return {host: read(answer) for host, answer in said.items()}


def check_mpi(program: str, linkages: Iterable[Linkage], family: str) -> None:
    """See that a program is of the MPI that is to start it: else it would run as so many programs of one rank.

    Raises:
        ConfigError: it is not.
    """
    other = next((each for each in linkages if each.mpi not in (None, family)), None)
    if other is None:
        return
    named = f"name {other.mpi}'s mpirun (`mpirun` in the cluster file or the plan, or --mpirun)"
    if other.standard:
        raise ConfigError(
            f"{program}: the libmpi_abi that the loader finds is {other.mpi}'s, and mpirun is {family}'s",
            hint=f"{named}, or point LD_LIBRARY_PATH at {family}'s libmpi_abi",
        )
    raise ConfigError(
        f"{program}: was built for {other.mpi}, and mpirun is {family}'s",
        hint=f"{named}, or build the program with {family}'s compilers",
    )


def read(said: str) -> Linkage:
    """From what `_LOOK` says of a file that is there."""
    kind, _, listed = said.partition("\n")
    if kind != "executable":
        return Linkage(foreign=kind == "foreign", absent=kind == "absent")
    loaded = {found["name"]: found["path"] for found in _LOADED.finditer(listed)}
    names = [Path(name).name for name in loaded]
    lines = listed.splitlines()
    return replace(
        _mpi_of(loaded, names, lines),
        wrapped=_wrapped(names),
        sanitizer=_sanitizer([*names, *lines]),
        preloaded=next((line.removeprefix("preloaded ") for line in lines if line.startswith("preloaded ")), ""),
    )


def _mpi_of(loaded: Mapping[str, str | None], names: Sequence[str], lines: Sequence[str]) -> Linkage:
    """Which MPI library it has, and where.

    Args:
        loaded: path by name of what the loader lists; ``names`` are these without directories.
        lines: all that was said.
    """
    missing = tuple(name for name, path in loaded.items() if path == "not found")
    is_open_mpi = _is_open_mpi(names)
    if any(map(_STANDARD.match, names)):
        of_mpich = any(line.startswith("behind ") for line in lines)
        return Linkage("openmpi" if is_open_mpi else "mpich" if of_mpich else None, missing=missing, standard=True)
    if library := next(filter(None, map(_LIBRARY.match, names)), None):
        # Before its version 2 Open MPI had MPICH's number.
        return Linkage("openmpi" if is_open_mpi else _FAMILIES.get(library.group(1)), missing=missing)
    if missing:  # one of them may bring the MPI library whose names are in the file
        return Linkage(missing=missing)
    inside = next((_PARTS[line] for line in lines if line in _PARTS), None)
    # Of a static executable whose address is not fixed the loader says "statically linked", of others nothing.
    return Linkage(inside, static=inside is not None or not loaded)


def _is_open_mpi(names: Sequence[str]) -> bool:
    return any(name.startswith("libopen-pal.") for name in names)


def _wrapped(names: Sequence[str]) -> str | None:
    """The binary interface of the one MPI library that is there; None: it is of another kind, or not the only one."""
    found = {_WRAPPED[name] for name in names if name in _WRAPPED}
    if len(found) != 1 or (found == {"mpich"} and _is_open_mpi(names)):
        return None
    return found.pop()


def _sanitizer(words: Iterable[str]) -> str | None:
    found = next(filter(None, map(_SANITIZER.match, words)), None)
    return f"{_SANITIZERS[found.group(1) or found.group(2)]}Sanitizer" if found else None


def _unusable(said: str) -> str | None:
    return {"absent\n": "was not found", "closed\n": "is not an executable file"}.get(said)


def _check_there(executor: Executor, job: Job, said: Mapping[str, str]) -> None:
    program = job.argv[0]
    if "/" not in program and executor.other_machines:  # mpirun may look in the PATH that it has itself
        return
    without = {host: why for host, answer in said.items() if (why := _unusable(answer))}
    if not without:
        return
    host, why = next(iter(without.items()))
    if "/" in program and (executor.shares_files or job.cwd):
        program = str(Path(job.cwd or Path.cwd(), program))
    hint = "name an executable file that every host has at this path, or let `fairlead run --bring FILE` copy it there"
    if said[host] == "closed\n":
        hint += (
            f". `chmod +x {shlex.quote(program)}` makes a file executable, unless its file system is mounted noexec "
            "(`findmnt -T FILE`); a script may also be started by what runs it (-- python3 SCRIPT)"
        )
    if executor.shares_files and said[host] == "absent\n" and Path(program).exists():
        hint = executor.own_files or hint
    raise NoProgramError(f"{describe_hosts(without)}: {program} {why}", hint=hint)


def describe_hosts(hosts: Iterable[str]) -> str:
    """The first of some hosts, and how many more there are."""
    first, *others = hosts
    return f"{first} and {len(others)} more" if others else first
