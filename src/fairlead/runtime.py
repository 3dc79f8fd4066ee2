"""What must not outlive the boot: the user's private directory for it, and processes as they are noted there."""

import contextlib
import os
import signal
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairlead.descriptors import readable
from fairlead.errors import FairleadError, of_system

VARIABLE = "FAIRLEAD_RUNTIME_DIR"

START_OF = """
start_of() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  set -- ${stat##*) }
  case $1 in [ZX]) return 1 ;; esac
  echo "${20}"
}
send() { [ -n "$3" ] && [ "$(start_of "$2")" = "$3" ] && kill -s "$1" "$2" 2>/dev/null; }
"""
"""For shell scripts: ``start_of PID``, its start time as `start_ticks` has it; ``send SIGNAL PID START``, which sends
nothing to a process that began at another time. Shells have no descriptors of processes."""


@dataclass(frozen=True)
class Process:
    """A process by its number and its start time in clock ticks since boot (proc(5), field 22).

    Both together never come to mean another process, as the number alone does.
    """

    pid: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> "Process":
        """Raises ProcessLookupError if there is no such process."""
        return cls(pid, start_ticks(pid))

    @classmethod
    def own(cls) -> "Process":
        """This process. Raises FairleadError without /proc."""
        try:
            return cls.of(os.getpid())
        except ProcessLookupError as error:
            raise FairleadError("/proc is not mounted or not readable", hint="fairlead needs it") from error

    def is_alive(self) -> bool:
        try:
            return start_ticks(self.pid) == self.start_ticks
        except ProcessLookupError:
            return False
        except OSError:
            running = child_runs(self.pid)
            if running is None:
                raise
            return running

    def send(self, number: signal.Signals) -> None:
        """Send a signal; nothing happens if it is gone. Raises FairleadError if it belongs to somebody else."""
        try:
            with self.descriptor() as descriptor:
                if descriptor is not None:
                    signal.pidfd_send_signal(descriptor, number)
        except ProcessLookupError:  # it was reaped just now
            return
        except PermissionError as error:
            raise FairleadError(f"process {self.pid} is not yours to end") from error
        except OSError:
            running = child_runs(self.pid)
            if running is None:
                raise
            if running:
                os.kill(self.pid, number)

    def wait(self, timeout_s: float) -> None:
        """Wait until it is gone. Raises FairleadError if it is not in time."""
        with self.descriptor() as descriptor:
            if descriptor is not None and not readable(descriptor, timeout_s):
                raise FairleadError(f"process {self.pid} did not end within {timeout_s:g} s")

    @contextlib.contextmanager
    def descriptor(self) -> Iterator[int | None]:
        """For the length of a block, a descriptor that means this process and no other; None if it is gone."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            yield None
            return
        try:
            # Checked after opening: the descriptor cannot come to mean another process.
            yield descriptor if self.is_alive() else None
        finally:
            os.close(descriptor)


def start_ticks(pid: int) -> int:
    """Start time of a living process. Raises ProcessLookupError also for one that is dead but not yet reaped."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()  # a name may be cut in the middle of a character
    except (FileNotFoundError, ProcessLookupError):
        raise ProcessLookupError(pid) from None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before may hold spaces and brackets
    if fields[0] in b"ZX":
        raise ProcessLookupError(pid)
    return int(fields[19])


def child_runs(pid: int) -> bool | None:
    """Whether a child of this process runs; None: it is no child, or was reaped. Takes no descriptor.

    What /proc and descriptors of processes are for: until it is reaped, a child's number means no other process.
    """
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return None


def directory(name: str = "") -> Path:
    """``/tmp/fairlead-UID``, else what FAIRLEAD_RUNTIME_DIR names, or the directory called ``name`` in it.

    One for all sessions of a user, which have to know of each other's runs, labs and locks: XDG_RUNTIME_DIR is there
    after a log-in and not for cron, su or a batch system. Where these have a /tmp of their own (Slurm's
    job_container/tmpfs, pam_namespace, systemd's PrivateTmp), or systemd-tmpfiles removes what is old there,
    FAIRLEAD_RUNTIME_DIR must name a place that they share and that is kept. Both are made with mode 0700. What is read
    there was written by this user: nobody else can put a file into it.

    Raises:
        FairleadError: it cannot be made, belongs to somebody else, or others may look into it.
    """
    path = Path(os.environ.get(VARIABLE) or f"/tmp/fairlead-{os.getuid()}").absolute()
    try:
        path = _private(path) / name
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise of_system(error, path, doing="cannot be used", hint=f"set {VARIABLE} to another directory") from error
    return path


def _private(path: Path) -> Path:
    """Make the user's directory, or see that it is one: in /tmp, anybody can have put something in its place."""
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        hint = f"remove it, or chmod 700 {path}; {VARIABLE} names another place"
        raise FairleadError(f"{path} is not a private directory of yours", hint=hint)
    return path
