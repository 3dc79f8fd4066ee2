"""The one tree of exceptions. Every message names the file, option or host concerned, and the way out.

The command line prints the message alone; ``-v`` adds the traceback. One class per failed activity, so that a
caller can catch an activity and nothing else; where it failed since it was asked for wrongly, a class below that, of
exit code 2. What the operating system refuses is told by `of_system`, never as "[Errno 28]".
"""

import errno
import os


class FairleadError(Exception):
    """Base of everything that fairlead raises on purpose.

    Attributes:
        message: what happened, and where.
        hint: what the user can do about it, or an empty string.
        exit_code: what the command line ends with.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class ConfigError(FairleadError):
    """A file or option that a person wrote is not usable. The message names file, line and key."""

    exit_code = 2


class FileError(FairleadError):
    """A file or directory could not be read, made or written."""


class MissingToolError(FairleadError):
    """A program or component that this step needs is not installed."""


class MissingDeviceError(FairleadError):
    """A host does not have the device that this step is about."""


class PrivilegeError(FairleadError):
    """The step needs a privilege that this user does not have."""


class HostError(FairleadError):
    """A host could not be reached, or what was started there failed."""


class SilentHostError(HostError):
    """A host did not answer in the time that there was for it."""


class LabError(FairleadError):
    """The emulated cluster could not be made, used or removed."""


class NoSuchLabError(LabError):
    """A lab, or a host, leaf, server or NIC of one, was named that is not there."""

    exit_code = 2


class LaunchError(FairleadError):
    """The MPI program could not be started."""


class NoProgramError(LaunchError):
    """The program that was to be started is not there. A shell ends with the same code then."""

    exit_code = 127


class AgentError(FairleadError):
    """An agent or guardian did not start, died, or answered what it must not."""


class MeasurementError(FairleadError):
    """A measurement could not be taken. It is never replaced by a number."""


class StoreError(FairleadError):
    """The results store could not be opened, read or written."""


class StoreHeldError(StoreError):
    """Another process writes the results store."""


class NoSuchResultsError(StoreError):
    """A directory without results was named, or a run, name or value that is not in them."""

    exit_code = 2


class StatisticsError(FairleadError):
    """A statistic was asked for that the samples do not allow (too few, not paired)."""


class CloudError(FairleadError):
    """A cloud manager did not do, or did not say, what it was asked for."""


class CreationRefusedError(CloudError):
    """A cloud manager does not make this machine there; nothing of it is left, and elsewhere it may be made."""


class MigrationRefusedError(CloudError):
    """A cloud manager will not move a virtual machine to this server. Another one may do."""


MORE_PROCESSES = (
    "raise the limit of your processes (`ulimit -u`; in a container, its pids limit), or end other programs of yours"
)

# What the system's own words leave open: what is wrong, and what helps.
_SYSTEM_WORDS = {
    errno.ENOSPC: ("the file system is full", "free some space there, or use another directory"),
    errno.EDQUOT: ("your disk quota is used up", "remove files there, or use another directory"),
    errno.EROFS: ("the file system is read-only", "use another directory"),
    errno.EACCES: ("you have no permission", "change its permissions, or use another directory"),
    errno.EPERM: ("you have no permission", "change its permissions, or use another directory"),
    errno.EMFILE: ("this process has too many open files", "raise the limit with `ulimit -n`"),
    errno.ENFILE: ("the machine has too many open files", "end other programs, or raise fs.file-max"),
    errno.EAGAIN: ("the limit of processes is reached", MORE_PROCESSES),  # of fork(2)
    errno.ENOMEM: ("the machine is out of memory", "end other programs, or use fewer hosts"),
    errno.E2BIG: (
        "its command line is too long: Linux takes 128 KiB in a word (MAX_ARG_STRLEN), and about 2 MiB in all",
        "use fewer ranks, shorter host names, or less environment",
    ),
    errno.EIO: ("the device reports an input/output error", "look at the kernel's log (dmesg)"),
}


def reason_of(error: BaseException) -> str:
    """What happened; of what the system refused in words and without the number: "the file system is full"."""
    if not isinstance(error, OSError):
        return str(error)
    known = _known(error)
    return known[0] if known else error.strerror or str(error)


def hint_of(error: OSError) -> str:
    """What the user can do about it; empty where that depends on what was tried."""
    known = _known(error)
    return known[1] if known else ""


def _known(error: OSError) -> tuple[str, str] | None:
    if error.errno == errno.EAGAIN and error.strerror != os.strerror(errno.EAGAIN):  # Python's: a full pipe
        return None
    return _SYSTEM_WORDS.get(error.errno or 0)


def of_system(
    error: OSError,
    path: str | os.PathLike[str] = "",
    *,
    doing: str = "",
    hint: str = "",
    kind: type[FairleadError] = FileError,
) -> FairleadError:
    """An error of the operating system as one of ours, with the file's name, to be raised ``from`` it.

    Args:
        path: the file or directory; where it is not given, the one that the error names.
        doing: what cannot be done with it, for example "cannot be written".
        hint: the way out, where it is another than the error's own.
        kind: the class of the failed activity.
    """
    name = os.fspath(path) or error.filename
    parts = [os.fsdecode(name) if isinstance(name, str | bytes) else "", doing, reason_of(error)]
    return kind(": ".join(filter(None, parts)), hint=hint or hint_of(error))
