"""The one tree of exceptions. Every message names the file, option or host concerned, and the way out.

The command line prints the message alone; ``-v`` adds the traceback. One class per failed activity, so that a
caller can catch an activity and nothing else; where it failed since it was asked for wrongly, a class below that, of
exit code 2.
"""


class FairleadError(Exception):
    """Base of everything that fairlead raises on purpose.

    Attributes:
        hint: what the user can do about it, or an empty string.
        exit_code: what the command line ends with.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message}\n  {self.hint}" if self.hint else message


class ConfigError(FairleadError):
    """A file or option that a person wrote is not usable. The message names file, line and key."""

    exit_code = 2


class MissingToolError(FairleadError):
    """A program or component that this step needs is not installed."""


class MissingDeviceError(FairleadError):
    """A host does not have the device that this step is about."""


class PrivilegeError(FairleadError):
    """The step needs a privilege that this user does not have."""


class HostError(FairleadError):
    """A host could not be reached, or what was started there failed."""


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
